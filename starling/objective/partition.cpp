#include "starling/objective/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/range.hpp"
#include "starling/core/text.hpp"
#include "starling/objective/spec.hpp"

namespace starling::objective {

namespace {

using Indices = std::vector<std::uint32_t>;

/// What a scheme is given.
struct Deal {
  const Dataset& data;
  Spec& spec;
  std::size_t peers;
  Random& random;
};

Indices all_samples(const Dataset& data) {
  Indices indices(data.size());
  std::iota(indices.begin(), indices.end(), std::uint32_t{0});
  return indices;
}

void append(Indices& shard, std::span<const std::uint32_t> samples) {
  shard.insert(shard.end(), samples.begin(), samples.end());
}

/// Cuts `samples` in the given shares (which sum to 1) and appends the pieces to the shards.
/// Cutting at the rounded running sum loses no sample and keeps every piece within one of its
/// share.
void cut_by_shares(std::span<const std::uint32_t> samples,
                   std::span<const double> shares,
                   Partition& partition) {
  double running = 0.0;
  std::size_t begin = 0;
  for (std::size_t peer = 0; peer < shares.size(); ++peer) {
    running += shares[peer];
    const double cut =
        std::round(std::clamp(running, 0.0, 1.0) * static_cast<double>(samples.size()));
    const bool last = peer + 1 == shares.size();
    const std::size_t end = last ? samples.size() : static_cast<std::size_t>(cut);
    append(partition[peer], part(samples, Range{begin, end}));
    begin = end;
  }
}

Partition iid(const Deal& deal) {
  Indices samples = all_samples(deal.data);
  deal.random.shuffle(std::span<std::uint32_t>(samples));
  Partition partition(deal.peers);
  for (std::size_t peer = 0; peer < deal.peers; ++peer) {
    append(partition[peer],
           part(std::span<const std::uint32_t>(samples), chunk(samples.size(), deal.peers, peer)));
  }
  return partition;
}

/// Shares drawn from Dirichlet(alpha, ..., alpha): gamma variates over their sum. In logarithms,
/// since a gamma variate of shape 0.01 is often below the smallest double: gamma(a) = gamma(a + 1)
/// u^(1/a).
std::vector<double> dirichlet_shares(double alpha, std::size_t peers, Random& random) {
  std::vector<double> logs(peers);
  for (double& value : logs) {
    value = std::log(random.gamma(alpha + 1.0)) + std::log(1.0 - random.uniform()) / alpha;
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double total = 0.0;
  for (double& value : logs) {
    total += value = std::exp(value - largest);
  }
  for (double& value : logs) {
    value /= total;
  }
  return logs;
}

Partition dirichlet(const Deal& deal) {
  const double alpha = deal.spec.positional_number("ALPHA", {.least = 1e-6, .most = 1e9});
  std::vector<Indices> by_class(deal.data.classes());
  for (const std::uint32_t sample : all_samples(deal.data)) {
    by_class[deal.data.label(sample)].push_back(sample);
  }
  Partition partition(deal.peers);
  for (Indices& samples : by_class) {
    deal.random.shuffle(std::span<std::uint32_t>(samples));
    cut_by_shares(samples, dirichlet_shares(alpha, deal.peers, deal.random), partition);
  }
  return partition;
}

/// Sorted by label, cut in peers * K pieces, K dealt to each peer (arXiv:1602.05629, section 3).
Partition shards(const Deal& deal) {
  const auto most = static_cast<double>(deal.data.size());
  const std::size_t each = deal.spec.positional_count("K", {.least = 1, .most = most});
  Indices samples = all_samples(deal.data);
  deal.random.shuffle(std::span<std::uint32_t>(samples));
  std::stable_sort(samples.begin(), samples.end(), [&](std::uint32_t a, std::uint32_t b) {
    return deal.data.label(a) < deal.data.label(b);
  });
  std::vector<std::size_t> pieces(deal.peers * each);
  std::iota(pieces.begin(), pieces.end(), std::size_t{0});
  deal.random.shuffle(std::span<std::size_t>(pieces));
  Partition partition(deal.peers);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    append(partition[k / each],
           part(std::span<const std::uint32_t>(samples),
                chunk(samples.size(), pieces.size(), pieces[k])));
  }
  return partition;
}

std::vector<double> read_fractions(const Deal& deal) {
  std::vector<double> fractions;
  for (const std::string& text : split(deal.spec.positional("SHARE,SHARE,..."), ',')) {
    const auto fraction = parse_double(text);
    if (!fraction || !(*fraction >= 0.0) || !(*fraction <= 1.0)) {
      deal.spec.refuse("a share is '" + text + "', expected a number from 0 to 1");
    }
    fractions.push_back(*fraction);
  }
  return fractions;
}

Partition fractions(const Deal& deal) {
  constexpr double kRounding = 1e-6;  // shares typed with seven digits are meant to be exact
  const std::vector<double> shares = read_fractions(deal);
  if (shares.size() != deal.peers) {
    deal.spec.refuse(std::to_string(shares.size()) + " shares for " + std::to_string(deal.peers) +
                     " peers, expected one share a peer");
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (std::abs(sum - 1.0) > kRounding) {
    std::ostringstream text;
    text.precision(8);
    text << "the shares sum to " << sum << ", expected 1";
    deal.spec.refuse(text.str());
  }
  Indices samples = all_samples(deal.data);
  deal.random.shuffle(std::span<std::uint32_t>(samples));
  Partition partition(deal.peers);
  cut_by_shares(samples, shares, partition);
  return partition;
}

Partition own(const Deal& deal) {
  const auto sizes = deal.data.samples_by_peer();
  if (sizes.empty()) {
    deal.spec.refuse("data '" + deal.data.name() +
                     "' is one set for all peers; 'own' is for data that is drawn for each peer: "
                     "synthetic-logistic");
  }
  if (sizes.size() != deal.peers) {
    deal.spec.refuse("data '" + deal.data.name() + "' was drawn for " +
                     std::to_string(sizes.size()) + " peers, not for " +
                     std::to_string(deal.peers));
  }
  const Indices samples = all_samples(deal.data);
  Partition partition(deal.peers);
  std::size_t begin = 0;
  for (std::size_t peer = 0; peer < deal.peers; ++peer) {
    append(partition[peer],
           part(std::span<const std::uint32_t>(samples), Range{begin, begin + sizes[peer]}));
    begin += sizes[peer];
  }
  return partition;
}

struct Line {
  const char* name;
  Partition (*make)(const Deal&);
  const char* usage;
  const char* summary;
};

constexpr std::array kLines = {
    Line{"iid", iid, "iid", "shuffled, near-equal shards"},
    Line{"dirichlet",
         dirichlet,
         "dirichlet:ALPHA",
         "each class is cut by shares from a Dirichlet distribution; a small ALPHA skews labels"},
    Line{"shards", shards, "shards:K", "sorted by label, K pieces to each peer"},
    Line{"fractions", fractions, "fractions:SHARE,SHARE,...", "shuffled, the given shares"},
    Line{"own", own, "own", "synthetic data: each peer keeps the samples drawn for it"},
};

}  // namespace

std::span<const PartitionScheme> partition_schemes() {
  static const std::vector<PartitionScheme> schemes = [] {
    std::vector<PartitionScheme> all;
    all.reserve(kLines.size());
    for (const Line& line : kLines) {
      all.push_back({line.usage, line.summary});
    }
    return all;
  }();
  return schemes;
}

Partition make_partition(const Dataset& data, const PartitionOptions& options) {
  ensure(options.peers >= 1, "a partition needs at least one peer");
  Spec spec("partition", options.scheme);
  const auto* const line = std::find_if(
      kLines.begin(), kLines.end(), [&](const Line& l) { return spec.name() == l.name; });
  if (line == kLines.end()) {
    std::vector<std::string> names;
    names.reserve(kLines.size());
    for (const Line& known : kLines) {
      names.emplace_back(known.name);
    }
    spec.refuse("there is no such scheme" + suggestion(spec.name(), names));
  }
  Random random(stream_key(options.seed, stream_key("partition")));
  Partition partition = line->make({data, spec, options.peers, random});
  spec.finish();
  return partition;
}

}  // namespace starling::objective
