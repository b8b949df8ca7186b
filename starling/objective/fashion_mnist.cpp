#include "starling/objective/fashion_mnist.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/layout.hpp"

namespace starling::objective {

namespace {

constexpr double kMean = 0.2860;
constexpr double kDeviation = 0.3530;
constexpr std::uint8_t kClasses = 10;

/// The normalised value of every byte.
std::array<float, 256> value_table() {
  std::array<float, 256> values{};
  for (std::size_t byte = 0; byte < values.size(); ++byte) {
    values[byte] = static_cast<float>((static_cast<double>(byte) / 255.0 - kMean) / kDeviation);
  }
  return values;
}

std::filesystem::path find_file(const std::filesystem::path& directory, const std::string& stem) {
  const std::array candidates = {directory / stem, directory / (stem + ".gz")};
  for (const auto& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::exists(candidate, error)) {
      return candidate;
    }
  }
  const bool system = directory == kFashionMnistFolder;
  throw DataError("fashion-mnist: neither " + candidates[0].string() + " nor " +
                  candidates[1].string() + " exists; " +
                  (system
                       ? "install the data with 'apt-get install dataset-fashion-mnist', or give "
                         "a folder with --data-dir"
                       : "give the folder that holds the four IDX files with --data-dir"));
}

void check_labels(const IdxArray& labels, const std::filesystem::path& file) {
  const auto wrong = std::find_if(labels.bytes.begin(), labels.bytes.end(), [](std::uint8_t label) {
    return label >= kClasses;
  });
  if (wrong == labels.bytes.end()) {
    return;
  }
  throw DataError(file.string() + ": label " + std::to_string(int{*wrong}) + " of sample " +
                  std::to_string(wrong - labels.bytes.begin()) +
                  " is out of range, expected 0 to 9");
}

std::shared_ptr<const ImageDataset> load_part(const std::filesystem::path& directory,
                                              const std::string& part) {
  const auto image_file = find_file(directory, part + "-images-idx3-ubyte");
  const auto label_file = find_file(directory, part + "-labels-idx1-ubyte");
  IdxArray labels = read_idx(label_file, 1);
  check_labels(labels, label_file);
  IdxArray images = read_idx(image_file, 3);
  if (images.extents[0] != labels.extents[0]) {
    throw DataError(image_file.string() + " holds " + std::to_string(images.extents[0]) +
                    " images, " + label_file.string() + " " + std::to_string(labels.extents[0]) +
                    " labels; expected one label an image");
  }
  if (images.bytes.empty()) {
    throw DataError(image_file.string() + ": no images");
  }
  return std::make_shared<const ImageDataset>(
      "fashion-mnist", std::move(images), std::move(labels));
}

}  // namespace

ImageDataset::ImageDataset(std::string name, IdxArray images, IdxArray labels)
    : name_(std::move(name)),
      shape_{1, images.extents.at(1), images.extents.at(2)},
      features_(shape_[1] * shape_[2]),
      pixels_(std::move(images.bytes)),
      labels_(std::move(labels.bytes)) {
  ensure(pixels_.size() == labels_.size() * features_,
         "one label an image",
         pixels_.size(),
         labels_.size(),
         features_);
}

void ImageDataset::gather(std::span<const std::uint32_t> samples, std::span<float> out) const {
  static const std::array<float, 256> values = value_table();
  ensure(out.size() == samples.size() * features_,
         "gather: room for every feature",
         out.size(),
         samples.size(),
         features_);
  float* to = out.data();
  for (const std::uint32_t sample : samples) {
    ensure(sample < size(), "gather: no such sample", sample, size());
    const std::uint8_t* from = pixels_.data() + sample * features_;
    for (std::size_t k = 0; k < features_; ++k) {
      *to++ = values[from[k]];
    }
  }
}

DataPair load_fashion_mnist(const std::filesystem::path& directory) {
  const std::filesystem::path folder = directory.empty() ? kFashionMnistFolder : directory;
  auto train = load_part(folder, "train");
  auto test = load_part(folder, "t10k");
  if (!std::equal(train->sample_shape().begin(),
                  train->sample_shape().end(),
                  test->sample_shape().begin(),
                  test->sample_shape().end())) {
    throw DataError(folder.string() + ": training images are " + shape_text(train->sample_shape()) +
                    ", test images " + shape_text(test->sample_shape()) + "; expected one size");
  }
  return {.train = std::move(train), .test = std::move(test)};
}

}  // namespace starling::objective
