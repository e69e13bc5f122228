// The libraries of functions that FUNCTION LOAD brought, and the interpreter that runs them.
//
// What a client can see is a value that snapshots share. What a library keeps in its local
// variables lives in the interpreter only: after a restored snapshot the libraries are loaded anew.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/profile.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/resp/reply_writer.hpp"
#include "lua/interpreter.hpp"

namespace picklock {

struct Library {
  std::string code;
  std::vector<lua::RegisteredFunction> functions;
};
/// By name, in order of loading.
using Libraries = Dict<Library>;

class Functions {
 public:
  /// What happens to a library that has the name of a new one.
  enum class Policy : std::uint8_t { append, replace, flush };

  Functions(std::uint64_t budget, const Profile& profile) : budget_(budget), profile_(&profile) {}
  void imitate(const Profile& profile);

  /// Loads one library and returns its name; nullopt, with the error to answer in `error`, if it
  /// does not fit.
  std::optional<std::string> load(std::string_view code, bool replace, std::string& error);
  /// Loads all of `codes` or none: none as well if there is an `error` already, of what came behind
  /// them, unless one of them has its own.
  bool load_all(std::span<const std::string> codes, Policy policy, std::string& error);
  bool remove(std::string_view library);
  void flush();

  /// Function names do not distinguish capitals.
  const lua::RegisteredFunction* find(std::string_view name);
  void run(const lua::RegisteredFunction& function, Args keys, Args argv, lua::CallHost& host,
           ReplyWriter& out, std::uint64_t& random);

  const Libraries& libraries() const { return *libraries_; }
  std::size_t function_count() const;

  std::shared_ptr<const Libraries> save() const { return libraries_; }
  /// What functions have set in cjson, which FUNCTION FLUSH leaves.
  lua::CjsonSettings cjson() const;
  void restore(const std::shared_ptr<const Libraries>& libraries, const lua::CjsonSettings& cjson);

  /// How much functions have executed, in instructions.
  std::uint64_t executed() const { return interpreter_ ? interpreter_->executed() : 0; }

  /// The lines of a function that hold code.
  std::vector<int> code_lines(std::string_view name);

 private:
  struct Metadata {
    std::string name;
    std::string_view body;
  };

  lua::Interpreter& interpreter();
  static std::optional<Metadata> read_metadata(std::string_view code, std::string& error);
  bool add(Libraries& libraries, std::string_view code, bool replace, std::string& name,
           std::string& error);
  void put(Libraries libraries);
  void forget(const Library& library);

  std::uint64_t budget_;
  const Profile* profile_;
  std::shared_ptr<const Libraries> libraries_ = std::make_shared<Libraries>();
  Dict<lua::RegisteredFunction> by_name_;  // Of the interpreter, by lower-case name.
  std::unique_ptr<lua::Interpreter> interpreter_;
  lua::CjsonSettings pending_cjson_;  // What a new interpreter starts with.
};

}  // namespace picklock
