#include "starling/peer/pieces.hpp"

#include <algorithm>
#include <cstdint>

#include "starling/core/buffer.hpp"

namespace starling {

namespace {

bool is_aligned_for_floats(std::span<const std::byte> payload) {
  return reinterpret_cast<std::uintptr_t>(payload.data()) % alignof(float) == 0;
}

}  // namespace

void feed(std::span<const std::byte> payload, PieceSink sink) {
  if (!is_aligned_for_floats(payload)) {
    const Buffer aligned = Buffer::copy_of(payload);
    return feed(aligned.bytes(), sink);
  }
  std::size_t offset = 0;
  do {
    const std::size_t size = std::min(kPieceBytes, payload.size() - offset);
    sink(offset, payload.subspan(offset, size));
    offset += size;
  } while (offset < payload.size());
}

}  // namespace starling
