// What stands in the name of a network: "mlp:512x256:dropout=0.2".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starling::objective {

enum class NetworkFamily : std::uint8_t { linear, mlp, cnn };

/// A network's name taken apart.
struct NetworkName {
  NetworkFamily family = NetworkFamily::linear;
  std::vector<std::size_t> sizes;  ///< mlp: widths; cnn: channels; empty: the family's default
  double dropout = 0.0;            ///< in [0, 1)
};

/// Needs neither libtorch nor data, so that a slip of the finger is found before either is loaded.
/// @throws ConfigError for an unknown family or arguments out of range
NetworkName parse_network_name(const std::string& name);

}  // namespace starling::objective
