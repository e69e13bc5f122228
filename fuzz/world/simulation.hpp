// One simulated world under one schedule: what can happen next, and making it happen.
//
// Event-driven. At each step the enabled events are collected: a ready worker runs to its next
// await, the oldest message of a connection arrives, time goes on to the next instant that matters,
// a fault strikes; a Chooser picks. Local work takes no time: while a worker is ready, time stands
// still unless the worker is paused. Servers and connections stay from run to run. Not thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race.hpp>

#include "emulator/engine/replica_link.hpp"
#include "fuzz/world/connection.hpp"
#include "fuzz/world/coverage.hpp"
#include "fuzz/world/findings.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/moment.hpp"
#include "fuzz/world/oracles.hpp"
#include "fuzz/world/recorder.hpp"
#include "fuzz/world/reused.hpp"
#include "fuzz/world/stable.hpp"

namespace picklock::race {

/// The part of the search options that decides which events are enabled.
struct Rules {
  Faults faults;
  Duration max_delay{};
  std::uint32_t time_steps = 0;  ///< How often time may go on; 0: as often as it can.
  /// Only differences of times matter to the workers and to what they write: see state().
  bool timeless = false;
  /// Workers go on and replies arrive before anything else happens, unless a fault strikes them.
  bool prompt = false;
};

class Simulation : private Moment {
 public:
  explicit Simulation(Rules rules);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// What a worker that does not name its state is taken to know of time, for state().
  enum class Times : std::uint8_t {
    told,  ///< When it was told what it was told: more states, even if workers share something.
    read,  ///< What it read off a clock. What workers share must be declared: World::shares().
  };

  struct Result {
    Finding finding;
    std::uint64_t state_hash = 0;
    std::uint32_t steps = 0;
    std::uint64_t work = 0;  ///< In steps; what scripts executed counts as well.
    std::uint32_t faults = 0;
    std::uint32_t new_edges = 0;  ///< Of the coverage, if that is marked.
    std::uint32_t workers = 0;    ///< A bit for each that has started.
    bool stopped = false;         ///< The chooser ended the run.
    Instant ended{};
  };
  /// Runs `scenario` once. Ends at the first finding of at least class `stop_at`. Exceptions of a
  /// worker are findings; exceptions of the scenario itself leave this function.
  Result run(const Scenario& scenario, Chooser& chooser, Class stop_at = Class::violation);

  /// A copy of everything that a run changes, where all workers are values (checkpoint.cpp).
  class Checkpoint;
  /// Whether the state at a choice of Kind::step can be kept: for choosers, while they choose.
  bool can_fork() const;
  /// Keeps the state at the present choice of Kind::step. Runs that follow may go on from there,
  /// until one begins from the start.
  void keep(Checkpoint& checkpoint);
  /// As run(), from the choice at which `checkpoint` was kept, which is made once more.
  Result run_from(const Checkpoint& checkpoint, const Scenario& scenario, Chooser& chooser,
                  Class stop_at = Class::violation);

  /// A number for everything that decides how the run can go on from here: servers, messages,
  /// clocks, budgets, and of each worker all that it has been told, for a worker is deterministic.
  /// Equal states have equal numbers; for choosers, while they choose.
  std::uint64_t state(Times times = Times::told) const;
  /// Whether the same can happen at a server before that of `option`, which could change places
  /// with it.
  bool is_done_elsewhere(std::uint32_t option) const;
  /// Of the options on offer the place of one that nothing else could be affected by, nor affect:
  /// the arrival of a reply, or a worker's step, if that turns out to be visible to no oracle.
  /// options.size() if there is none. Worked out for exhaustive searches.
  std::size_t local_option() const;
  /// Whether faults may strike servers now; true if none are left.
  bool servers_can_be_struck() const;
  /// A blocking worker has not come back: its thread is left behind, and nothing more can be run.
  void give_up(std::size_t worker);
  /// Why nothing more can be run; empty if all is well.
  const std::string& gave_up() const { return gave_up_; }
  /// Changes with every piece of a worker's code, for those who watch from another thread.
  std::uint64_t pulse() const { return pulse_.load(std::memory_order_relaxed); }
  /// Whether a worker's code, or the scenario's, was running at this pulse.
  static bool is_busy(std::uint64_t pulse) { return (pulse & kRunner) != 0; }
  /// Whose; only while it still runs.
  std::string busy_name(std::uint64_t pulse) const;
  /// Counts what runs have shown that state() and local_option() leave out before they know of it.
  int lessons() const { return int{steered_} + int{may_cut_idle_}; }
  std::uint64_t visible_events() const { return visible_events_; }  ///< See local_option().
  std::uint32_t steps() const { return steps_; }                    ///< Of the run that goes on.
  std::uint32_t faults_spent() const { return faults_spent_; }
  const std::string& worker_name(std::size_t worker) const { return processes_[worker].name; }
  /// Of each worker what stands for it in state().
  std::vector<std::uint64_t> worker_digests() const;
  bool has_started(std::size_t worker) const { return standing_.has_started(worker); }
  /// Marks what the coming runs cover; null to stop.
  void cover(Coverage* coverage) { coverage_ = coverage; }

