// picklock::simtime: the C library's clocks and sleeps, by which blocking code runs unchanged in a
// simulated world.
//
// Linked into a program, these definitions stand before those of the C library, for the C++ library
// as well: std::chrono's clocks, std::this_thread::sleep_for and waits with a time-out end up here.
// On the thread of a worker (spawn_blocking) they ask its world, everywhere else the kernel. Waits
// for real files (poll, select) and the timed locks of mutexes stay real.
#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <picklock/race/blocking.hpp>

namespace {

using picklock::Duration;
using picklock::Instant;
using picklock::race::BlockingWorker;

constexpr long kNanosecondsASecond = 1'000'000'000;
/// Longer sleeps are cut: a hundred years, so that no sum overflows.
constexpr std::time_t kLongestSeconds = 3'155'760'000;

bool is_valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kNanosecondsASecond;
}

/// Rounded up: who sleeps must not wake too early.
Duration to_duration(const timespec& time) {
  return std::chrono::seconds{std::min(time.tv_sec, kLongestSeconds)} +
         Duration{(time.tv_nsec + 999) / 1000};
}

timespec to_timespec(Instant instant) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(instant);
  return {seconds.time_since_epoch().count(), std::chrono::nanoseconds{instant - seconds}.count()};
}

/// The clocks that can be set; all others only ever go on.
bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
         clock == CLOCK_REALTIME_ALARM;
}

Instant now_of(const BlockingWorker& worker, clockid_t clock) {
  return is_wall_clock(clock) ? worker.wall_clock() : worker.now();
}

/// Sleeps until `clock` shows `time`.
void sleep_until(BlockingWorker& worker, clockid_t clock, const timespec& time) {
  const Duration left = Instant{to_duration(time)} - now_of(worker, clock);
  worker.sleep_quietly(std::max(left, Duration{0}));
}

/// A definition of the C library's that these stand before. Its newer version, where there are two.
template <class Function>
Function* original(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(found);
}

/// Nobody else runs while a worker does: its wait lasts until its time is over, unless another
/// worker has changed what it waits for by then.
int wait_until(BlockingWorker& worker, pthread_mutex_t* mutex, clockid_t clock,
               const timespec& time) {
  if (!is_valid(time)) return EINVAL;
  pthread_mutex_unlock(mutex);
  struct Relock {
    pthread_mutex_t* held;
    ~Relock() { pthread_mutex_lock(held); }  // The sleep may throw after a crash.
  } const relock{mutex};
  sleep_until(worker, clock, time);
  return ETIMEDOUT;
}

}  // namespace

extern "C" {

/// What the linker is told to look for, so that this file is linked at all.
extern const int picklock_simtime_is_linked;
const int picklock_simtime_is_linked = 1;

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const BlockingWorker* worker = BlockingWorker::current();
  if (worker == nullptr) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  *time = to_timespec(now_of(*worker, clock));
  return 0;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* time) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (time != nullptr) *time = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC) return 0;
  return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  BlockingWorker* worker = BlockingWorker::current();
  if (worker == nullptr) {
    const long result = syscall(SYS_clock_nanosleep, clock, flags, time, left);
    return result == 0 ? 0 : errno;
  }
  if (!is_valid(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0)
    sleep_until(*worker, clock, *time);
  else
    worker->sleep_quietly(to_duration(*time));
  return 0;
}

int nanosleep(const timespec* time, timespec* left) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int usleep(useconds_t microseconds) {
  const timespec time{microseconds / 1'000'000, microseconds % 1'000'000 * 1000L};
  return nanosleep(&time, nullptr);
}

unsigned sleep(unsigned seconds) {
  const timespec time{seconds, 0};
  timespec left{};
  if (nanosleep(&time, &left) == 0) return 0;
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec > 0 ? 1 : 0));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
  if (BlockingWorker* worker = BlockingWorker::current(); worker != nullptr)
    return wait_until(*worker, mutex, CLOCK_REALTIME, *time);
  static auto* const real = original<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait");
  return real(condition, mutex, time);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  if (BlockingWorker* worker = BlockingWorker::current(); worker != nullptr)
    return wait_until(*worker, mutex, clock, *time);
  static auto* const real = original<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  return real(condition, mutex, clock, time);
}

}  // extern "C"
