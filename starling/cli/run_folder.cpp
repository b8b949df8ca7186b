#include "starling/cli/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "starling/core/error.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/metrics_file.hpp"
#include "starling/trainer/plan.hpp"

namespace starling::cli {

namespace {

namespace fs = std::filesystem;

/// What a run leaves in its folder beside its checkpoints. A config.toml alone, or with it a
/// metrics.jsonl in which nothing stands, is of a run that ended before its first step, and may be
/// replaced.
constexpr const char* kMetrics = "metrics.jsonl";
constexpr std::array kRunFiles{kMetrics, "summary.json"};

constexpr const char* kConfigFile = "config.toml";
constexpr const char* kCheckpoints = "checkpoints";

/// How a config.toml begins that Starling wrote.
constexpr std::string_view kOurConfig =
    "# Written by starling: the options of the run in this folder.\n";

[[noreturn]] void refuse(const fs::path& path, const std::string& what, int reason) {
  throw StorageError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(reason)));
}

int open_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    refuse(folder, "cannot open the folder", errno);
  }
  return descriptor;
}

using Names = std::vector<std::string>;

Names found_checkpoints(const fs::path& folder) {
  Names found;
  for (const std::uint64_t step : trainer::checkpoint_steps(folder)) {
    found.push_back(trainer::step_directory(folder, step).filename().string());
  }
  return found;
}

/// Without the checkpoints in it.
Names found_files(const fs::path& folder) {
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

Names found_run(const fs::path& folder) {
  Names found = found_files(folder);
  if (!found_checkpoints(folder / kCheckpoints).empty()) {
    found.emplace_back(kCheckpoints);
  }
  return found;
}

bool is_kept(const Settings& settings) {
  return !settings.experiment.resume.empty();
}

/// A resumed run writes and prunes where its checkpoint lies, or where one of the same experiment
/// does: what another run has left would be lost.
void refuse_other_experiment(const fs::path& folder,
                             const std::string& option,
                             const fs::path& checkpoints,
                             const Names& found,
                             const fs::path& resume) {
  std::error_code failed;
  if (found.empty() || fs::equivalent(trainer::checkpoints_of(resume), checkpoints, failed)) {
    return;
  }
  const std::optional<std::string> resumed = trainer::experiment_in(resume);
  if (!resumed) {
    throw DataError(
        fmt::format("resume: {}: no checkpoint in it that can be read", resume.string()));
  }
  const std::optional<std::string> there = trainer::experiment_in(checkpoints);
  if (there ? *there == *resumed : trainer::is_of_experiment(folder / kMetrics, *resumed)) {
    return;
  }
  throw ConfigError(
      fmt::format("--{} {}: holds a run of another experiment ({}) than the one resumed, --resume "
                  "{}; choose another folder",
                  option,
                  folder.string(),
                  fmt::join(found, ", "),
                  resume.string()));
}

constexpr const char* kWayOut = "choose another folder, --resume it, or --overwrite it";

/// Refuses what an earlier run has left in `folder` unless it may go.
void refuse_earlier(const fs::path& folder,
                    const std::string& option,
                    const Names& found,
                    const Settings& settings,
                    const char* way_out = kWayOut) {
  if (found.empty() || is_kept(settings) || settings.show.overwrite) {
    return;
  }
  throw ConfigError(fmt::format("--{} {}: holds a run already ({}); {}",
                                option,
                                folder.string(),
                                fmt::join(found, ", "),
                                way_out));
}

void remove(const fs::path& folder, const Names& names) {
  for (const std::string& name : names) {
    std::error_code failed;
    fs::remove_all(folder / name, failed);
    if (failed) {
      refuse(folder / name, "cannot remove the earlier run", failed.value());
    }
  }
}

/// The folder of the checkpoints itself stays: it is locked.
void remove_run(const fs::path& folder) {
  remove(folder, found_files(folder));
  remove(folder / kCheckpoints, found_checkpoints(folder / kCheckpoints));
}

/// Whose a config.toml is: an empty one tells of nobody, it is what a full disk has left.
enum class Owner : std::uint8_t { nobody, starling, somebody };

/// Neither follows a link nor waits for a pipe: what is no file is somebody's.
Owner owner_of_config(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    return Owner::nobody;
  }
  if (status.type() != fs::file_type::regular) {
    return Owner::somebody;
  }
  if (fs::file_size(path, failed) == 0) {
    return Owner::nobody;
  }
  std::ifstream file(path, std::ios::binary);
  std::string begin(kOurConfig.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  const bool is_whole = file.gcount() == static_cast<std::streamsize>(begin.size());
  return is_whole && begin == kOurConfig ? Owner::starling : Owner::somebody;
}

/// What people have written themselves is not replaced. A resumed run goes on with its own file.
void refuse_foreign_config(const Settings& settings, const fs::path& config_file) {
  const fs::path& folder = settings.experiment.out;
  const fs::path path = folder / kConfigFile;
  std::error_code failed;
  const bool is_given = !config_file.empty() && fs::equivalent(path, config_file, failed);
  if (owner_of_config(path) != Owner::somebody && (!is_given || is_kept(settings))) {
    return;
  }
  throw ConfigError(
      fmt::format("--out {}: {} there {} and would be replaced; choose another folder",
                  folder.string(),
                  kConfigFile,
                  is_given ? "is the file of --config" : "was not written by starling"));
}

}  // namespace

