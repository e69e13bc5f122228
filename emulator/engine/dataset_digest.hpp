// DEBUG DIGEST: a number for the contents of a value, or of all databases, whatever their order.
//
// The same as a real server's for the same contents. Pure functions.
#pragma once

#include <array>
#include <string>

#include "emulator/keyspace/keyspace.hpp"

namespace picklock {

/// 40 hexadecimal digits.
std::string digest_of_value(const KeyEntry& entry);
std::string digest_of_nothing();
std::string digest_of_keyspace(const Keyspace& keyspace);

}  // namespace picklock
