#include "fuzz/search/explain.hpp"

#include <algorithm>
#include <vector>

#include "fuzz/report/phrases.hpp"
#include "fuzz/search/chooser.hpp"
#include "fuzz/world/ids.hpp"

namespace picklock::race {
namespace {

bool is_fault(Kind kind, std::uint32_t id) { return kind == Kind::step && is_fault(step_of(id)); }

/// Follows a list tolerantly and remembers what it was offered, and how far the story had come.
class Listener final : public Chooser {
 public:
  struct Question {
    Kind kind;
    std::vector<std::uint32_t> options;
    std::size_t events = 0;  ///< Recorded before it.
  };

  /// `waits`: past the end of the list this worker's steps come after all others.
  void follow(std::span<const Choice> choices, const Recorder* recorder,
              std::optional<std::uint32_t> waits = std::nullopt) {
    left_ = choices.size();
    waits_ = waits;
    inner_.follow(choices);
    recorder_ = recorder;
    questions_.clear();
  }
  std::size_t pick(Kind kind, std::span<const Option> options) override {
    if (recorder_ != nullptr) {
      Question question{kind, {}, recorder_->events.size()};
      for (const Option& option : options) question.options.push_back(option.id);
      questions_.push_back(std::move(question));
    }
    if (left_ == 0 && waits_ && kind == Kind::step) return pick_another(options);
    if (left_ > 0) --left_;
    return inner_.pick(kind, options);
  }
  const std::vector<Question>& questions() const { return questions_; }

 private:
  /// Time goes on only when nothing else is left: it would let what waits be late.
  std::size_t pick_another(std::span<const Option> options) const {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::uint32_t id = options[i].id;
      const bool held_back = step_of(id) == Step::time || actor_of(id) % kMostWorkers == *waits_;
      if (!held_back && !is_fault(Kind::step, id)) return i;
    }
    return 0;
  }

  TolerantChooser inner_;
  const Recorder* recorder_ = nullptr;
  std::size_t left_ = 0;
  std::optional<std::uint32_t> waits_;
  std::vector<Question> questions_;
};

/// The words for one choice in the run that made it.
class Phrases {
 public:
  Phrases(const Recorder& recorder, const std::vector<Listener::Question>& questions)
      : recorder_(recorder), questions_(questions) {}

  std::string operator()(Choice choice, std::size_t place) const {
    const Event* event = event_after(place);
    if (choice.kind != Kind::step)
      return event == nullptr ? describe(choice) : phrase_until(*event);
    if (is_fault(choice.kind, choice.id) && event != nullptr && event->kind == Event::Kind::fault)
      return phrase_fault(*event);
    const std::uint32_t actor = actor_of(choice.id);
    const std::string worker = name(recorder_.workers, actor % kMostWorkers);
    const std::string server = name(recorder_.servers, actor / kMostWorkers);
    switch (step_of(choice.id)) {
      case Step::request:
        return worker + "'s " + request_text(event) + " reaches " + server;
      case Step::reply:
        return "the reply " + (event == nullptr ? "" : event->text + " ") + "reaches " + worker;
      case Step::time:
        return event == nullptr ? "time goes on"
                                : "time goes on to " + phrase_time(event->at, recorder_.start);
      case Step::resume:
        return worker + " " + deed(event, actor);
      case Step::crash:
        return worker + " crashes";
      case Step::freeze:
        return worker + " is paused";
      default:
        return describe(choice);
    }
  }

 private:
  static std::string name(const std::vector<std::string>& names, std::size_t index) {
    return index < names.size() ? names[index] : "somebody";
  }
  /// What happened first once the choice was made.
  const Event* event_after(std::size_t place) const {
    if (place >= questions_.size()) return nullptr;
    const std::size_t index = questions_[place].events;
    return index < recorder_.events.size() ? &recorder_.events[index] : nullptr;
  }
  std::string request_text(const Event* executed) const {
    if (executed == nullptr) return "request";
    for (const Event& event : recorder_.events) {
      if (event.kind == Event::Kind::send && event.message == executed->message) return event.text;
    }
    return "request";
  }
  static std::string deed(const Event* event, std::size_t worker) {
    if (event == nullptr || event->on_server || event->actor != worker) return "goes on";
    switch (event->kind) {
      case Event::Kind::send:
        return "sends " + event->text;
      case Event::Kind::enter:
        return "enters " + event->text;
      case Event::Kind::leave:
        return "leaves " + event->text;
      case Event::Kind::finish:
        return "is done";
      default:
        return "goes on";
    }
  }
  std::string phrase_fault(const Event& event) const {
    return name(event.on_server ? recorder_.servers : recorder_.workers, event.actor) + ": " +
           event.text;
  }
  std::string phrase_until(const Event& event) const {
    const bool lasts = event.kind == Event::Kind::pause || event.kind == Event::Kind::wait;
    if (!lasts) return phrase_fault(event);
    return name(recorder_.workers, event.actor) +
           (event.kind == Event::Kind::pause ? " is paused until " : " waits until ") +
           phrase_time(event.until, recorder_.start);
  }

