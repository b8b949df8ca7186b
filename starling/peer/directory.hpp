// Expiring records that every peer can read and write: how peers find each other without a server.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/result.hpp"
#include "starling/core/time.hpp"

namespace starling {

/// One record under a key. A subkey holds one value: the one with the later expiry.
struct Record {
  std::string subkey;
  std::string value;
  Time expires{};

  friend bool operator==(const Record&, const Record&) = default;
};

/// Largest value a record may hold.
inline constexpr std::size_t kRecordBytesMax = std::size_t{64} * 1024;

class Directory {
 public:
  Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  virtual ~Directory() = default;

  /// Stores `record` under `key` unless that subkey holds a later-expiring value already.
  /// @return whether the record is the one that stands now
  /// @throws ContractError if the value is larger than kRecordBytesMax
  virtual Result<bool> put(std::string_view key, Record record, Deadline deadline) = 0;

  /// The records of `key` that have not expired, by subkey.
  virtual Result<std::vector<Record>> get(std::string_view key, Deadline deadline) = 0;
};

}  // namespace starling
