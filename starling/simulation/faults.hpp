// What goes wrong in a simulated run, and when. All of it is known before the run starts.
//
// Rates are drawn from the seed, per peer unless said otherwise:
//   kill:0.01          a hundredth of the peers goes off; kill:0.01:5s returns after 5 s
//   pause:0.01:5s      stands still for 5 s, as under SIGSTOP
//   slow:0.05x4        computes 4 times slower all the time; slow:0.05x4:10s for 10 s
//   linkdown:0.01:2s   nothing passes to or from it for 2 s
//   delay:0.02:100ms   a fiftieth of all messages comes 100 ms late
//   window:30s         the others begin evenly within the first 30 s of the run
// joined by commas. Without a window they begin evenly over the length of the run as far as it is
// known beforehand, else within 10 s. A file is TOML:
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
  bool asks_peers = false;  ///< rates may hit single peers, even if none was drawn

  /// Whether any fault is of this kind.
  [[nodiscard]] bool has(Fault::Kind kind) const;
};

/// What faults are drawn for.
struct FaultDraw {
  std::size_t peers = 1;
  std::uint64_t seed = 1;
  Duration run_length{};  ///< what the run lasts at least; 0: unknown
};

/// `text` names a file (if there is one, or if it ends in .toml) or gives rates; empty: no faults.
/// Whom a rate hits, and at which part of the window, depends on the seed and the rank only.
/// @throws ConfigError with file, line, key and the nearest valid one
FaultPlan plan_faults(std::string_view text, const FaultDraw& draw);

/// The rates alone.
FaultPlan plan_rates(std::string_view rates, const FaultDraw& draw);

/// A file alone.
FaultPlan plan_file(const std::string& path, const FaultDraw& draw);

/// "faults: 3 of 5 happened before the run ended at 2.5 s (kill 1 of 2, pause 2 of 3)". Delays are
/// shares of the messages and not counted; empty if nothing else was asked for.
/// @param happened one entry a fault of the plan
std::string account(const FaultPlan& plan, const std::vector<bool>& happened, Time end);

}  // namespace starling::simulation
