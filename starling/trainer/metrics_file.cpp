#include "starling/trainer/metrics_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "starling/core/text.hpp"
#include "starling/trainer/atomic_file.hpp"

namespace starling::trainer {

namespace {

using Json = nlohmann::ordered_json;

/// One line. Numbers that are not finite become null; text that is no UTF-8 is repaired, not
/// refused.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json value_of(const std::string& text) {
  if (const auto whole = parse_size(text)) {
    return *whole;
  }
  if (const auto number = parse_double(text)) {
    return *number;
  }
  return text;
}

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::debug:
      return "debug";
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
}

/// The length of a file up to its last line break; nothing, and errno, if it cannot be read.
std::optional<off_t> length_of_whole_lines(int descriptor) {
  std::array<char, 4096> piece{};
  off_t end = ::lseek(descriptor, 0, SEEK_END);
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(piece.size()));
    const auto wanted = static_cast<std::size_t>(end - begin);
    const ssize_t got = ::pread(descriptor, piece.data(), wanted, begin);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got != static_cast<ssize_t>(wanted)) {
      errno = got < 0 ? errno : EIO;  // a short read, which is no success, sets none
      return std::nullopt;
    }
    const std::size_t at = std::string_view(piece.data(), wanted).rfind('\n');
    if (at != std::string_view::npos) {
      return begin + static_cast<off_t>(at) + 1;
    }
    end = begin;
  }
  return end < 0 ? std::nullopt : std::optional<off_t>(0);
}

/// Cuts off what a killed run has left of a line.
bool end_with_a_whole_line(int descriptor) {
  const auto length = length_of_whole_lines(descriptor);
  return length && ::ftruncate(descriptor, *length) == 0;
}

struct KindOf {
  const char* operator()(const Note&) const { return "note"; }

  const char* operator()(const PartnerLost&) const { return "partner_lost"; }

  const char* operator()(const ContributionRejected&) const { return "contribution_rejected"; }

  const char* operator()(const SlowPeer&) const { return "slow_peer"; }

  const char* operator()(const PeerGone&) const { return "peer_gone"; }

  const char* operator()(const Stalled&) const { return "stalled"; }

  const char* operator()(const StepDone&) const { return "step_done"; }

  const char* operator()(const ModelSnapshot&) const { return "model_snapshot"; }

  const char* operator()(const CheckpointSaved&) const { return "checkpoint_saved"; }
};

}  // namespace

MetricsFile::MetricsFile(std::filesystem::path path, Mode mode) : path_(std::move(path)) {
  constexpr mode_t kMode = 0666;  // narrowed by the user's umask
  const int how = mode == Mode::append ? O_RDWR | O_APPEND : O_WRONLY | O_TRUNC;
  descriptor_ = ::open(path_.c_str(), O_CREAT | O_CLOEXEC | how, kMode);
  if (descriptor_ < 0) {
    throw_storage_error(path_, "cannot be opened for writing", errno, 0);
  }

  struct stat about {};

  const bool is_file = ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
  if (mode == Mode::append && is_file && !end_with_a_whole_line(descriptor_)) {
    const int reason = errno;
    ::close(descriptor_);
    throw_storage_error(
        path_, "the line that an earlier run left half cannot be cut off", reason, 0);
  }
}

MetricsFile::~MetricsFile() {
  const std::lock_guard lock(mutex_);
  write_buffer();
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void MetricsFile::config(const std::map<std::string, std::string>& entries) {
  Json json = {{"type", "config"}};
  for (const auto& [name, text] : entries) {
    json[name] = value_of(text);
  }
  line(text_of(json));
}

void MetricsFile::step(const StepReport& report) {
  line(text_of(
      {{"type", "step"},
       {"step", report.step},
       {"time", seconds(report.time)},
       {"peers", report.peers},
       {"loss", {{"mean", report.loss_mean}, {"min", report.loss_min}, {"max", report.loss_max}}},
       {"learning_rate", report.learning_rate},
       {"samples", report.samples}}));
}

void MetricsFile::peers(const SnapshotReport& report, const std::map<std::string, double>& more) {
  Json json = {{"type", "peers"},
               {"step", report.step},
               {"time", seconds(report.time)},
               {"consensus_distance", report.consensus_distance},
               {"mean_drift", report.mean_drift}};
  for (const auto& [name, number] : more) {
    json[name] = number;
  }
  json["peer"] = report.ranks;
  json["loss"] = report.loss;
  json["distance"] = report.distance;
  line(text_of(json));
}

void MetricsFile::event(const Event& event) {
  line(text_of({{"type", "event"},
                {"time", seconds(event.time)},
                {"peer", event.from.value},
                {"severity", name_of(severity_of(event))},
                {"event", std::visit(KindOf{}, event.what)},
                {"text", describe(event)}}));
}

void MetricsFile::flush() {
  const std::lock_guard lock(mutex_);
  write_buffer();
  throw_if_failed();
}

void MetricsFile::close() {
  const std::lock_guard lock(mutex_);
  write_buffer();
  if (descriptor_ >= 0 && ::close(descriptor_) != 0 && error_ == 0) {
    error_ = errno;
  }
  descriptor_ = -1;
  throw_if_failed();
}

void MetricsFile::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) {
    write_buffer();
  }
}

void MetricsFile::write_buffer() {
  std::string_view left = buffer_;
  while (!left.empty() && !failed_ && descriptor_ >= 0) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      error_ = errno;
      failed_ = true;
      break;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  bytes_lost_ += left.size();
  buffer_.clear();
}

void MetricsFile::throw_if_failed() {
  const int error = std::exchange(error_, 0);
  if (error == 0) {
    return;
  }
  throw_storage_error(path_, "metrics are incomplete, a write failed", error, bytes_lost_);
}

bool is_of_experiment(const std::filesystem::path& file, std::string_view experiment) {
  constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return false;
  }
  std::string line(kLineBytesMax, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(stream.gcount()));
  line.resize(std::min(line.size(), line.find('\n')));
  const Json config = Json::parse(line, nullptr, false);
  if (!config.is_object() || config.value("type", Json()) != Json("config")) {
    return false;
  }
  for (const std::string& setting : split(experiment, '\n')) {
    const std::size_t equals = setting.find(" = ");
    if (equals == std::string::npos) {
      continue;  // behind the last line break
    }
    const auto found = config.find(setting.substr(0, equals));
    if (found == config.end() || *found != value_of(setting.substr(equals + 3))) {
      return false;
    }
  }
  return true;
}

}  // namespace starling::trainer
