#include "starling/collective/call_words.hpp"

#include <vector>

#include "starling/collective/dims.hpp"
#include "starling/collective/executor.hpp"

namespace starling::collective {

namespace {

constexpr std::uint64_t kDigestOfNothing = 14695981039346656037ULL;  // of FNV-1a

std::uint64_t digest_of(const std::vector<std::size_t>& values) {
  std::uint64_t digest = kDigestOfNothing;
  for (const std::size_t value : values) {
    digest = mixed(digest, value);
  }
  return digest;
}

}  // namespace

/// A step of FNV-1a on words, then the high bits folded down.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  digest = (digest ^ value) * kPrime;
  return digest ^ (digest >> 32U);
}

std::uint64_t digest_of(const CallIdentity& call) {
  std::uint64_t digest = kDigestOfNothing;
  for (const char letter : call.algorithm) {
    digest = mixed(digest, static_cast<unsigned char>(letter));
  }
  const Request& request = call.request;
  for (const std::size_t value : {static_cast<std::size_t>(request.operation),
                                  request.peers,
                                  request.root,
                                  call.elements,
                                  static_cast<std::size_t>(call.type),
                                  static_cast<std::size_t>(call.reduction),
                                  call.message_bytes,
                                  request.colors,
                                  static_cast<std::size_t>(request.layout),
                                  static_cast<std::size_t>(request.weights),
                                  request.segment}) {
    digest = mixed(digest, value);
  }
  return mixed(mixed(digest, digest_of(request.parts)), digest_of(request.dims));
}

std::string words_of(const CallIdentity& call) {
  const Request& request = call.request;
  std::string text = std::string(to_string(request.operation)) + " by " +
                     std::string(call.algorithm) + " of " + std::to_string(call.elements) +
                     " elements";
  if (call.type != DataType::f32) {
    text += std::string(" of ") + to_string(call.type);
  }
  if (reduces(request.operation)) {
    text += std::string(" (") + to_string(call.reduction) + ")";
  }
  if (!request.dims.empty()) {
    text += " on " + dims_text(request.dims);
  }
  if (request.colors != 0) {
    text += " in " + std::to_string(request.colors) + " colors";
  }
  if (request.layout == Layout::split_blocks) {
    text += " with split blocks";
  }
  if (request.weights != ColorWeights::equal) {
    text += std::string(" with ") + to_string(request.weights) + " weights";
  }
  if (request.segment != 0) {
    text += " in segments of " + std::to_string(request.segment);
  }
  if (!request.parts.empty()) {
    text += " with counts " + std::to_string(digest_of(request.parts));
  }
  if (request.root != 0) {
    text += " with root " + std::to_string(request.root);
  }
  if (call.message_bytes < kMessageBytesMax / size_of(call.type) * size_of(call.type)) {
    text += " in messages of " + std::to_string(call.message_bytes) + " bytes";
  }
  return text;
}

}  // namespace starling::collective
