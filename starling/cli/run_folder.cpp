#include "starling/cli/run_folder.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "starling/cli/output.hpp"
#include "starling/core/error.hpp"
#include "starling/trainer/checkpoint.hpp"

namespace starling::cli {

namespace {

namespace fs = std::filesystem;

/// What a run leaves in its folder. A config.toml alone, or with it a metrics.jsonl in which
/// nothing stands, is of a run that ended before its first step, and may be replaced.
constexpr std::array kRunFiles{"metrics.jsonl", "summary.json", "checkpoints"};

[[noreturn]] void refuse(const fs::path& path, const std::string& what, int reason) {
  throw StorageError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(reason)));
}

int open_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    refuse(folder, "cannot make the folder", failed.value());
  }
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    refuse(folder, "cannot open the folder", errno);
  }
  return descriptor;
}

using Names = std::vector<std::string>;

Names found_run(const fs::path& folder) {
  Names found;
  for (const char* name : kRunFiles) {
    std::error_code ignored;  // what cannot be looked at cannot be written either: found out below
    const bool is_there = fs::exists(folder / name, ignored);
    const bool is_empty_file =
        fs::is_regular_file(folder / name, ignored) && fs::file_size(folder / name, ignored) == 0;
    if (is_there && !is_empty_file) {
      found.emplace_back(name);
    }
  }
  return found;
}

Names found_checkpoints(const fs::path& folder) {
  Names found;
  for (const std::uint64_t step : trainer::checkpoint_steps(folder)) {
    found.push_back(trainer::step_directory(folder, step).filename().string());
  }
  return found;
}

constexpr const char* kWayOut = "choose another folder, --resume it, or --overwrite it";

/// Refuses what an earlier run has left in `folder`, or removes it where that is wanted.
void make_way(const fs::path& folder,
              const std::string& option,
              const Names& found,
              const Settings& settings,
              const std::string& way_out = kWayOut) {
  if (found.empty() || !settings.experiment.resume.empty()) {
    return;
  }
  if (!settings.show.overwrite) {
    throw ConfigError(fmt::format("--{} {}: holds a run already ({}); {}",
                                  option,
                                  folder.string(),
                                  fmt::join(found, ", "),
                                  way_out));
  }
  for (const std::string& name : found) {
    std::error_code failed;
    fs::remove_all(folder / name, failed);
    if (failed) {
      refuse(folder / name, "cannot remove the earlier run", failed.value());
    }
  }
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, const std::string& option)
    : descriptor_(open_folder(folder)) {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    return;
  }
  const int reason = errno;
  ::close(descriptor_);
  if (reason != EWOULDBLOCK) {
    refuse(folder, "cannot lock the folder", reason);
  }
  throw ConfigError(
      fmt::format("--{} {}: another run is writing there; wait for it or choose another folder",
                  option,
                  folder.string()));
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void prepare_run_folder(const Settings& settings, const std::string& config) {
  const fs::path& folder = settings.experiment.out;
  make_way(folder, "out", found_run(folder), settings);
  write_config(folder, config);
}

void write_config(const fs::path& folder, const std::string& config) {
  const fs::path path = folder / "config.toml";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    refuse(path, "cannot write", errno);
  }
  const Written written = write_all(file, config, Duration(-1));
  const int reason = errno;
  if (::close(file) != 0 || written != Written::all) {
    refuse(path, "cannot write", reason);
  }
}

void prepare_result_folder(const Settings& settings, const std::string& config) {
  const fs::path& folder = settings.experiment.out;
  make_way(folder, "out", found_run(folder), settings, "choose another folder or --overwrite it");
  write_config(folder, config);
}

void prepare_checkpoint_folder(const Settings& settings) {
  const fs::path& folder = settings.experiment.checkpoint.directory;
  make_way(folder, "checkpoint-dir", found_checkpoints(folder), settings);
}

}  // namespace starling::cli
