// The directory of a static world: a table in memory.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "starling/peer/directory.hpp"

namespace starling {

/// The table itself, shared by the peers of one process; may be used concurrently.
class RecordTable {
 public:
  static constexpr std::size_t kRecordsMax = 1U << 20U;

  /// Keeps at most `records_max` live records; a put beyond that is refused (ContractError).
  explicit RecordTable(std::size_t records_max = kRecordsMax) : records_max_(records_max) {}

  /// @return whether the record is the one that stands now
  bool put(std::string_view key, Record record, Time now);

  std::vector<Record> get(std::string_view key, Time now);

 private:
  std::size_t records_max_;
  std::mutex mutex_;  // guards records_ and count_
  std::map<std::string, std::map<std::string, Record>, std::less<>> records_;
  std::size_t count_ = 0;

  Record* find(std::string_view key, const std::string& subkey);
  void drop_expired(Time now);
};

}  // namespace starling
