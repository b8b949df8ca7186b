// The last word of a peer that ends: so that survivors blame the first failure, not the messenger.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>

#include "starling/core/failure.hpp"
#include "starling/core/function_ref.hpp"

namespace starling {

/// Why a peer ended. A peer that ended because another failed passes that peer's words on.
struct Goodbye {
  bool finished = false;  ///< it had done its work
  PeerId culprit;         ///< where the chain of failures began
  std::string words;      ///< the culprit's own words
  ExitCode code = ExitCode::peers_lost;
};

/// The goodbye of `self`, which ends with `error` (null: it finished).
Goodbye goodbye_of(PeerId self, const std::exception_ptr& error);

/// True if `error` passes on what another peer died of.
bool is_consequence(const std::exception_ptr& error);

/// The failure of a wait for `gone`, which said `goodbye`.
Failure failure_from(PeerId gone, const Goodbye& goodbye, Duration waited);

/// The failure of a wait for anyone where there is no one but `self`.
Failure nobody_else(PeerId self, Duration waited);

/// Who makes a wait of `self` for anyone of `peers` hopeless: nobody while one of the others is
/// there, else the first that failed, else the first; `self` if there are no others.
/// @param goodbye_from what a peer said when it left; null if it is there
std::optional<PeerId> last_witness(PeerId self,
                                   std::span<const PeerId> peers,
                                   FunctionRef<const Goodbye*(PeerId)> goodbye_from);

}  // namespace starling
