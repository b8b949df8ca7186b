// Reproducible chance: counter-based streams, the same on every machine and in every world.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace starling {

/// A stream of random numbers: Philox4x32-10 (Salmon et al., SC 2011) on (key, counter). Its whole
/// state is three words, so it can be stored, compared and continued.
class Random {
 public:
  struct State {
    std::uint64_t key = 0;
    std::uint64_t stream = 0;
    std::uint64_t position = 0;  ///< 32-bit words drawn so far

    friend bool operator==(const State&, const State&) = default;
  };

  /// Numbers of stream `stream` under `key`; different pairs are independent.
  explicit Random(std::uint64_t key, std::uint64_t stream = 0) : state_{key, stream, 0} {}

  explicit Random(const State& state) : state_(state) {}

  [[nodiscard]] const State& state() const noexcept { return state_; }

  std::uint32_t next_u32();
  std::uint64_t next_u64();

  /// Uniform over 0 .. bound-1, without bias. @pre bound >= 1
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1), 53 bits.
  double uniform();

  /// Standard normal (Box-Muller on two uniforms; the second value is not kept).
  double normal();

  /// Exponential with mean 1.
  double exponential();

  /// Gamma with the given shape and scale 1 (Marsaglia and Tsang 2000). @pre shape > 0
  double gamma(double shape);

  /// true with probability p.
  bool bernoulli(double p) { return uniform() < p; }

  /// Fisher-Yates, last element first.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

 private:
  State state_;
  std::array<std::uint32_t, 4> block_{};
  std::uint64_t block_index_ = ~std::uint64_t{0};
};

/// A 64-bit digest of a name or of numbers, for keys of streams. Stable for ever.
std::uint64_t stream_key(std::string_view name) noexcept;
std::uint64_t stream_key(std::uint64_t first, std::uint64_t second) noexcept;

}  // namespace starling
