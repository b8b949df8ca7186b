#include "starling/cli/log.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

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

spdlog::level::level_enum level_of(const Event& event) {
  // One culprit takes all others along; the end of the run names it once.
  if (std::holds_alternative<PeerGone>(event.what)) {
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
  if (!logger_->should_log(level) || !may_show(event.what.index())) {
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
  std::uint64_t left_out = 0;
  for (const auto& [kind, count] : shown_) {
    left_out += count - std::min(count, kMostLines);
  }
  if (left_out > 0) {
    logger_->warn("{} more lines like these were left out; --verbose shows them", left_out);
  }
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

bool Log::may_show(std::size_t kind) {
  if (unlimited_) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  return ++shown_[kind] <= kMostLines;
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
