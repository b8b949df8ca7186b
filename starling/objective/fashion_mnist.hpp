// Fashion-MNIST, or any set of images in four IDX files of the same names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "starling/objective/catalog.hpp"
#include "starling/objective/idx.hpp"

namespace starling::objective {

/// Where the Debian package dataset-fashion-mnist puts its files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

/// Grey images kept as the bytes they came as; gather() gives (byte / 255 - mean) / deviation with
/// the mean 0.2860 and the standard deviation 0.3530 of the pixels of Fashion-MNIST's training
/// images.
class ImageDataset final : public Dataset {
 public:
  /// @pre images is count x height x width, labels is count; every label < 10
  ImageDataset(std::string name, IdxArray images, IdxArray labels);

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return labels_.size(); }

  [[nodiscard]] std::span<const std::size_t> sample_shape() const override { return shape_; }

  [[nodiscard]] std::size_t features() const override { return features_; }

  [[nodiscard]] std::size_t classes() const override { return 10; }

  [[nodiscard]] std::uint32_t label(std::size_t sample) const override { return labels_[sample]; }

  void gather(std::span<const std::uint32_t> samples, std::span<float> out) const override;

 private:
  std::string name_;
  std::vector<std::size_t> shape_;
  std::size_t features_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> labels_;
};

/// Reads train-images-idx3-ubyte and the three files that belong to it from `directory` (empty: the
/// folder of the Debian package), each with or without ".gz", whatever its content. Nothing is kept
/// if one is wrong.
/// @throws DataError naming the file, what is expected and what is found
DataPair load_fashion_mnist(const std::filesystem::path& directory);

}  // namespace starling::objective
