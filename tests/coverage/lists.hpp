// Lists of exceptions, one a line: what it is, a colon, and why. Lines that begin with '#' are
// none.
#pragma once

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace picklock::test {

/// By what is excused, the reason. Throws std::runtime_error for a line that gives no reason.
inline std::map<std::string, std::string> read_list(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error("cannot read " + path);
  std::map<std::string, std::string> list;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(": ");
    if (colon == std::string::npos || colon + 2 == line.size())
      throw std::runtime_error(path + ": no reason is given: " + line);
    list[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return list;
}

}  // namespace picklock::test
