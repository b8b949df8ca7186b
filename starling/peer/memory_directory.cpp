#include "starling/peer/memory_directory.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling {

bool RecordTable::put(std::string_view key, Record record, Time now) {
  ensure(record.value.size() <= kRecordBytesMax,
         "a record is too large",
         record.value.size(),
         kRecordBytesMax);
  const std::lock_guard lock(mutex_);
  if (record.expires <= now) {
    return false;
  }
  if (Record* standing = find(key, record.subkey)) {
    if (standing->expires > record.expires) {
      return false;
    }
    *standing = std::move(record);
    return true;
  }
  if (count_ >= records_max_) {
    drop_expired(now);
  }
  ensure(count_ < records_max_, "the directory is full", count_);
  std::string subkey = record.subkey;
  records_[std::string(key)].emplace(std::move(subkey), std::move(record));
  ++count_;
  return true;
}

std::vector<Record> RecordTable::get(std::string_view key, Time now) {
  const std::lock_guard lock(mutex_);
  std::vector<Record> live;
  const auto found = records_.find(key);
  if (found == records_.end()) {
    return live;
  }
  for (const auto& [subkey, record] : found->second) {
    if (record.expires > now) {
      live.push_back(record);
    }
  }
  return live;
}

Record* RecordTable::find(std::string_view key, const std::string& subkey) {
  const auto subkeys = records_.find(key);
  if (subkeys == records_.end()) {
    return nullptr;
  }
  const auto found = subkeys->second.find(subkey);
  return found == subkeys->second.end() ? nullptr : &found->second;
}

void RecordTable::drop_expired(Time now) {
  for (auto& [key, subkeys] : records_) {
    count_ -=
        std::erase_if(subkeys, [now](const auto& item) { return item.second.expires <= now; });
  }
  std::erase_if(records_, [](const auto& item) { return item.second.empty(); });
}

}  // namespace starling
