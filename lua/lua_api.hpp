// The C API of PUC Lua 5.1, as C.
//
// The C build reports errors with longjmp, which runs no destructor: a function that may raise must
// own no C++ object with one at that moment. Internal to lua/.
#pragma once

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}
