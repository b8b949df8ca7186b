#include "starling/core/failure.hpp"

#include <sstream>

namespace starling {

namespace {

/// Whether `text` says "peer 1", and not only "peer 10".
bool names(const std::string& text, PeerId peer) {
  const std::string name = to_string(peer);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    const bool longer = after < text.size() && text[after] >= '0' && text[after] <= '9';
    if (!longer) {
      return true;
    }
  }
  return false;
}

}  // namespace

const char* to_string(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::lost:
      return "lost";
    case FailureKind::deadline:
      return "deadline";
    case FailureKind::cancelled:
      return "cancelled";
    case FailureKind::refused:
      return "refused";
  }
  return "unknown";
}

std::string Failure::message() const {
  std::ostringstream text;
  if (!root_cause.empty()) {
    text << root_cause;
    if (!names(root_cause, culprit)) {
      text << " (" << to_string(culprit) << ")";
    }
    return text.str();
  }
  text << to_string(peer) << " " << to_string(kind);
  if (!what.empty()) {
    text << ": " << what;
  }
  if (waited > Duration{}) {
    text << " after " << seconds(waited) << " s";
  }
  if (bytes_done > 0) {
    text << ", " << bytes_done << " bytes had arrived";
  }
  return text.str();
}

}  // namespace starling
