#include <algorithm>

#include "emulator/base/text.hpp"
#include "fuzz/report/markup.hpp"
#include "fuzz/report/phrases.hpp"
#include "fuzz/world/digest.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

/// Calls `visit` for each connection of the worker: of `links`, by connection_actor().
template <class Visit>
void for_each_link(const std::vector<SimulatedConnection*>& links, std::size_t worker,
                   Visit&& visit) {
  for (std::size_t place = worker; place < links.size(); place += kMostWorkers)
    if (links[place] != nullptr) visit(*links[place]);
}

}  // namespace

void Simulation::perform(std::uint32_t id) {
  mix(id);
  const std::uint32_t actor = actor_of(id);
  switch (step_of(id)) {
    case Step::resume:
      return resume(actor);
    case Step::request:
      return deliver_request(connection(actor % kMostWorkers, actor / kMostWorkers));
    case Step::reply:
      return deliver_reply(connection(actor % kMostWorkers, actor / kMostWorkers));
    case Step::time:
      return pass_time();
    case Step::orphan:
      return deliver_orphan(connection(actor % kMostWorkers, actor / kMostWorkers));
    case Step::replicate:
      return replicate(followers_[actor]);
    default:
      return perform_fault(step_of(id), actor);
  }
}

void Simulation::resume(std::size_t worker) {
  Process& process = processes_[worker];
  standing_.start(worker);
  facts_[worker].ran_since_pause = true;
  process.tell(now_, 1);
  if (!shares_.empty()) {  // It may see instants there.
    process.hear(shared());
    process.read_clock(now_);
  }
  current_ = worker;
  const bool ready = standing_.is(State::ready, worker);
  begin_turn(worker + 1);
  if (standing_.has_news(worker)) tell_listeners(worker);
  std::exception_ptr thrown;
  if (ready) run_body(process, thrown);
  end_turn();
  current_ = kNobody;
  if (process.value == nullptr && process.task.handle().done()) {
    standing_.set_state(worker, State::finished);
    thrown = process.task.handle().promise().thrown;
  }
  if (!standing_.is(State::finished, worker)) {
    if (standing_.is(State::pausing, worker)) start_pause(worker);
    return;
  }
  note_exception(worker, thrown);
  if (recorder_ != nullptr)
    recorder_->add({.kind = Event::Kind::finish, .at = now_, .actor = worker});
  end_task(worker, State::finished);
}

/// To its next wait; a value says itself when it has finished.
void Simulation::run_body(Process& process, std::exception_ptr& thrown) {
  const std::size_t worker = process.handle.index_;
  standing_.set_state(worker, State::elsewhere);
  if (process.value == nullptr) return std::exchange(process.resume_at, nullptr).resume();
  try {
    if (process.value->run(process.handle).begin()) return;
  } catch (...) {
    thrown = std::current_exception();
  }
  standing_.set_state(worker, State::finished);
}

/// A worker that its connection has left may end by that: it gave up.
void Simulation::note_exception(std::size_t worker, const std::exception_ptr& thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const ConnectionLost&) {
    return;
  } catch (...) {
    thrown_ = phrase_exception(processes_[worker].name, std::current_exception());
  }
  oracles_.report({.verdict = Class::unusable, .oracle = Oracle::threw, .subject = worker});
}

void Simulation::give_up(std::size_t worker) {
  gave_up_ = printable(processes_[worker].name) +
             " has not come back for 10 s: it waits for something outside its world, or goes round "
             "for ever; give it the world's calls, clock and sleep instead, or link "
             "picklock::simtime for the latter two";
}

/// The listeners of a worker's links are code of the worker: they run when it runs.
void Simulation::tell_listeners(std::size_t worker) {
  standing_.set_news(worker, false);
  std::vector<Link::Listener*> listeners;
  for (const SimulatedConnection& link : connections_) {
    Link::Listener* listener = link.listener();
    const bool told = std::find(listeners.begin(), listeners.end(), listener) != listeners.end();
    if (link.worker() == worker && listener != nullptr && !told) listeners.push_back(listener);
  }
  for (Link::Listener* listener : listeners) {
    bool still_there = false;  // One listener may end another.
    for (const SimulatedConnection& link : connections_) still_there |= link.listener() == listener;
    if (still_there) listener->on_event();
  }
}

