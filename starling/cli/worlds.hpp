// The worlds this build has, made from what the user said about them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "starling/cli/effective.hpp"
#include "starling/collective/cost.hpp"
#include "starling/trainer/train.hpp"

namespace starling::cli {

/// Whether SimWorld is part of this build.
bool has_simulation() noexcept;

/// Adds a finding for a world this build does not have and for platforms, faults and speeds that
/// cannot be.
void check_world(Effective& effective);

/// @pre check_world() found nothing
trainer::WorldFactory world_factory(const WorldSettings& settings);

/// For what is timed: in simulation every byte counts as `scale` of them.
/// @pre check_world() found nothing
std::unique_ptr<World> make_timed_world(const WorldSettings& settings,
                                        const trainer::WorldRequest& request,
                                        std::size_t scale);

/// Speed of the slowest host of a simulation as far as it is known beforehand: without what a
/// platform file says of its hosts, and without faults that come or go.
/// @pre check_world() found nothing
double slowest_speed(const Settings& settings);

/// What the cost model knows of the simulated network; nothing of threads, and of a platform file.
/// @pre check_world() found nothing
std::optional<collective::LinkModel> known_link(const Settings& settings);

/// Extents of the simulated torus; empty on other networks.
std::vector<std::size_t> torus_of(const Settings& settings);

}  // namespace starling::cli
