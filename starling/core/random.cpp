#include "starling/core/random.hpp"

#include <cmath>
#include <numbers>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  constexpr std::uint64_t kMultiply0 = 0xD2511F53U;
  constexpr std::uint64_t kMultiply1 = 0xCD9E8D57U;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiply0 * counter[0];
    const std::uint64_t product1 = kMultiply1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

std::uint64_t mix(std::uint64_t value) {  // the finaliser of SplitMix64
  value ^= value >> 30;
  value *= 0xBF58476D1CE4E5B9ULL;
  value ^= value >> 27;
  value *= 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

std::uint32_t Random::next_u32() {
  const std::uint64_t wanted = state_.position / 4;
  if (wanted != block_index_) {
    block_ = philox({static_cast<std::uint32_t>(wanted),
                     static_cast<std::uint32_t>(wanted >> 32),
                     static_cast<std::uint32_t>(state_.stream),
                     static_cast<std::uint32_t>(state_.stream >> 32)},
                    state_.key);
    block_index_ = wanted;
  }
  return block_[state_.position++ % 4];
}

std::uint64_t Random::next_u64() {
  const std::uint64_t low = next_u32();
  return low | (std::uint64_t{next_u32()} << 32);
}

std::uint64_t Random::below(std::uint64_t bound) {
  ensure(bound >= 1, "a draw below zero is impossible");
  const std::uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t draw = next_u64();
    if (draw >= reject_below) {
      return draw % bound;
    }
  }
}

double Random::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::exponential() {
  return -std::log(1.0 - uniform());
}

double Random::gamma(double shape) {
  ensure(shape > 0.0, "a gamma shape is positive", shape);
  if (shape < 1.0) {  // gamma(a) = gamma(a + 1) * u^(1/a)
    const double boost = std::pow(1.0 - uniform(), 1.0 / shape);
    return gamma(shape + 1.0) * boost;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double t = 1.0 + c * x;
    if (t <= 0.0) {
      continue;
    }
    const double v = t * t * t;
    if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

std::uint64_t stream_key(std::string_view name) noexcept {
  std::uint64_t digest = 0xCBF29CE484222325ULL;  // FNV-1a, then mixed
  for (const char letter : name) {
    digest = (digest ^ static_cast<unsigned char>(letter)) * 0x100000001B3ULL;
  }
  return mix(digest);
}

std::uint64_t stream_key(std::uint64_t first, std::uint64_t second) noexcept {
  return mix(first + 0x9E3779B97F4A7C15ULL * (mix(second) | 1));
}

}  // namespace starling
