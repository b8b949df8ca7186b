// file    = magic:8 version:u32 count:u32 size:u64 section*count sha256:32
// section = name:text length:u64 bytes*length
// `size` is that of the whole file; the checksum covers all that stands before it.
#include "starling/trainer/sections.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/sha256.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/read_file.hpp"
#include "starling/wire/bytes.hpp"

namespace starling::trainer {

namespace {

namespace fs = std::filesystem;
using wire::ByteReader;
using wire::ByteWriter;

constexpr std::string_view kMagic = "STARLCKP";
constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 8;
constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kKeyBytesMax = 4096;
constexpr std::size_t kSectionBytesMin = 4 + 1 + 8;

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes, const ByteReader& in) {
  if (bytes.size() % sizeof(T) != 0) {
    in.refuse(std::to_string(bytes.size()) + " bytes are no whole number of elements of " +
              std::to_string(sizeof(T)));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  return values;
}

/// map = count:u32 (key:text value)*count
template <class Map, class PutValue>
std::vector<std::byte> encode_map(const Map& map, const PutValue& put_value) {
  ByteWriter out;
  out.u32(static_cast<std::uint32_t>(map.size()));
  for (const auto& [key, value] : map) {
    ensure(key.size() <= kKeyBytesMax, "a key of a checkpoint is short", key.size());
    out.text(key);
    put_value(out, value);
  }
  return std::move(out).take();
}

template <class Value, class GetValue>
std::map<std::string, Value> decode_map(ByteReader in, const GetValue& get_value) {
  constexpr std::size_t kItemBytesMin = 4 + 8;
  std::map<std::string, Value> map;
  for (std::uint32_t left = in.count(kItemBytesMin); left > 0; --left) {
    std::string key = in.text(kKeyBytesMax);
    Value value = get_value(in);
    if (!map.emplace(key, std::move(value)).second) {
      in.refuse("key " + key + " stands twice");
    }
  }
  in.expect_end();
  return map;
}

/// Refuses whatever the sections need not be looked at for.
void verify(std::span<const std::byte> content, const std::string& origin) {
  ByteReader in(content, origin);
  if (content.size() < kHeaderBytes + sizeof(Digest)) {
    in.refuse("truncated checkpoint: " + std::to_string(content.size()) +
              " bytes are less than a header");
  }
  const auto magic = in.raw(kMagic.size());
  if (!std::ranges::equal(magic, std::as_bytes(std::span(kMagic)))) {
    in.refuse("not a checkpoint of Starling: it does not start with " + std::string(kMagic));
  }
  if (const std::uint32_t version = in.u32(); version != kSectionsVersion) {
    in.refuse("checkpoint format version " + std::to_string(version) + ", this program reads " +
              std::to_string(kSectionsVersion) + "; use the release that wrote it");
  }
  in.u32();  // the number of sections is believed after the checksum only
  if (const std::uint64_t size = in.u64(); size != content.size()) {
    in.refuse(std::string(size > content.size() ? "truncated checkpoint" : "trailing bytes") +
              ": expected " + std::to_string(size) + " bytes, found " +
              std::to_string(content.size()));
  }
  const auto covered = content.first(content.size() - sizeof(Digest));
  const Digest found = sha256(covered);
  const auto expected = content.last(sizeof(Digest));
  if (!std::ranges::equal(found, expected)) {
    in.refuse("damaged checkpoint: expected SHA-256 " + to_hex(expected) + ", found " +
              to_hex(found));
  }
}

}  // namespace

void Sections::put_bytes(const std::string& name, std::vector<std::byte> bytes) {
  ensure(!name.empty() && name.size() <= kNameBytesMax, "a section has a short name", name);
  const bool is_new = sections_.emplace(name, std::move(bytes)).second;
  ensure(is_new, "a section is put once", name);
}

void Sections::put_text(const std::string& name, std::string_view text) {
  put_bytes(name, bytes_of(std::span<const char>(text)));
}

void Sections::put_number(const std::string& name, std::uint64_t number) {
  put_bytes(name, bytes_of(std::span<const std::uint64_t>(&number, 1)));
}

void Sections::put_floats(const std::string& name, std::span<const float> values) {
  put_bytes(name, bytes_of(values));
}

void Sections::put_indices(const std::string& name, std::span<const std::uint32_t> values) {
  put_bytes(name, bytes_of(values));
}

void Sections::put_doubles(const std::string& name, const std::map<std::string, double>& values) {
  put_bytes(name, encode_map(values, [](ByteWriter& out, double value) { out.f64(value); }));
}

void Sections::put_counters(const std::string& name,
                            const std::map<std::string, std::uint64_t>& values) {
  put_bytes(name, encode_map(values, [](ByteWriter& out, std::uint64_t value) { out.u64(value); }));
}

void Sections::put_random(const std::string& name,
                          const std::map<std::string, Random::State>& states) {
  put_bytes(name, encode_map(states, [](ByteWriter& out, const Random::State& state) {
              out.u64(state.key);
              out.u64(state.stream);
              out.u64(state.position);
            }));
}

std::span<const std::byte> Sections::bytes(const std::string& name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) {
    throw DataError(origin_ + ": section " + name + " is missing");
  }
  return found->second;
}

