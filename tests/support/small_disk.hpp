// Disks that fill up: a limit on the size of files, and a small file system where the kernel allows
// one.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

namespace starling::testing {

/// While it lives, no file of this process grows beyond `bytes`; writes fail instead of killing us.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }

  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

/// A file system in memory, seen by this process only. Needs root or user namespaces.
class SmallDisk {
 public:
  /// @param size e.g. "5m"
  SmallDisk(std::filesystem::path place, const std::string& size) : place_(std::move(place)) {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return;
    }
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      return;
    }
    const std::string options = "size=" + size;
    mounted_ = ::mount("tmpfs", place_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  ~SmallDisk() {
    if (mounted_) {
      ::umount2(place_.c_str(), MNT_DETACH);
    }
  }

  [[nodiscard]] bool mounted() const noexcept { return mounted_; }

 private:
  std::filesystem::path place_;
  bool mounted_ = false;
};

}  // namespace starling::testing
