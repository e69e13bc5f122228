#include "emulator/engine/functions.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

/// Loading calls no command; a library that never ends is stopped.
class LoadHost final : public lua::CallHost {
 public:
  void call(Args, int, ReplyWriter& reply) override { reply.error(errors::kNotFromScript); }
  void log(lua::LogLevel, std::string_view) override {}
  bool acl_allows(Args) override { return false; }
  bool must_stop() override { return true; }
};

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

void Functions::imitate(const Profile& profile) {
  profile_ = &profile;
  restore(libraries_, cjson());
}

lua::Interpreter& Functions::interpreter() {
  if (interpreter_) return *interpreter_;
  lua::Interpreter::Options options;
  options.kind = lua::Interpreter::Kind::functions;
  options.instruction_budget = budget_;
  options.profile = profile_;
  interpreter_ = std::make_unique<lua::Interpreter>(options);
  // Libraries of a restored snapshot: they have been loaded before, so they load again.
  if (libraries_->size() != 0) {
    Libraries again;
    std::string name;
    std::string error;
    libraries_->for_each(
        [&](const auto& entry) { add(again, entry.value.code, true, name, error); });
    put(std::move(again));
  }
  interpreter_->set_lasting_state(
      {.random = interpreter_->random_state(), .cjson = pending_cjson_});
  return *interpreter_;
}

std::optional<Functions::Metadata> Functions::read_metadata(std::string_view code,
                                                            std::string& error) {
  const auto refuse = [&error](std::string text) {
    error = "ERR " + text;
    return std::nullopt;
  };
  if (!code.starts_with("#!")) return refuse("Missing library metadata");
  // Redis looks for the end of the line in a C string.
  const auto end = code.find_first_of(std::string_view{"\n\0", 2});
  if (end == std::string_view::npos || code[end] == '\0') return refuse("Invalid library metadata");
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(code.substr(0, end), text, ends))
    return refuse("Invalid library metadata");
  std::string engine;
  std::optional<std::string> name;
  std::size_t from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string word = text.substr(from, ends[i] - from);
    from = ends[i];
    if (i == 0) {
      engine = word.substr(2);
    } else if (!is_word(std::string_view{word}.substr(0, 5), "name=")) {
      return refuse("Invalid metadata value given: " + errors::printed(word));
    } else if (name) {
      return refuse("Invalid metadata value, name argument was given multiple times");
    } else {
      name = word.substr(5);
    }
  }
  if (!name) return refuse("Library name was not given");
  if (!is_name(*name))
    return refuse(
        "Library names can only contain letters, numbers, or underscores(_) and must be at least "
        "one character long");
  if (!is_word(engine, "lua")) return refuse("Engine '" + errors::printed(engine) + "' not found");
  return Metadata{std::move(*name), code.substr(end)};
}

/// The error if a function of `library` is there already, in another one than `name`; or empty.
std::string clash(const Libraries& libraries, std::string_view name, const Library& library) {
  std::string error;
  libraries.for_each([&](const auto& entry) {
    if (entry.key == name) return;
    for (const auto& other : entry.value.functions)
      for (const auto& mine : library.functions)
        if (error.empty() && iequals(mine.name, other.name))
          error = "ERR Function " + mine.name + " already exists";
  });
  return error;
}

/// Puts all of `loaded` into `libraries`, or says why not. Redis: libraryJoin.
std::string join(Libraries& libraries, const Libraries& loaded, bool replace) {
  std::string error;
  loaded.for_each([&](const auto& entry) {
    if (libraries.find(entry.key) && !replace && error.empty())
      error = "ERR Library " + std::string{std::string_view{entry.key}} + " already exists";
    libraries.erase(entry.key);
  });
  loaded.for_each([&](const auto& entry) {
    if (error.empty()) error = clash(libraries, entry.key, entry.value);
  });
  loaded.for_each(
      [&](const auto& entry) { libraries.insert(entry.key).first->value = entry.value; });
  return error;
}

