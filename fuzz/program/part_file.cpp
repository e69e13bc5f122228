#include "fuzz/program/part_file.hpp"

namespace picklock::race {
namespace {

constexpr int kVersion = 2;

template <class Entries>
nlohmann::ordered_json by_slice(const Entries& entries) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [slice, entry] : entries) json[std::to_string(slice)] = entry;
  return json;
}

void take(const nlohmann::json& json, Part& part, std::vector<std::string>& words) {
  words = json.at("words").get<std::vector<std::string>>();
  part.shard.index = json.at("index").get<std::uint64_t>();
  part.shard.count = json.at("count").get<std::uint64_t>();
  part.program = json.at("program").get<std::string>();
  part.seed = json.at("seed").get<std::uint64_t>();
  part.schedules = json.at("schedules").get<std::uint64_t>();
  part.stopped_at = json.at("stopped_at").get<std::uint64_t>();
  part.nondeterminism = json.at("nondeterminism").get<std::string>();
  part.verdict = static_cast<Class>(json.at("class").get<std::uint8_t>());
  part.found_at = json.at("found_at").get<std::uint64_t>();
  part.found_by = static_cast<Strategy>(json.at("strategy").get<std::uint8_t>());
  for (const auto& choice : json.at("choices"))
    part.choices.push_back(
        {static_cast<Kind>(choice.at(0).get<std::uint8_t>()), choice.at(1).get<std::uint32_t>()});
  for (const auto& [slice, count] : json.at("limits").items())
    part.limits[std::stoull(slice)] = count.get<std::uint64_t>();
  for (const auto& [slice, edges] : json.at("edges").items())
    part.edges[std::stoull(slice)] = edges.get<std::vector<std::uint32_t>>();
}

bool is_sound(const Part& part) {
  for (const auto& [slice, edges] : part.edges)
    for (const std::uint32_t edge : edges)
      if (edge >= Coverage::kBits) return false;
  return part.shard.count <= kMostShards && part.shard.index >= 1 &&
         part.shard.index <= part.shard.count && part.schedules >= 1 &&
         part.verdict <= Class::unusable && part.found_by <= Strategy::exhaustive;
}

}  // namespace

nlohmann::ordered_json part_as_json(const Part& part, const std::vector<std::string>& words) {
  nlohmann::ordered_json json;
  json["version"] = kVersion;
  json["words"] = words;
  json["index"] = part.shard.index;
  json["count"] = part.shard.count;
  json["program"] = part.program;
  json["seed"] = part.seed;
  json["schedules"] = part.schedules;
  json["stopped_at"] = part.stopped_at;
  json["nondeterminism"] = part.nondeterminism;
  json["class"] = static_cast<std::uint8_t>(part.verdict);
  json["found_at"] = part.found_at;
  json["strategy"] = static_cast<std::uint8_t>(part.found_by);
  auto& choices = json["choices"] = nlohmann::ordered_json::array();
  for (const Choice& choice : part.choices)
    choices.push_back({static_cast<std::uint8_t>(choice.kind), choice.id});
  json["limits"] = by_slice(part.limits);
  json["edges"] = by_slice(part.edges);
  return json;
}

bool read_part(const nlohmann::json& report, Part& part, std::vector<std::string>& words) {
  try {
    const nlohmann::json& json = report.at("part");
    if (json.at("version") != kVersion) return false;
    take(json, part, words);
    return is_sound(part);
  } catch (const std::exception&) {  // Of the JSON library, or of a number that is none.
    return false;
  }
}

}  // namespace picklock::race
