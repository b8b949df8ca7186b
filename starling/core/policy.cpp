#include "starling/core/policy.hpp"

namespace starling {

const char* to_string(NotFinite policy) noexcept {
  switch (policy) {
    case NotFinite::stop:
      return "stop";
    case NotFinite::skip_peer:
      return "skip-peer";
    case NotFinite::skip_round:
      return "skip-round";
  }
  return "unknown";
}

const char* to_string(OnLoss policy) noexcept {
  switch (policy) {
    case OnLoss::stop:
      return "stop";
    case OnLoss::continue_:
      return "continue";
  }
  return "unknown";
}

std::string advice(NotFinite policy) {
  const std::string always = "lower the learning rate";
  return policy == NotFinite::skip_peer ? always : always + " or set --not-finite skip-peer";
}

}  // namespace starling
