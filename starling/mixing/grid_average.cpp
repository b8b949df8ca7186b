#include "starling/mixing/grid_average.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "starling/collective/collective.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

using collective::CollectiveOptions;
using collective::Reduction;

/// Counts travel as floats, which hold every whole number up to here.
constexpr std::size_t kPeersMax = std::size_t{1} << 24;

std::string not_finite_text(const Group& group,
                            std::span<const float> model,
                            const MixingOptions& options) {
  const std::size_t element = first_not_finite(model);
  return "round " + std::to_string(options.round) + ": the model of " +
         to_string(group.peer().id()) + " is not finite " +
         (options.layout != nullptr ? "in " + options.layout->tensor_of(element)
                                    : "at element " + std::to_string(element));
}

/// What the members of a group tell each other after an all-reduce: that they have the sum, or by
/// whose fault they have not. Who tells nothing is lost.
class Verdicts {
 public:
  /// Both outlive this.
  Verdicts(const Group& group, const MixingOptions& options) : group_(group), options_(options) {}

  /// This peer has no sum.
  void miss(const Failure& failure) {
    own_ = kUnknown;
    for (std::size_t place = 0; place < group_.size(); ++place) {
      if (group_.member(place) == failure.culprit && place != group_.rank()) {
        own_ = culprit(place);
        note_lost(place, failure.message());
      }
    }
    all_have_it_ = false;
  }

  void exchange(Deadline deadline) {
    const Stamp stamp{.operation = operation(), .round = options_.round};
    const Buffer payload = Buffer::copy_of(std::span(&own_, 1));
    for (std::size_t place = 0; place < group_.size(); ++place) {
      if (place != group_.rank() && !is_lost(place)) {
        const auto sent = group_.send(place, kTag, stamp, payload.share(), deadline);
        if (!sent) {
          note_lost(place, sent.error().message());
        }
      }
    }
    for (std::size_t place = 0; place < group_.size(); ++place) {
      if (place != group_.rank() && !is_lost(place)) {
        hear(place, deadline);
      }
    }
  }

  [[nodiscard]] bool all_have_it() const { return all_have_it_; }

  /// Places in the group, ascending.
  [[nodiscard]] const std::vector<std::size_t>& lost() const { return lost_; }

 private:
  static constexpr Tag kTag{Purpose::mixing, 1};
  static constexpr float kHasIt = 0.0F;
  static constexpr float kUnknown = -1.0F;

  const Group& group_;
  const MixingOptions& options_;
  float own_ = kHasIt;
  bool all_have_it_ = true;
  std::vector<std::size_t> lost_;

  static std::uint32_t operation() {
    return static_cast<std::uint32_t>(stream_key("mixing/grid-average"));
  }

  static float culprit(std::size_t place) { return static_cast<float>(place + 1); }

  [[nodiscard]] bool is_lost(std::size_t place) const {
    return std::binary_search(lost_.begin(), lost_.end(), place);
  }

  void note_lost(std::size_t place, const std::string& reason) {
    if (!is_lost(place)) {
      lost_.insert(std::upper_bound(lost_.begin(), lost_.end(), place), place);
      group_.peer().emit(PartnerLost{group_.member(place), options_.round, reason});
    }
  }

  void hear(std::size_t place, Deadline deadline) {
    float verdict = kHasIt;
    Expected expected{{.operation = operation(), .round = options_.round}, sizeof verdict};
    const auto heard = group_.receive_into(place, kTag, expected, std::span(&verdict, 1), deadline);
    if (!heard) {
      note_lost(place, heard.error().message());
      return;
    }
    all_have_it_ = all_have_it_ && verdict == kHasIt;
    for (std::size_t other = 0; other < group_.size(); ++other) {
      if (verdict == culprit(other) && other != group_.rank()) {
        note_lost(other, to_string(group_.member(place)) + " has lost it");
      }
    }
  }
};

/// Half of the time that is left, where there may be a second attempt.
Deadline deadline_of_attempt(const Group& group, const MixingOptions& options) {
  if (options.on_loss == OnLoss::stop) {
    return options.deadline;
  }
  const Time now = group.peer().clock().now();
  return Deadline{now + std::max((options.deadline.at - now) / 2, Duration::zero())};
}

}  // namespace

