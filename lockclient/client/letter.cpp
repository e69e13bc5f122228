#include "lockclient/client/letter.hpp"

#include <locale>
#include <sstream>

namespace picklock::lock {

std::string Letter::text() const {
  return hold.owner + ' ' + std::to_string(hold.token.epoch) + ' ' +
         std::to_string(hold.token.sequence) + ' ' + std::string{row.text()} + ' ' +
         std::to_string(row.number.value()) + ' ' + std::to_string(row.memory.count());
}

std::optional<Letter> Letter::read(const std::string& text) {
  std::istringstream words{text};
  words.imbue(std::locale::classic());
  Letter letter;
  std::int64_t number = 0;
  Duration::rep memory = 0;
  std::string row;
  words >> letter.hold.owner >> letter.hold.token.epoch >> letter.hold.token.sequence;
  words >> row >> number >> memory;
  if (words.fail() || !words.eof() || number <= 0 || number >= Ordinal::kEnd || memory <= 0)
    return std::nullopt;
  letter.row = Row{std::move(row), Duration{memory}};
  letter.row.number = Ordinal{number};
  return letter;
}

}  // namespace picklock::lock
