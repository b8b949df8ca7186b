// The folders of --out and --checkpoint-dir: one run at a time, and nothing lost by accident.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "starling/cli/settings.hpp"

namespace starling::cli {

/// Makes folders, and takes those it made away again unless something was put in them.
class MadeFolders {
 public:
  /// @throws StorageError if `folder`, or what it lies in, cannot be made
  explicit MadeFolders(const std::filesystem::path& folder);
  MadeFolders(MadeFolders&&) = default;
  MadeFolders& operator=(MadeFolders&&) = delete;
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;
  ~MadeFolders();

  /// The empty ones among them, now.
  void remove_empty() noexcept;

 private:
  std::vector<std::filesystem::path> made_;  // the outermost first

  MadeFolders() = default;
};

/// Holds a folder for this process. The lock is on the folder itself: there is no lock file to be
/// left behind, and the system releases it however the process ends. Folders that were made for it
/// and in which nothing was put go with it.
class FolderLock {
 public:
  /// Makes the folder if it is not there. `option` is named in errors.
  /// @throws ConfigError if another process holds it, StorageError if it cannot be made or opened
  FolderLock(const std::filesystem::path& folder, const std::string& option);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Whether `folder` is the one that is held, whatever it is called.
  [[nodiscard]] bool holds(const std::filesystem::path& folder) const;

 private:
  MadeFolders made_;
  int descriptor_;
};

/// Locks all that a run writes into: --out, and the folder of the checkpoints, that in --out
/// included. What is one folder under two names is locked once. The last one made stands, and goes,
/// first: an earlier one may lie around it.
/// @throws ConfigError, StorageError
std::deque<FolderLock> lock_run_folders(const Settings& settings);

/// Makes the locked folders ready and puts `config` (TOML) into that of --out. An earlier run is
/// refused unless this one resumes it (or another of its experiment) or may overwrite it; then its
/// files go, once nothing else is to be refused. So is a config.toml that is not Starling's own.
/// @param config_file of --config; empty: none
/// @throws ConfigError, StorageError, DataError
void prepare_run_folder(const Settings& settings,
                        const std::string& config,
                        const std::filesystem::path& config_file);

/// The same for a command that has no resume. @throws ConfigError, StorageError
void prepare_result_folder(const Settings& settings,
                           const std::string& config,
                           const std::filesystem::path& config_file);

/// Replaces the config.toml in `folder` by `config`, with a first line that tells whose it is: as a
/// whole, or not at all.
/// @throws StorageError
void write_config(const std::filesystem::path& folder, const std::string& config);

}  // namespace starling::cli
