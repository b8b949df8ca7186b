#include "tests/support/worlds.hpp"

#include "starling/core/ensure.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace starling::testing {

std::vector<Kind> all_kinds() {
  return {Kind::threads};
}

std::string to_string(Kind kind) {
  return kind == Kind::threads ? "threads" : "simulation";
}

std::unique_ptr<World> make_world(Kind kind, const WorldOptions& options) {
  ensure(kind == Kind::threads, "this build has no such world", to_string(kind));
  return std::make_unique<ThreadWorld>(ThreadWorldOptions{.peers = options.peers,
                                                          .seed = options.seed,
                                                          .observer = options.observer,
                                                          .slow_warning = options.slow_warning});
}

}  // namespace starling::testing
