#include <stdexcept>

#include <picklock/replica.hpp>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/replica_link.hpp"
#include "emulator/facade/executor.hpp"

namespace picklock {

namespace {

Replication::Primary place(const NodeAddress& address) {
  if (address.port < 0 || address.port > 65535)
    throw std::invalid_argument("a port lies between 0 and 65535, and " +
                                std::to_string(address.port) + " does not");
  return {address.host, address.port};
}

}  // namespace

struct Replica::Impl {
  Impl(Emulator& primary, Emulator& standby, const NodeAddress& a, const NodeAddress& b)
      : link(primary.engine(), standby.engine(), {place(a), place(b)}) {
    link.heed_returns();
  }
  ReplicaLink link;
};

Replica::Replica(Emulator& primary, Emulator& standby, NodeAddress primary_address,
                 NodeAddress standby_address) {
  if (const auto why = ReplicaLink::objection(primary.engine(), standby.engine()); !why.empty())
    throw std::invalid_argument(std::string{why});
  impl_ = std::make_unique<Impl>(primary, standby, primary_address, standby_address);
}

Replica::~Replica() = default;

std::size_t Replica::behind() const { return impl_->link.pending().size(); }

std::vector<std::string> Replica::pending() const {
  std::vector<std::string> units;
  for (const ReplicaLink::Unit& unit : impl_->link.pending()) units.push_back(to_text(unit));
  return units;
}

std::size_t Replica::apply(std::size_t most) { return impl_->link.apply(most); }
void Replica::cut() { impl_->link.cut(); }
void Replica::reconnect() { impl_->link.connect(); }
bool Replica::is_connected() const { return impl_->link.is_connected(); }
void Replica::promote() { impl_->link.promote(); }

}  // namespace picklock
