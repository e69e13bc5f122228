#include "fuzz/world/standing.hpp"

#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock::race {
namespace {

/// What Standing says in bits, worker by worker.
struct Worker {
  WorkerState state = WorkerState::ready;
  bool started = false;
  bool news = false;
  bool frozen = false;
  bool alarmed = false;
  bool inside = false;
};

template <class Are>
Standing::Set those(const std::vector<Worker>& workers, Are are) {
  Standing::Set set = 0;
  for (std::size_t i = 0; i < workers.size(); ++i)
    set |= static_cast<Standing::Set>(are(workers[i])) << i;
  return set;
}

/// Five bits a worker, twelve in a word.
std::vector<std::uint64_t> packed(const std::vector<Worker>& workers) {
  std::vector<std::uint64_t> words{0};
  for (std::size_t i = 0; i < workers.size(); ++i) {
    words.back() = words.back() << 5 | static_cast<std::uint64_t>(workers[i].state) << 2 |
                   static_cast<std::uint64_t>(workers[i].frozen) << 1 |
                   static_cast<std::uint64_t>(workers[i].inside);
    if (i % 12 == 11) words.push_back(0);
  }
  return words;
}

void change(Standing& standing, std::vector<Worker>& workers, Random& random) {
  const std::size_t i = random.below(workers.size());
  Worker& worker = workers[i];
  switch (random.below(6)) {
    case 0:
      worker.state = static_cast<WorkerState>(random.below(7));
      return standing.set_state(i, worker.state);
    case 1:
      worker.started = true;
      return standing.start(i);
    case 2:
      worker.news = random.below(2) == 0;
      return standing.set_news(i, worker.news);
    case 3:
      worker.alarmed = random.below(2) == 0;
      return standing.set_alarmed(i, worker.alarmed);
    case 4:
      worker.inside = random.below(2) == 0;
      return standing.set_inside(i, worker.inside);
    default:
      worker.frozen = random.below(2) == 0;
      return standing.set_frozen(i, worker.frozen);
  }
}

bool is_busy(const Worker& worker) {
  return worker.started && (worker.state == WorkerState::ready || worker.news);
}

TEST_CASE("how workers stand is the same in bits as one by one") {
  Random random{1};
  Standing standing;
  for (std::size_t count = 1; count <= kMostWorkers; ++count) {
    standing.clear();
    std::vector<Worker> workers(count);
    for (std::size_t i = 0; i < count; ++i) standing.add(i);
    for (int step = 0; step < 200; ++step) {
      CAPTURE(count, step);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(standing.state(i) == workers[i].state);
        REQUIRE(standing.has_started(i) == workers[i].started);
        REQUIRE(standing.has_news(i) == workers[i].news);
      }
      REQUIRE(standing.started() == those(workers, [](const Worker& w) { return w.started; }));
      REQUIRE(standing.late() == those(workers, [](const Worker& w) { return !w.started; }));
      REQUIRE(standing.frozen() == those(workers, [](const Worker& w) { return w.frozen; }));
      REQUIRE(standing.alarmed() == those(workers, [](const Worker& w) { return w.alarmed; }));
      for (const auto state :
           {WorkerState::ready, WorkerState::sleeping, WorkerState::waiting, WorkerState::pausing,
            WorkerState::elsewhere, WorkerState::finished, WorkerState::crashed})
        REQUIRE(standing.in(state) ==
                those(workers, [&](const Worker& w) { return w.state == state; }));
      REQUIRE(standing.busy() == those(workers, is_busy));
      REQUIRE(standing.runnable() ==
              those(workers, [](const Worker& w) { return is_busy(w) && !w.frozen; }));
      std::vector<std::uint64_t> words;
      standing.pack([&words](std::uint64_t word) { words.push_back(word); });
      REQUIRE(words == packed(workers));
      change(standing, workers, random);
    }
  }
}

TEST_CASE("indices come back in order, and go") {
  Indices indices;
  indices.make_room(201);
  CHECK(indices.empty());
  const auto all = [&indices] {
    std::vector<std::size_t> found;
    indices.for_each([&found](std::size_t index) { found.push_back(index); });
    return found;
  };
  indices.put(3, false);
  CHECK(indices.empty());
  for (const std::size_t index : {200, 64, 0, 63, 64}) indices.put(index, true);
  CHECK(all() == std::vector<std::size_t>{0, 63, 64, 200});
  indices.put(63, false);
  indices.put(63, false);
  CHECK(all() == std::vector<std::size_t>{0, 64, 200});
  CHECK_FALSE(indices.empty());
  indices.clear();
  CHECK(indices.empty());
  CHECK(all().empty());
}

}  // namespace
}  // namespace picklock::race