std::string Sections::text(const std::string& name) const {
  const auto content = bytes(name);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::uint64_t Sections::number(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  ByteReader in(bytes(name), origin);
  const std::uint64_t number = in.u64();
  in.expect_end();
  return number;
}

std::vector<float> Sections::floats(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  return values_of<float>(bytes(name), ByteReader({}, origin));
}

std::vector<std::uint32_t> Sections::indices(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  return values_of<std::uint32_t>(bytes(name), ByteReader({}, origin));
}

std::map<std::string, double> Sections::doubles(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  return decode_map<double>(ByteReader(bytes(name), origin),
                            [](ByteReader& in) { return in.f64(); });
}

std::map<std::string, std::uint64_t> Sections::counters(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  return decode_map<std::uint64_t>(ByteReader(bytes(name), origin),
                                   [](ByteReader& in) { return in.u64(); });
}

std::map<std::string, Random::State> Sections::random(const std::string& name) const {
  const std::string origin = origin_ + ": section " + name;
  return decode_map<Random::State>(ByteReader(bytes(name), origin), [](ByteReader& in) {
    Random::State state;
    state.key = in.u64();
    state.stream = in.u64();
    state.position = in.u64();
    return state;
  });
}

std::vector<std::string> Sections::names_under(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : sections_) {
    if (name.starts_with(prefix)) {
      names.push_back(name.substr(prefix.size()));
    }
  }
  return names;
}

std::uint64_t file_bytes(const Sections& sections) {
  std::uint64_t size = kHeaderBytes + sizeof(Digest);
  for (const auto& [name, bytes] : sections.all()) {
    size += sizeof(std::uint32_t) + name.size() + sizeof(std::uint64_t) + bytes.size();
  }
  return size;
}

void write_sections(const fs::path& path, const Sections& sections) {
  const std::uint64_t size = file_bytes(sections);
  AtomicFile file(path, size);
  Sha256 hash;
  const auto put = [&](std::span<const std::byte> bytes) {
    hash.update(bytes);
    file.write(bytes);
  };
  ByteWriter header;
  header.raw(std::as_bytes(std::span(kMagic)));
  header.u32(kSectionsVersion);
  header.u32(static_cast<std::uint32_t>(sections.all().size()));
  header.u64(size);
  put(header.bytes());
  for (const auto& [name, bytes] : sections.all()) {
    ByteWriter start;
    start.text(name);
    start.u64(bytes.size());
    put(start.bytes());
    put(bytes);
  }
  file.write(hash.finish());
  file.commit();
}

Sections decode_sections(std::span<const std::byte> content, const std::string& origin) {
  verify(content, origin);
  ByteReader in(content.first(content.size() - sizeof(Digest)), origin);
  in.raw(kMagic.size() + sizeof(kSectionsVersion));
  const std::uint32_t count = in.u32();
  in.u64();
  if (count > in.left() / kSectionBytesMin) {
    in.refuse(std::to_string(count) + " sections are announced, there is no room for them");
  }
  Sections sections(origin);
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::string name = in.text(kNameBytesMax);
    const auto section = in.raw(in.u64());
    if (name.empty() || sections.all().contains(name)) {
      in.refuse("section name '" + name + "' is empty or stands twice");
    }
    sections.put_bytes(name, {section.begin(), section.end()});
  }
  in.expect_end();
  return sections;
}

Sections read_sections(const fs::path& path) {
  return decode_sections(read_file(path), path.string());
}

}  // namespace starling::trainer
