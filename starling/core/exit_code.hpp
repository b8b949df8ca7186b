// The exit codes of the program.
#pragma once

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

}  // namespace starling
