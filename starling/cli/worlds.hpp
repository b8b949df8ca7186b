// The worlds this build has, made from what the user said about them.
#pragma once

#include "starling/cli/effective.hpp"
#include "starling/trainer/train.hpp"

namespace starling::cli {

/// Whether SimWorld is part of this build.
bool has_simulation() noexcept;

/// Adds a finding for a world this build does not have and for platforms, faults and speeds that
/// cannot be.
void check_world(Effective& effective);

/// @pre check_world() found nothing
trainer::WorldFactory world_factory(const WorldSettings& settings);

}  // namespace starling::cli
