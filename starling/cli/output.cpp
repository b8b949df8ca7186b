#include "starling/cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace starling::cli {

namespace {

// POLLOUT on a pipe promises room for this much (PIPE_BUF), so a write of it does not wait.
constexpr std::size_t kPieceBytes = 4096;

/// Until `descriptor` takes a piece.
Written await_room(int descriptor, int patience_ms) {
  pollfd request{.fd = descriptor, .events = POLLOUT, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&request, 1, patience_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    return Written::too_slow;
  }
  if (ready < 0) {
    return Written::failed;
  }
  const bool gone = (request.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  return gone ? Written::reader_gone : Written::all;
}

Written write_piece(int descriptor, std::string_view& text) {
  const ssize_t count = ::write(descriptor, text.data(), std::min(text.size(), kPieceBytes));
  if (count >= 0) {
    text.remove_prefix(static_cast<std::size_t>(count));
    return Written::all;
  }
  if (errno == EINTR || errno == EAGAIN) {
    return Written::all;
  }
  return errno == EPIPE || errno == EIO ? Written::reader_gone : Written::failed;
}

}  // namespace

void prepare_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is the one just found free. Kept open for the life of the process.
      // Results that nobody gets are an error: writing to standard output is refused.
      const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
      if (opened != descriptor && opened >= 0) {
        ::close(opened);
      }
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
}

Written write_all(int descriptor, std::string_view text, Duration patience) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  const int patience_ms = patience < Duration::zero() ? -1 : static_cast<int>(milliseconds);
  Written result = Written::all;
  while (!text.empty() && result == Written::all) {
    result = await_room(descriptor, patience_ms);
    if (result == Written::all) {
      result = write_piece(descriptor, text);
    }
  }
  return result;
}

Written write_if_ready(int descriptor, std::string_view text) {
  return write_all(descriptor, text.substr(0, kPieceBytes), Duration::zero());
}

}  // namespace starling::cli