  const Recorder& recorder_;
  const std::vector<Listener::Question>& questions_;
};

class Explainer {
 public:
  Explainer(Simulation& simulation, const Scenario& scenario, const Trace& trace,
            std::size_t budget)
      : simulation_(simulation), scenario_(scenario), trace_(trace), budget_(budget) {}

  std::optional<Explanation> explain(const Recorder& broken) {
    Recorder again;
    run(trace_.choices, &again);
    questions_ = listener_.questions();
    // A documented limit is one of its faults: the schedule around it decides nothing.
    if (trace_.verdict == Class::documented_limit) {
      if (auto found = go_back(broken, true)) return found;
    }
    return go_back(broken, false);
  }

 private:
  std::optional<Explanation> go_back(const Recorder& broken, bool only_faults) {
    for (std::size_t place = std::min(trace_.choices.size(), questions_.size()); place-- > 0;) {
      const Choice taken = trace_.choices[place];
      if (only_faults && taken.kind == Kind::step && !is_fault(taken.kind, taken.id)) continue;
      for (const std::uint32_t id : questions_[place].options) {
        if (id == taken.id || is_fault(questions_[place].kind, id)) continue;
        if (try_instead(place, id)) return tell(broken, place);
        if (budget_ == 0) return std::nullopt;
      }
    }
    return std::nullopt;
  }

  Simulation::Result run(std::span<const Choice> choices, Recorder* recorder,
                         std::optional<std::uint32_t> waits = std::nullopt) {
    listener_.follow(choices, recorder, waits);
    simulation_.record_to(recorder);
    const Simulation::Result result = simulation_.run(scenario_, listener_, trace_.verdict);
    simulation_.record_to(nullptr);
    budget_ -= std::min<std::size_t>(budget_, result.work + 1);
    return result;
  }

  /// With `id` at `place`; what was to come there comes later. Keeps the choices if that holds.
  bool try_instead(std::size_t place, std::uint32_t id) {
    candidate_.assign(trace_.choices.begin(),
                      trace_.choices.begin() + static_cast<std::ptrdiff_t>(place));
    const Choice instead{trace_.choices[place].kind, id};
    candidate_.push_back(instead);
    std::size_t rest = place;
    // A fault that is left out takes its variant with it; so does another duration its own.
    const bool leaves_out =
        instead.kind != Kind::step || is_fault(Kind::step, trace_.choices[place].id);
    if (leaves_out) {
      ++rest;
      while (instead.kind == Kind::step && rest < trace_.choices.size() &&
             trace_.choices[rest].kind != Kind::step)
        ++rest;
    }
    bool dropped = false;  // What has been brought forward.
    for (; rest < trace_.choices.size(); ++rest) {
      if (!dropped && instead.kind == Kind::step && trace_.choices[rest] == instead) {
        dropped = true;
        continue;
      }
      candidate_.push_back(trace_.choices[rest]);
    }
    if (run(candidate_, nullptr).finding.verdict == Class::holds) return true;
    const bool is_order = instead.kind == Kind::step && !leaves_out &&
                          step_of(trace_.choices[place].id) != Step::time &&
                          step_of(id) != Step::time;
    if (!is_order) return false;
    // Once more with all that the others can do first.
    candidate_.resize(place + 1);
    const std::uint32_t waits = actor_of(trace_.choices[place].id) % kMostWorkers;
    return run(candidate_, nullptr, waits).finding.verdict == Class::holds;
  }

  Explanation tell(const Recorder& broken, std::size_t place) {
    Explanation explanation;
    candidate_ = simulation_.choices();
    const std::vector<Listener::Question> questions = questions_;
    run(candidate_, &explanation.holds);
    const Choice taken = trace_.choices[place];
    const std::string was = Phrases{broken, questions}(taken, place);
    const std::string other =
        Phrases{explanation.holds, listener_.questions()}(candidate_[place], place);
    if (is_fault(taken.kind, taken.id))
      explanation.decides = was + "; without that it holds";
    else if (taken.kind == Kind::step)
      explanation.decides = was + " before " + other + "; the other way round it holds";
    else
      explanation.decides = was + "; it holds if " + other;
    return explanation;
  }

  Simulation& simulation_;
  const Scenario& scenario_;
  const Trace& trace_;
  std::size_t budget_;
  Listener listener_;
  std::vector<Listener::Question> questions_;
  std::vector<Choice> candidate_;
};

}  // namespace

std::optional<Explanation> explain(Simulation& simulation, const Scenario& scenario,
                                   const Trace& trace, const Recorder& broken,
                                   std::size_t step_budget) {
  if (trace.verdict > Class::violation) return std::nullopt;
  return Explainer{simulation, scenario, trace, step_budget}.explain(broken);
}

}  // namespace picklock::race
