#include "starling/simulation/sim_world.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/simulation/actor_limit.hpp"
#include "starling/simulation/host_speeds.hpp"
#include "starling/simulation/sim_run.hpp"

namespace starling {

namespace {

void expect_positive(Duration duration, const char* what) {
  if (duration > Duration{}) {
    return;
  }
  throw ConfigError("simulation: " + std::string(what) + " must be positive, found " +
                    std::to_string(seconds(duration)) + " s");
}

Duration length_of(const SimOptions& options, const simulation::Platform& platform) {
  constexpr double kLongest = 1e9;  // seconds: a clock of nanoseconds holds nine times as much
  const RunForecast& forecast = options.forecast;
  const Duration transfer =
      simulation::typical_transfer(platform, options.peers, options.seed, forecast.message_bytes);
  const double length = seconds(forecast.computing) + forecast.exchanges * seconds(transfer);
  return from_seconds(std::min(kLongest, length));
}

}  // namespace

struct SimWorld::Plan : simulation::SimPlan {};

void SimOptions::validate() const {
  if (peers == 0) {
    throw ConfigError("simulation: expected at least 1 peer, found 0");
  }
  expect_positive(slow_warning, "the warning time of a wait");
  expect_positive(detection, "the time until a dead host is noticed");
  expect_positive(stall_patience, "the patience with a stalled run");
  expect_positive(directory_delay, "the delay of the directory");
  if (forecast.computing < Duration{} || !(forecast.exchanges >= 0.0)) {
    throw ConfigError("simulation: the forecast of a run must not be negative");
  }
  if (time_limit < Duration{}) {
    throw ConfigError("simulation: the time limit must not be negative");
  }
  if (!(directory_loss >= 0 && directory_loss <= 1)) {
    throw ConfigError(
        "simulation: the share of lost looks into the directory must be 0 to 1, found " +
        std::to_string(directory_loss));
  }
  constexpr std::size_t kScaleMax = std::size_t{1} << 30U;
  if (byte_scale == 0 || byte_scale > kScaleMax) {
    throw ConfigError("simulation: a byte stands for 1 to 2^30 bytes, found " +
                      std::to_string(byte_scale));
  }
  constexpr std::size_t kStackMin = std::size_t{32} * 1024;
  constexpr std::size_t kStackMax = std::size_t{1} << 30U;
  if (stack_bytes < kStackMin || stack_bytes > kStackMax) {
    throw ConfigError("simulation: the stack of an actor must be 32 KiB to 1 GiB, found " +
                      std::to_string(stack_bytes) + " bytes");
  }
}

SimWorld::SimWorld(const SimOptions& options)
    : options_(options), plan_(std::make_unique<Plan>()), incarnations_(options.peers, 0) {
  options_.validate();
  simulation::check_actors(options_.peers);
  plan_->platform = simulation::parse_platform(options_.platform, options_.peers);
  plan_->faults = simulation::plan_faults(options_.faults,
                                          {.peers = options_.peers,
                                           .seed = options_.seed,
                                           .run_length = length_of(options_, plan_->platform)});
  plan_->speeds = simulation::plan_speeds(
      options_.host_speeds, options_.stragglers, options_.peers, options_.seed);
  if (plan_->platform.kind == simulation::Platform::Kind::file) {
    const simulation::Kernel probe(plan_->platform,
                                   {options_.peers, options_.seed, options_.stack_bytes});
  }
}

SimWorld::~SimWorld() = default;

RunReport SimWorld::run(const std::function<void(Peer&)>& body) {
  return simulation::SimRun(options_, *plan_, body, incarnations_).run();
}

std::uint32_t SimWorld::incarnation(PeerId peer) const {
  ensure(peer.value < incarnations_.size(),
         "no such peer in this world",
         peer.value,
         incarnations_.size());
  return incarnations_[peer.value];
}

}  // namespace starling
