// Where the lanes of a drawing stand, and small pieces of SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/world/recorder.hpp"

namespace picklock::race {

/// The lanes of a run from left to right: time, servers, faults, and for each worker its links and
/// itself.
class Lanes {
 public:
  explicit Lanes(const Recorder& recorder);

  int width() const { return width_; }
  int server(std::size_t index) const { return servers_[index]; }
  int faults() const { return faults_; }
  int worker(std::size_t index) const { return workers_[index]; }
  /// The middle of the lane of a worker's link to a server.
  int link(std::size_t worker, std::size_t server) const {
    return links_[worker] + static_cast<int>(server) * kLinkWidth + kLinkWidth / 2;
  }
  /// How many keys the lane of a server has room for.
  std::size_t keys(std::size_t server) const { return key_counts_[server]; }
  /// Where the text of a server's lane begins.
  int server_text(std::size_t index) const {
    return servers_[index] + static_cast<int>(key_counts_[index]) * kBarPitch + 6;
  }
  int worker_text(std::size_t index) const { return workers_[index] + kBarPitch + 6; }

  static constexpr int kTimeWidth = 64;
  static constexpr int kServerText = 330;
  static constexpr int kFaultWidth = 210;
  static constexpr int kLinkWidth = 26;
  static constexpr int kWorkerWidth = 250;
  static constexpr int kBarPitch = 18;
  static constexpr int kBarWidth = 14;

 private:
  std::vector<int> servers_;
  std::vector<std::size_t> key_counts_;
  int faults_ = 0;
  std::vector<int> links_;
  std::vector<int> workers_;
  int width_ = 0;
};

std::string number(std::int64_t value);
/// ` name="value"`, for numbers and for words that need no escaping.
std::string attribute(std::string_view name, std::int64_t value);
std::string attribute(std::string_view name, std::string_view value);
/// A text that is cut to `most` code points; the whole of it is its tooltip.
std::string svg_text(int x, int y, std::string_view text, std::size_t most,
                     std::string_view style = "");
std::string svg_rectangle(int x, int y, int width, int height, std::string_view style);

}  // namespace picklock::race
