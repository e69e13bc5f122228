// How far the golden transcripts go: how often each command is asked, with which words, and whether
// it ever answers with an error; and what redis-server documents that could be asked.
//
// Used by the test that demands enough of it, and by the program that prints it. Reads files and
// asks a server; holds nothing.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/target.hpp"
#include "tests/support/transcript.hpp"

namespace picklock::test {

/// What the transcripts ask of one command.
struct CommandUse {
  std::size_t cases = 0;
  std::size_t errors = 0;
  std::set<std::string> words;  ///< Its arguments, in lower case.
};

/// By the command's name, as COMMAND LIST has it ("set", "acl|cat"); a request of a subcommand
/// counts for its container too.
using Coverage = std::map<std::string, CommandUse>;

/// By the command's name, the words that its documentation has ("NX", "WITHSCORES"), in lower case.
using Documented = std::map<std::string, std::set<std::string>>;

/// All transcripts below `folder`, in the order of their names.
std::vector<Transcript> transcripts_below(const std::string& folder);

/// The commands of `documented`, those that nobody asks included.
Coverage coverage_of(const std::vector<Transcript>& transcripts, const Documented& documented);

/// Every command and subcommand of the server, with the words of COMMAND DOCS.
Documented documented_words(Target& server);

/// The words of its documentation that are never asked of the command.
std::set<std::string> missing_words(const CommandUse& use, const std::set<std::string>& documented);

}  // namespace picklock::test
