// Runs the real program and looks at it from outside: exit code, what it prints, how it takes
// signals.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace starling::testing {

struct Outcome {
  int exit_code = -1;  ///< -1: it did not end by itself
  int signal = 0;      ///< what it was killed by
  std::string out;
  std::string err;
  std::chrono::duration<double> after_signal{};  ///< from the last Process::send() to the end
};

struct ProcessOptions {
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};  ///< besides that of the test
  std::filesystem::path directory{};                               ///< to run in; empty: the test's
  int out = -1;            ///< where standard output goes; -1: Outcome::out
  int err = -1;            ///< where standard error goes; -1: Outcome::err
  int ignored_signal = 0;  ///< what the process inherits as ignored; 0: nothing
};

/// One run of the program. Its output goes to files, so it never waits for the test to read.
class Process {
 public:
  explicit Process(const ProcessOptions& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal);

  [[nodiscard]] pid_t id() const noexcept { return id_; }

  /// True if it has ended within `limit`.
  bool ends_within(std::chrono::milliseconds limit);

  /// True if `text` has come on standard error within `limit`, or the process has ended.
  bool says(const std::string& text, std::chrono::milliseconds limit);

  /// Waits for the end (a minute at most, then kills it) and reads what it has written.
  Outcome finish();

 private:
  pid_t id_ = -1;
  int handle_ = -1;  // pidfd
  int out_ = -1;
  int err_ = -1;
  std::chrono::steady_clock::time_point signalled_;
};

Outcome run_program(const ProcessOptions& options);
Outcome run_starling(std::vector<std::string> arguments);

/// Runs the program on a pseudo-terminal of that width; `out` holds all that came to the screen.
Outcome run_on_terminal(const ProcessOptions& options, unsigned short columns);

/// Runs the program on a terminal that is closed once something has come to the screen.
Outcome close_terminal_of(const ProcessOptions& options);

}  // namespace starling::testing
