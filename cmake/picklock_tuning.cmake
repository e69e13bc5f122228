# Programs laid out by what they were seen doing (-fprofile-generate, -fprofile-use of clang): in the build
# directory, PICKLOCK_TUNING=record makes programs that note in seen/ what runs how often, and
# PICKLOCK_TUNING=use builds by those notes. `make tuned` does both, and has BOLT lay the programs out once more:
# they are linked into linked/, so that bin/ holds only what is done.
#
# With PICKLOCK_LUA_SOURCE, where the source of Debian's package of Lua has been unpacked, Lua is compiled so, too.
set(PICKLOCK_TUNING "" CACHE STRING "record: note what runs; use: build by the notes (clang only)")
set(PICKLOCK_LUA_SOURCE "" CACHE PATH "With PICKLOCK_TUNING: Lua 5.1's source, to be tuned with the rest")
if(NOT PICKLOCK_TUNING)
  return()
endif()
# Not g++: with the same notes its searches are slower, and of coroutines that it has split BOLT makes wrong code.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "PICKLOCK_TUNING needs clang, and this is ${CMAKE_CXX_COMPILER_ID}: "
                      "build without it, or set CMAKE_CXX_COMPILER")
endif()
set(seen ${CMAKE_BINARY_DIR}/seen)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/linked)
# Linked into the programs, Lua is called straight, and laid out with the rest.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
# Where a program lies is known when it is linked: no address need be worked out, nor be put right at the start.
add_compile_options(-fno-pie)
# Of std::stable_sort in Debian's libstdc++, not of ours.
add_compile_options(-Wno-deprecated-declarations)
add_link_options(-no-pie)
if(PICKLOCK_TUNING STREQUAL record)
  add_compile_options(-fprofile-generate=${seen} -fprofile-update=prefer-atomic)
  add_link_options(-fprofile-generate=${seen})
elseif(PICKLOCK_TUNING STREQUAL use)
  # What did not run, or has changed since, is not to be small at the cost of speed (pgso).
  add_compile_options(-fprofile-use=${seen}/all.profdata -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date
                      -Wno-backend-plugin "SHELL:-mllvm -pgso=false")
  # Nor is an indirect call that mostly goes to one place to be made a direct one beside it (icp): that is the code once
  # more, and a lock client's operation is more code than a processor's first cache holds.
  add_compile_options("SHELL:-mllvm -disable-icp")
  # A command goes through five layers, each compiled apart, and a script's calls through Lua's. CMake would compile C
  # with -flto=thin, and a linker never inlines between that and what was compiled with -flto.
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  set(CMAKE_C_COMPILE_OPTIONS_IPO -flto)
  set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto)
  # For BOLT, which lays out what is linked, and calls libraries straight where all is bound at the start.
  add_link_options(-Wl,--emit-relocs,-z,now,-plugin-opt=-pgso=false,-plugin-opt=-disable-icp)
else()
  message(FATAL_ERROR "PICKLOCK_TUNING is record or use, not '${PICKLOCK_TUNING}'")
endif()

# picklock_tune_lua(): what links Lua's package links what is made of its source instead, as the package makes it.
function(picklock_tune_lua)
  file(GLOB sources ${PICKLOCK_LUA_SOURCE}/src/l*.c)
  list(FILTER sources EXCLUDE REGEX "/luac?\\.c$")
  if(NOT sources)
    message(FATAL_ERROR "PICKLOCK_LUA_SOURCE is to be where Lua's source is: no src/l*.c in '${PICKLOCK_LUA_SOURCE}'")
  endif()
  add_library(picklock_tuned_lua STATIC ${sources})
  target_compile_definitions(picklock_tuned_lua PRIVATE LUA_USE_LINUX)
  target_compile_options(picklock_tuned_lua PRIVATE -w)
  set_target_properties(picklock_tuned_lua PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(picklock_tuned_lua PUBLIC m ${CMAKE_DL_LIBS})
  foreach(module IN LISTS PICKLOCK_LUA_MODULES)
    get_target_property(libraries PkgConfig::PICKLOCK_${module} INTERFACE_LINK_LIBRARIES)
    list(TRANSFORM libraries REPLACE "^.*/liblua5\\.1\\.(a|so)$" picklock_tuned_lua)
    set_target_properties(PkgConfig::PICKLOCK_${module} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endforeach()
  if(NOT libraries STREQUAL picklock_tuned_lua)
    message(FATAL_ERROR "Lua's package links '${libraries}', and not one library that could be another")
  endif()
endfunction()
