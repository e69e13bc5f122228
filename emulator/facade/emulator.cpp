#include <picklock/emulator.hpp>

#include "emulator/base/sha1.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/control/load.hpp"
#include "emulator/engine/control/restart.hpp"
#include "emulator/engine/keyspace_text.hpp"
#include "emulator/engine/save_rdb.hpp"
#include "emulator/engine/script_journal.hpp"
#include "emulator/engine/time_travel.hpp"
#include "emulator/facade/connection_state.hpp"

namespace picklock {

struct Snapshot::State {
  std::shared_ptr<const Options> options;  ///< The emulator's, which never change.
  Engine::State engine;
};

struct Emulator::Impl {
  explicit Impl(Options the_options)
      : options(std::make_shared<const Options>(std::move(the_options))),
        own_clock(options->start) {
    core->engine = &engine.emplace(*options, own_clock);
  }
  Impl(Options the_options, Clock& clock)
      : options(std::make_shared<const Options>(std::move(the_options))) {
    core->engine = &engine.emplace(*options, clock);
  }
  ~Impl() { core->engine = nullptr; }

  SimClock& sim_clock() {
    if (engine->sim_clock) return *engine->sim_clock;
    throw std::logic_error(
        "only a simulated clock can be moved: construct the Emulator without a clock of its own");
  }

  std::shared_ptr<const Options> options;
  SimClock own_clock;
  std::optional<Engine> engine;
  std::shared_ptr<detail::Core> core = std::make_shared<detail::Core>();
};

Emulator::Emulator() : Emulator(Options{}) {}
Emulator::Emulator(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Emulator::Emulator(Options options, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), clock)) {}
Emulator::Emulator(const Snapshot& snapshot) : Emulator(*snapshot.state().options) {
  restore(snapshot);
  // Links to other emulators are no part of it.
  impl_->engine->replication.replicas.clear();
  if (!impl_->engine->replication.over_network) impl_->engine->lose_primary();
}
Emulator::~Emulator() = default;

Client Emulator::connect() {
  auto connection = std::make_shared<detail::Connection>(impl_->core);
  impl_->core->run([&] {
    connection->session =
        &impl_->engine->open(connection->builder, connection.get(), "127.0.0.1:0", "127.0.0.1:0");
    connection->id = connection->session->id;
  });
  return Client{std::move(connection)};
}

Client Emulator::attach(std::uint64_t id) {
  auto connection = std::make_shared<detail::Connection>(impl_->core);
  impl_->core->run([&] {
    connection->id = id;
    connection->session = impl_->engine->attach(id, connection->builder, connection.get());
    if (!connection->session)
      throw std::out_of_range("no session " + std::to_string(id) +
                              " waits for a client: take an id from Client::id()");
    connection->builder.set_version(connection->session->resp_version);
    if (connection->session->is_blocked()) ++connection->sent;
    connection->note_wait();
  });
  return Client{std::move(connection)};
}

void Emulator::advance(Duration duration) {
  if (duration < Duration{0})
    throw std::invalid_argument(
        "advance() takes no negative duration: set_time() moves the clock back");
  if (duration > kMaxAdvance)
    throw std::invalid_argument("advance() takes a thousand years at most");
  impl_->core->run([&] {
    impl_->sim_clock();
    advance_clock(*impl_->engine, duration);
  });
}

void Emulator::set_time(Instant instant) {
  impl_->core->run([&] {
    SimClock& clock = impl_->sim_clock();
    if (instant >= clock.now())
      advance_clock(*impl_->engine, instant - clock.now());
    else
      clock.set(instant);
  });
}

Instant Emulator::now() const {
  Instant now;
  impl_->core->run([&] { now = impl_->engine->now(); });
  return now;
}

std::optional<Instant> Emulator::next_event() const {
  std::optional<Instant> next;
  impl_->core->run([&] { next = impl_->engine->next_event(); });
  return next;
}

Inspector Emulator::inspect(int database) const { return Inspector{*impl_->engine, database}; }

std::size_t Emulator::blocked_clients() const {
  std::size_t count = 0;
  impl_->core->run([&] { count = impl_->engine->blocked_count(); });
  return count;
}

std::string Emulator::dump() const {
  std::string text;
  impl_->core->run([&] {
    text = dump_keyspace(impl_->engine->keyspace, to_unix_ms(impl_->engine->clock.now()));
  });
  return text;
}

