#include "starling/cli/output.hpp"

#include <array>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace starling::cli {
namespace {

class Pipe {
 public:
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
  }

  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }

  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int writer() const { return ends_[1]; }

  void close_reader() {
    if (ends_[0] >= 0) {
      ::close(ends_[0]);
    }
    ends_[0] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(Output, AReaderThatIsGoneIsNoFailure) {
  Pipe pipe;
  pipe.close_reader();
  EXPECT_EQ(write_all(pipe.writer(), "text", Duration(-1)), Written::reader_gone);
}

TEST(Output, AFullPipeIsGivenUpAfterThePatience) {
  const Pipe pipe;
  const std::string more_than_a_pipe_holds(1 << 20, 'x');
  EXPECT_EQ(write_all(pipe.writer(), more_than_a_pipe_holds, std::chrono::milliseconds(1)),
            Written::too_slow);
  EXPECT_EQ(write_if_ready(pipe.writer(), "a line\n"), Written::too_slow);
}

TEST(Output, AFullDiskIsAFailure) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_all(full, "text", Duration(-1)), Written::failed);
  ::close(full);
}

}  // namespace
}  // namespace starling::cli
