#include "tests/support/worlds.hpp"

#include "starling/core/ensure.hpp"

namespace starling::testing {

std::vector<Kind> all_kinds() { return {}; }

std::string to_string(Kind kind) { return kind == Kind::threads ? "threads" : "simulation"; }

std::unique_ptr<World> make_world(Kind kind, const WorldOptions&) {
  ensure(false, "this build has no such world", to_string(kind));
  return nullptr;
}

}  // namespace starling::testing
