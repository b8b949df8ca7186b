// Models as .safetensors files: readable from Python, and back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "starling/core/layout.hpp"

namespace starling::trainer {

/// The content of a file of 32-bit floats.
struct Tensors {
  Layout layout;
  std::vector<float> values;
  std::map<std::string, std::string> metadata;
};

/// Writes the tensors of `layout` with the flat `values` atomically, in the layout's order.
/// @pre values.size() == layout.elements(); no tensor is called __metadata__
/// @throws StorageError; ConfigError for tensors that are not f32
void write_safetensors(const std::filesystem::path& path,
                       const Layout& layout,
                       std::span<const float> values,
                       const std::map<std::string, std::string>& metadata);

/// The content of a file whose tensors are all F32; they come in the order they lie in it. Every
/// length and offset is checked before it is used. @throws DataError naming `origin` and the tensor
Tensors decode_safetensors(std::span<const std::byte> content, const std::string& origin);

/// Reads such a file. @throws DataError
Tensors read_safetensors(const std::filesystem::path& path);

}  // namespace starling::trainer
