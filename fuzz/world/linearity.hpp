// The three stages of check_history(), apart from each other for their tests.
//
// Pure. Each answers only what it is sure of.
#pragma once

#include <optional>
#include <span>

#include <picklock/race/history.hpp>

namespace picklock::race {

/// By the order in which the calls took effect. Only ever finds that a history is linearizable.
bool is_right_as_executed(std::span<const LockCall> calls, const LockModel& model);

/// By what holds of any lock: what is certainly held at once must fit, and who is refused must have
/// met a holder. nullopt: that does not decide it.
std::optional<HistoryVerdict> judge_as_lock(std::span<const LockCall> calls,
                                            const LockModel& model);

/// By all orders, depth first (Wing and Gong; a state that was met before is cut off, as Lowe
/// does).
HistoryVerdict try_all_orders(std::span<const LockCall> calls, const LockModel& model,
                              std::uint64_t most_states);

}  // namespace picklock::race
