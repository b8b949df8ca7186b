// SHA-256 of bytes: fingerprints of models, checksums of checkpoints.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace starling {

using Digest = std::array<std::byte, 32>;

/// SHA-256 fed in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(std::span<const std::byte> bytes);

  /// The digest of all that was fed. The object is used up.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::span<const std::byte> bytes);

/// Lower-case hexadecimal.
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace starling
