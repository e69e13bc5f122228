# What picklock needs of a machine, asked for in one place: by its own build, and, installed beside
# picklock-config.cmake, by every project that finds it. Each thing that is missing is one line.

# The system's libraries, by the names that pkg-config knows, each with its Debian package. Lua is the C build:
# lua-cjson and lua-bitop need it.
set(PICKLOCK_LUA_MODULES lua5.1-cjson lua5.1-bitop lua5.1)
set(PICKLOCK_SYSTEM_MODULES ${PICKLOCK_LUA_MODULES} libxxhash)
set(PICKLOCK_PACKAGE_OF_lua5.1 liblua5.1-0-dev)
set(PICKLOCK_PACKAGE_OF_lua5.1-cjson lua-cjson-dev)
set(PICKLOCK_PACKAGE_OF_lua5.1-bitop lua-bitop-dev)
set(PICKLOCK_PACKAGE_OF_libxxhash libxxhash-dev)

# picklock_compiler_problem(<variable>): why the C++ compiler will not do, or nothing. libstdc++ before 12 and clang
# before 16 lack parts of C++20 that the headers use.
function(picklock_compiler_problem problem)
  set(${problem} "" PARENT_SCOPE)
  set(oldest_GNU 12)
  set(oldest_Clang 16)
  if(DEFINED oldest_${CMAKE_CXX_COMPILER_ID})
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL oldest_${CMAKE_CXX_COMPILER_ID})
      return()
    endif()
  elseif(cxx_std_20 IN_LIST CMAKE_CXX_COMPILE_FEATURES)
    return()
  endif()
  set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  set(${problem} "picklock needs C++20, as g++ 12 or clang 16 have it; this compiler is ${compiler}" PARENT_SCOPE)
endfunction()

# picklock_find_modules(<variable> <module>...): makes PkgConfig::PICKLOCK_<module> of each; the variable
# says what is missing, or nothing. A macro, because imported targets belong to the directory that asks.
macro(picklock_find_modules problem)
  set(${problem} "")
  find_package(PkgConfig QUIET)
  if(NOT PkgConfig_FOUND)
    set(${problem} "picklock needs pkg-config (Debian: apt-get install pkg-config)")
  else()
    foreach(picklock_module ${ARGN})
      pkg_check_modules(PICKLOCK_${picklock_module} QUIET IMPORTED_TARGET ${picklock_module})
      if(NOT PICKLOCK_${picklock_module}_FOUND AND NOT ${problem})
        set(${problem}
            "picklock needs ${picklock_module} (Debian: apt-get install ${PICKLOCK_PACKAGE_OF_${picklock_module}})")
      endif()
    endforeach()
  endif()
endmacro()
