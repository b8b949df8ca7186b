#include "starling/objective/dense_dataset.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::objective {

DenseDataset::DenseDataset(Contents contents)
    : contents_(std::move(contents)),
      features_(std::accumulate(contents_.sample_shape.begin(),
                                contents_.sample_shape.end(),
                                std::size_t{1},
                                std::multiplies<>())) {
  ensure(contents_.features.size() == contents_.labels.size() * features_,
         "a data set has one label a sample",
         contents_.features.size(),
         contents_.labels.size(),
         features_);
  const bool in_range = std::all_of(contents_.labels.begin(),
                                    contents_.labels.end(),
                                    [&](std::uint32_t label) { return label < contents_.classes; });
  ensure(in_range, "labels lie below the number of classes", contents_.name, contents_.classes);
  const auto& by_peer = contents_.samples_by_peer;
  const std::size_t drawn = std::accumulate(by_peer.begin(), by_peer.end(), std::size_t{0});
  ensure(by_peer.empty() || drawn == size(), "every sample was drawn for some peer", drawn, size());
}

void DenseDataset::gather(std::span<const std::uint32_t> samples, std::span<float> out) const {
  ensure(out.size() == samples.size() * features_,
         "gather: room for every feature",
         out.size(),
         samples.size(),
         features_);
  const std::span<const float> all(contents_.features);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    ensure(samples[k] < size(), "gather: no such sample", samples[k], size());
    copy(all.subspan(samples[k] * features_, features_), out.subspan(k * features_, features_));
  }
}

}  // namespace starling::objective
