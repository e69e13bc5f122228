#include "tests/differential/likeness.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/keyspace/stream_id.hpp"
#include "tests/support/payloads.hpp"

namespace picklock::test {
namespace {

// How far the two clocks may be apart: ours is set once for each exchange, theirs goes on during
// it.
constexpr std::int64_t kToleranceMs = 3000;

void sort_deep(Reply& reply) {
  auto& elements = reply.elements();
  for (Reply& element : elements) sort_deep(element);
  std::ranges::sort(elements, {}, [](const Reply& element) { return element.to_string(); });
}

bool both_integers(const Reply& theirs, const Reply& ours) {
  return theirs.type() == Reply::Type::integer && ours.type() == Reply::Type::integer;
}

// Whether an element tells when a stream's consumer was seen, or an entry was delivered: what
// follows these names, and the last but one of [id, consumer, idle, count] and [id, time, count].
bool is_idle_time(const Reply& reply, std::size_t at) {
  if (at > 0 && (reply[at - 1] == "idle" || reply[at - 1] == "seen-time")) return true;
  return at + 2 == reply.size() && (at == 1 || at == 2) && reply[0].type() == Reply::Type::bulk &&
         reply[0].text().find('-') != std::string::npos;
}

}  // namespace

bool same_elements(const Reply& theirs, const Reply& ours) {
  Reply a = theirs;
  Reply b = ours;
  sort_deep(a);
  sort_deep(b);
  return a == b;
}

bool same_pairs(const Reply& theirs, const Reply& ours) {
  if (theirs.type() != ours.type() || theirs.size() != ours.size() || theirs.size() % 2 != 0)
    return false;
  const auto pairs = [](const Reply& reply) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < reply.size(); i += 2)
      lines.push_back(reply[i].to_string() + " => " + reply[i + 1].to_string());
    std::ranges::sort(lines);
    return lines;
  };
  return pairs(theirs) == pairs(ours);
}

bool same_time(const Reply& theirs, const Reply& ours, std::int64_t unit_ms) {
  if (!both_integers(theirs, ours) || theirs.integer() < 0 || ours.integer() < 0) return false;
  return is_near(theirs.integer(), ours.integer(), kToleranceMs / unit_ms);
}

bool near_times_deep(const Reply& theirs, const Reply& ours) {
  if (theirs.is_aggregate() && ours.is_aggregate()) {
    return theirs.type() == ours.type() && theirs.size() == ours.size() &&
           std::ranges::equal(theirs.elements(), ours.elements(), near_times_deep);
  }
  return theirs == ours || same_time(theirs, ours, 1) || same_time(theirs, ours, 1000);
}

bool same_shape(const Reply& theirs, const Reply& ours) {
  return theirs.type() == ours.type() && theirs.size() == ours.size() &&
         std::ranges::equal(theirs.elements(), ours.elements(), same_shape);
}

bool both_ids(const Reply& theirs, const Reply& ours) {
  return both_integers(theirs, ours) && theirs.integer() > 0 && ours.integer() > 0;
}

bool same_but_id(const Reply& theirs, const Reply& ours) {
  if (theirs.type() != ours.type() || theirs.size() != ours.size()) return false;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const bool is_id = i > 0 && (theirs[i - 1] == "id" || theirs[i - 1] == "redirect");
    if (!(theirs[i] == ours[i]) && !(is_id && both_ids(theirs[i], ours[i]))) return false;
  }
  return true;
}

bool same_payload(const Reply& theirs, const Reply& ours) {
  return theirs.type() == Reply::Type::bulk && ours.type() == Reply::Type::bulk &&
         (canonical_payload(theirs.text()) == canonical_payload(ours.text()) ||
          same_but_instants(theirs.text(), ours.text(), kToleranceMs));
}

bool same_present_id(const Reply& theirs, const Reply& ours) {
  if (theirs.type() != Reply::Type::bulk || ours.type() != Reply::Type::bulk) return false;
  const auto a = parse_stream_id(theirs.text(), 0, IdForm::strict);
  const auto b = parse_stream_id(ours.text(), 0, IdForm::strict);
  return a && b && a->id.seq <= 1 && b->id.seq <= 1 &&
         is_near(static_cast<std::int64_t>(a->id.ms), static_cast<std::int64_t>(b->id.ms),
                 kToleranceMs);
}

bool same_but_payloads(const Reply& theirs, const Reply& ours) {
  return theirs == ours || (theirs.is_aggregate() && theirs.type() == ours.type() &&
                            std::ranges::equal(theirs.elements(), ours.elements(),
                                               [](const Reply& a, const Reply& b) {
                                                 return a == b || same_payload(a, b);
                                               }));
}

bool same_but_idle_times(const Reply& theirs, const Reply& ours) {
  if (theirs == ours) return true;
  if (!theirs.is_aggregate() || theirs.type() != ours.type() || theirs.size() != ours.size())
    return false;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (!same_but_idle_times(theirs[i], ours[i]) &&
        !(is_idle_time(theirs, i) && same_time(theirs[i], ours[i], 1)))
      return false;
  return true;
}

bool same_but_word_order(const Reply& theirs, const Reply& ours) {
  if (theirs == ours) return true;
  if (theirs.type() != ours.type()) return false;
  if (theirs.is_aggregate())
    return theirs.size() == ours.size() &&
           std::ranges::equal(theirs.elements(), ours.elements(), same_but_word_order);
  if (theirs.type() != Reply::Type::bulk) return false;
  const auto words = [](const Reply& reply) {
    std::istringstream text{std::string{reply.text()}};
    std::vector<std::string> all{std::istream_iterator<std::string>{text}, {}};
    std::ranges::sort(all);
    return all;
  };
  return words(theirs) == words(ours);
}

bool same_but_log_details(const Reply& theirs, const Reply& ours) {
  if (theirs == ours) return true;
  if (!theirs.is_aggregate() || theirs.type() != ours.type() || theirs.size() != ours.size())
    return false;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const bool is_detail =
        i > 0 && (theirs[i - 1] == "age-seconds" || theirs[i - 1] == "client-info");
    if (is_detail ? theirs[i].type() != ours[i].type() : !same_but_log_details(theirs[i], ours[i]))
      return false;
  }
  return true;
}

bool same_but_average_ttl(const Reply& theirs, const Reply& ours) {
  const auto without = [](const Reply& reply) {
    std::string text = reply.to_string();
    for (std::size_t at = 0; (at = text.find("avg_ttl=", at)) != std::string::npos;) {
      at += 8;
      text.erase(at, text.find_first_not_of("-0123456789", at) - at);
    }
    return text;
  };
  return theirs.type() == ours.type() && without(theirs) == without(ours);
}

bool is_refused_sort(const Reply& theirs, const Reply& ours) {
  const auto is_refused = [](const Reply& reply) {
    return reply.to_string().find("scores can't be converted") != std::string::npos;
  };
  return is_refused(theirs) && !is_refused(ours);
}

bool same_number(const Reply& theirs, const Reply& ours) {
  return theirs.is_aggregate() && theirs.type() == ours.type() && theirs.size() == ours.size();
}

}  // namespace picklock::test
