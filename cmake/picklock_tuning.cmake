# Programs laid out by what they were seen doing (-fprofile-generate, -fprofile-use of g++): in the build
# directory, PICKLOCK_TUNING=record makes programs that note in seen/ what runs how often, and
# PICKLOCK_TUNING=use builds by those notes. `make tuned` does both, and has BOLT lay the programs out once more:
# they are linked into linked/, so that bin/ holds only what is done.
set(PICKLOCK_TUNING "" CACHE STRING "record: note what runs; use: build by the notes (g++ only)")
if(NOT PICKLOCK_TUNING)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "PICKLOCK_TUNING needs g++, and this is ${CMAKE_CXX_COMPILER_ID}: "
                      "build without it, or set CMAKE_CXX_COMPILER")
endif()
set(seen ${CMAKE_BINARY_DIR}/seen)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/linked)
# Linked into the programs, Lua is called straight, and laid out with the rest.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
if(PICKLOCK_TUNING STREQUAL record)
  add_compile_options(-fprofile-generate=${seen} -fprofile-update=prefer-atomic)
  add_link_options(-fprofile-generate=${seen})
elseif(PICKLOCK_TUNING STREQUAL use)
  # What did not run is built as ever; what has changed since, as if it had not been seen.
  add_compile_options(-fprofile-use=${seen} -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch)
  # A command goes through five layers, each compiled apart.
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  # For BOLT, which lays out what is linked: it must find each function in one piece (of coroutines that g++ has split it
  # makes wrong code), and calls libraries straight where all is bound at the start.
  add_compile_options(-fno-reorder-blocks-and-partition)
  add_link_options(-fno-reorder-blocks-and-partition -Wl,--emit-relocs,-z,now)
else()
  message(FATAL_ERROR "PICKLOCK_TUNING is record or use, not '${PICKLOCK_TUNING}'")
endif()
