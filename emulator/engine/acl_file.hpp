// The file of users (aclfile) as text: for ACL LOAD, ACL SAVE and the start of a server.
//
// Redis 7.0: ACLLoadFromFile, ACLSaveToFile. Reading and writing it is the affair of the program
// around.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "emulator/engine/engine.hpp"

namespace picklock {

struct AclFile {
  std::map<std::string, User, std::less<>> users;
  std::string error;  ///< What Redis says of all its faults; empty if there is none.
};

/// `path` is only named in errors.
AclFile read_acl_file(const Engine& engine, std::string_view path, std::string_view text);
/// Makes them all the users there are; the default user may do everything if the file has none.
void replace_users(Engine& engine, const AclFile& file);
std::string acl_file_text(const Engine& engine);

}  // namespace picklock
