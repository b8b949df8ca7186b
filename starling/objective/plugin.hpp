// Finds and opens the plug-in with the networks.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "starling/objective/network_plugin.hpp"

namespace starling::objective {

/// Where the plug-in is looked for, in this order: $STARLING_PLUGIN_PATH (a folder or the file
/// itself), beside the running program, in ../lib/starling from there, in the folder it is
/// installed to.
std::vector<std::filesystem::path> plugin_candidates();

/// Opens the first candidate that exists; it stays open until the process ends, since the objects
/// made by it live on its code. Opening one twice is cheap.
/// @throws ConfigError if none exists, or if the first that does cannot be opened
MakeNetwork& open_network_plugin(std::span<const std::filesystem::path> candidates);

/// What the networks compute with, for reports and for the stacks of simulated peers. Opens the
/// plug-in as open_network_plugin() does. @throws ConfigError likewise
NetworkBackend network_backend(std::span<const std::filesystem::path> candidates);

/// A network from an open plug-in. @throws ConfigError if the plug-in is of another version, and
/// what the plug-in itself refuses
std::unique_ptr<Objective> make_network(MakeNetwork& make, const NetworkRequest& request);

}  // namespace starling::objective
