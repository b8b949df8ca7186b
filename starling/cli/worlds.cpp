#include "starling/cli/worlds.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>

#include "starling/cli/checks.hpp"
#include "starling/core/error.hpp"
#include "starling/transport/threads/thread_world.hpp"

#ifdef STARLING_HAS_SIMULATION
#include "starling/cli/simulation_plugin.hpp"
#include "starling/objective/plugin.hpp"
#include "starling/simulation/actor_limit.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/host_speeds.hpp"
#include "starling/simulation/link_model.hpp"
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
  check(effective, "peers", [&] { simulation::check_actors(peers); });
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
                                       const trainer::WorldRequest& request,
                                       std::size_t byte_scale = 1) {
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
                                          .stack_bytes = request.stack_bytes,
                                          .byte_scale = byte_scale}};
  std::unique_ptr<World> world(open_simulation()(sim));
  if (world == nullptr) {
    throw ConfigError("on: " + std::string(kSimulationPluginFile) +
                      " is of another version than this program; build both from the same sources");
  }
  return world;
}

std::optional<collective::LinkModel> simulated_link(const Settings& settings) {
  const trainer::Experiment& common = settings.experiment;
  return simulation::link_model(
      simulation::parse_platform(settings.world.platform, common.peers), common.peers, common.seed);
}

double slowest_simulated(const Settings& settings) {
  const WorldSettings& world = settings.world;
  const std::size_t peers = settings.experiment.peers;
  const std::uint64_t seed = settings.experiment.seed;
  std::vector<double> speeds =
      simulation::plan_speeds(world.host_speeds, world.stragglers, peers, seed);
  const auto plan = simulation::plan_faults(world.faults, {.peers = peers, .seed = seed});
  for (const simulation::Fault& fault : plan.faults) {
    const bool is_always = fault.from == Time{} && fault.until == Time::max();
    if (fault.kind == simulation::Fault::Kind::slow && is_always && fault.peer) {
      speeds[fault.peer->value] /= fault.factor;
    }
  }
  return *std::min_element(speeds.begin(), speeds.end());
}

#else

void check_simulation(Effective& effective) {
  check(effective, "on", [] {
    throw ConfigError(
        "this build has no simulation; configure it with STARLING_BUILD_SIMULATION=ON");
  });
}

std::unique_ptr<World> make_simulation(const WorldSettings&,
                                       const trainer::WorldRequest&,
                                       std::size_t = 1) {
  throw ConfigError("on: this build has no simulation");
}

std::optional<collective::LinkModel> simulated_link(const Settings&) {
  return std::nullopt;
}

double slowest_simulated(const Settings&) {
  return 1.0;
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

std::unique_ptr<World> make_timed_world(const WorldSettings& settings,
                                        const trainer::WorldRequest& request,
                                        std::size_t scale) {
  return settings.on == WorldKind::threads ? make_threads(request)
                                           : make_simulation(settings, request, scale);
}

double slowest_speed(const Settings& settings) {
  return settings.world.on == WorldKind::threads ? 1.0 : slowest_simulated(settings);
}

std::optional<collective::LinkModel> known_link(const Settings& settings) {
  return settings.world.on == WorldKind::threads ? std::nullopt : simulated_link(settings);
}

std::vector<std::size_t> torus_of(const Settings& settings) {
  const auto link = known_link(settings);
  return link ? link->torus : std::vector<std::size_t>{};
}

}  // namespace starling::cli
