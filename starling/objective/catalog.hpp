// The table of models and data sets, and making them from their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "starling/objective/dataset.hpp"
#include "starling/objective/objective.hpp"

namespace starling::objective {

/// One line of `starling list models` or `starling list data`.
struct CatalogEntry {
  std::string name;
  std::string summary;
  bool needs_torch = false;
  bool needs_data = true;  ///< models: false if samples play no part (quadratic)
};

std::span<const CatalogEntry> model_catalog();
std::span<const CatalogEntry> data_catalog();

/// The line of a model, found by its name with or without arguments. @throws ConfigError if there
/// is none
const CatalogEntry& model_entry(const std::string& model);

/// Looks at the text of a model's name alone: no data is needed, nothing is loaded.
/// @throws ConfigError for an unknown name or arguments that do not parse
void check_model(const std::string& model);

/// Training and test samples of one experiment; both null for models without data.
struct DataPair {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> test;
};

struct DataOptions {
  std::string name = "fashion-mnist";  ///< with arguments behind colons, see data_catalog()
  std::filesystem::path directory{};   ///< empty: the system's folder
  std::size_t peers = 1;               ///< synthetic data is drawn per peer
  std::uint64_t seed = 1;
};

/// @throws ConfigError for an unknown name, DataError for files that are not what they should be
DataPair load_data(const DataOptions& options);

struct ModelOptions {
  std::string name = "linear";  ///< with arguments behind colons, see model_catalog()
  std::size_t peers = 1;
  std::size_t rank = 0;  ///< whose objective: quadratic differs by peer
  std::uint64_t seed = 1;
  float l2 = 0.0F;  ///< logistic: weight of the L2 term in the loss
};

/// Makes the objective of the peer of a rank; may be called by several peers at a time.
using ObjectiveMaker = std::function<std::unique_ptr<Objective>(std::size_t rank)>;

/// What makes the objectives of all peers; what they share is worked out here, once. `train` gives
/// shapes (null for models without data) and outlives the maker. Networks come from the plug-in,
/// which is opened here. options.rank plays no part.
/// @throws ConfigError for an unknown name or data that does not fit the model
ObjectiveMaker prepare_objectives(const ModelOptions& options, const Dataset* train);

/// The objective of one peer. `train` gives shapes (null for models without data). Networks come
/// from the plug-in, which is opened at the first request.
/// @throws ConfigError for an unknown name or data that does not fit the model
std::unique_ptr<Objective> make_objective(const ModelOptions& options, const Dataset* train);

}  // namespace starling::objective
