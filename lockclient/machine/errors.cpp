#include <ostream>

#include <picklock/lock/errors.hpp>
#include <picklock/lock/options.hpp>

namespace picklock {
namespace {

std::string_view to_text(NodeError::Kind kind) {
  switch (kind) {
    case NodeError::Kind::no_answer:
      return "no answer in time";
    case NodeError::Kind::closed:
      return "the connection broke";
    case NodeError::Kind::loading:
      return "it is loading its data: try later";
    case NodeError::Kind::busy_script:
      return "a script blocks it: try later, or SCRIPT KILL";
    case NodeError::Kind::cluster_state:
      return "the cluster is not ready: try later";
    case NodeError::Kind::read_only:
      return "it is a replica: connect to the primary";
    case NodeError::Kind::moved:
      return "the keys live on another node: connect to that one, or put a {tag} into the name";
    case NodeError::Kind::no_access:
      return "access denied: check user, password and ACL";
    case NodeError::Kind::out_of_memory:
      return "out of memory: raise maxmemory, and never evict locks";
    case NodeError::Kind::not_writable:
      return "it takes no writes now: check its disk and its replicas";
    case NodeError::Kind::wrong_type:
      return "the key holds something else: use another name";
    case NodeError::Kind::protocol:
      return "an answer that this protocol does not know";
    case NodeError::Kind::other:
      return "it refused";
  }
  return "";
}

}  // namespace

bool NodeError::is_passing() const {
  return kind == Kind::no_answer || kind == Kind::closed || kind == Kind::loading ||
         kind == Kind::busy_script || kind == Kind::cluster_state || kind == Kind::not_writable;
}

std::string NodeError::to_string() const {
  std::string line = "node " + std::to_string(node) + ": " + std::string{to_text(kind)};
  if (!text.empty()) line += " (" + text + ")";
  return line;
}

std::string_view to_string(LockError::Code code) {
  switch (code) {
    case LockError::Code::not_acquired:
      return "not acquired";
    case LockError::Code::timed_out:
      return "timed out";
    case LockError::Code::cancelled:
      return "cancelled";
    case LockError::Code::not_owner:
      return "not owner";
    case LockError::Code::lost:
      return "lost";
    case LockError::Code::conflict:
      return "conflict";
    case LockError::Code::quorum_not_reached:
      return "quorum not reached";
    case LockError::Code::node_failed:
      return "node failed";
    case LockError::Code::invalid_argument:
      return "invalid argument";
  }
  return "";
}

std::string LockError::to_string() const {
  std::string text{picklock::to_string(code)};
  text += ": " + message;
  if (!holder.empty()) text += "; held by " + holder;
  if (holder_ttl) text += " for at most " + std::to_string(holder_ttl->count()) + " ms";
  for (const NodeError& node : nodes) text += "; " + node.to_string();
  return text;
}
std::ostream& operator<<(std::ostream& out, const LockError& error) {
  return out << error.to_string();
}

std::string_view to_string(Released released) {
  switch (released) {
    case Released::released:
      return "released";
    case Released::still_held:
      return "still held";
    case Released::not_owner:
      return "not owner";
    case Released::expired:
      return "expired";
    case Released::unknown:
      return "unknown";
  }
  return "";
}
std::ostream& operator<<(std::ostream& out, Released released) {
  return out << to_string(released);
}

std::string_view to_string(Loss loss) {
  switch (loss) {
    case Loss::expired:
      return "expired";
    case Loss::not_owner:
      return "not owner";
    case Loss::max_hold:
      return "maximum hold time";
  }
  return "";
}
std::ostream& operator<<(std::ostream& out, Loss loss) { return out << to_string(loss); }

std::string FencingToken::to_string() const {
  return std::to_string(epoch) + "." + std::to_string(sequence);
}

}  // namespace picklock
