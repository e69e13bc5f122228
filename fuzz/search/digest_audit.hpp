// Do states with one number really go on alike? An exhaustive search cuts off on it.
//
// Of a sample of the states the way to them is kept. When another way meets one of them, both ways
// are taken once more and go on by the same random choices: what can be chosen and the states'
// numbers must stay the same. A worker whose digest leaves out something that it goes by is found
// so. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/world/simulation.hpp"

namespace picklock::race {

class DigestAudit {
 public:
  /// State number `number`, from 1 on, was met for the first time, by the choices `way`.
  void met(std::uint64_t state, std::uint64_t number, const std::vector<Choice>& way);
  void met_again(std::uint64_t state, const std::vector<Choice>& way);
  /// To be called between runs. Where two ways to one state have parted, in words; empty: nowhere.
  std::string run(Simulation& simulation, const Scenario& scenario);
  std::uint64_t audits() const { return audits_; }

 private:
  std::map<std::uint64_t, std::vector<Choice>> ways_;
  const std::vector<Choice>* one_ = nullptr;  ///< To be compared with other_; null: nothing to do.
  std::vector<Choice> other_;
  std::uint64_t audits_ = 0;
};

}  // namespace picklock::race