// Delegating, so that what was made goes again if the rest cannot be made.
MadeFolders::MadeFolders(const fs::path& folder) : MadeFolders() {
  std::error_code failed;
  std::vector<fs::path> missing;
  for (fs::path path = folder; !path.empty() && !fs::exists(path, failed);
       path = path.parent_path()) {
    missing.push_back(path);
  }
  for (; !missing.empty(); missing.pop_back()) {
    if (fs::create_directory(missing.back(), failed)) {
      made_.push_back(missing.back());
    }
    if (failed) {
      refuse(folder, "cannot make the folder", failed.value());
    }
  }
}

MadeFolders::~MadeFolders() {
  remove_empty();
}

void MadeFolders::remove_empty() noexcept {
  for (; !made_.empty(); made_.pop_back()) {
    ::rmdir(made_.back().c_str());  // fails, as it should, if anything is in it
  }
}

FolderLock::FolderLock(const fs::path& folder, const std::string& option)
    : made_(folder), descriptor_(open_folder(folder)) {
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
    : made_(std::move(other.made_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  made_.remove_empty();  // while nobody else can have locked it
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool FolderLock::holds(const fs::path& folder) const {
  struct stat held {};

  struct stat other {};

  return ::fstat(descriptor_, &held) == 0 && ::stat(folder.c_str(), &other) == 0 &&
         held.st_dev == other.st_dev && held.st_ino == other.st_ino;
}

std::deque<FolderLock> lock_run_folders(const Settings& settings) {
  const trainer::Experiment& experiment = settings.experiment;
  std::deque<FolderLock> locks;
  const auto lock = [&locks](const fs::path& folder, const char* option) {
    const bool is_held = std::any_of(
        locks.begin(), locks.end(), [&](const FolderLock& one) { return one.holds(folder); });
    if (!is_held) {
      locks.emplace_front(folder, option);
    }
  };
  if (!experiment.out.empty()) {
    lock(experiment.out, "out");
  }
  const fs::path checkpoints = trainer::checkpoint_directory(experiment);
  if (!checkpoints.empty()) {
    lock(checkpoints, "checkpoint-dir");
  }
  // Those of an earlier run may have to go, though this one has others.
  const fs::path earlier = experiment.out / kCheckpoints;
  std::error_code ignored;
  if (!experiment.out.empty() && fs::is_directory(earlier, ignored)) {
    lock(earlier, "checkpoint-dir");
  }
  return locks;
}

void prepare_run_folder(const Settings& settings,
                        const std::string& config,
                        const fs::path& config_file) {
  const fs::path& out = settings.experiment.out;
  const fs::path& checkpoints = settings.experiment.checkpoint.directory;
  const fs::path& resume = settings.experiment.resume;
  if (!out.empty()) {
    refuse_earlier(out, "out", found_run(out), settings);
    refuse_foreign_config(settings, config_file);
  }
  if (!checkpoints.empty()) {
    refuse_earlier(checkpoints, "checkpoint-dir", found_checkpoints(checkpoints), settings);
  }
  if (is_kept(settings) && !out.empty()) {
    refuse_other_experiment(out, "out", out / kCheckpoints, found_run(out), resume);
  }
  if (is_kept(settings) && !checkpoints.empty()) {
    refuse_other_experiment(
        checkpoints, "checkpoint-dir", checkpoints, found_checkpoints(checkpoints), resume);
  }
  if (!checkpoints.empty() && !is_kept(settings)) {
    remove(checkpoints, found_checkpoints(checkpoints));
  }
  if (out.empty()) {
    return;
  }
  if (!is_kept(settings)) {
    remove_run(out);
  }
  write_config(out, config);
}

void write_config(const fs::path& folder, const std::string& config) {
  trainer::write_atomically(folder / kConfigFile, std::string(kOurConfig) + config);
}

void prepare_result_folder(const Settings& settings,
                           const std::string& config,
                           const fs::path& config_file) {
  const fs::path& folder = settings.experiment.out;
  refuse_earlier(
      folder, "out", found_run(folder), settings, "choose another folder or --overwrite it");
  refuse_foreign_config(settings, config_file);
  remove_run(folder);
  write_config(folder, config);
}

}  // namespace starling::cli
