#include "starling/peer/message.hpp"

#include <sstream>

namespace starling {

namespace {

const char* name_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::user:
      return "user";
    case Purpose::control:
      return "control";
    case Purpose::collective:
      return "collective";
    case Purpose::mixing:
      return "mixing";
  }
  return "unknown";
}

}  // namespace

std::string to_string(Tag tag) {
  return std::string(name_of(tag.purpose)) + "/" + std::to_string(tag.lane);
}

Fit compare(const Expected& expected, const Stamp& found, std::size_t found_bytes) noexcept {
  if (found.group < expected.stamp.group) {
    return Fit::stale;
  }
  if (found.group > expected.stamp.group) {
    return Fit::later;
  }
  const bool same = found.operation == expected.stamp.operation &&
                    found.round == expected.stamp.round && found_bytes == expected.bytes;
  return same ? Fit::fits : Fit::misfit;
}

std::string mismatch_text(const Expected& expected, const Stamp& found, std::size_t found_bytes) {
  std::ostringstream text;
  if (found.operation != expected.stamp.operation) {
    text << "its operation differs from ours (other algorithm, size or kind of sum): ";
  }
  text << "expected round " << expected.stamp.round << " with " << expected.bytes
       << " bytes, found round " << found.round << " with " << found_bytes << " bytes";
  return text.str();
}

}  // namespace starling
