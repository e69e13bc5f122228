// The distributed-lock client, all of it.
#pragma once

#include <picklock/lock/client.hpp>
#include <picklock/lock/errors.hpp>
#include <picklock/lock/hold.hpp>
#include <picklock/lock/locks.hpp>
#include <picklock/lock/ongoing.hpp>
#include <picklock/lock/options.hpp>
#include <picklock/lock/script_lock.hpp>
