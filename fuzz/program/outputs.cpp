#include "fuzz/program/outputs.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fuzz/program/command_line.hpp"
#include "fuzz/program/export.hpp"
#include "fuzz/program/part_file.hpp"
#include "fuzz/report/story.hpp"

namespace picklock::race {
namespace {

using Json = nlohmann::ordered_json;

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool open_file(std::ofstream& file, const std::string& path, const char* option,
               std::ostream& err) {
  if (path.empty()) return true;
  if (path != "-") file.open(path, std::ios::binary);
  if (!file.is_open())
    err << "picklock-fuzz: cannot write " << path << ": give " << option
        << " a file in a folder that exists\n";
  return file.is_open();
}

bool fill_file(std::ofstream& file, const std::string& path, const std::string& content,
               std::ostream& err) {
  if (!file.is_open()) return true;
  file << content;
  file.close();
  if (!file) err << "picklock-fuzz: cannot write all of " << path << ": is the disk full?\n";
  return static_cast<bool>(file);
}

void declare_outputs(CLI::App& command, CommandLine& line) {
  command.add_option(
      "--json", line.json,
      "Write the verdict as JSON to this file, - for standard output (default: none)");
  command.add_option("--html", line.html,
                     "Write the failure to this file, as a page to look at (default: none)");
  command.add_option("--perfetto", line.perfetto,
                     "Write the failure to this file, for ui.perfetto.dev or chrome://tracing "
                     "(default: none)");
}

void declare_shard(CLI::App& command, CommandLine& line) {
  command
      .add_option_function<std::string>(
          "--shard",
          [&line](const std::string& text) { static_cast<void>(parse_shard(text, line.shard)); },
          "Run the part i of n of the campaign, such as 2/8; `merge` joins the --json reports of "
          "all (default 1/1, the whole)")
      ->check([](const std::string& text) {
        Shard shard;
        return parse_shard(text, shard) ? "" : "'" + text + "' is no shard: give one like 2/8";
      });
}

void declare_certify(CLI::App& command, CommandLine& line) {
  command
      .add_option("--certify", line.certify,
                  "Prove that no shorter schedule fails, over at most so many states, 1000000 "
                  "if none are named (default: not)")
      ->expected(0, 1)
      ->default_str("1000000")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
}

void declare_progress(CLI::App& command, CommandLine& line) {
  command.add_flag("--progress", line.progress, "Show progress on standard error, terminal or not");
}

void declare_twice(CLI::App& command, bool& twice) {
  command.add_flag(
      "--twice", twice,
      "Run every schedule twice and compare, not only one of 256: is all deterministic?");
}

bool Outputs::open(std::ostream& err) {
  return (line_.json == "-" || open_file(json_, line_.json, "--json", err)) &&
         open_file(html_, line_.html, "--html", err) &&
         open_file(perfetto_, line_.perfetto, "--perfetto", err);
}

bool Outputs::is_for_people() const { return line_.json != "-"; }

bool Outputs::write(Json json, const Verdict& verdict, std::ostream& out, std::ostream& err) {
  if (verdict.story) {
    json["decides"] = verdict.decides;
    json["events"] = events_as_json(verdict.story->broken);
  }
  if (verdict.part) json["part"] = part_as_json(*verdict.part, line_.words);
  if (line_.json == "-") out << to_text(json);
  const auto fill = [&err](std::ofstream& file, const std::string& path, const auto& content) {
    return !file.is_open() || fill_file(file, path, content(), err);
  };
  const Recorder nothing;  // Of a lock that holds.
  const Recorder& run = verdict.story ? verdict.story->broken : nothing;
  return fill(json_, line_.json, [&] { return to_text(json); }) &&
         fill(html_, line_.html, [&] { return verdict.html(); }) &&
         fill(perfetto_, line_.perfetto, [&] { return to_text(trace_as_json(run)); });
}

}  // namespace picklock::race
