// Files that are either the old or the new one, never half of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace starling::trainer {

/// A file written aside and put in place in one step. Until commit() returns, whatever stood at the
/// path before is untouched; without commit() nothing stays behind.
class AtomicFile {
 public:
  /// @param bytes_needed size of the file when done, for the error when room runs out
  /// @throws StorageError if the file beside `target` cannot be made
  AtomicFile(std::filesystem::path target, std::uint64_t bytes_needed);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends. @throws StorageError
  void write(std::span<const std::byte> bytes);

  /// Syncs the file, renames it to its place, syncs the directory. @throws StorageError
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path aside_;
  std::uint64_t bytes_needed_;
  int descriptor_ = -1;

  void discard() noexcept;
};

/// Writes `content` to `target` by an AtomicFile. @throws StorageError
void write_atomically(const std::filesystem::path& target, std::span<const std::byte> content);
void write_atomically(const std::filesystem::path& target, std::string_view content);

/// True for the files an AtomicFile of `target` left behind when its process was killed.
bool is_left_behind(const std::filesystem::path& file, const std::filesystem::path& target);

/// Makes `directory` if it is missing, tries to write there, and checks that `bytes` are free.
/// @throws StorageError with the size needed and the size free
void ensure_room(const std::filesystem::path& directory, std::uint64_t bytes);

/// Makes `directory` and, for make_directories(), what it lies in; one that exists is fine. What is
/// made survives a power cut. @throws StorageError
void make_directory(const std::filesystem::path& directory);
void make_directories(const std::filesystem::path& directory);

/// Throws the StorageError of a failed call: path, what failed and why, bytes needed (0: left out)
/// and free, what to do.
[[noreturn]] void throw_storage_error(const std::filesystem::path& path,
                                      std::string_view what,
                                      int error,
                                      std::uint64_t bytes_needed);

}  // namespace starling::trainer
