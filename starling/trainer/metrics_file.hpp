// metrics.jsonl: one JSON object a line with type config, step, peers or event.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "starling/core/event.hpp"
#include "starling/trainer/metrics.hpp"

namespace starling::trainer {

/// Writes the lines of one run, buffered. Training does not end because of its metrics: when the
/// disk refuses, lines are dropped from then on, and the next flush() or close() says so, once.
/// Members may be called concurrently.
class MetricsFile {
 public:
  /// append: a resumed run goes on in the same file, behind its last whole line: half a line is
  /// what a run leaves that was killed.
  enum class Mode { fresh, append };

  /// @throws StorageError if the file cannot be opened
  MetricsFile(std::filesystem::path path, Mode mode);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  /// Writes what is buffered and ignores failures: call close() to hear of them.
  ~MetricsFile();

  /// Texts that read as numbers are written as numbers.
  void config(const std::map<std::string, std::string>& entries);
  void step(const StepReport& report);

  /// Packed arrays, one entry a peer, and numbers that the caller adds (e.g. an accuracy).
  void peers(const SnapshotReport& report, const std::map<std::string, double>& more);
  void event(const Event& event);

  /// Writes what is buffered. @throws StorageError if a write failed since it was last said
  void flush();

  /// Writes what is buffered and closes. @throws StorageError as flush() does
  void close();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;

  std::filesystem::path path_;
  std::mutex mutex_;  // guards all below
  std::string buffer_;
  int descriptor_ = -1;
  bool failed_ = false;  // a write failed: no more are tried
  int error_ = 0;        // why, until it has been thrown
  std::size_t bytes_lost_ = 0;

  void line(std::string_view text);
  void write_buffer();
  void throw_if_failed();
};

/// Whether the run that began `file` was this experiment (PeerState::experiment), by the first
/// line. False if that cannot be read.
bool is_of_experiment(const std::filesystem::path& file, std::string_view experiment);

}  // namespace starling::trainer
