#include "starling/core/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace starling {

namespace {

/// Open for reading, closed at the end.
class Descriptor {
 public:
  /// Not even opening waits: a pipe that nobody writes to is opened at once.
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

std::string because(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

/// In one unit people read.
std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kMebi = std::size_t{1} << 20U;
  return bytes >= kMebi && bytes % kMebi == 0 ? std::to_string(bytes / kMebi) + " MiB"
                                              : std::to_string(bytes) + " bytes";
}

/// Up to the end, or one byte more than may be: a file can grow while it is read.
bool read_all(int descriptor, std::size_t bytes_max, std::string& content) {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
  for (std::size_t had = 0; had <= bytes_max;) {
    content.resize(had + kPieceBytes);
    const ssize_t got = ::read(descriptor, content.data() + had, kPieceBytes);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    had += got > 0 ? static_cast<std::size_t>(got) : 0;
    content.resize(had);
    if (got <= 0) {
      return got == 0;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> read_regular_file(const std::string& path,
                                             std::size_t bytes_max,
                                             std::string& wrong) {
  const Descriptor file(path);

  struct stat about {};

  if (file.number() < 0 || ::fstat(file.number(), &about) != 0) {
    wrong = because("cannot be read");
    return std::nullopt;
  }
  if (!S_ISREG(about.st_mode)) {
    wrong = "expected a regular file, found something else";
    return std::nullopt;
  }
  std::string content;
  if (!read_all(file.number(), bytes_max, content)) {
    wrong = because("cannot be read");
    return std::nullopt;
  }
  if (content.size() > bytes_max) {
    wrong = "expected a file of at most " + bytes_text(bytes_max) + ", found a larger one";
    return std::nullopt;
  }
  return content;
}

}  // namespace starling
