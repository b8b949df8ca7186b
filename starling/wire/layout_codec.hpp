// The layout of a model as bytes, for the handshake that compares models before a run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starling/core/layout.hpp"
#include "starling/core/sha256.hpp"

namespace starling::wire {

/// Largest encoding that is made or read; a thousand tensors take about 60 KiB.
inline constexpr std::size_t kLayoutBytesMax = std::size_t{16} << 20U;

/// Most tensors a layout can have to be sent or read.
inline constexpr std::size_t kTensorsMax = std::size_t{1} << 14U;

/// Names, order, shapes and types. Equal layouts have equal encodings and no others have.
/// @throws ConfigError if the layout is beyond these bounds
std::vector<std::byte> encode(const Layout& layout);

/// The layout of bytes that encode() made. @throws DataError for anything else; every length is
/// checked before it is allocated
Layout decode_layout(std::span<const std::byte> bytes);

/// SHA-256 of encode(layout).
Digest fingerprint(const Layout& layout);

}  // namespace starling::wire
