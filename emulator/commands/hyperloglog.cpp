// HyperLogLog: how many different elements were added, estimated from a few kilobytes.
#include <string>

#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/hll.hpp"

namespace picklock {
namespace {

/// Whether `entry` holds a HyperLogLog; answers the error if not.
bool check(Context& c, const KeyEntry& entry) {
  const auto* bytes = std::get_if<StringValue>(&entry.value);
  if (bytes && hll::is_valid(*bytes)) return true;
  c.reply.error(bytes ? errors::kHllInvalid : errors::kWrongType);
  return false;
}

/// The HyperLogLog at `key` for writing, made if it is missing. Not counted as a change, which
/// edit() does.
StringValue& open(Context& c, std::string_view key) {
  if (!c.look(key)) c.db().put(key, hll::make());
  auto* entry = const_cast<KeyEntry*>(c.look(key));  // It was found, or made, by this command.
  entry->form = Form::grown;
  return std::get<StringValue>(entry->value);
}

/// Tells of a change that is complete.
void changed(Context& c, std::string_view key) {
  c.edit(key);
  c.event(EventClass::string, "pfadd", key);
}

void pfadd(Context& c) {
  const std::string_view key = c.args[1];
  const KeyEntry* entry = c.find(key);
  if (entry && !check(c, *entry)) return;
  bool updated = entry == nullptr;
  StringValue& bytes = open(c, key);
  for (const std::string_view element : c.args.subspan(2)) {
    const auto outcome = hll::add(bytes, element, c.limits.hll_sparse_max_bytes);
    if (outcome == hll::Outcome::corrupted) return c.reply.error(errors::kHllCorrupt);
    updated |= outcome == hll::Outcome::changed;
  }
  if (updated) {
    hll::forget(bytes);
    changed(c, key);
  }
  c.reply.integer(updated ? 1 : 0);
}

/// Merges the HyperLogLogs at `keys`; false with the error answered. `any_dense` is set if one is.
bool merge(Context& c, Args keys, hll::Registers& registers, bool& any_dense) {
  for (const std::string_view key : keys) {
    const KeyEntry* entry = c.find_to_read(key);
    if (!entry) continue;
    if (!check(c, *entry)) return false;
    const auto& bytes = std::get<StringValue>(entry->value);
    any_dense |= hll::encoding(bytes) == hll::Encoding::dense;
    if (!hll::merge_into(registers, bytes)) return c.reply.error(errors::kHllCorrupt), false;
  }
  return true;
}

void count_one(Context& c, std::string_view key) {
  const KeyEntry* entry = c.find(key);
  if (!entry) return c.reply.integer(0);
  if (!check(c, *entry)) return;
  StringValue& bytes = open(c, key);
  auto cardinality = hll::cached(bytes);
  if (!cardinality) {
    cardinality = hll::count(bytes);
    if (!cardinality) return c.reply.error(errors::kHllCorrupt);
    hll::remember(bytes, *cardinality);
    c.edit(key);  // Redis: to remember is a change, though no event tells of it.
    c.tell_changes();
  }
  c.reply.integer(static_cast<std::int64_t>(*cardinality));
}

void pfcount(Context& c) {
  if (c.args.size() == 2) return count_one(c, c.args[1]);
  hll::Registers registers{};
  bool any_dense = false;
  if (merge(c, c.args.subspan(1), registers, any_dense))
    c.reply.integer(static_cast<std::int64_t>(hll::count(registers)));
}

void pfmerge(Context& c) {
  hll::Registers registers{};
  bool any_dense = false;
  if (!merge(c, c.args.subspan(1), registers, any_dense)) return;
  StringValue& bytes = open(c, c.args[1]);
  if (any_dense) hll::make_dense(bytes);  // Merged without an error, so it is not corrupted.
  for (std::size_t i = 0; i < registers.size(); ++i)
    if (registers[i] > 0) hll::raise(bytes, i, registers[i], c.limits.hll_sparse_max_bytes);
  hll::forget(bytes);
  changed(c, c.args[1]);
  c.reply.ok();
}

void debug_registers(Context& c, StringValue& bytes) {
  const bool was_sparse = hll::encoding(bytes) == hll::Encoding::sparse;
  if (!hll::make_dense(bytes)) return c.reply.error(errors::kHllCorrupt);
  if (was_sparse) c.replicated = Replicated::always;
  hll::Registers registers{};
  hll::merge_into(registers, bytes);
  c.reply.array(registers.size());
  for (const std::uint8_t value : registers) c.reply.integer(value);
}

void debug_dense(Context& c, StringValue& bytes) {
  const bool was_sparse = hll::encoding(bytes) == hll::Encoding::sparse;
  if (!hll::make_dense(bytes)) return c.reply.error(errors::kHllCorrupt);
  if (was_sparse) c.replicated = Replicated::always;
  c.reply.integer(was_sparse ? 1 : 0);
}

void pfdebug(Context& c) {
  const KeyEntry* entry = c.find(c.args[2]);
  if (!entry) return c.reply.error(errors::kHllNoKey);
  if (!check(c, *entry)) return;
  StringValue& bytes = open(c, c.args[2]);
  const bool sparse = hll::encoding(bytes) == hll::Encoding::sparse;
  const std::string_view word = c.args[1];
  if (is_word(word, "getreg")) return debug_registers(c, bytes);
  if (is_word(word, "encoding")) return c.reply.status(sparse ? "sparse" : "dense");
  if (is_word(word, "todense")) return debug_dense(c, bytes);
  if (!is_word(word, "decode")) return c.reply.error(errors::unknown_pfdebug(word));
  if (!sparse) return c.reply.error(errors::kHllNotSparse);
  c.reply.bulk(hll::describe(bytes));
}

/// Redis tests its own registers and estimates; ours have tests elsewhere.
void pfselftest(Context& c) { c.reply.ok(); }

constexpr KeySpec kCounted[] = {
    {.flags = "RW access",
     .last = -1,
     .notes = "RW because it may change the internal representation of the key, and propagate to "
              "replicas"}};
constexpr KeySpec kMerged[] = {{"RW access insert"},
                               {.flags = "RO access", .first = 2, .last = -1}};
constexpr KeySpec kDebugged[] = {{.flags = "RW access", .first = 2}};
constexpr std::uint32_t kStores = kWrite | kDenyOom;
constexpr std::uint32_t kAcl = kAclHyperLogLog;
constexpr Command kHyperloglogCommands[] = {
    {"pfadd", -2, kStores | kFast, kAcl, keys::kInsert, "hyperloglog", "2.8.9", pfadd},
    {"pfcount", -2, kReadonly | kMayReplicate, kAcl, kCounted, "hyperloglog", "2.8.9", pfcount},
    {"pfmerge", -2, kStores, kAcl, kMerged, "hyperloglog", "2.8.9", pfmerge},
    {"pfdebug", 3, kStores | kAdmin, kAcl, kDebugged, "hyperloglog", "2.8.9", pfdebug},
    {"pfselftest", 1, kAdmin, kAcl, {}, "hyperloglog", "2.8.9", pfselftest},
};

}  // namespace

std::span<const Command> commands::hyperloglog() { return kHyperloglogCommands; }

}  // namespace picklock
