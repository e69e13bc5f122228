// The options of picklock-server, read from its command line.
//
// It neither prints nor ends the process, so that tests can ask it; it reads the configuration
// file.
#pragma once

#include <string>

#include <picklock/emulator.hpp>
#include <picklock/server.hpp>

#include "emulator/server/config_file.hpp"

namespace picklock {

enum class ClockKind { simulated, offset, system };

struct CommandLine {
  Options emulator;
  ServerOptions server;
  ClockKind clock = ClockKind::simulated;
  /// Of the configuration file, and of options that have the names of its directives.
  StartSettings settings;
  /// Where the configuration file is, from the root on; empty: there is none.
  std::string config_file;
  /// Requests that PICKLOCK TRACE shows.
  std::size_t trace_lines = 1000;
  /// When not empty, print this and end with `exit_code`: help, the version (0), or what is wrong
  /// (2).
  std::string message;
  int exit_code = 0;
};

CommandLine parse_command_line(int argc, const char* const argv[]);

}  // namespace picklock
