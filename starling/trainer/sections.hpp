// Named byte sections in one checksummed file: the container of a peer's checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/random.hpp"

namespace starling::trainer {

/// Named sections, kept by name. Numbers are little-endian. A getter throws DataError that names
/// the file and the section if it is missing or holds something else.
class Sections {
 public:
  /// @param origin what the errors of the getters call this content, e.g. the file it came from
  explicit Sections(std::string origin) : origin_(std::move(origin)) {}

  /// @pre the name is new and 1 .. 255 bytes long
  void put_bytes(const std::string& name, std::vector<std::byte> bytes);
  void put_text(const std::string& name, std::string_view text);
  void put_number(const std::string& name, std::uint64_t number);
  void put_floats(const std::string& name, std::span<const float> values);
  void put_indices(const std::string& name, std::span<const std::uint32_t> values);
  void put_doubles(const std::string& name, const std::map<std::string, double>& values);
  void put_counters(const std::string& name, const std::map<std::string, std::uint64_t>& values);
  void put_random(const std::string& name, const std::map<std::string, Random::State>& states);

  [[nodiscard]] std::span<const std::byte> bytes(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::uint64_t number(const std::string& name) const;
  [[nodiscard]] std::vector<float> floats(const std::string& name) const;
  [[nodiscard]] std::vector<std::uint32_t> indices(const std::string& name) const;
  [[nodiscard]] std::map<std::string, double> doubles(const std::string& name) const;
  [[nodiscard]] std::map<std::string, std::uint64_t> counters(const std::string& name) const;
  [[nodiscard]] std::map<std::string, Random::State> random(const std::string& name) const;

  /// Names that start with `prefix`, in order, without it.
  [[nodiscard]] std::vector<std::string> names_under(std::string_view prefix) const;

  [[nodiscard]] const std::map<std::string, std::vector<std::byte>>& all() const noexcept {
    return sections_;
  }

  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

 private:
  std::string origin_;
  std::map<std::string, std::vector<std::byte>> sections_;
};

/// Version of the file format written here; no other is read.
inline constexpr std::uint32_t kSectionsVersion = 1;

/// Size of the file write_sections() makes.
std::uint64_t file_bytes(const Sections& sections);

/// Writes one file atomically. @throws StorageError
void write_sections(const std::filesystem::path& path, const Sections& sections);

/// The content of a file that write_sections() made; all of it is verified before anything is
/// handed out.
/// @throws DataError naming `origin`, what was expected and what was found
Sections decode_sections(std::span<const std::byte> content, const std::string& origin);

/// Reads such a file. @throws DataError
Sections read_sections(const std::filesystem::path& path);

}  // namespace starling::trainer
