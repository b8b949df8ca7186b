// Data drawn from a seed: logistic regression after Gossip-PGA, and a small set of blobs for trying
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starling/objective/catalog.hpp"

namespace starling::objective {

/// Binary classification as in Gossip-PGA (arXiv:2105.09080, section 5.1): features h ~ N(0, 10 I);
/// the label is +1 (class 1) with probability 1 / (1 + exp(-h^T x*)), else -1 (class 0). Each peer
/// draws its own samples; what peer i draws depends on the seed and i only.
struct SyntheticLogistic {
  /// Whether all peers share one x* ~ N(0, I), or each draws its own.
  enum class Truth : std::uint8_t { shared, per_peer };

  std::size_t dimension = 10;
  std::size_t samples = 8000;      ///< per peer
  std::size_t test_samples = 800;  ///< per peer
  Truth truth = Truth::shared;
  std::size_t peers = 1;
  std::uint64_t seed = 1;
};

DataPair draw_synthetic_logistic(const SyntheticLogistic& options);

/// The x* that labels peer `peer`'s samples.
std::vector<float> true_parameters(const SyntheticLogistic& options, std::size_t peer);

/// Classes as clouds: a centre ~ N(0, 4 I) for each class, samples ~ N(centre, I), classes in turn.
struct Blobs {
  std::vector<std::size_t> sample_shape{8};
  std::size_t classes = 3;
  std::size_t samples = 600;  ///< over all peers
  std::size_t test_samples = 150;
  std::uint64_t seed = 1;
};

DataPair draw_blobs(const Blobs& options);

}  // namespace starling::objective