void Simulation::start_pause(std::size_t worker) {
  Process& process = processes_[worker];
  options_.clear();
  untils_.clear();
  offer_until(static_cast<std::uint32_t>(Until::least), now_ + process.least);
  if (process.most > process.least) {
    offer_until(static_cast<std::uint32_t>(Until::most), now_ + process.most);
    offer_deadlines(now_ + process.least, now_ + process.most);
  }
  ++visible_events_;  // What there is to choose from, others' requests decide.
  process.wake = choose_until();
  standing_.set_state(worker, process.wake > now_ ? State::sleeping : State::ready);
  if (recorder_ != nullptr)
    recorder_->add({.kind = Event::Kind::wait, .at = now_, .actor = worker, .until = process.wake});
}

/// The worker is gone: its frames go, and what would still reach it. Its requests are on their way.
void Simulation::end_task(std::size_t worker, State state) {
  Process& process = processes_[worker];
  standing_.set_state(worker, state);
  standing_.set_news(worker, false);
  set_alarm(worker, std::nullopt);
  facts_[worker].gone = true;
  process.task.reset();
  if (process.value != nullptr && oracles_.abandon(worker)) {
    ++visible_events_;
    standing_.set_inside(worker, false);
  }
  for_each_link(links_, worker, [this](SimulatedConnection& link) {
    link.end_listening();  // A callback that is to come keeps a lock client.
    link.answers.clear();
    note_traffic(link);
  });
  check_gone(worker);
}

void Simulation::check_gone(std::size_t worker) {
  if (!facts_[worker].gone) return;
  bool is_heard = false;  // Something of it is still to come.
  for_each_link(links_, worker, [&is_heard](const SimulatedConnection& link) {
    is_heard |= !link.requests.empty() || !link.orphans.empty();
  });
  if (!is_heard) oracles_.gone(worker);
}

/// A request has come: whom `timeout` has cut off learns of it now, as he would by TCP.
void Simulation::receive(SimulatedConnection& link) {
  Server& server = far_end(link);
  sync(server);
  if (server.cuts_idle && !server.engine.sessions().contains(session_of(link)))
    connect_killed(server);
}

void Simulation::deliver_request(SimulatedConnection& link) {
  Server& server = far_end(link);
  const std::size_t worker = link.worker();
  receive(link);
  if (link.requests.empty()) return check_gone(worker);  // Its connection has ended meanwhile.
  const Link::Ticket ticket = link.requests.front().ticket;
  const std::uint64_t connection = link.connections();
  std::optional<Reply> reply = carry_out(link, client_of(link), link.requests.front());
  const bool is_cut = link.connections() != connection;  // CLIENT KILL: nothing is under way.
  if (!reply) link.held_ticket = ticket;
  if (!is_cut) link.requests.pop();
  note_traffic(link);
  if (is_cut || facts_[worker].gone) {
    if (server.has_subscribers) publish(server);
    return check_gone(worker);
  }
  if (reply) put_answer(link, ticket, std::move(*reply));
  if (server.has_subscribers) publish(server);
}

/// Nothing if the command blocks: then link.held_back has the reply to come.
std::optional<Reply> Simulation::carry_out(SimulatedConnection& link, Client& as,
                                           const Request& request) {
  Server& server = far_end(link);
  const std::size_t worker = link.worker();
  words_.clear();
  std::size_t at = 0;
  for (const std::size_t size : request.sizes) {
    words_.emplace_back(request.bytes.data() + at, size);
    at += size;
  }
  save(server);
  server.touch();
  const std::uint64_t changes = server.redis.inspect().changes();
  const std::size_t sessions = server.engine.sessions().size();
  const Pause pause = server.engine.pause();
  std::optional<Reply> reply;
  try {
    reply = as.call(words_);
  } catch (const WouldBlock&) {
    link.held_back = as.send(words_);
    ++server.blocked;
  } catch (const std::exception&) {
    thrown_ =
        processes_[worker].name + ": " + phrase_exception(words_.front(), std::current_exception());
    oracles_.report({.verdict = Class::unusable, .oracle = Oracle::threw, .subject = worker});
    reply = Reply{};
  }
  if (recorder_ != nullptr) {
    recorder_->add({.kind = Event::Kind::execute,
                    .at = now_,
                    .on_server = true,
                    .actor = server.index,
                    .text = phrase_execution(processes_[worker].name, words_, reply),
                    .message = link.message_id(request.ticket),
                    .node = server.index});
  }
  oracles_.histories().executed(worker, now_);
  const std::string_view command = words_.front();
  if (iequals(command.substr(0, 4), "EVAL")) {
    server.has_scripts = true;  // And nothing else: the rest of these no script may call.
  } else if (command.size() > 3 || iequals(command, "ACL")) {  // Unlike GET, SET and DEL.
    server.has_scripts |= iequals(command, "SCRIPT");
    server.has_watchers |= iequals(command, "WATCH");
    for (const std::string_view subscribes : {"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR"})
      server.has_subscribers |= iequals(command, subscribes);
    if (iequals(command, "CLIENT") && words_.size() > 1)
      server.has_subscribers |= iequals(words_[1], "TRACKING");
    if (reply && &as == &client_of(link) && !as.is_connected())
      connect_anew(link);  // QUIT: after the reply.
    note_idle_cuts(server);
  }
  if (server.redis.inspect().changes() != changes) after_change(server, worker);
  if (server.engine.sessions().size() < sessions) connect_killed(server);
  if (followers_.size() > 0) settle(server);
  // Time stops for who waits or listens there, and nowhere in vain.
  if (!reply || server.has_subscribers || server.cuts_idle || server.engine.pause() != pause)
    look_ahead(server);
  if (server.blocked > 0) serve_blocked(server);
  return reply;
}