std::vector<LogLine> Emulator::script_log() const {
  std::vector<LogLine> lines;
  impl_->core->run([&] { lines = impl_->engine->journal->log_lines(); });
  return lines;
}

void Emulator::clear_script_log() {
  impl_->core->run([&] { impl_->engine->journal->clear_log(); });
}

void Emulator::watch_scripts(bool on) {
  const auto what = on ? ScriptJournal::Watch::everything : ScriptJournal::Watch::off;
  impl_->core->run([&] { impl_->engine->journal->watch(what); });
}

void Emulator::cover_scripts() {
  impl_->core->run([&] { impl_->engine->journal->watch(ScriptJournal::Watch::summary); });
}

ScriptReport Emulator::script_report() const {
  ScriptReport report;
  impl_->core->run([&] { report = impl_->engine->journal->report(); });
  return report;
}

void Emulator::name_script(std::string_view text, std::string_view name) {
  const auto sha1 = sha1_hex(text);
  impl_->core->run([&] { impl_->engine->journal->name({sha1.data(), sha1.size()}, name); });
}

Snapshot Emulator::snapshot() const {
  std::shared_ptr<const Snapshot::State> state;
  impl_->core->run([&] {
    // Made where it stays: make_shared would move it there, which takes a while.
    state.reset(new Snapshot::State{impl_->options, impl_->engine->save()});
  });
  return Snapshot{std::move(state)};
}

void Emulator::restore(const Snapshot& snapshot) {
  impl_->core->run([&] {
    if (impl_->engine->script)
      throw std::logic_error("a script is running: end it before restoring a snapshot");
    impl_->sim_clock().set(snapshot.state().engine.now);
    restore_in_place(*impl_->engine, snapshot.state().engine);
  });
}

void Emulator::reset() {
  impl_->core->run([&] {
    if (impl_->engine->script)
      throw std::logic_error("a script is running: end it before resetting the emulator");
    start_over(*impl_->engine, nullptr);
  });
}

void Emulator::restart(Restart kept) {
  impl_->core->run([&] { picklock::restart(*impl_->engine, kept); });
}

void Emulator::sync_every_second(bool on) {
  impl_->core->run([&] { picklock::sync_every_second(*impl_->engine, on); });
}

std::uint64_t Emulator::add_fault(const RequestFault& fault) {
  std::uint64_t id = 0;
  impl_->core->run([&] {
    if (const auto why = check_fault(fault, *impl_->engine->profile))
      throw std::invalid_argument(*why);
    impl_->engine->steered = true;
    id = impl_->engine->control->faults.add(fault);
  });
  return id;
}

std::vector<FaultState> Emulator::faults() const {
  std::vector<FaultState> faults;
  impl_->core->run([&] { faults = impl_->engine->control->faults.all(); });
  return faults;
}

void Emulator::clear_faults() {
  impl_->core->run([&] { impl_->engine->control->faults.clear(); });
}

void Emulator::keep_trace(std::size_t lines) {
  impl_->core->run([&] { picklock::keep_trace(*impl_->engine, lines); });
}

std::vector<TraceLine> Emulator::trace() const {
  std::vector<TraceLine> lines;
  impl_->core->run([&] {
    const Trace& trace = impl_->engine->control->trace;
    lines = trace.last(trace.size());
  });
  return lines;
}

namespace {
std::size_t count_or_throw(const LoadResult& result) {
  if (result.error) throw std::invalid_argument(*result.error);
  return result.count;
}
}  // namespace

std::size_t Emulator::load_commands(std::string_view text) {
  LoadResult result;
  impl_->core->run([&] { result = picklock::load_commands(*impl_->engine, text); });
  return count_or_throw(result);
}

std::size_t Emulator::load_rdb(std::string_view bytes) {
  LoadResult result;
  impl_->core->run([&] { result = picklock::load_rdb(*impl_->engine, bytes); });
  return count_or_throw(result);
}

std::string Emulator::save_rdb() const {
  std::string bytes;
  impl_->core->run([&] { bytes = picklock::save_rdb(*impl_->engine); });
  return bytes;
}

Engine& Emulator::engine() { return *impl_->engine; }

void set_executor(Emulator& emulator, Executor* executor) {
  emulator.impl_->core->executor = executor;
}

void run_on(Emulator& emulator, const std::function<void(Engine&)>& work) {
  emulator.impl_->core->run([&] { work(*emulator.impl_->engine); });
}

}  // namespace picklock
