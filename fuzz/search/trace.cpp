#include "fuzz/search/trace.hpp"

#include "emulator/base/numbers.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

constexpr std::string_view kFamily = "pl";
constexpr std::string_view kVersion = "2";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// More than any run or scenario has; keeps a hostile string from asking for memory.
constexpr std::uint64_t kMostChoices = 1'000'000;
constexpr std::uint64_t kMostParameters = 32;

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t hash = 2'166'136'261;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619;
  return hash;
}

void put_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}
void put_u32(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t pool = 0;
  int bits = 0;
  for (const char byte : bytes) {
    pool = pool << 8 | static_cast<unsigned char>(byte);
    for (bits += 8; bits >= 6; bits -= 6) text += kAlphabet[pool >> (bits - 6) & 63];
  }
  if (bits > 0) text += kAlphabet[pool << (6 - bits) & 63];
  return text;
}

bool from_base64(std::string_view text, std::string& bytes) {
  std::uint32_t pool = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::size_t value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return false;
    pool = pool << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(pool >> bits);
  }
  // The bits that fill up the last letter are 0, so that a run has exactly one string.
  return bits < 6 && (pool & ((1U << bits) - 1)) == 0;
}

/// Reads what put_* wrote; past the end it reads zeros and remembers that it did.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  std::uint32_t u32() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= next() << shift;
    return value;
  }
  std::uint32_t next() {
    if (at_ >= bytes_.size()) {
      overrun_ = true;
      return 0;
    }
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  bool ended_well() const { return !overrun_ && at_ == bytes_.size(); }
  bool overrun() const { return overrun_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool overrun_ = false;
};

constexpr std::uint64_t kPrompt = std::uint64_t{1} << 32;  // Beside the number of time steps.

/// Which kinds have a budget, then the budgets of those.
void put_faults(std::string& body, const Faults& faults) {
  std::uint64_t kinds = 0;
  for (std::size_t i = 0; i < kFaultKinds.size(); ++i) {
    if (faults.*kFaultKinds[i].budget > 0) kinds |= std::uint64_t{1} << i;
  }
  put_varint(body, kinds);
  for (const FaultKind& kind : kFaultKinds) {
    if (faults.*kind.budget > 0) put_varint(body, static_cast<std::uint64_t>(faults.*kind.budget));
  }
  put_varint(body, static_cast<std::uint64_t>(faults.most));
}

void read_faults(Reader& reader, Faults& faults) {
  faults = Faults::none();
  const std::uint64_t kinds = reader.varint();
  for (std::size_t i = 0; i < kFaultKinds.size(); ++i) {
    if ((kinds >> i & 1) != 0)
      faults.*kFaultKinds[i].budget = static_cast<int>(reader.varint() & 0xffff);
  }
  faults.most = static_cast<int>(reader.varint() & 0xffff);
}

/// What is most frequent takes one byte: the first four steps of the first 16 actors are even.
std::uint64_t to_code(const Choice& choice) {
  const std::uint64_t step = static_cast<std::uint64_t>(step_of(choice.id));
  if (choice.kind == Kind::step && step < 4)
    return (std::uint64_t{actor_of(choice.id)} << 2 | step) << 1;
  return (std::uint64_t{choice.id} << 2 | static_cast<std::uint64_t>(choice.kind)) << 1 | 1;
}

Choice from_code(std::uint64_t code) {
  const std::uint64_t value = code >> 1;
  if ((code & 1) != 0)
    return {static_cast<Kind>(value & 3), static_cast<std::uint32_t>(value >> 2)};
  return {Kind::step,
          step_id(static_cast<Step>(value & 3), static_cast<std::uint32_t>(value >> 2))};
}

std::string body_of(const Trace& trace) {
  std::string body;
  put_faults(body, trace.faults);
  put_varint(body, trace.max_delay_ms);
  put_varint(body, trace.time_steps | (trace.prompt ? kPrompt : 0));
  put_varint(body, trace.parameters.size());
  for (const std::uint64_t value : trace.parameters) put_varint(body, value);
  put_u32(body, trace.configuration);
  put_varint(body, trace.choices.size());
  for (const Choice& choice : trace.choices) put_varint(body, to_code(choice));
  put_u32(body, trace.state_hash);
  body += static_cast<char>(trace.verdict);
  return body;
}

bool read_body(std::string_view body, Trace& trace) {
  Reader reader{body};
  read_faults(reader, trace.faults);
  trace.max_delay_ms = reader.varint();
  trace.time_steps = reader.varint();
  trace.prompt = (trace.time_steps & kPrompt) != 0;
  trace.time_steps &= kPrompt - 1;
  const std::uint64_t parameters = reader.varint();
  if (parameters > kMostParameters) return false;
  for (std::uint64_t i = 0; i < parameters; ++i) trace.parameters.push_back(reader.varint());
  trace.configuration = reader.u32();
  const std::uint64_t choices = reader.varint();
  if (choices > kMostChoices || choices > reader.left()) return false;
  for (std::uint64_t i = 0; i < choices; ++i) {
    trace.choices.push_back(from_code(reader.varint()));
  }
  trace.state_hash = reader.u32();
  trace.verdict = static_cast<Class>(reader.next());
  return reader.ended_well();
}

constexpr std::string_view kCutShort =
    "this replay string was cut short: copy it again, to its last letter";
constexpr std::string_view kAltered =
    "this replay string was altered (its checksum does not fit): copy it again as it was printed";

bool fail(std::string& error, std::string_view text) {
  error = text;
  return false;
}

/// Takes "pl2." off the front of `text`.
bool read_version(std::string_view& text, std::string& error) {
  const std::size_t dot = text.find('.');
  const std::string_view head = text.substr(0, dot);
  bool digits = head.size() > kFamily.size() && head.substr(0, kFamily.size()) == kFamily;
  for (const char letter : head.substr(std::min(head.size(), kFamily.size())))
    digits = digits && letter >= '0' && letter <= '9';
  if (!digits) {
    return fail(error, "this is no replay string: it must begin with pl" + std::string{kVersion} +
                           ". as printed under a failure");
  }
  const std::string_view version = head.substr(kFamily.size());
  if (version != kVersion) {
    return fail(error, "this replay string is of version " + std::string{version} +
                           ", and this picklock reads version " + std::string{kVersion} +
                           ": replay it with the picklock that wrote it, or search again");
  }
  if (dot == std::string_view::npos) return fail(error, kCutShort);
  text.remove_prefix(dot + 1);
  return true;
}

}  // namespace

