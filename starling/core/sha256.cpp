#include "starling/core/sha256.hpp"

#include <sodium.h>

namespace starling {

struct Sha256::State {
  crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->hash);
}

Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  crypto_hash_sha256_update(
      &state_->hash, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Digest Sha256::finish() {
  Digest digest{};
  static_assert(sizeof(Digest) == crypto_hash_sha256_BYTES);
  crypto_hash_sha256_final(&state_->hash, reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15U];
  }
  return text;
}

}  // namespace starling
