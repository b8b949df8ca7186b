#include "starling/core/failure.hpp"

#include <sstream>

namespace starling {

const char* to_string(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::lost: return "lost";
    case FailureKind::deadline: return "deadline";
    case FailureKind::cancelled: return "cancelled";
    case FailureKind::refused: return "refused";
  }
  return "unknown";
}

std::string Failure::message() const {
  std::ostringstream text;
  if (!root_cause.empty()) {
    text << root_cause;
    if (root_cause.find(to_string(culprit)) == std::string::npos) {
      text << " (" << to_string(culprit) << ")";
    }
    return text.str();
  }
  text << to_string(peer) << " " << to_string(kind);
  if (!what.empty()) { text << ": " << what; }
  if (waited > Duration{}) { text << " after " << seconds(waited) << " s"; }
  if (bytes_done > 0) { text << ", " << bytes_done << " bytes had arrived"; }
  return text.str();
}

}  // namespace starling