  /// The choices of the last run, in order.
  const std::vector<Choice>& choices() const { return choices_; }
  /// The sentence for the last run's finding.
  std::string describe_finding(const Finding& finding) const;
  /// Writes events of the coming runs to `recorder`; null to stop.
  void record_to(Recorder* recorder) { recorder_ = recorder; }
  /// Before the first run: has the scripts of all runs covered.
  void cover_scripts() { covers_scripts_ = true; }
  /// What scripts did on all servers, since the first run.
  ScriptReport script_report() const;

 private:
  friend class World;
  friend class Worker;
  friend class Exclusive;
  friend class Turn;
  friend class KeptTurn;
  friend class KeptWait;
  friend class Call;
  friend class Suspension;
  friend class Permits;
  friend class ReadWrite;
  friend class LockKey;
  friend class Wait;
  friend class Fence;
  friend class History;
  friend class LockCallHandle;
  friend class Rest;
  friend class ServerClock;
  friend class SimulatedConnection;

  using State = WorkerState;
  /// A server that follows another one.
  struct Follower {
    Follower(std::size_t its_primary, std::size_t its_server)
        : primary(its_primary), server(its_server) {}
    const std::size_t primary, server;
    std::unique_ptr<ReplicaLink> link;
    ReplicaLink::State start;  ///< Of a run.
    bool used = false;         ///< In this run.
    Instant stalled_until{};   ///< It hears nothing before.
  };
  struct Server final : Node, ServerMoment {
    Server(Simulation& its_simulation, std::size_t server_index, std::string_view server_name);
    std::string_view name() const override { return label; }
    Emulator& emulator() override;
    ServerClock clock() override { return {simulation, index}; }
    Client& control();  ///< No worker's: for faults, and for requests whose connection is over.
    /// To be called whenever its state may change.
    void touch() {
      touched = true;
      present.reset();
      known.valid = false;
    }
    std::uint64_t digest(bool timeless) const;  ///< Of everything that it holds.
    bool goes_by_clock() const;
    Simulation& simulation;
    std::size_t index;
    std::string label;
    Emulator redis;
    Client own_client;
    Engine& engine;  ///< Of `redis`.
    std::optional<Snapshot> pristine;
    std::optional<Snapshot> present;  ///< Its state now, if that has been taken.
    mutable KnownDigest known;        ///< Of its state now, if it was asked for.
    bool used = false;                ///< In this run.
    bool touched = false;             ///< Since it was last pristine.
    std::size_t blocked = 0;          ///< Connections whose request is held back.
  };

  struct Process : ProcessMoment {
    explicit Process(Worker worker) : handle(worker) {}
    Worker handle;
    std::string name;
    std::size_t owner = 0;  ///< To the oracles of lock keys: usually itself.
    std::coroutine_handle<> resume_at;
    Task<> task;
    void* body = nullptr;
    void (*destroy_body)(void*) = nullptr;
    std::vector<std::max_align_t> memory;
    ValueBody* value = nullptr;  ///< The body of a worker that is a value; it lies in `memory`.
  };

  // Furnishing (furnish.cpp).
  Server& server(std::string_view name, void (*prepare)(const void*, Emulator&),
                 const void* context);
  Server& replica(Server& primary, std::string_view name);
  void clear_followers();
  Exclusive& exclusive(std::string_view name);
  Process& add_process(std::string_view name);
  SimulatedConnection& connection(std::size_t worker, std::size_t node);
  void furnish(const Scenario& scenario);
  void clear();
  Result go_on(Class stop_at);
  void reset(Server& server);
  void use(Server& server);
  bool open_connections();
  std::uint64_t executed() const;
  std::size_t node_index(const Node& node) const { return static_cast<const Server&>(node).index; }

