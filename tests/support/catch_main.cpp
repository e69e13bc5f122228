// The test runner's main, compiled once. Takes the locale of its environment, as many programs do: whatever
// that is, every test must pass.
#include <clocale>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char* argv[]) {
  std::setlocale(LC_ALL, "");
  return Catch::Session().run(argc, argv);
}
