#include "tests/support/dataset.hpp"

#include <stdexcept>
#include <vector>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr int kDatabases = 16;

std::vector<Reply> ask(Channel& channel, const std::vector<std::vector<std::string>>& requests) {
  std::string bytes;
  for (const auto& request : requests) bytes += encode_request(request);
  ReplyParser parser;
  parser.feed(channel.exchange(bytes));
  std::vector<Reply> replies;
  while (auto reply = parser.next()) replies.push_back(std::move(*reply));
  if (replies.size() != requests.size())
    throw std::runtime_error("the server did not answer everything");
  return replies;
}

void add_keys(Channel& channel, int database, std::map<std::string, std::string>& facts) {
  const auto found = ask(channel, {{"SELECT", std::to_string(database)}, {"KEYS", "*"}});
  std::vector<std::vector<std::string>> questions;
  for (const Reply& key : found[1].elements())
    for (const auto& question :
         {std::vector<std::string>{"PEXPIRETIME"}, {"OBJECT", "ENCODING"}, {"DUMP"}}) {
      questions.push_back(question);
      questions.back().push_back(std::string{key.text()});
    }
  const auto answers = ask(channel, questions);
  // A key may expire after it was listed: it stands there as one without a value.
  for (std::size_t i = 0; i < answers.size(); i += 3)
    facts[std::to_string(database) + "/" + quote(questions[i].back())] =
        answers[i].to_string() + " " + answers[i + 1].to_string() + " " +
        (answers[i + 2].is_null() ? "gone" : quote(canonical_payload(answers[i + 2].text())));
}

}  // namespace

std::map<std::string, std::string> dataset(Channel& channel) {
  std::map<std::string, std::string> facts;
  for (int database = 0; database < kDatabases; ++database) add_keys(channel, database, facts);
  const auto listed = ask(channel, {{"SELECT", "0"}, {"FUNCTION", "LIST", "WITHCODE"}});
  for (const Reply& library : listed[1].elements())
    facts["function " + std::string{library[1].text()}] = quote(library[7].text());
  return facts;
}

std::string difference(const std::map<std::string, std::string>& theirs,
                       const std::map<std::string, std::string>& ours) {
  std::string text;
  for (const auto& [name, fact] : theirs) {
    const auto other = ours.find(name);
    if (other == ours.end())
      text += name + " is theirs alone: " + fact + "\n";
    else if (other->second != fact)
      text += name + " is " + fact + " there, and here " + other->second + "\n";
  }
  for (const auto& [name, fact] : ours)
    if (!theirs.contains(name)) text += name + " is ours alone: " + fact + "\n";
  return text;
}

}  // namespace picklock::test
