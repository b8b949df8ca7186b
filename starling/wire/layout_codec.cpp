// layout  = version:u32 count:u32 tensor*count
// tensor  = name:text type:u8 dimensions:u8 extent:u64*dimensions
#include "starling/wire/layout_codec.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/wire/bytes.hpp"

namespace starling::wire {

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kNameBytesMax = 1024;
constexpr std::size_t kDimensionsMax = 16;
constexpr std::size_t kTensorBytesMin = 4 + 1 + 1 + 1;  // a name has at least one letter
// A count of elements whose bytes still fit a signed 64-bit size.
constexpr std::uint64_t kElementsMax = std::uint64_t{1} << 60U;

void encode_tensor(ByteWriter& out, const TensorLayout& tensor) {
  if (tensor.name.size() > kNameBytesMax || tensor.shape.size() > kDimensionsMax) {
    throw ConfigError("model: tensor " + tensor.name.substr(0, kNameBytesMax) + " has a name of " +
                      std::to_string(tensor.name.size()) + " bytes and " +
                      std::to_string(tensor.shape.size()) + " dimensions; at most " +
                      std::to_string(kNameBytesMax) + " and " + std::to_string(kDimensionsMax) +
                      " can be sent");
  }
  out.text(tensor.name);
  out.u8(static_cast<std::uint8_t>(tensor.type));
  out.u8(static_cast<std::uint8_t>(tensor.shape.size()));
  for (const std::size_t extent : tensor.shape) {
    out.u64(extent);
  }
}

ElementType decode_type(ByteReader& in) {
  const std::uint8_t type = in.u8();
  switch (type) {
    case static_cast<std::uint8_t>(ElementType::f32):
      return ElementType::f32;
    case static_cast<std::uint8_t>(ElementType::f16):
      return ElementType::f16;
    default:
      in.refuse("unknown element type " + std::to_string(type));
  }
}

std::vector<std::size_t> decode_shape(ByteReader& in) {
  const std::uint8_t dimensions = in.u8();
  if (dimensions > kDimensionsMax) {
    in.refuse(std::to_string(dimensions) + " dimensions, at most " +
              std::to_string(kDimensionsMax) + " are allowed");
  }
  std::vector<std::size_t> shape(dimensions);
  for (std::size_t& extent : shape) {
    extent = in.u64();
  }
  return shape;
}

/// Elements of `shape`; refuses a product that no memory holds (a zero extent hides none).
std::uint64_t checked_elements(const ByteReader& in, std::span<const std::size_t> shape) {
  std::uint64_t product = 1;
  bool is_empty = false;
  for (const std::uint64_t extent : shape) {
    is_empty = is_empty || extent == 0;
    if (extent > 0 && product > kElementsMax / extent) {
      in.refuse("a tensor of shape " + shape_text(shape) + " is too large");
    }
    product *= extent > 0 ? extent : 1;
  }
  return is_empty ? 0 : product;
}

}  // namespace

std::vector<std::byte> encode(const Layout& layout) {
  ByteWriter out;
  out.u32(kVersion);
  out.u32(static_cast<std::uint32_t>(layout.tensors().size()));
  for (const TensorLayout& tensor : layout.tensors()) {
    encode_tensor(out, tensor);
  }
  if (layout.tensors().size() > kTensorsMax || out.bytes().size() > kLayoutBytesMax) {
    throw ConfigError("model: it has " + std::to_string(layout.tensors().size()) +
                      " tensors, whose names and shapes take " +
                      std::to_string(out.bytes().size()) + " bytes; at most " +
                      std::to_string(kTensorsMax) + " tensors and " +
                      std::to_string(kLayoutBytesMax) + " bytes can be sent");
  }
  return std::move(out).take();
}

Layout decode_layout(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "model layout");
  if (bytes.size() > kLayoutBytesMax) {
    in.refuse(std::to_string(bytes.size()) + " bytes, at most " + std::to_string(kLayoutBytesMax) +
              " are allowed");
  }
  if (const std::uint32_t version = in.u32(); version != kVersion) {
    in.refuse("version " + std::to_string(version) + ", expected " + std::to_string(kVersion));
  }
  const std::uint32_t tensors = in.count(kTensorBytesMin);
  if (tensors > kTensorsMax) {
    in.refuse(std::to_string(tensors) + " tensors, at most " + std::to_string(kTensorsMax) +
              " are allowed");
  }
  Layout layout;
  std::set<std::string> names;
  for (std::uint32_t left = tensors; left > 0; --left) {
    std::string name = in.text(kNameBytesMax);
    if (name.empty() || !names.insert(name).second) {
      in.refuse("tensor name '" + name + "' is empty or taken");
    }
    const ElementType type = decode_type(in);
    std::vector<std::size_t> shape = decode_shape(in);
    if (layout.elements() + checked_elements(in, shape) > kElementsMax) {
      in.refuse("its tensors together are too large");
    }
    layout.append(std::move(name), std::move(shape), type);
  }
  in.expect_end();
  return layout;
}

Digest fingerprint(const Layout& layout) {
  return sha256(encode(layout));
}

}  // namespace starling::wire