bool is_scenario_name(std::string_view name) {
  for (const char letter : name) {
    if (kAlphabet.find(letter) == std::string_view::npos) return false;
  }
  return !name.empty() && name.size() <= 64;
}

std::string to_replay_string(const Trace& trace) {
  const std::string head =
      std::string{kFamily} + std::string{kVersion} + "." + trace.scenario + ".";
  const std::string body = body_of(trace);
  std::string bytes;
  put_varint(bytes, body.size());
  bytes += body;
  put_u32(bytes, checksum(head + bytes));
  return head + to_base64(bytes);
}

bool parse_replay_string(std::string_view text, Trace& trace, std::string& error) {
  std::string_view rest = text;
  if (!read_version(rest, error)) return false;
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) return fail(error, kCutShort);
  trace = Trace{};
  trace.scenario = rest.substr(0, dot);
  rest.remove_prefix(dot + 1);

  std::string bytes;
  const bool whole_letters = from_base64(rest, bytes);
  Reader length{bytes};
  const std::uint64_t body_size = length.varint();
  constexpr std::size_t kChecksumBytes = 4;
  if (length.overrun() || length.left() < kChecksumBytes ||
      length.left() - kChecksumBytes < body_size)
    return fail(error, kCutShort);
  const std::size_t body_start = bytes.size() - length.left();
  if (!whole_letters || length.left() - kChecksumBytes != body_size) return fail(error, kAltered);

  const std::string_view sealed = std::string_view{bytes}.substr(0, body_start + body_size);
  const std::string head{text.substr(0, text.size() - rest.size())};
  Reader sum{std::string_view{bytes}.substr(sealed.size())};
  if (sum.u32() != checksum(head + std::string{sealed})) return fail(error, kAltered);
  if (!is_scenario_name(trace.scenario) || !read_body(sealed.substr(body_start), trace))
    return fail(error, kAltered);
  return true;
}

}  // namespace picklock::race
