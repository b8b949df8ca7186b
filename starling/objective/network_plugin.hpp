// The border between the program and starling-torch.so, which holds the networks: two C functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "starling/objective/objective.hpp"

namespace starling::objective {

/// Raised whenever a function below, NetworkRequest, NetworkBackend, Objective, Dataset, Layout or
/// Random change their form.
inline constexpr unsigned kNetworkAbi = 2;

/// The plug-in's file, and the symbols looked up in it.
inline constexpr const char* kNetworkPluginFile = "starling-torch.so";
inline constexpr const char* kMakeNetworkSymbol = "starling_make_network";
inline constexpr const char* kDescribeBackendSymbol = "starling_network_backend";

/// Which network. Everything pointed to is valid during the call only.
struct NetworkRequest {
  unsigned abi = kNetworkAbi;  ///< always the first field, so that any plug-in can read it
  const char* name = nullptr;  ///< with arguments behind colons: "cnn", "mlp:256"
  std::span<const std::size_t> sample_shape;  ///< of the data, e.g. {1, 28, 28}
  std::size_t classes = 0;
  std::uint64_t seed = 1;
};

/// Makes the network; the caller owns it. Returns null, having read nothing else, if request.abi is
/// not the plug-in's own kNetworkAbi. @throws ConfigError for an unknown network, arguments out of
/// range or a shape that does not fit. Declared in the plug-in as
///   extern "C" starling::objective::Objective* starling_make_network(
///       const starling::objective::NetworkRequest& request);
using MakeNetwork = Objective*(const NetworkRequest& request);

/// What the networks compute with.
struct NetworkBackend {
  /// Versions, kernels and threads that decide the bits of a result, e.g. "libtorch 1.13.0 (AVX2),
  /// oneDNN v2.6.3, OpenBLAS SkylakeX, threads 1 + 1". Lives as long as the process.
  const char* description = nullptr;
  std::size_t stack_bytes = 0;  ///< what a call of a network needs on the stack, with room to spare
};

/// Fills `backend`. Declared in the plug-in as
///   extern "C" void starling_network_backend(starling::objective::NetworkBackend& backend);
using DescribeBackend = void(NetworkBackend& backend);

}  // namespace starling::objective
