#include "starling/peer/memory_directory.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling {

bool RecordTable::put(std::string_view key, Record record, Time now) {
  ensure(record.value.size() <= kRecordBytesMax, "a record is too large", record.value.size(),
         kRecordBytesMax);
  const std::lock_guard lock(mutex_);
  if (record.expires <= now) { return false; }
  if (count_ >= kRecordsMax) { drop_expired(now); }
  ensure(count_ < kRecordsMax, "the directory is full", count_);
  auto& subkeys = records_[std::string(key)];
  const auto found = subkeys.find(record.subkey);
  if (found == subkeys.end()) {
    ++count_;
    subkeys.emplace(record.subkey, std::move(record));
    return true;
  }
  if (found->second.expires > record.expires) { return false; }
  found->second = std::move(record);
  return true;
}

std::vector<Record> RecordTable::get(std::string_view key, Time now) {
  const std::lock_guard lock(mutex_);
  std::vector<Record> live;
  const auto found = records_.find(key);
  if (found == records_.end()) { return live; }
  for (const auto& [subkey, record] : found->second) {
    if (record.expires > now) { live.push_back(record); }
  }
  return live;
}

void RecordTable::drop_expired(Time now) {
  for (auto& [key, subkeys] : records_) {
    count_ -= std::erase_if(subkeys, [now](const auto& item) { return item.second.expires <= now; });
  }
  std::erase_if(records_, [](const auto& item) { return item.second.empty(); });
}

}  // namespace starling
