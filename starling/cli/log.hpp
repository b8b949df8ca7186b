// Lines about the run on standard error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "starling/cli/console.hpp"
#include "starling/cli/settings.hpp"
#include "starling/core/event.hpp"

namespace spdlog {
class logger;
}

namespace starling::cli {

/// "starling: warning: peer 3 at 1.250 s: ..." for each event that is worth a line. Of one kind at
/// most kMostLines are shown, and those about one culprit at growing intervals, however many peers
/// say so; the rest is counted. What ends the run is told once, at its end. All members may be
/// called concurrently.
class Log {
 public:
  static constexpr std::uint64_t kMostLines = 20;

  /// @param peers of the run: a checkpoint is reported when all have written theirs
  Log(Console& console, const ShowSettings& show, std::size_t peers);

  void on_event(const Event& event);

  void info(const std::string& text);
  void warning(const std::string& text);
  void error(const std::string& text);

  /// Says how many lines were left out. Once, at the end of a run.
  void report_left_out();

 private:
  /// When the next line about one culprit is due, and how long after it the one behind.
  struct Pace {
    Time next{};
    Duration interval{};
  };

  using About = std::pair<std::size_t, std::uint64_t>;  // kind of event, culprit

  bool may_show(const Event& event);
  bool is_due(const Event& event);
  void on_checkpoint(const CheckpointSaved& saved);

  std::shared_ptr<spdlog::logger> logger_;  // spdlog hands loggers around as shared pointers
  bool unlimited_;
  std::size_t peers_;
  std::mutex mutex_;                            // guards all below
  std::map<std::size_t, std::uint64_t> shown_;  // by kind of event
  std::map<About, Pace> paces_;
  std::uint64_t left_out_ = 0;
  std::map<std::uint64_t, std::size_t> saved_;  // peers by step, of checkpoints under way
};

/// `text` with control characters but the line break made visible: what peers and files are called
/// may not drive the terminal.
std::string printable(std::string text);

}  // namespace starling::cli
