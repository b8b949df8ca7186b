#include "starling/trainer/atomic_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "starling/core/error.hpp"

namespace starling::trainer {

namespace {

namespace fs = std::filesystem;

/// Bytes an ordinary user can still write where `path` is, or would be; nothing if nobody can say.
std::optional<std::uint64_t> free_bytes(const fs::path& path) {
  struct statvfs room {};

  for (fs::path place = fs::absolute(path);; place = place.parent_path()) {
    if (::statvfs(place.c_str(), &room) == 0) {
      return std::uint64_t{room.f_bavail} * std::uint64_t{room.f_frsize};
    }
    if (place == place.parent_path()) {
      return std::nullopt;
    }
  }
}

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
      return "free some space or choose another directory";
    case EDQUOT:
      return "free some of your quota or choose another directory";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f)";
    case EROFS:
    case EACCES:
    case EPERM:
      return "choose a directory you may write to";
    case ENOENT:
    case ENOTDIR:
      return "the directory is gone or is none: restore it or choose another";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    default:
      return "check the disk or choose another directory";
  }
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string aside_prefix(const fs::path& target) {
  std::string prefix(1, '.');
  prefix += target.filename().string();
  return prefix += '.';
}

constexpr std::string_view kAsideSuffix = ".tmp";

/// A name beside `target` that no other writer of this process uses.
fs::path aside_name(const fs::path& target) {
  static std::atomic<std::uint64_t> writers{0};  // relaxed: only distinct, not ordered
  const std::uint64_t writer = writers.fetch_add(1, std::memory_order_relaxed);
  std::string name = aside_prefix(target);
  name += std::to_string(::getpid());
  name += '-';
  name += std::to_string(writer);
  name += kAsideSuffix;
  return parent_of(target) / name;
}

int open_retrying(const fs::path& path, int flags) {
  constexpr mode_t kMode = 0666;  // narrowed by the user's umask
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int sync_retrying(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// Opens a new file beside `target`; -1 and errno if that cannot be.
int create_aside(const fs::path& target, fs::path& aside) {
  // A name can be taken by what a killed process with our process number left behind.
  constexpr int kAttemptsMax = 100;
  int descriptor = -1;
  for (int attempt = 0; attempt < kAttemptsMax && descriptor < 0; ++attempt) {
    aside = aside_name(target);
    descriptor = open_retrying(aside, O_WRONLY | O_CREAT | O_EXCL);
    if (descriptor < 0 && errno != EEXIST) {
      break;
    }
  }
  return descriptor;
}

/// Makes a rename in `directory` survive a power cut.
void sync_directory(const fs::path& directory, const fs::path& target, std::uint64_t bytes) {
  const int descriptor = open_retrying(directory, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) {
    throw_storage_error(target, "cannot open its directory", errno, bytes);
  }
  const int error = sync_retrying(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some file systems keep no separate record of directories and answer EINVAL.
  if (error != 0 && error != EINVAL) {
    throw_storage_error(target, "cannot sync its directory", error, bytes);
  }
}

}  // namespace

void throw_storage_error(const fs::path& path,
                         std::string_view what,
                         int error,
                         std::uint64_t bytes_needed) {
  const std::optional<std::uint64_t> free = free_bytes(path);
  std::string text = path.string() + ": " + std::string(what) + ": ";
  text += std::generic_category().message(error);
  text +=
      bytes_needed > 0 ? "; needed " + std::to_string(bytes_needed) + " bytes, free " : "; free ";
  text += free ? std::to_string(*free) + " bytes" : std::string("unknown");
  text += "; " + std::string(advice(error));
  throw StorageError(text);
}

AtomicFile::AtomicFile(fs::path target, std::uint64_t bytes_needed)
    : target_(std::move(target)), bytes_needed_(bytes_needed) {
  descriptor_ = create_aside(target_, aside_);
  if (descriptor_ < 0) {
    throw_storage_error(target_, "cannot make a file beside it", errno, bytes_needed_);
  }
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() noexcept {
  if (descriptor_ < 0) {
    return;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(aside_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      throw_storage_error(target_, "cannot write", written < 0 ? errno : ENOSPC, bytes_needed_);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (sync_retrying(descriptor_) != 0) {
    throw_storage_error(target_, "cannot sync", errno, bytes_needed_);
  }
  if (::rename(aside_.c_str(), target_.c_str()) != 0) {
    throw_storage_error(target_, "cannot rename the new file to this name", errno, bytes_needed_);
  }
  // Data is on the disk and the name is right: what close() could still report no longer matters.
  ::close(descriptor_);
  descriptor_ = -1;
  sync_directory(parent_of(target_), target_, bytes_needed_);
}

void write_atomically(const fs::path& target, std::span<const std::byte> content) {
  AtomicFile file(target, content.size());
  file.write(content);
  file.commit();
}

void write_atomically(const fs::path& target, std::string_view content) {
  write_atomically(target, std::as_bytes(std::span(content)));
}

bool is_left_behind(const fs::path& file, const fs::path& target) {
  const std::string name = file.filename().string();
  return name.starts_with(aside_prefix(target)) && name.ends_with(kAsideSuffix);
}

void make_directory(const fs::path& directory) {
  constexpr mode_t kMode = 0777;  // narrowed by the user's umask
  if (::mkdir(directory.c_str(), kMode) == 0) {
    sync_directory(parent_of(directory), directory, 0);
    return;
  }
  const int error = errno;
  std::error_code ignored;
  if (error == EEXIST && fs::is_directory(directory, ignored)) {
    return;
  }
  throw_storage_error(
      directory, "cannot make this directory", error == EEXIST ? ENOTDIR : error, 0);
}

void make_directories(const fs::path& directory) {
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) {
    return;
  }
  const fs::path parent = parent_of(directory);
  if (parent != directory && directory.has_filename()) {
    make_directories(parent);
  }
  if (directory.has_filename()) {
    make_directory(directory);
  }
}

void ensure_room(const fs::path& directory, std::uint64_t bytes) {
  make_directories(directory);
  fs::path probe;
  const int descriptor = create_aside(directory / "probe", probe);
  if (descriptor < 0) {
    throw_storage_error(directory, "cannot make files in this directory", errno, bytes);
  }
  ::close(descriptor);
  ::unlink(probe.c_str());
  const std::optional<std::uint64_t> free = free_bytes(directory);
  if (free && *free < bytes) {
    throw_storage_error(directory, "there is too little room for the run's files", ENOSPC, bytes);
  }
}

}  // namespace starling::trainer
