// The exit codes of the program.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace starling {

/// Exit codes of the program; the table in README.md and `starling --help` shows the same numbers.
enum class ExitCode : int {
  ok = 0,
  internal = 1,       ///< a broken contract: a bug in Starling
  configuration = 2,  ///< wrong usage or configuration
  data = 3,           ///< data missing, truncated or of the wrong shape; a checkpoint unreadable
  network = 4,        ///< an address, a connection or a certificate
  peers_lost = 5,     ///< a peer died, fell silent or refused
  not_finite = 6,     ///< NaN or infinity where numbers were expected
  storage = 7,        ///< disk full, directory not writable
  interrupted = 130,  ///< Ctrl-C or SIGTERM
};

/// The code with this number, which came from elsewhere; nothing if there is none.
constexpr std::optional<ExitCode> exit_code_from(std::uint64_t number) noexcept {
  constexpr std::array kAll{ExitCode::ok,
                            ExitCode::internal,
                            ExitCode::configuration,
                            ExitCode::data,
                            ExitCode::network,
                            ExitCode::peers_lost,
                            ExitCode::not_finite,
                            ExitCode::storage,
                            ExitCode::interrupted};
  for (const ExitCode code : kAll) {
    if (static_cast<std::uint64_t>(code) == number) {
      return code;
    }
  }
  return std::nullopt;
}

}  // namespace starling
