#include "starling/objective/plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include <dlfcn.h>

#include "starling/core/error.hpp"

namespace starling::objective {

namespace {

std::string list(std::span<const std::filesystem::path> paths) {
  std::string text;
  for (const auto& path : paths) {
    text += (text.empty() ? "" : ", ") + path.string();
  }
  return text;
}

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

/// What `name` stands for in the first candidate that exists. Opening a library again is cheap.
void* find_symbol(std::span<const std::filesystem::path> candidates, const char* name) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), [](const auto& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
  });
  if (found == candidates.end()) {
    throw ConfigError(
        "networks: this installation was built without libtorch: " +
        std::string(kNetworkPluginFile) + " was not found (looked for " + list(candidates) +
        "); build with -DSTARLING_BUILD_TORCH=ON (package libtorch-dev), set STARLING_PLUGIN_PATH, "
        "or use model 'logistic' or 'quadratic'");
  }
  // Local symbols: libtorch brings 288 libraries whose names must not meet ours.
  void* library = dlopen(found->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw ConfigError("networks: the plug-in " + found->string() +
                      " cannot be opened: " + last_error());
  }
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw ConfigError("networks: " + found->string() +
                      " is no plug-in of Starling: " + last_error());
  }
  return symbol;
}

}  // namespace

std::vector<std::filesystem::path> plugin_candidates() {
  std::vector<std::filesystem::path> candidates;
  if (const char* chosen = std::getenv("STARLING_PLUGIN_PATH"); chosen != nullptr && *chosen != 0) {
    const std::filesystem::path path(chosen);
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path, error);
    candidates.push_back(folder ? path / kNetworkPluginFile : path);
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto folder = program.parent_path();
    candidates.push_back(folder / kNetworkPluginFile);
    candidates.push_back(folder.parent_path() / "lib" / "starling" / kNetworkPluginFile);
  }
  candidates.push_back(std::filesystem::path(STARLING_PLUGIN_FOLDER) / kNetworkPluginFile);
  return candidates;
}

MakeNetwork& open_network_plugin(std::span<const std::filesystem::path> candidates) {
  return *reinterpret_cast<MakeNetwork*>(find_symbol(candidates, kMakeNetworkSymbol));
}

NetworkBackend network_backend(std::span<const std::filesystem::path> candidates) {
  void* symbol = find_symbol(candidates, kDescribeBackendSymbol);
  NetworkBackend backend;
  reinterpret_cast<DescribeBackend*>(symbol)(backend);
  return backend;
}

std::unique_ptr<Objective> make_network(MakeNetwork& make, const NetworkRequest& request) {
  std::unique_ptr<Objective> network(make(request));
  if (network == nullptr) {
    throw ConfigError("networks: the plug-in " + std::string(kNetworkPluginFile) +
                      " is of another version than this program (" + std::to_string(request.abi) +
                      "); build both from the same sources");
  }
  return network;
}

}  // namespace starling::objective
