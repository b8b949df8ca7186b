// How far the run is: a live line on a terminal, a plain line now and then in a log.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include "starling/cli/console.hpp"
#include "starling/core/event.hpp"

namespace starling::cli {

/// What there is to show.
struct ProgressState {
  double steps = 0.0;       ///< done, mean over the peers
  std::uint64_t first = 0;  ///< done already when the run was resumed
  std::uint64_t total = 0;  ///< steps at the end; 0: unknown
  /// Mean over the mini-batches since the last line; NaN: none.
  double loss = std::numeric_limits<double>::quiet_NaN();
  double elapsed_seconds = 0.0;
  std::string unit = "step";  ///< what is counted
};

/// "50 %  step 120/240  0:10 left  loss 0.7312  12.3 steps/s" cut to `width` columns: parts that do
/// not fit are left out, the least important first.
std::string progress_text(const ProgressState& state, std::size_t width);

/// The same behind a bar if there is room for one: "[=====>    ]  50 %  ...".
std::string progress_line(const ProgressState& state, std::size_t width);

/// Draws at most ten times a second on a terminal; otherwise writes lines after 10, 20, 40, ...
/// seconds.
class Progress {
 public:
  /// @param unit what is counted: "step", "round"
  Progress(Console& console, std::size_t peers, std::string unit = "step");

  /// The run goes from step `done` to step `total`. Before the first on_step().
  void set_length(std::uint64_t done, std::uint64_t total);

  /// One peer has done one more. Safe to call concurrently.
  void on_step(const StepDone& done);
  void on_round();

 private:
  using Clock = std::chrono::steady_clock;

  void count_one();
  void draw(Clock::time_point now);

  Console& console_;
  std::size_t peers_;
  Clock::time_point start_ = Clock::now();

  std::mutex mutex_;  // guards all below; taken before the console's
  ProgressState state_;
  std::uint64_t events_ = 0;
  double loss_sum_ = 0.0;
  std::uint64_t loss_count_ = 0;
  Clock::time_point next_draw_;
  Clock::duration plain_interval_ = std::chrono::seconds(10);
};

}  // namespace starling::cli
