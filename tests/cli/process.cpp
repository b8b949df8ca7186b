#include "tests/cli/process.hpp"

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

int checked(int result, const char* what) {
  if (result < 0) {
    throw std::runtime_error(std::string("test harness: ") + what);
  }
  return result;
}

/// A file without a name.
int open_scratch() {
  return checked(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), "no scratch file");
}

std::string read_descriptor(int descriptor) {
  std::string text;
  std::array<char, 4096> piece{};
  ::lseek(descriptor, 0, SEEK_SET);
  for (;;) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count <= 0) {
      return text;
    }
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

/// In the child: becomes the program. Only what is safe between fork and exec in a process with
/// threads happens here; all strings were made before.
class Launch {
 public:
  explicit Launch(const ProcessOptions& options) : directory_(options.directory) {
    words_.emplace_back(STARLING_PROGRAM);
    words_.insert(words_.end(), options.arguments.begin(), options.arguments.end());
    for (char** entry = environ; *entry != nullptr; ++entry) {
      variables_.emplace_back(*entry);
    }
    for (const auto& [name, value] : options.environment) {
      std::string setting = name;
      setting += '=';
      std::erase_if(variables_, [&setting](const std::string& variable) {
        return variable.starts_with(setting);
      });
      setting += value;
      variables_.push_back(std::move(setting));
    }
    for (std::string& word : words_) {
      argv_.push_back(word.data());
    }
    for (std::string& variable : variables_) {
      envp_.push_back(variable.data());
    }
    argv_.push_back(nullptr);
    envp_.push_back(nullptr);
  }

  [[noreturn]] void become() {
    if (!directory_.empty() && ::chdir(directory_.c_str()) != 0) {
      ::_exit(126);
    }
    ::execve(STARLING_PROGRAM, argv_.data(), envp_.data());
    ::_exit(127);
  }

 private:
  std::filesystem::path directory_;
  std::vector<std::string> words_;
  std::vector<std::string> variables_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
};

/// A process on a terminal of its own.
struct TerminalProcess {
  pid_t id = -1;
  int screen = -1;  ///< our end of the terminal
};

TerminalProcess start_on_terminal(const ProcessOptions& options, unsigned short columns) {
  Launch launch(options);
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  TerminalProcess process;
  process.id = checked(::forkpty(&process.screen, nullptr, nullptr, &size), "no terminal");
  if (process.id == 0) {
    launch.become();
  }
  return process;
}

void set_status(Outcome& outcome, int status) {
  if (WIFEXITED(status)) {
    outcome.exit_code = WEXITSTATUS(status);
  }
  if (WIFSIGNALED(status)) {
    outcome.signal = WTERMSIG(status);
  }
}

}  // namespace

Process::Process(const ProcessOptions& options) : out_(open_scratch()), err_(open_scratch()) {
  Launch launch(options);
  id_ = checked(::fork(), "cannot fork");
  if (id_ == 0) {
    ::setpgid(0, 0);
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(options.out >= 0 ? options.out : out_, STDOUT_FILENO);
    ::dup2(options.err >= 0 ? options.err : err_, STDERR_FILENO);
    if (options.ignored_signal != 0) {
      std::signal(options.ignored_signal, SIG_IGN);
    }
    launch.become();
  }
  handle_ = checked(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)), "no pidfd");
}

Process::~Process() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  for (const int descriptor : {handle_, out_, err_}) {
    ::close(descriptor);
  }
}

void Process::send(int signal) {
  signalled_ = std::chrono::steady_clock::now();
  ::kill(id_, signal);
}

bool Process::ends_within(std::chrono::milliseconds limit) {
  pollfd request{.fd = handle_, .events = POLLIN, .revents = 0};
  return ::poll(&request, 1, static_cast<int>(limit.count())) == 1;
}

bool Process::says(const std::string& text, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    if (ends_within(5ms) || read_descriptor(err_).find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

Outcome Process::finish() {
  Outcome outcome;
  const bool ended = ends_within(60s);
  outcome.after_signal = std::chrono::steady_clock::now() - signalled_;
  if (!ended) {
    ::kill(id_, SIGKILL);
  }
  int status = 0;
  ::waitpid(id_, &status, 0);
  id_ = -1;
  if (ended) {
    set_status(outcome, status);
  }
  outcome.out = read_descriptor(out_);
  outcome.err = read_descriptor(err_);
  return outcome;
}

Outcome run_program(const ProcessOptions& options) {
  return Process(options).finish();
}

Outcome run_starling(std::vector<std::string> arguments) {
  return run_program({.arguments = std::move(arguments), .environment = {}, .directory = {}});
}

Outcome run_on_terminal(const ProcessOptions& options, unsigned short columns) {
  const TerminalProcess process = start_on_terminal(options, columns);
  Outcome outcome;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = ::read(process.screen, piece.data(), piece.size());
    if (count <= 0) {
      break;
    }  // the program has ended
    outcome.out.append(piece.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  ::waitpid(process.id, &status, 0);
  ::close(process.screen);
  set_status(outcome, status);
  return outcome;
}

Outcome close_terminal_of(const ProcessOptions& options) {
  const TerminalProcess process = start_on_terminal(options, 80);
  std::array<char, 4096> piece{};
  checked(static_cast<int>(::read(process.screen, piece.data(), piece.size())), "a blank screen");
  ::close(process.screen);
  const auto closed = std::chrono::steady_clock::now();
  Outcome outcome;
  int status = 0;
  ::waitpid(process.id, &status, 0);
  outcome.after_signal = std::chrono::steady_clock::now() - closed;
  set_status(outcome, status);
  return outcome;
}

}  // namespace starling::testing
