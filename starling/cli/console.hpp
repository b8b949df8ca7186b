// Standard error as people see it: lines, and below them one live line that shows the progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace starling::cli {

/// Owns standard error during a run. All members may be called concurrently. Never waits for a
/// reader: what it does not take at once is dropped and counted.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// A terminal that can rewrite its line.
  [[nodiscard]] bool is_live() const noexcept { return live_; }

  [[nodiscard]] bool has_colour() const noexcept { return colour_; }

  /// Columns of the terminal now.
  [[nodiscard]] std::size_t width() const;

  /// A line of its own, above the live line. `line` has no line break at its end.
  void print(std::string_view line);

  /// Replaces the live line. Only if is_live().
  void show(std::string line);

  /// Takes the live line away.
  void clear();

 private:
  void write(const std::string& text);

  bool live_;
  bool colour_;
  std::mutex mutex_;     // guards the two below and the order of writes
  std::string current_;  // the live line on the screen
  std::uint64_t dropped_ = 0;
};

}  // namespace starling::cli