/// Answers those whose command does not block any more.
void Simulation::serve_blocked(Server& server) {
  for (SimulatedConnection& link : connections_) {
    if (link.at != server.index || !link.held_back || link.held_back->is_blocked()) continue;
    if (link.held_back->is_lost()) {
      connect_killed(server);  // Who waits is killed from outside the world.
      continue;
    }
    Reply reply = link.held_back->reply();
    link.held_back.reset();
    --server.blocked;
    if (!client_of(link).is_connected()) connect_anew(link);  // After QUIT.
    if (!facts_[link.worker()].gone) put_answer(link, link.held_ticket, std::move(reply));
  }
  find_deadline(server);
}

void Simulation::put_answer(SimulatedConnection& link, Link::Ticket ticket, Reply&& reply) {
  Answer& answer = link.answers.push();
  answer.sent = now_;
  answer.ticket = ticket;
  answer.digest = digest(reply);
  mix(answer.digest);
  answer.reply = std::move(reply);
  note_traffic(link);
}

/// Sends what was published to those who listen.
void Simulation::publish(Server& server) {
  for (SimulatedConnection& link : connections_) {
    if (link.at != server.index) continue;
    while (std::optional<Reply> message = client_of(link).next_message()) {
      if (!facts_[link.worker()].gone) put_answer(link, 0, std::move(*message));
    }
  }
}

void Simulation::after_change(Server& server, std::size_t worker) {
  oracles_.changed(server.index, processes_[worker].owner, now_, server.redis.inspect());
  look_ahead(server);
  std::optional<Instant>& last = facts_[worker].last_deadline;
  last.reset();
  if (server.deadline)
    last = *server.deadline;  // As one piece it has only just been stored in two.
  if (recorder_ == nullptr) return;
  for (const Oracles::LockKey& key : oracles_.lock_keys()) {
    if (!key.declared || key.node != server.index) continue;
    const std::string owner = key.writer == kNobody ? "" : processes_[key.writer].name;
    std::string& more = recorder_->events.back().more;
    if (!more.empty()) more += "; ";
    more += phrase_lock_key(key, owner, start_);
  }
}

void Simulation::deliver_reply(SimulatedConnection& link) {
  Process& process = processes_[link.worker()];
  Answer& answer = link.answers.front();
  if (recorder_ != nullptr) {
    recorder_->add({.kind = Event::Kind::reply,
                    .at = now_,
                    .actor = link.worker(),
                    .text = phrase_reply(answer.reply),
                    .message = link.message_id(answer.ticket),
                    .node = link.node()});
  }
  const Link::Ticket ticket = answer.ticket;
  process.tell(now_, answer.digest + link.age(ticket));
  if (ticket == 0) {
    link.messages.push() = std::move(answer.reply);
  } else {
    link.arrived.emplace_back(ticket, std::move(answer.reply));
  }
  link.answers.pop();
  note_traffic(link);
  if (link.listener() != nullptr) standing_.set_news(link.worker(), true);
  wake_for(link, ticket);
}

/// A worker that waits for the reply to `ticket`, or for anything, is ready.
void Simulation::wake_for(SimulatedConnection& link, Link::Ticket ticket) {
  Process& process = processes_[link.worker()];
  if (!standing_.is(State::waiting, link.worker())) return;
  const bool lost = process.connection == &link && link.is_lost(process.ticket);
  if (process.connection == nullptr || lost ||
      (process.connection == &link && process.ticket == ticket)) {
    standing_.set_state(link.worker(), State::ready);
    process.wakes = false;
  }
}

}  // namespace picklock::race
