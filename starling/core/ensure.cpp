#include "starling/core/ensure.hpp"

namespace starling::detail {

void contract_broken(const Claim& claim, const std::string& values) {
  std::ostringstream text;
  text << claim.text;
  if (!values.empty()) {
    text << " [" << values << "]";
  }
  std::string_view file = claim.file;
  if (const auto root = file.rfind("starling/"); root != std::string_view::npos) {
    file.remove_prefix(root);
  }
  text << " (" << file << ":" << claim.line << ")";
  throw ContractError(text.str());
}

}  // namespace starling::detail