  Instant read_clock();
  std::uint64_t shared() const;
  std::uint64_t budgets_left() const;
  std::uint64_t waiting_until(const SimulatedConnection& link) const;
  std::uint64_t place_in_line(const SimulatedConnection& link) const;
  std::uint64_t watching(const SimulatedConnection& link) const;
  bool may_hear(const SimulatedConnection& link) const;
  bool hears_expiry(const Server& server) const {
    return (server.has_subscribers || followers_.size() > 0) && may_tell_expiry(server);
  }
  bool may_tell_expiry(const Server& server) const;
  std::optional<std::uint64_t> part_of(const Server& server) const;
  bool has_digest(const Process& process, std::uint64_t& digest) const;

  // What can happen (simulation.cpp).
  std::size_t choose(Kind kind);
  void collect();
  bool collect_prompt();
  void offer_resumes(Standing::Set workers);
  void offer_step(Step step, std::uint32_t actor, std::uint16_t weight = kUsualWeight);
  bool may_pass(const SimulatedConnection& link) const;

  // How time goes on (time.cpp).
  void sync(Server& server);
  void note_idle_cuts(Server& server);
  void tell_what_came_by_itself(Server& server);
  void look_ahead(Server& server);
  void find_deadline(Server& server);
  void set_alarm(std::size_t worker, std::optional<Instant> instant);
  Instant message_limit(const SimulatedConnection& link) const;
  Instant next_instant(Instant limit) const;
  void pass_time();
  void offer_until(std::uint32_t id, Instant instant);
  void offer_deadlines(Instant least, Instant most);
  Instant choose_until();

  // Replicas (replicas.cpp).
  std::size_t index_of(const Follower& follower) const;
  bool can_flow(const Follower& follower) const;
  bool is_watched(const Follower& follower) const;
  void settle(Server& server);
  void let_through(Follower& follower, std::size_t units);
  void replicate(Follower& follower);
  void collect_replication();
  void collect_replica_faults();
  Instant replication_limit() const;
  void lag(Follower& follower);
  void fail_over(Follower& follower);
  std::uint32_t choose_failover(const Follower& follower);
  void promote(Follower& follower, std::size_t lost, std::uint32_t way);
  void record_promotion(const Follower& follower, std::uint32_t way);
  void resynchronise(Server& server);
  void expire_replicated();
  std::uint64_t unconfirmed(const SimulatedConnection& link) const;
  void forget_written(SimulatedConnection& link);
  std::uint64_t digest_of(const Follower& follower) const;
  Server& far_end(const SimulatedConnection& link);
  const Server& far_end(const SimulatedConnection& link) const { return servers_[link.at]; }
  Client& client_of(SimulatedConnection& link);
  std::uint64_t session_of(const SimulatedConnection& link) const;

  // Faults (faults.cpp; of clocks: clock_faults.cpp).
  bool has_budget(Fault fault) const { return left_[static_cast<std::size_t>(fault)] > 0; }
  void spend(Fault fault);
  void offer_fault(Fault fault, Step step, std::size_t actor);
  void collect_worker_faults();
  void offer_worker_faults(std::size_t worker);
  void collect_message_faults();
  void collect_server_faults();
  std::uint32_t choose_variant(std::uint32_t count);
  void choose_drifts();
  void choose_drift(LocalClock& clock);
  void perform_fault(Step step, std::uint32_t actor);
  void freeze(std::size_t worker);
  void lose_request(SimulatedConnection& link);
  void lose_reply(SimulatedConnection& link);
  void deliver_orphan(SimulatedConnection& link);
  void carry_out_for_nobody(SimulatedConnection& link, Client& as, const Request& request);
  void repeat_request(SimulatedConnection& link);
  void refuse_request(SimulatedConnection& link);
  void break_connection(SimulatedConnection& link);
  void connect_anew(SimulatedConnection& link);
  void connect_killed(Server& server);
  void partition(SimulatedConnection& link);
  void restart(Server& server);
  void restart(Server& server, picklock::Restart kept, Instant back_at);
  void steer();
  void flush_scripts(Server& server);
  void jump(Server& server);
  void step_clock(Server& server, Duration by);
  void freeze_clock(Server& server);
  void clock_changed(Server& server, std::string what, bool is_slow, bool is_fast);
  void jump_wall(std::size_t worker);
  std::optional<Duration> choose_jump(Instant wall);
  void evict(std::size_t key);
  void save(Server& server);
  void note_fault(bool on_server, std::size_t actor, std::string text, Instant until = {});

