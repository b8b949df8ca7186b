#include "starling/simulation/link_model.hpp"

#include "starling/core/time.hpp"
#include "starling/peer/message.hpp"

namespace starling::simulation {

namespace {

/// So long that a moment in nanoseconds says enough of it.
constexpr std::size_t kLongBytes = std::size_t{1} << 30U;

}  // namespace

std::optional<collective::LinkModel> link_model(const Platform& platform,
                                                std::size_t peers,
                                                std::uint64_t seed) {
  if (platform.kind == Platform::Kind::file) {
    return std::nullopt;
  }
  const double latency = seconds(typical_transfer(platform, peers, seed, 0));
  const double beta = (seconds(typical_transfer(platform, peers, seed, kLongBytes)) - latency) /
                      static_cast<double>(kLongBytes);
  const double around_payload = static_cast<double>(kMessageOverheadBytes) * beta;
  return collective::LinkModel{.alpha_seconds = around_payload,
                               .beta_seconds_per_byte = beta,
                               .gamma_seconds_per_byte = 0.0,
                               .torus = platform.extents,
                               .hop_seconds = latency};
}

}  // namespace starling::simulation
