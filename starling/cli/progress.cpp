#include "starling/cli/progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace starling::cli {

namespace {

constexpr auto kLiveInterval = std::chrono::milliseconds(100);
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kMostBar = 40;
constexpr std::size_t kLeastWithBar = 40;   // columns of a line that shows a bar
constexpr std::size_t kPlainColumns = 200;  // of lines in a log
constexpr double kMostSeconds = 1e9;

double share_done(const ProgressState& state) {
  return std::clamp(state.steps / static_cast<double>(state.total), 0.0, 1.0);
}

/// "1:02:03" or "2:03".
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, kMostSeconds));
  const std::uint64_t hours = whole / 3600;
  const std::uint64_t minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

/// The most important first.
std::vector<std::string> parts_of(const ProgressState& state) {
  std::vector<std::string> parts;
  const auto steps = static_cast<std::uint64_t>(state.steps);
  if (state.total > 0) {
    parts.push_back(fmt::format("{:3.0f} %", 100.0 * share_done(state)));
    parts.push_back(fmt::format("{} {}/{}", state.unit, steps, state.total));
  } else {
    parts.push_back(fmt::format("{} {}", state.unit, steps));
  }
  const double own_steps = state.steps - static_cast<double>(state.first);
  const double rate = state.elapsed_seconds > 0.0 ? own_steps / state.elapsed_seconds : 0.0;
  if (state.total > 0 && rate > 0.0) {
    const double left = (static_cast<double>(state.total) - state.steps) / rate;
    parts.push_back(clock_text(left) + " left");
  }
  if (std::isfinite(state.loss)) {
    parts.push_back(fmt::format("loss {:.4g}", state.loss));
  }
  if (rate > 0.0) {
    parts.push_back(fmt::format("{:.3g} {}s/s", rate, state.unit));
  }
  return parts;
}

std::string bar(double share, std::size_t columns) {
  const std::size_t inside = columns - 2;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(inside));
  if (full >= inside) {
    return fmt::format("[{:=<{}}]", "", inside);
  }
  return fmt::format("[{:=<{}}>{: <{}}]", "", full, "", inside - full - 1);
}

}  // namespace

std::string progress_text(const ProgressState& state, std::size_t width) {
  std::string text;
  for (const std::string& part : parts_of(state)) {
    const std::size_t gap = text.empty() ? 0 : 2;
    if (text.size() + gap + part.size() > width) {
      break;
    }
    text += std::string(gap, ' ') + part;
  }
  return text;
}

std::string progress_line(const ProgressState& state, std::size_t width) {
  // Where there is little room, a bar says more than the last of the numbers.
  const std::size_t reserved = state.total > 0 && width >= kLeastWithBar ? kLeastBar + 2 : 0;
  std::string text = progress_text(state, width - reserved);
  if (reserved == 0) {
    return text;
  }
  const std::size_t columns = std::min(width - text.size() - 2, kMostBar);
  return fmt::format("{}  {}", bar(share_done(state), columns), text);
}

Progress::Progress(Console& console, std::size_t peers, std::string unit)
    : console_(console), peers_(peers), next_draw_(start_) {
  state_.unit = std::move(unit);
  if (!console.is_live()) {
    next_draw_ += plain_interval_;
  }
}

void Progress::set_length(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  state_.first = done;
  state_.total = total;
}

void Progress::on_step(const StepDone& done) {
  const std::lock_guard lock(mutex_);
  if (std::isfinite(done.loss)) {
    loss_sum_ += done.loss;
    ++loss_count_;
  }
  count_one();
}

void Progress::on_round() {
  const std::lock_guard lock(mutex_);
  count_one();
}

void Progress::count_one() {
  ++events_;
  const auto now = Clock::now();
  if (now >= next_draw_) {
    draw(now);
  }
}

void Progress::draw(Clock::time_point now) {
  state_.steps = static_cast<double>(state_.first) +
                 static_cast<double>(events_) / static_cast<double>(peers_);
  state_.elapsed_seconds = std::chrono::duration<double>(now - start_).count();
  if (loss_count_ > 0) {
    state_.loss = loss_sum_ / static_cast<double>(loss_count_);
  }
  loss_sum_ = 0.0;
  loss_count_ = 0;
  if (console_.is_live()) {
    // The last column stays free: a full line would wrap and could not be taken back.
    console_.show(progress_line(state_, std::max<std::size_t>(console_.width(), 1) - 1));
    next_draw_ = now + kLiveInterval;
  } else {
    console_.print(fmt::format("starling: after {}: {}",
                               clock_text(state_.elapsed_seconds),
                               progress_text(state_, kPlainColumns)));
    plain_interval_ *= 2;
    next_draw_ = start_ + plain_interval_;
  }
}

}  // namespace starling::cli
