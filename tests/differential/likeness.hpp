// When two replies are as good as equal, though their bytes differ: what the rows of the
// normalisers compare by. Pure functions; safe from any thread.
#pragma once

#include <cstdint>

#include <picklock/reply.hpp>

namespace picklock::test {

/// Aggregates of the same elements, in whatever order, at every depth.
bool same_elements(const Reply& theirs, const Reply& ours);
/// Names with values, in whatever order of the names.
bool same_pairs(const Reply& theirs, const Reply& ours);
/// As many elements.
bool same_number(const Reply& theirs, const Reply& ours);
/// The same types and numbers of elements, whatever their values.
bool same_shape(const Reply& theirs, const Reply& ours);

/// Whether two remaining times, or two instants, in `unit_ms` are as good as equal.
bool same_time(const Reply& theirs, const Reply& ours, std::int64_t unit_ms);
/// Where integers may be such times, in seconds or milliseconds, at every depth.
bool near_times_deep(const Reply& theirs, const Reply& ours);
/// Stream ids that were made of the present time. The second one of a millisecond counts on.
bool same_present_id(const Reply& theirs, const Reply& ours);
/// But for when a stream's consumers were seen and its entries delivered.
bool same_but_idle_times(const Reply& theirs, const Reply& ours);
/// INFO, but for avg_ttl.
bool same_but_average_ttl(const Reply& theirs, const Reply& ours);

/// Two numbers that count connections.
bool both_ids(const Reply& theirs, const Reply& ours);
/// But for the id of a client, which follows the word "id" or "redirect".
bool same_but_id(const Reply& theirs, const Reply& ours);
/// ACL LOG, but for ages and what it says of the client.
bool same_but_log_details(const Reply& theirs, const Reply& ours);

/// What DUMP gives for the same value.
bool same_payload(const Reply& theirs, const Reply& ours);
/// What a transaction returns of DUMP.
bool same_but_payloads(const Reply& theirs, const Reply& ours);
/// Texts with the same words.
bool same_but_word_order(const Reply& theirs, const Reply& ours);
/// An error of SORT where ours answers none.
bool is_refused_sort(const Reply& theirs, const Reply& ours);

}  // namespace picklock::test
