// file = header_bytes:u64 header:JSON padded with spaces to a multiple of 8, data
// The header maps a name to {"dtype", "shape", "data_offsets": [begin, end]}, counted from the
// data.
#include "starling/trainer/safetensors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/read_file.hpp"
#include "starling/wire/bytes.hpp"
#include "starling/wire/layout_codec.hpp"

namespace starling::trainer {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kAlignment = 8;
constexpr std::uint64_t kHeaderBytesMax = 100'000'000;  // the format's own bound

std::string header_of(const Layout& layout, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header[kMetadata] = metadata;
  }
  for (const TensorLayout& tensor : layout.tensors()) {
    ensure(tensor.name != kMetadata, "this name is taken by the format", tensor.name);
    if (tensor.type != ElementType::f32) {
      throw ConfigError("export: tensor " + tensor.name + " is " + to_string(tensor.type) +
                        "; only f32 tensors can be exported");
    }
    const Range range = tensor.range();
    header[tensor.name] = {
        {"dtype", "F32"},
        {"shape", tensor.shape},
        {"data_offsets", {range.begin * sizeof(float), range.end * sizeof(float)}}};
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

/// One tensor as its header entry states it.
struct Entry {
  std::string name;
  std::vector<std::size_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Turns a header into entries; every refusal names the file and the tensor.
class HeaderReader {
 public:
  explicit HeaderReader(std::string origin) : origin_(std::move(origin)) {}

  [[nodiscard]] Json parse(std::string_view text) const {
    if (!text.starts_with('{')) {
      refuse("the header does not start with '{'");
    }
    std::set<std::string> names;
    const auto refuse_duplicates = [&](int depth, Json::parse_event_t event, const Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1) {
        const auto& name = parsed.get_ref<const std::string&>();
        if (!names.insert(name).second) {
          refuse("tensor " + name + " stands twice");
        }
      }
      return true;
    };
    try {
      return Json::parse(text, refuse_duplicates);
    } catch (const Json::exception& error) {
      refuse("the header is no JSON: " + std::string(error.what()));
    }
  }

  [[nodiscard]] std::map<std::string, std::string> metadata(const Json& value) const {
    if (!value.is_object()) {
      refuse("the metadata is no object");
    }
    std::map<std::string, std::string> result;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) {
        refuse("metadata " + key + " is no text");
      }
      result.emplace(key, text.get<std::string>());
    }
    return result;
  }

  [[nodiscard]] Entry entry(const std::string& name, const Json& value) const {
    if (name.empty() || !value.is_object() || value.size() != 3) {
      refuse("tensor '" + name + "' is not made of a name, dtype, shape and data_offsets");
    }
    const auto type = value.find("dtype");
    if (type == value.end() || *type != "F32") {
      refuse("tensor " + name + ": expected dtype F32, found " +
             (type == value.end() ? "none" : type->dump()));
    }
    const std::vector<std::size_t> offsets = numbers(name, value, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      refuse("tensor " + name + ": data_offsets are no begin and end");
    }
    return {name, numbers(name, value, "shape"), offsets[0], offsets[1]};
  }

  /// Bytes of a tensor of this shape; refuses products that overflow.
  [[nodiscard]] std::uint64_t bytes_of(const Entry& entry) const {
    std::uint64_t bytes = sizeof(float);
    for (const std::size_t extent : entry.shape) {
      if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) {
        refuse("tensor " + entry.name + ": shape " + shape_text(entry.shape) + " is too large");
      }
      bytes *= extent;
    }
    return bytes;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(origin_ + ": " + what);
  }

 private:
  std::string origin_;

  [[nodiscard]] std::vector<std::size_t> numbers(const std::string& name,
                                                 const Json& value,
                                                 const char* key) const {
    const auto found = value.find(key);
    const auto is_number = [](const Json& item) { return item.is_number_unsigned(); };
    if (found == value.end() || !found->is_array() ||
        !std::all_of(found->begin(), found->end(), is_number)) {
      refuse("tensor " + name + ": " + key + " is no list of sizes");
    }
    return found->get<std::vector<std::size_t>>();
  }
};

/// The entries as a layout: behind one another, without gaps, up to the end of the data.
Layout layout_of(std::vector<Entry> entries, std::uint64_t data_bytes, const HeaderReader& reader) {
  if (entries.size() > wire::kTensorsMax) {
    reader.refuse(std::to_string(entries.size()) + " tensors, at most " +
                  std::to_string(wire::kTensorsMax) + " are read");
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  Layout layout;
  std::uint64_t end = 0;
  for (Entry& entry : entries) {
    if (entry.begin != end || entry.end > data_bytes) {
      reader.refuse("tensor " + entry.name + ": expected data from byte " + std::to_string(end) +
                    " up to at most " + std::to_string(data_bytes) + ", found " +
                    std::to_string(entry.begin) + " to " + std::to_string(entry.end));
    }
    if (const std::uint64_t bytes = reader.bytes_of(entry); bytes != entry.end - entry.begin) {
      reader.refuse("tensor " + entry.name + ": shape " + shape_text(entry.shape) + " takes " +
                    std::to_string(bytes) + " bytes, its data has " +
                    std::to_string(entry.end - entry.begin));
    }
    end = entry.end;
    layout.append(std::move(entry.name), std::move(entry.shape));
  }
  if (end != data_bytes) {
    reader.refuse("expected " + std::to_string(end) + " bytes of data, found " +
                  std::to_string(data_bytes));
  }
  return layout;
}

}  // namespace

void write_safetensors(const fs::path& path,
                       const Layout& layout,
                       std::span<const float> values,
                       const std::map<std::string, std::string>& metadata) {
  ensure(values.size() == layout.elements(),
         "export: as many values as the layout has",
         values.size(),
         layout.elements());
  const std::string header = header_of(layout, metadata);
  wire::ByteWriter start;
  start.u64(header.size());
  AtomicFile file(path, start.bytes().size() + header.size() + values.size_bytes());
  file.write(start.bytes());
  file.write(std::as_bytes(std::span(header)));
  file.write(std::as_bytes(values));
  file.commit();
}

Tensors decode_safetensors(std::span<const std::byte> content, const std::string& origin) {
  const HeaderReader reader(origin);
  wire::ByteReader in(content, origin);
  const std::uint64_t header_bytes = in.u64();
  if (header_bytes > kHeaderBytesMax) {
    in.refuse("a header of " + std::to_string(header_bytes) + " bytes, at most " +
              std::to_string(kHeaderBytesMax) + " are allowed");
  }
  const auto header = in.raw(header_bytes);
  const auto data = in.raw(in.left());
  const Json parsed = reader.parse({reinterpret_cast<const char*>(header.data()), header.size()});
  Tensors tensors;
  std::vector<Entry> entries;
  for (const auto& [name, value] : parsed.items()) {
    if (name == kMetadata) {
      tensors.metadata = reader.metadata(value);
    } else {
      entries.push_back(reader.entry(name, value));
    }
  }
  tensors.layout = layout_of(std::move(entries), data.size(), reader);
  tensors.values.resize(tensors.layout.elements());
  if (!data.empty()) {
    std::memcpy(tensors.values.data(), data.data(), data.size());
  }
  return tensors;
}

Tensors read_safetensors(const fs::path& path) {
  return decode_safetensors(read_file(path), path.string());
}

}  // namespace starling::trainer
