#include <clocale>
#include <cstdlib>
#include <string>

#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

namespace picklock::lua {
namespace {

TEST_CASE("The locale that the environment asks for is in force") {
  const char* wanted = std::getenv("LC_ALL");
  if (wanted == nullptr || std::string{wanted} != "de_DE.UTF-8") return;
  CHECK(std::string{std::localeconv()->decimal_point} == ",");
}

TEST_CASE("Strings compare by bytes and numbers print with a point under any locale") {
  ScriptRunner run;
  CHECK(run("return {'10'>'20','9'>'10','a'<'B','Z'<'a','a\\0b'<'a\\0c'}") ==
        "*5 $-1 :1 $-1 :1 :1");
  CHECK(run("return {tostring(1.5),'1.5'+1 == 2.5,redis.call('echo',0.5)}") ==
        "*3 $3 1.5 :1 $3 0.5");
}

}  // namespace
}  // namespace picklock::lua
