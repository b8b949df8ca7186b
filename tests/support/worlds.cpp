#include "tests/support/worlds.hpp"

#include "starling/core/ensure.hpp"
#ifdef STARLING_HAS_SIMULATION
#include "starling/simulation/sim_world.hpp"
#endif
#include "starling/transport/threads/thread_world.hpp"

namespace starling::testing {

std::vector<Kind> all_kinds() {
#ifdef STARLING_HAS_SIMULATION
  return {Kind::threads, Kind::simulation};
#else
  return {Kind::threads};
#endif
}

std::string to_string(Kind kind) {
  return kind == Kind::threads ? "threads" : "simulation";
}

std::unique_ptr<World> make_world(Kind kind, const WorldOptions& options) {
#ifdef STARLING_HAS_SIMULATION
  if (kind == Kind::simulation) {
    return std::make_unique<SimWorld>(SimOptions{.peers = options.peers,
                                                 .seed = options.seed,
                                                 .observer = options.observer,
                                                 .slow_warning = options.slow_warning,
                                                 .platform = options.platform,
                                                 .byte_scale = options.byte_scale});
  }
#endif
  ensure(kind == Kind::threads, "this build has no such world", to_string(kind));
  return std::make_unique<ThreadWorld>(ThreadWorldOptions{.peers = options.peers,
                                                          .seed = options.seed,
                                                          .observer = options.observer,
                                                          .slow_warning = options.slow_warning});
}

}  // namespace starling::testing
