#include "lockclient/client/letter.hpp"

#include <locale>
#include <sstream>

namespace picklock::lock {

std::string Letter::text() const {
  return owner + ' ' + std::to_string(token.epoch) + ' ' + std::to_string(token.sequence) + ' ' +
         row.name + ' ' + std::to_string(row.number.value()) + ' ' +
         std::to_string(row.memory.count());
}

std::optional<Letter> Letter::read(const std::string& text) {
  std::istringstream words{text};
  words.imbue(std::locale::classic());
  Letter letter;
  std::int64_t number = 0;
  Duration::rep memory = 0;
  words >> letter.owner >> letter.token.epoch >> letter.token.sequence;
  words >> letter.row.name >> number >> memory;
  if (words.fail() || !words.eof() || number <= 0 || number >= Ordinal::kEnd || memory <= 0)
    return std::nullopt;
  letter.row.number = Ordinal{number};
  letter.row.memory = Duration{memory};
  return letter;
}

}  // namespace picklock::lock
