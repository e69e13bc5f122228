# Writes OUTPUT, a C++ source that holds every file of SCRIPTS as a raw string, in order of their names.
list(SORT SCRIPTS)
set(rows "")
foreach(path IN LISTS SCRIPTS)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} source)
  string(APPEND rows "    Script{\"${name}\", R\"lua(${source})lua\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from lua/scripts/*.lua.
#include \"lua/scripts.hpp\"

#include <array>

namespace picklock::scripts {
namespace {
constexpr std::array kScripts{
${rows}};
}  // namespace

std::span<const Script> all() { return kScripts; }

}  // namespace picklock::scripts
")
