// The lock client's own primitives as scenarios of the gallery, each with what it promises.
//
// They are used through the lock client, as a program would. Used by the gallery alone.
#pragma once

#include <span>
#include <string_view>

#include "fuzz/gallery/gallery.hpp"

namespace picklock::race {

struct Primitive {
  std::string_view name;
  std::string_view summary;
  void (*furnish)(World& world, const LockSettings& settings);
  /// Whether it stands in a key that is one hold's alone.
  bool has_key = true;
  int workers = 2;
  /// Whether the workers differ in nothing but their names.
  bool symmetric = false;
};

std::span<const Primitive> primitives();
/// A founding protocol over three servers, through the lock client's ScriptLock.
Scenario majority_scenario(const WellKnownProtocol& known, const LockSettings& settings);
Scenario primitive_scenario(const Primitive& primitive, const LockSettings& settings);

}  // namespace picklock::race
