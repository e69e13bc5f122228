// LCS: the longest common subsequence of two strings.
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// The length of the longest common subsequence of each two prefixes.
class Lengths {
 public:
  Lengths(std::string_view a, std::string_view b)
      : columns_(b.size() + 1), cells_((a.size() + 1) * columns_) {
    for (std::size_t i = 1; i <= a.size(); ++i)
      for (std::size_t j = 1; j <= b.size(); ++j)
        cell(i, j) = a[i - 1] == b[j - 1] ? cell(i - 1, j - 1) + 1
                                          : std::max(cell(i - 1, j), cell(i, j - 1));
  }
  std::uint32_t operator()(std::size_t i, std::size_t j) const { return cells_[i * columns_ + j]; }

 private:
  std::uint32_t& cell(std::size_t i, std::size_t j) { return cells_[i * columns_ + j]; }

  std::size_t columns_;
  std::vector<std::uint32_t> cells_;
};

/// A common run: `size` bytes that start at `a` in the first string and at `b` in the second.
struct Run {
  std::size_t a;
  std::size_t b;
  std::size_t size;
};

/// The runs of a longest common subsequence, the last one first. Of several subsequences that one
/// which is found by dropping bytes of the second string first, as Redis does.
std::vector<Run> common_runs(std::string_view a, std::string_view b, const Lengths& lengths) {
  std::vector<Run> runs;
  bool in_run = false;
  for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    if (a[i - 1] == b[j - 1]) {
      --i, --j;
      if (in_run)
        runs.back() = {i, j, runs.back().size + 1};
      else
        runs.push_back({i, j, 1});
      in_run = true;
      continue;
    }
    in_run = false;
    if (lengths(i - 1, j) > lengths(i, j - 1))
      --i;
    else
      --j;
  }
  return runs;
}

struct LcsOptions {
  bool length = false, runs = false, run_sizes = false;
  std::int64_t smallest = 0;
};

/// Reads the options from word 3 on; answers with an error and returns nullopt if they do not fit.
std::optional<LcsOptions> read_options(Context& c) {
  LcsOptions options;
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (is_word(word, "idx")) {
      options.runs = true;
    } else if (is_word(word, "len")) {
      options.length = true;
    } else if (is_word(word, "withmatchlen")) {
      options.run_sizes = true;
    } else if (is_word(word, "minmatchlen") && i + 1 < c.args.size()) {
      const auto smallest = parse_int64(c.args[++i]);
      if (!smallest) return c.reply.error(errors::kNotInteger), std::nullopt;
      options.smallest = *smallest;
    } else {
      return c.reply.error(errors::kSyntax), std::nullopt;
    }
  }
  if (options.runs && options.length) return c.reply.error(errors::kLcsBoth), std::nullopt;
  return options;
}

void write_range(ReplyWriter& reply, std::size_t start, std::size_t size) {
  reply.array(2);
  reply.integer(static_cast<std::int64_t>(start));
  reply.integer(static_cast<std::int64_t>(start + size - 1));
}

void write_runs(ReplyWriter& reply, std::vector<Run> runs, const LcsOptions& options,
                std::int64_t length) {
  std::erase_if(
      runs, [&](const Run& run) { return static_cast<std::int64_t>(run.size) < options.smallest; });
  reply.map(2);
  reply.bulk("matches");
  reply.array(runs.size());
  for (const Run& run : runs) {
    reply.array(options.run_sizes ? 3 : 2);
    write_range(reply, run.a, run.size);
    write_range(reply, run.b, run.size);
    if (options.run_sizes) reply.integer(static_cast<std::int64_t>(run.size));
  }
  reply.bulk("len");
  reply.integer(length);
}

/// The string at `key`, empty if it is missing; nullopt for another type.
std::optional<std::string_view> string_at(Context& c, std::string_view key) {
  const KeyEntry* entry = c.look(key);
  if (!entry) return std::string_view{};
  const auto* value = std::get_if<StringValue>(&entry->value);
  if (!value) return std::nullopt;
  return *value;
}

void lcs(Context& c) {
  // Both may expire first, so that the views below stay valid.
  c.find(c.args[1]);
  c.find(c.args[2]);
  const auto a = string_at(c, c.args[1]);
  const auto b = string_at(c, c.args[2]);
  if (!a || !b) return c.reply.error(errors::kLcsNotStrings);
  const auto options = read_options(c);
  if (!options) return;
  if ((a->size() + 1) * (b->size() + 1) * sizeof(std::uint32_t) >
      static_cast<std::size_t>(c.max_string_bytes))
    return c.reply.error(errors::kLcsTooLarge);
  const Lengths lengths{*a, *b};
  const std::int64_t length = lengths(a->size(), b->size());
  if (options->length) return c.reply.integer(length);
  std::vector<Run> runs = common_runs(*a, *b, lengths);
  if (options->runs) return write_runs(c.reply, std::move(runs), *options, length);
  std::string common;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) common += a->substr(run->a, run->size);
  c.reply.bulk(common);
}

constexpr KeySpec kTwoKeys[] = {{.flags = "RO access", .last = 1}};

constexpr Command kLcsCommands[] = {
    {"lcs", -3, kReadonly, kAclString, kTwoKeys, "string", "7.0.0", lcs},
};

}  // namespace

std::span<const Command> commands::lcs() { return kLcsCommands; }

}  // namespace picklock
