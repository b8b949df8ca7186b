// What goes wrong in a simulated run, and when. All of it is known before the run starts.
//
// Rates are drawn from the seed, per peer unless said otherwise:
//   kill:0.01          a hundredth of the peers goes off; kill:0.01:5s returns after 5 s
//   pause:0.01:5s      stands still for 5 s, as under SIGSTOP
//   slow:0.05x4        computes 4 times slower all the time; slow:0.05x4:10s for 10 s
//   linkdown:0.01:2s   nothing passes to or from it for 2 s
//   delay:0.02:100ms   a fiftieth of all messages comes 100 ms late
//   window:30s         the others begin evenly within the first 30 s of the run (10 s if not said)
// joined by commas. A file is TOML:
//   rates = "slow:0.05x4"      # optional, as above
//   [[fault]]
//   kind = "kill"              # kill | pause | slow | link-down | delay
//   peer = 3                   # whom (delay: messages it sends; without: of everybody)
//   other = 5                  # link-down, delay: only between the two
//   from = 1.5                 # seconds, or "1500ms"; the start of the run if not said
//   until = "4s"               # kill: it returns, its body starts anew; not said: for ever
//   factor = 4.0               # slow: how many times slower
//   by = "100ms"               # delay: how late
//   probability = 0.02         # delay: share of the messages, 1 if not said
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"

namespace starling::simulation {

struct Fault {
  enum class Kind : std::uint8_t { kill, pause, slow, link_down, delay };

  Kind kind = Kind::kill;
  std::optional<PeerId> peer;   ///< empty: everybody (delay only)
  std::optional<PeerId> other;  ///< link_down, delay: only between the two
  Time from{};
  Time until = Time::max();
  double factor = 1.0;       ///< slow: how many times slower
  Duration by{};             ///< delay
  double probability = 1.0;  ///< delay

  friend bool operator==(const Fault&, const Fault&) = default;
};

struct FaultPlan {
  std::vector<Fault> faults;

  /// Whether any fault is of this kind.
  [[nodiscard]] bool has(Fault::Kind kind) const;
};

/// `text` names a file (if there is one, or if it ends in .toml) or gives rates; empty: no faults.
/// The draws of one peer depend on the seed and its rank only.
/// @throws ConfigError with file, line, key and the nearest valid one
FaultPlan plan_faults(std::string_view text, std::size_t peers, std::uint64_t seed);

/// The rates alone.
FaultPlan plan_rates(std::string_view rates, std::size_t peers, std::uint64_t seed);

/// A file alone.
FaultPlan plan_file(const std::string& path, std::size_t peers, std::uint64_t seed);

}  // namespace starling::simulation
