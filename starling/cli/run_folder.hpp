// The folder of --out: one run at a time, and no earlier run lost by accident.
#pragma once

#include <filesystem>
#include <string>

#include "starling/cli/settings.hpp"

namespace starling::cli {

/// Holds a folder for this process. The lock is on the folder itself: there is no lock file to be
/// left behind, and the system releases it however the process ends.
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

 private:
  int descriptor_;
};

/// Puts `config` (TOML) into the locked folder of --out. An earlier run there is refused unless
/// this one resumes or may overwrite; then its files go first.
/// @throws ConfigError, StorageError
void prepare_run_folder(const Settings& settings, const std::string& config);

/// The same for a command that has no resume. @throws ConfigError, StorageError
void prepare_result_folder(const Settings& settings, const std::string& config);

/// The same for the locked folder of --checkpoint-dir: checkpoints of two runs must not mix.
/// @throws ConfigError, StorageError
void prepare_checkpoint_folder(const Settings& settings);

/// Replaces the config.toml in `folder` by `config`. @throws StorageError
void write_config(const std::filesystem::path& folder, const std::string& config);

}  // namespace starling::cli
