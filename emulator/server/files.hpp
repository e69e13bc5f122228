// Whole files, read and replaced, with the system's word for why that fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace picklock {

/// The bytes of a regular file, or nullopt with the reason in `why`.
std::optional<std::string> read_whole_file(const std::string& path, std::string& why);

/// Puts `bytes` in the place of what is there, all or nothing; false with the reason in `why`.
bool replace_file(const std::string& path, std::string_view bytes, std::string& why);

}  // namespace picklock
