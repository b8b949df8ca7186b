#include "starling/cli/signals.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "starling/core/error.hpp"
#include "starling/core/exit_code.hpp"

namespace starling::cli {

namespace {

bool is_ignored(int signal) {
  struct sigaction action {};

  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// SIGINT is taken even if it was ignored, as shells do for jobs in the background of a script:
/// such a job must not outlive the Ctrl-C that ends the script.
sigset_t watched_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  if (!is_ignored(SIGHUP)) {
    ::sigaddset(&set, SIGHUP);
  }
  return set;
}

int checked(int descriptor) {
  if (descriptor < 0) {
    throw Error(ExitCode::internal,
                std::string("signals: no file descriptor to watch them: ") + std::strerror(errno));
  }
  return descriptor;
}

int open_signals() {
  const sigset_t set = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return checked(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

SignalWatch::SignalWatch(std::function<bool()> on_first)
    : on_first_(std::move(on_first)),
      signals_(open_signals()),
      stop_(checked(::eventfd(0, EFD_CLOEXEC))),
      thread_([this] { watch(); }) {}

SignalWatch::~SignalWatch() {
  ::eventfd_write(stop_, 1);
  thread_.join();
  ::close(signals_);
  ::close(stop_);
}

void SignalWatch::watch() {
  std::array<pollfd, 2> requests{{{.fd = signals_, .events = POLLIN, .revents = 0},
                                  {.fd = stop_, .events = POLLIN, .revents = 0}}};
  signalfd_siginfo info{};
  for (;;) {
    ::poll(requests.data(), requests.size(), -1);
    if (requests[1].revents != 0) {
      return;
    }
    if (::read(signals_, &info, sizeof info) != sizeof info) {
      continue;
    }
    if (!patient_.exchange(false) || !on_first_()) {
      ::_exit(static_cast<int>(ExitCode::interrupted));
    }
  }
}

}  // namespace starling::cli
