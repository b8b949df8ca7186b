#include "starling/mixing/averager_catalog.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::mixing {

namespace {

struct Line {
  AveragerEntry entry;
  PreparedAverager (*prepare)(const AveragerOptions& options);
};

std::string word_of(const std::string& name) {
  return name.substr(0, name.find(':'));
}

SharedTopology topology_called(const std::string& name, const AveragerOptions& options) {
  return topology::make_topology({.name = name,
                                  .weights = options.weights,
                                  .peers = options.peers,
                                  .seed = options.seed,
                                  .needs = topology::Needs::columns});
}

[[noreturn]] void refuse_weights(const topology::Topology& topology) {
  throw ConfigError("averager " + topology.name() +
                    ": the columns of its weights do not sum to 1, so its rounds keep no mean; use "
                    "weights whose rows and columns do (a file without weights pushes)");
}

PreparedAverager prepare_push_sum(const AveragerOptions& options) {
  const std::string word = word_of(options.name);
  if (options.name.size() <= word.size() + 1) {
    throw ConfigError("averager push-sum: expected a topology behind it, push-sum:exponential");
  }
  const SharedTopology topology = topology_called(options.name.substr(word.size() + 1), options);
  if (!topology->traits().column_stochastic) {
    refuse_weights(*topology);
  }
  return {"push-sum over " + topology->name(), push_sum_averager(topology)};
}

PreparedAverager prepare_topology(const AveragerOptions& options) {
  const SharedTopology topology = topology_called(options.name, options);
  const topology::Traits traits = topology->traits();
  if (!traits.column_stochastic) {
    refuse_weights(*topology);
  }
  if (traits.row_stochastic) {
    return {"gossip over " + topology->name(), gossip_averager(topology)};
  }
  return {"push-sum over " + topology->name(), push_sum_averager(topology)};
}

void check_collective(const std::string& name) {
  if (name != "auto") {
    collective::find_algorithm(name, collective::Operation::all_reduce);
  }
}

void require_no_argument(const AveragerOptions& options) {
  const std::string word = word_of(options.name);
  if (word != options.name) {
    throw ConfigError("averager " + word + ": takes no argument, found '" +
                      options.name.substr(word.size()) + "'");
  }
}

PreparedAverager prepare_all_reduce(const AveragerOptions& options) {
  require_no_argument(options);
  check_collective(options.collective);
  return {"all-reduce by " + options.collective, all_reduce_averager(options.collective)};
}

PreparedAverager prepare_grid(const AveragerOptions& options) {
  require_no_argument(options);
  check_collective(options.collective);
  topology::GridExtents extents = options.grid.empty()
                                      ? topology::square_grid(options.peers)
                                      : topology::parse_grid(options.grid, options.peers);
  std::string how = "groups of grid " + topology::to_string(extents) + ", weights " +
                    to_string(options.grid_weights);
  auto grid = std::make_shared<const topology::GridGroups>(
      topology::GridGroups::scattered(std::move(extents), options.peers, options.seed));
  return {std::move(how),
          grid_averager(std::move(grid),
                        {.weights = options.grid_weights, .collective = options.collective})};
}

PreparedAverager prepare_ceca(const AveragerOptions& options) {
  const std::string argument = options.name.substr(word_of(options.name).size());
  if (!argument.empty() && argument != ":1" && argument != ":2") {
    throw ConfigError("averager ceca: has 1 or 2 ports, found '" + argument + "'");
  }
  const auto ports = argument == ":1" ? topology::CecaPorts::one : topology::CecaPorts::two;
  return {argument == ":1" ? "CECA with one port" : "CECA with two ports",
          ceca_averager(topology::CecaSchedule(options.peers, ports))};
}

/// The one table. A name belongs to the line that begins with its first word; the names of
/// topologies belong to the last.
const std::vector<Line>& table() {
  static const std::vector<Line> lines{
      {{"all-reduce",
        "the exact mean of all in one round",
        "a round in which anybody is absent changes nothing",
        {"collective"}},
       prepare_all_reduce},
      {{"ceca:PORTS",
        "the exact mean after ceil(log2 n) rounds of one vector sent (arXiv:2306.00256); 2 ports",
        "a round in which anybody is absent changes nothing",
        {}},
       prepare_ceca},
      {{"moshpit-grid",
        "the exact mean of a line of a grid, axis after axis (Moshpit SGD, arXiv:2103.03239)",
        "a group averages those who are there",
        {"grid", "grid-weights", "collective"}},
       prepare_grid},
      {{"push-sum:TOPOLOGY",
        "pushes shares with a weight, and divides by it (SGP, arXiv:1811.10792)",
        "a share that cannot be sent stays at home: the mean is kept",
        {"weights"}},
       prepare_push_sum},
      {{"TOPOLOGY",
        "x <- W x with any of starling list topologies; push-sum where only columns sum to 1",
        "an absent neighbour's weight stays at home: the mean is kept where W is symmetric",
        {"weights"}},
       prepare_topology},
  };
  return lines;
}

bool is_topology(const std::string& word) {
  const auto entries = topology::catalog();
  return std::any_of(entries.begin(), entries.end(), [&](const topology::CatalogEntry& entry) {
    return word_of(entry.name) == word;
  });
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> words;
  for (const Line& line : table()) {
    words.push_back(word_of(line.entry.name));
  }
  words.pop_back();  // TOPOLOGY stands for names
  for (const topology::CatalogEntry& entry : topology::catalog()) {
    words.push_back(word_of(entry.name));
  }
  throw ConfigError("averager: unknown name '" + name + "'" + suggestion(word_of(name), words));
}

const Line& line_of(const std::string& name) {
  const std::string word = word_of(name);
  const std::vector<Line>& lines = table();
  if (is_topology(word)) {
    return lines.back();
  }
  const auto found = std::find_if(lines.begin(), std::prev(lines.end()), [&](const Line& line) {
    return word_of(line.entry.name) == word;
  });
  if (found == std::prev(lines.end())) {
    refuse_name(name);
  }
  return *found;
}

}  // namespace

std::span<const AveragerEntry> averager_catalog() {
  static const std::vector<AveragerEntry> entries = [] {
    std::vector<AveragerEntry> list;
    for (const Line& line : table()) {
      list.push_back(line.entry);
    }
    return list;
  }();
  return entries;
}

const AveragerEntry& find_averager(const std::string& name) {
  return line_of(name).entry;
}

PreparedAverager prepare_averager(const AveragerOptions& options) {
  if (options.peers == 0) {
    throw ConfigError("averager " + options.name + ": needs at least 1 peer, found 0");
  }
  return line_of(options.name).prepare(options);
}

}  // namespace starling::mixing
