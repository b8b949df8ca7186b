#include "starling/cli/bench_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "starling/cli/table.hpp"
#include "starling/collective/catalog.hpp"
#include "starling/core/byte_size.hpp"

namespace starling::cli {

namespace {

constexpr std::array kHeadings{
    "SIZE", "TIME", "BUS BANDWIDTH", "SENT BY A PEER", "PREDICTED", "ERROR"};
constexpr std::size_t kColumns = 10;  // at least, of one of them

std::string joined(const std::string& name,
                   std::size_t name_columns,
                   const std::array<std::string, kHeadings.size()>& cells) {
  std::string text = fmt::format("{:<{}}", name, name_columns);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::size_t columns = std::max(std::string_view(kHeadings[k]).size(), kColumns);
    text += fmt::format("  {:>{}}", cells[k], columns);
  }
  return text + "\n";
}

std::string name_of(const trainer::TimingRow& row) {
  return row.chosen == row.algorithm ? row.algorithm : row.algorithm + " " + row.chosen;
}

}  // namespace

BenchTable::BenchTable(collective::Operation operation, std::span<const std::string> algorithms)
    : name_columns_(std::string_view("ALGORITHM").size()) {
  for (const std::string& name : algorithms) {
    name_columns_ = std::max(name_columns_, name.size());
    if (name != "auto") {
      continue;
    }
    for (const std::string& choice : collective::names_for(operation)) {
      name_columns_ = std::max(name_columns_, name.size() + 1 + choice.size());
    }
  }
}

std::string BenchTable::heading() const {
  std::array<std::string, kHeadings.size()> cells;
  std::copy(kHeadings.begin(), kHeadings.end(), cells.begin());
  return joined("ALGORITHM", name_columns_, cells);
}

std::string BenchTable::line(const trainer::TimingRow& row) const {
  const bool has_bandwidth = row.bus_bandwidth > 0.0;
  return joined(name_of(row),
                name_columns_,
                {row.bytes == 0 ? "-" : bytes_text(row.bytes),
                 human_seconds(row.seconds_median),
                 has_bandwidth ? human_bytes(row.bus_bandwidth) + "/s" : "-",
                 human_bytes(row.bytes_per_peer),
                 human_seconds(row.predicted_seconds),
                 fmt::format("{:+.1f} %", 100.0 * row.prediction_error())});
}

std::string bench_title(const Settings& settings) {
  const trainer::Timing& timing = settings.timing;
  std::string text = to_string(timing.operation);
  if (reduces(timing.operation)) {
    text += fmt::format(" ({})", to_string(timing.reduction));
  }
  if (timing.operation != collective::Operation::barrier) {
    text += fmt::format(" of {}", to_string(timing.type));
  }
  const std::size_t peers = settings.experiment.peers;
  text += fmt::format(", {} {} ", peers, peers == 1 ? "peer" : "peers");
  return text + (settings.world.on == WorldKind::threads
                     ? "on threads"
                     : "simulated on " + settings.world.platform);
}

std::string link_text(const collective::LinkModel& link) {
  std::string text = fmt::format("alpha {}", human_seconds(link.alpha_seconds));
  if (link.hop_seconds > 0.0) {
    text += fmt::format(
        ", {} {}", human_seconds(link.hop_seconds), link.torus.empty() ? "on the way" : "a hop");
  }
  text += fmt::format(", beta {:.3g} ns/B", link.beta_seconds_per_byte * 1e9);
  if (link.gamma_seconds_per_byte > 0.0) {
    text += fmt::format(", gamma {:.3g} ns/B", link.gamma_seconds_per_byte * 1e9);
  }
  return text;
}

}  // namespace starling::cli
