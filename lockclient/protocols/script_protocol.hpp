// Makes protocols of what users bring along.
#pragma once

#include <string>

#include <picklock/lock/script_lock.hpp>

#include "lockclient/machine/protocol.hpp"

namespace picklock::lock {

ProtocolRef make_script_protocol(std::string name, const ScriptProtocol& protocol);

}  // namespace picklock::lock