const char* to_string(GridWeights weights) noexcept {
  return weights == GridWeights::counts ? "counts" : "equal";
}

/// The group of one axis, as long as its members stay the same.
struct GridAverage::Line {
  Line(const Group& everyone, std::vector<std::size_t> members, std::uint32_t version)
      : ranks(std::move(members)), group(group_of(everyone, ranks, version)), operations(group) {}

  std::vector<std::size_t> ranks;  ///< in the whole group
  Group group;
  collective::Collective operations;

  static Group group_of(const Group& everyone,
                        const std::vector<std::size_t>& ranks,
                        std::uint32_t version) {
    std::vector<PeerId> members;
    members.reserve(ranks.size());
    for (const std::size_t rank : ranks) {
      members.push_back(everyone.member(rank));
    }
    return {everyone.peer(), std::move(members), version};
  }
};

/// What one all-reduce of a round is about.
struct GridAverage::Attempt {
  Line& line;
  const MixingOptions& options;
  std::size_t axis = 0;
  std::uint64_t weight = 1;   ///< of the own model; 0: it is not used
  std::uint64_t nominal = 1;  ///< what a model weighs on a full grid; nothing is multiplied then
  bool weighted = true;       ///< the sum of the weights travels behind the models
};

GridAverage::GridAverage(const Group& group,
                         std::shared_ptr<const topology::GridGroups> grid,
                         GridAverageOptions options)
    : group_(group), grid_(std::move(grid)), options_(std::move(options)) {
  ensure(grid_ != nullptr && grid_->peers() == group.size(),
         "a grid has a cell for every member of the group",
         group.size());
  ensure(group.size() <= kPeersMax, "counts are exact in a float", group.size(), kPeersMax);
  lines_.resize(grid_->axes());
  losses_.resize(grid_->axes());
}

GridAverage::~GridAverage() = default;

MixingReport GridAverage::round(std::span<float> model,
                                const MixingOptions& options,
                                Absent absent) {
  MixingReport report;
  const auto axis = static_cast<std::size_t>(options.round % grid_->axes());
  if (axis == 0) {
    count_ = 1;
  }
  if (is_absent(absent, group_.rank())) {
    return report;
  }
  const bool usable = own_is_usable(model, options, report);
  for (;;) {
    Line& line = line_along(axis, absent);
    if (line.ranks.size() == 1 && usable) {
      return report;
    }
    const Attempt attempt = attempt_on(line, axis, usable ? count_ : 0, options);
    if (options.on_loss == OnLoss::stop) {
      take(attempt, reduce(attempt, model), model);
      return report;
    }
    if (reduce_or_regroup(attempt, model, report)) {
      return report;
    }
  }
}

bool GridAverage::own_is_usable(std::span<const float> model,
                                const MixingOptions& options,
                                MixingReport& report) const {
  if (is_finite(model)) {
    return true;
  }
  if (options.not_finite != NotFinite::skip_peer) {
    throw NotFiniteError(not_finite_text(group_, model, options) + "; " +
                         advice(options.not_finite));
  }
  ++report.rejected;
  const std::string tensor =
      options.layout != nullptr ? options.layout->tensor_of(first_not_finite(model)) : "";
  group_.peer().emit(ContributionRejected{
      group_.peer().id(), options.round, tensor, to_string(options.not_finite)});
  return false;
}

GridAverage::Line& GridAverage::line_along(std::size_t axis, Absent absent) {
  std::vector<std::size_t> ranks = grid_->line(group_.rank(), axis);
  std::erase_if(
      ranks, [&](std::size_t rank) { return is_absent(absent, rank) || is_absent(gone_, rank); });
  std::unique_ptr<Line>& line = lines_[axis];
  if (line == nullptr || line->ranks != ranks) {
    line = std::make_unique<Line>(group_, std::move(ranks), group_.version() + losses_[axis]);
  }
  return *line;
}