/// Runs `code` and puts its library into `libraries`, whose other functions must differ from its.
bool Functions::add(Libraries& libraries, std::string_view code, bool replace, std::string& name,
                    std::string& error) {
  auto metadata = read_metadata(code, error);
  if (!metadata) return false;
  name = metadata->name;
  const Library* old = libraries.find(name);
  if (old && !replace) {
    error = "ERR Library '" + name + "' already exists";
    return false;
  }
  Library library{std::string{code}, {}};
  LoadHost host;
  bool fits = interpreter().load_library(metadata->body, host, library.functions, error);
  if (fits && library.functions.empty()) {
    error = "ERR No functions registered";
    fits = false;
  }
  if (fits) {
    error = clash(libraries, name, library);
    fits = error.empty();
  }
  if (!fits) {
    forget(library);
    return false;
  }
  libraries.erase(name);
  libraries.insert(name).first->value = std::move(library);
  return true;
}

void Functions::forget(const Library& library) {
  for (const auto& function : library.functions) interpreter_->forget(function.handle);
}

/// Makes `libraries` the ones that are there, and forgets what is in none of them any more.
void Functions::put(Libraries libraries) {
  by_name_.clear();
  libraries.for_each([this](const auto& entry) {
    for (const auto& function : entry.value.functions)
      by_name_.insert(lower(function.name)).first->value = function;
  });
  libraries_ = std::make_shared<const Libraries>(std::move(libraries));
}

std::optional<std::string> Functions::load(std::string_view code, bool replace,
                                           std::string& error) {
  interpreter();
  Libraries larger = *libraries_;
  std::string name;
  if (!add(larger, code, replace, name, error)) return std::nullopt;
  if (const Library* old = libraries_->find(name)) forget(*old);
  put(std::move(larger));
  return name;
}

bool Functions::load_all(std::span<const std::string> codes, Policy policy, std::string& error) {
  interpreter();
  Libraries loaded;
  std::string name, found;
  for (const std::string& code : codes)
    if (!add(loaded, code, /*replace=*/false, name, found)) break;
  if (!found.empty()) error = found;
  Libraries all = policy == Policy::flush ? Libraries{} : *libraries_;
  if (error.empty()) error = join(all, loaded, policy == Policy::replace);
  if (!error.empty()) {
    loaded.for_each([this](const auto& entry) { forget(entry.value); });
    return false;
  }
  libraries_->for_each([&](const auto& entry) {
    if (policy == Policy::flush || loaded.find(entry.key)) forget(entry.value);
  });
  put(std::move(all));
  return true;
}

bool Functions::remove(std::string_view library) {
  interpreter();
  const Library* found = libraries_->find(library);
  if (!found) return false;
  forget(*found);
  Libraries smaller = *libraries_;
  smaller.erase(library);
  put(std::move(smaller));
  return true;
}

// Redis drops the libraries but goes on with the same interpreter.
void Functions::flush() { restore(std::make_shared<Libraries>(), cjson()); }

void Functions::restore(const std::shared_ptr<const Libraries>& libraries,
                        const lua::CjsonSettings& cjson) {
  pending_cjson_ = cjson;
  if (libraries_ != libraries) libraries_ = libraries;
  by_name_.clear();
  interpreter_.reset();
}

const lua::RegisteredFunction* Functions::find(std::string_view name) {
  if (libraries_->size() == 0) return nullptr;
  interpreter();
  return by_name_.find(lower(name));
}

void Functions::run(const lua::RegisteredFunction& function, Args keys, Args argv,
                    lua::CallHost& host, ReplyWriter& out, std::uint64_t& random) {
  // Redis has one generator of random numbers for scripts and functions.
  interpreter_->set_random_state(random);
  interpreter_->run(function.handle, keys, argv, host, out);
  random = interpreter_->random_state();
}

lua::CjsonSettings Functions::cjson() const {
  return interpreter_ ? interpreter_->lasting_state().cjson : pending_cjson_;
}

std::vector<int> Functions::code_lines(std::string_view name) {
  const lua::RegisteredFunction* function = find(name);
  return function ? interpreter_->code_lines(function->handle) : std::vector<int>{};
}

std::size_t Functions::function_count() const {
  std::size_t count = 0;
  libraries_->for_each([&count](const auto& entry) { count += entry.value.functions.size(); });
  return count;
}

}  // namespace picklock
