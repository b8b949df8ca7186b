#include "starling/cli/worlds.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <dlfcn.h>

#include "starling/cli/checks.hpp"
#include "starling/core/error.hpp"
#include "starling/transport/threads/thread_world.hpp"

#ifdef STARLING_HAS_SIMULATION
#include "starling/cli/simulation_plugin.hpp"
#include "starling/objective/plugin.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/host_speeds.hpp"
#include "starling/simulation/platform.hpp"
#endif

namespace starling::cli {

namespace {

std::unique_ptr<World> make_threads(const trainer::WorldRequest& request) {
  return std::make_unique<ThreadWorld>(ThreadWorldOptions{.peers = request.peers,
                                                          .seed = request.seed,
                                                          .observer = request.observer,
                                                          .slow_warning = request.slow_warning});
}

#ifdef STARLING_HAS_SIMULATION

/// Opens starling-sim.so where the networks' plug-in would lie; it stays open until the process
/// ends.
MakeSimulation& open_simulation() {
  std::string looked;
  for (const auto& candidate : objective::plugin_candidates()) {
    const auto path = candidate.parent_path() / kSimulationPluginFile;
    std::error_code ignored;  // then it is not there
    if (!std::filesystem::exists(path, ignored)) {
      looked += (looked.empty() ? "" : ", ") + path.string();
      continue;
    }
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : ::dlsym(library, kMakeSimulationSymbol);
    if (symbol == nullptr) {
      const char* reason = ::dlerror();
      throw ConfigError("the plug-in " + path.string() +
                        " cannot be used: " + (reason == nullptr ? "no reason given" : reason));
    }
    return *reinterpret_cast<MakeSimulation*>(symbol);
  }
  throw ConfigError(std::string(kSimulationPluginFile) + " was not found (looked for " + looked +
                    "); install it beside the program or set STARLING_PLUGIN_PATH");
}

void check_simulation(Effective& effective) {
  const WorldSettings& world = effective.settings.world;
  const std::size_t peers = effective.settings.experiment.peers;
  const std::uint64_t seed = effective.settings.experiment.seed;
  check(effective, "on", [] { open_simulation(); });
  check(effective, "platform", [&] { simulation::parse_platform(world.platform, peers); });
  check(effective, "faults", [&] {
    simulation::plan_faults(world.faults, {.peers = peers, .seed = seed});
  });
  check(effective, "host-speeds", [&] {
    simulation::plan_speeds(world.host_speeds, "", peers, seed);
  });
  check(
      effective, "stragglers", [&] { simulation::plan_speeds("", world.stragglers, peers, seed); });
}

std::unique_ptr<World> make_simulation(const WorldSettings& settings,
                                       const trainer::WorldRequest& request) {
  const SimulationRequest sim{.options = {.peers = request.peers,
                                          .seed = request.seed,
                                          .observer = request.observer,
                                          .slow_warning = request.slow_warning,
                                          .platform = settings.platform,
                                          .faults = settings.faults,
                                          .forecast = {.computing = request.computing,
                                                       .exchanges = request.exchanges,
                                                       .message_bytes = request.message_bytes},
                                          .host_speeds = settings.host_speeds,
                                          .stragglers = settings.stragglers,
                                          .stack_bytes = request.stack_bytes}};
  std::unique_ptr<World> world(open_simulation()(sim));
  if (world == nullptr) {
    throw ConfigError("on: " + std::string(kSimulationPluginFile) +
                      " is of another version than this program; build both from the same sources");
  }
  return world;
}

#else

void check_simulation(Effective& effective) {
  check(effective, "on", [] {
    throw ConfigError(
        "this build has no simulation; configure it with STARLING_BUILD_SIMULATION=ON");
  });
}

std::unique_ptr<World> make_simulation(const WorldSettings&, const trainer::WorldRequest&) {
  throw ConfigError("on: this build has no simulation");
}

#endif

}  // namespace

bool has_simulation() noexcept {
#ifdef STARLING_HAS_SIMULATION
  return true;
#else
  return false;
#endif
}

void check_world(Effective& effective) {
  if (effective.settings.world.on == WorldKind::simulation) {
    check_simulation(effective);
  }
}

trainer::WorldFactory world_factory(const WorldSettings& settings) {
  if (settings.on == WorldKind::threads) {
    return make_threads;
  }
  return [settings](const trainer::WorldRequest& request) {
    return make_simulation(settings, request);
  };
}

}  // namespace starling::cli
