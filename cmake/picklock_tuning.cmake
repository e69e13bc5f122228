# Programs laid out by what they were seen doing (-fprofile-generate, -fprofile-use of clang): in the build
# directory, PICKLOCK_TUNING=record makes programs that note in seen/ what runs how often, and
# PICKLOCK_TUNING=use builds by those notes. `make tuned` does both, and has BOLT lay the programs out once more:
# they are linked into linked/, so that bin/ holds only what is done.
set(PICKLOCK_TUNING "" CACHE STRING "record: note what runs; use: build by the notes (clang only)")
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
  # A command goes through five layers, each compiled apart.
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto)
  # For BOLT, which lays out what is linked, and calls libraries straight where all is bound at the start.
  add_link_options(-Wl,--emit-relocs,-z,now,-plugin-opt=-pgso=false)
else()
  message(FATAL_ERROR "PICKLOCK_TUNING is record or use, not '${PICKLOCK_TUNING}'")
endif()
