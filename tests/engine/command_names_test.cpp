// Commands are found by their names in any case, and by nothing that is only like a name.
#include <algorithm>
#include <string>

#include "emulator/base/profile.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/table.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;

TEST_CASE("a command is told from all that is like its name") {
  for (const Profile& profile : kProfiles) {
    for (const Command* command : all_commands(profile)) {
      const std::string name{command->name};
      std::string shouted = name;
      std::ranges::transform(shouted, shouted.begin(), to_upper);
      REQUIRE(find_command(name, profile) == command);
      REQUIRE(find_command(shouted, profile) == command);
      std::string text = name;
      for (std::size_t at = 0; at < name.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          text[at] = static_cast<char>(byte);
          const Command* const found = find_command(text, profile);
          if (found != nullptr && !iequals(found->name, text))
            FAIL(text << " is no " << found->name);
        }
        text[at] = name[at];
      }
    }
  }
}