std::uint64_t GridAverage::nominal_count(std::size_t axis) const {
  std::uint64_t count = 1;
  for (std::size_t earlier = 0; earlier < axis; ++earlier) {
    count *= grid_->extents()[earlier];
  }
  return count;
}

GridAverage::Attempt GridAverage::attempt_on(Line& line,
                                             std::size_t axis,
                                             std::uint64_t own_weight,
                                             const MixingOptions& options) const {
  const bool counts = options_.weights == GridWeights::counts;
  return {line,
          options,
          axis,
          own_weight,
          counts ? nominal_count(axis) : 1,
          counts || options.not_finite == NotFinite::skip_peer};
}

/// The means, or the weighted sums with the sum of the weights behind them. Weights are relative to
/// the nominal one for the models and whole numbers for their sum, which is exact.
Buffer GridAverage::reduce(const Attempt& attempt, std::span<const float> model) const {
  const CollectiveOptions how{.algorithm = options_.collective,
                              .deadline = deadline_of_attempt(group_, attempt.options),
                              .round = attempt.options.round};
  collective::Collective& operations = attempt.line.operations;
  if (!attempt.weighted) {
    Buffer means(model.size_bytes());
    operations.all_reduce(model, means.mutable_values(), Reduction::mean, how);
    return means;
  }
  Buffer weighed((model.size() + 1) * sizeof(float));
  Buffer sums(weighed.size());
  const std::span<float> own = weighed.mutable_values();
  if (attempt.weight == attempt.nominal) {
    copy(model, own.first(model.size()));
  } else if (attempt.weight == 0) {
    std::fill(own.begin(), own.end(), 0.0F);
  } else {
    const double relative =
        static_cast<double>(attempt.weight) / static_cast<double>(attempt.nominal);
    scaled_copy(static_cast<float>(relative), model, own.first(model.size()));
  }
  own.back() = static_cast<float>(attempt.weight);
  operations.all_reduce(own, sums.mutable_values(), Reduction::sum, how);
  return sums;
}

void GridAverage::take(const Attempt& attempt, const Buffer& sums, std::span<float> model) {
  if (!attempt.weighted) {
    copy(sums.values(), model);
    return;
  }
  const float total = sums.values().back();
  if (total == 0.0F) {
    throw NotFiniteError("round " + std::to_string(attempt.options.round) +
                         ": no peer of the group has a finite model, " +
                         to_string(group_.peer().id()) + " not either; " +
                         advice(NotFinite::skip_peer));
  }
  const double factor = static_cast<double>(attempt.nominal) / double{total};
  scaled_copy(static_cast<float>(factor), sums.values().first(model.size()), model);
  if (options_.weights == GridWeights::counts) {
    count_ = static_cast<std::uint64_t>(total);
  }
}

/// @return whether the round is over: the sum was taken, or there is nobody to leave out
bool GridAverage::reduce_or_regroup(const Attempt& attempt,
                                    std::span<float> model,
                                    MixingReport& report) {
  Verdicts verdicts(attempt.line.group, attempt.options);
  std::optional<Buffer> sums;
  try {
    sums = reduce(attempt, model);
  } catch (const PeerLost& lost) {
    verdicts.miss(lost.failure());
  }
  verdicts.exchange(deadline_of_attempt(group_, attempt.options));
  report.lost += verdicts.lost().size();
  const bool all_have_it = verdicts.all_have_it();
  const bool has_changed = !verdicts.lost().empty();
  if (all_have_it) {
    take(attempt, *sums, model);
  }
  leave_out(attempt, verdicts.lost());
  return all_have_it || !has_changed;
}

/// After this the line is gone: the next one is formed without them.
void GridAverage::leave_out(const Attempt& attempt, const std::vector<std::size_t>& places) {
  if (places.empty()) {
    return;
  }
  for (const std::size_t place : places) {
    const std::size_t rank = attempt.line.ranks[place];
    gone_.insert(std::upper_bound(gone_.begin(), gone_.end(), rank), rank);
  }
  ++losses_[attempt.axis];
  lines_[attempt.axis].reset();
}

}  // namespace starling::mixing