  // Making it happen (steps.cpp).
  void perform(std::uint32_t id);
  void resume(std::size_t worker);
  void run_body(Process& process, std::exception_ptr& thrown);
  void end_task(std::size_t worker, State state);
  void receive(SimulatedConnection& link);
  void deliver_request(SimulatedConnection& link);
  std::optional<Reply> carry_out(SimulatedConnection& link, Client& as, const Request& request);
  void note_exception(std::size_t worker, const std::exception_ptr& thrown);
  void serve_blocked(Server& server);
  /// To be called whenever messages have come on their way there, or left it.
  void note_traffic(const SimulatedConnection& at) { in_flight_.put(at.index(), at.has_traffic()); }
  void put_answer(SimulatedConnection& link, Link::Ticket ticket, Reply&& reply);
  void deliver_reply(SimulatedConnection& link);
  void wake_for(SimulatedConnection& link, Link::Ticket ticket);
  void publish(Server& server);
  void tell_listeners(std::size_t worker);
  void start_pause(std::size_t worker);
  void after_change(Server& server, std::size_t worker);
  void record_keys(Server& server);
  void mark_coverage(std::uint32_t event);
  void settle_coverage();
  void check_gone(std::size_t worker);
  void check_rest();
  void check_endings();
  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 29;
  }

  // Asked by the worker's code.
  std::size_t enter(std::size_t section, std::size_t worker, const Claim*, std::int64_t weight = 1);
  void leave(std::size_t slot);
  std::string resource_name(const Finding& finding) const;

  // A pulse counts in its upper bits; the lower ones say who runs: nobody, a worker, the scenario.
  static constexpr std::uint64_t kRunner = 0xff, kScenario = 0xff;
  void begin_turn(std::uint64_t runner) {
    pulse_.store((pulse_.load(std::memory_order_relaxed) | kRunner) + 1 + runner,
                 std::memory_order_relaxed);
  }
  void end_turn() {
    pulse_.store(pulse_.load(std::memory_order_relaxed) & ~kRunner, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> pulse_{0};
  Rules rules_;
  Budgets budgets_{};  ///< Of a run.
  FramePool frames_;
  Stable<Process> processes_;
  std::size_t worker_count_ = 0;
  std::vector<WorkerFacts> facts_;
  Stable<Server> servers_;
  Stable<Follower> followers_;
  Stable<SimulatedConnection> connections_;
  std::vector<SimulatedConnection*> links_;  ///< connections_, by connection_actor().
  struct Section {
    std::string name;
    Exclusive handle;
  };
  Stable<Section> sections_;
  Oracles oracles_;
  std::vector<std::function<std::uint64_t(Instant)>> shares_;  ///< World::shares().
  Instant start_{};
  std::size_t current_ = kNobody;
  bool stopped_ = false;
  /// Whether all is ready for a run, there is one, or a checkpoint of it has been kept.
  enum class Stage : std::uint8_t { clear, furnished, forked } stage_ = Stage::furnished;
  bool late_starters_ = false;  ///< Some worker has yet to start.
  std::string thrown_, gave_up_;
  Chooser* chooser_ = nullptr;
  Recorder* recorder_ = nullptr;
  Coverage* coverage_ = nullptr;
  std::uint32_t new_edges_ = 0;
  std::size_t last_edge_ = Coverage::kBits;  ///< Of the coverage, if not yet set there.
  std::uint64_t visible_events_ = 0;
  bool steered_ = false;       ///< In some run: no step of a worker is its own affair then.
  bool may_cut_idle_ = false;  ///< A server's `timeout` has been set in some run.
  bool covers_scripts_ = false;
  Reused<Option> options_;
  std::vector<Instant> untils_;  ///< Beside options_, for durations.
  std::vector<std::string_view> words_;
  std::vector<Choice> choices_;
};

}  // namespace picklock::race
