// The sentences for findings of declared properties.
#include "emulator/base/numbers.hpp"
#include "fuzz/report/phrases.hpp"

namespace picklock::race {
namespace {

std::string phrase_fencing(const Finding& finding, const std::string& resource,
                           const std::string& subject, const std::string& other) {
  switch (finding.deed) {
    case Deed::refused:
      return resource + " refuses " + subject + ", who holds the lock: its token is older than " +
             other + "'s";
    case Deed::shared:
      return subject + " wrote to " + resource + " with the token of " + other;
    default:
      return subject + " wrote to " + resource + " with an older token than " + other + " before";
  }
}

std::string phrase_history(const Finding& finding, const std::string& lock,
                           const std::string& subject, const std::string& other) {
  switch (finding.deed) {
    case Deed::overlapped:
      return subject + " was given " + lock + " while " + other + " had it for certain";
    case Deed::refused:
      return subject + " was refused " + lock + ", which nobody can have had meanwhile";
    case Deed::undecided:
      return "the " + to_text(finding.seen) + " calls of " + lock +
             " have too many orders to try them all: let fewer workers ask at once, or each ask "
             "less often";
    default:
      return "the answers of " + lock + " fit to no order of the calls: none goes beyond what " +
             subject + " asked";
  }
}

}  // namespace

std::string phrase_property(const Finding& finding, const std::string& resource,
                            const std::string& subject, const std::string& other) {
  switch (finding.oracle) {
    case Oracle::permits:
      return subject + " took more permits of " + resource + " than there are: " + other +
             " was using some";
    case Oracle::read_write:
      return subject + " entered " + resource + " while " + other +
             " was inside, and one of them writes";
    case Oracle::fencing:
      return phrase_fencing(finding, resource, subject, other);
    case Oracle::hold_count:
      return subject + " has " + to_text(finding.right) + " holds of " + resource +
             ", but the server counts " + to_text(finding.seen);
    case Oracle::waiting:
      return resource + " has been free for more than " + to_text(finding.right) + " ms while " +
             subject + " waits for it";
    case Oracle::fairness:
      return subject + " took " + resource + " before " + other +
             ", who has waited for longer: " + "overtaken " + to_text(finding.seen) +
             " times, and " + to_text(finding.right) + " are allowed";
    case Oracle::leaked:
      return resource + (finding.deed == Deed::prolonged
                             ? " is left behind for more than " + to_text(finding.right) + " ms"
                             : " is left behind for ever");
    case Oracle::quiescence:
      return finding.deed == Deed::sent
                 ? subject + " sent something for a hold of " + resource + " that is over"
                 : subject + " brought a hold of " + resource + " that is over back to life";
    case Oracle::hot_loop:
      return subject + " sends more than " + to_text(finding.right) + " requests a second";
    case Oracle::linearizability:
      return phrase_history(finding, resource, subject, other);
    case Oracle::property:
      return finding.subject == kNobody ? "at rest it is not so that " + resource
                                        : subject + " finds that it is not so that " + resource;
    default:
      return "";
  }
}

}  // namespace picklock::race
