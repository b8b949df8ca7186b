#include "starling/cli/log.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include "starling/core/policy.hpp"

namespace starling::cli {

namespace {

/// spdlog's lines through the console, so that they stand above the live line.
class ConsoleSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit ConsoleSink(Console& console) : console_(console) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string text = fmt::to_string(line);
    if (console_.has_colour() && message.color_range_end > message.color_range_start) {
      text.insert(message.color_range_end, "\x1b[0m");
      text.insert(message.color_range_start, colour_of(message.level));
    }
    console_.print(text);
  }

  void flush_() override {}

 private:
  static const char* colour_of(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::err:
        return "\x1b[1;31m";  // bold red
      case spdlog::level::warn:
        return "\x1b[1;33m";  // bold yellow
      default:
        return "\x1b[2m";  // dim
    }
  }

  Console& console_;
};

/// One culprit takes all others along, and the end of the run names it once: these are the others.
bool is_told_at_the_end(const Event& event) {
  const auto* rejected = std::get_if<ContributionRejected>(&event.what);
  return std::holds_alternative<PeerGone>(event.what) ||
         std::holds_alternative<Stalled>(event.what) ||
         (rejected != nullptr && rejected->policy == to_string(NotFinite::stop));
}

spdlog::level::level_enum level_of(const Event& event) {
  if (is_told_at_the_end(event)) {
    return spdlog::level::debug;
  }
  switch (severity_of(event)) {
    case Severity::debug:
      return spdlog::level::debug;
    case Severity::info:
      return spdlog::level::info;
    case Severity::warning:
      return spdlog::level::warn;
    case Severity::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

/// The peer that a warning is about, where many peers may say the same.
std::optional<std::uint64_t> culprit_of(const Event& event) {
  if (const auto* slow = std::get_if<SlowPeer>(&event.what)) {
    return slow->culprit.value;
  }
  if (const auto* lost = std::get_if<PartnerLost>(&event.what)) {
    return lost->partner.value;
  }
  if (const auto* rejected = std::get_if<ContributionRejected>(&event.what)) {
    return rejected->contributor.value;
  }
  return std::nullopt;
}

spdlog::level::level_enum threshold(const ShowSettings& show) {
  if (show.quiet) {
    return spdlog::level::err;
  }
  return show.verbose ? spdlog::level::debug : spdlog::level::info;
}

}  // namespace

Log::Log(Console& console, const ShowSettings& show, std::size_t peers)
    : logger_(std::make_shared<spdlog::logger>("starling", std::make_shared<ConsoleSink>(console))),
      unlimited_(show.verbose),
      peers_(peers) {
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "%n: %^%l%$: %v", spdlog::pattern_time_type::local, ""));
  logger_->set_level(threshold(show));
}

void Log::on_event(const Event& event) {
  if (std::holds_alternative<ModelSnapshot>(event.what)) {
    return;  // numbers, not words
  }
  if (const auto* saved = std::get_if<CheckpointSaved>(&event.what)) {
    return on_checkpoint(*saved);
  }
  const auto level = level_of(event);
  if (!logger_->should_log(level) || !may_show(event)) {
    return;
  }
  // What is noted before the run begins comes from no peer.
  const bool before_run = std::holds_alternative<Note>(event.what) && event.time == Time{};
  const std::string origin =
      before_run ? "" : fmt::format("{} at {:.3f} s: ", to_string(event.from), seconds(event.time));
  logger_->log(level, "{}{}", origin, printable(describe(event)));
}

void Log::info(const std::string& text) {
  logger_->info("{}", printable(text));
}

void Log::warning(const std::string& text) {
  logger_->warn("{}", printable(text));
}

void Log::error(const std::string& text) {
  logger_->error("{}", printable(text));
}

void Log::report_left_out() {
  const std::lock_guard lock(mutex_);
  if (left_out_ > 0) {
    logger_->warn("{} more lines like these were left out; --verbose shows them", left_out_);
  }
  left_out_ = 0;
  shown_.clear();
}

void Log::on_checkpoint(const CheckpointSaved& saved) {
  {
    const std::lock_guard lock(mutex_);
    if (++saved_[saved.step] < peers_) {
      return;
    }
    saved_.erase(saved.step);
  }
  info(fmt::format("checkpoint of step {} saved in {}", saved.step, saved.path));
}

bool Log::may_show(const Event& event) {
  if (unlimited_) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  std::uint64_t& shown = shown_[event.what.index()];
  if (!is_due(event) || shown >= kMostLines) {
    ++left_out_;
    return false;
  }
  ++shown;
  return true;
}

/// Behind the first line about a culprit the next ones come w, 2w, 4w, ... after the last; w is how
/// long a slow peer was waited for, else a second.
bool Log::is_due(const Event& event) {
  const std::optional<std::uint64_t> culprit = culprit_of(event);
  if (!culprit) {
    return true;
  }
  const auto* slow = std::get_if<SlowPeer>(&event.what);
  const Duration first = slow != nullptr ? slow->waited : Duration(std::chrono::seconds(1));
  const About about{event.what.index(), *culprit};
  Pace& pace = paces_.try_emplace(about, Pace{event.time, first}).first->second;
  if (event.time < pace.next) {
    return false;
  }
  pace.next = event.time + pace.interval;
  pace.interval *= 2;
  return true;
}

std::string printable(std::string text) {
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n') || code == 0x7f) {
      c = '?';
    }
  }
  return text;
}

}  // namespace starling::cli
