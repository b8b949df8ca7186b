#include "starling/cli/console.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "starling/cli/output.hpp"

namespace starling::cli {

namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Console::Console()
    : live_(::isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" &&
            !environment("TERM").empty()),
      colour_(live_ && environment("NO_COLOR").empty()) {}

Console::~Console() {
  clear();
}

std::size_t Console::width() const {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void Console::print(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (dropped_ > 0) {
    const auto lost = std::exchange(dropped_, 0);
    write(fmt::format("starling: {} lines were dropped: nobody read them\n", lost));
  }
  const char* erase = current_.empty() ? "" : kEraseLine;
  write(fmt::format("{}{}\n{}", erase, line, current_));
}

void Console::show(std::string line) {
  const std::lock_guard lock(mutex_);
  current_ = std::move(line);
  write(kEraseLine + current_);
}

void Console::clear() {
  const std::lock_guard lock(mutex_);
  if (!current_.empty()) {
    write(kEraseLine);
  }
  current_.clear();
}

void Console::write(const std::string& text) {
  if (write_if_ready(STDERR_FILENO, text) != Written::all) {
    ++dropped_;
  }
}

}  // namespace starling::cli
