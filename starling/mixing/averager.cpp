#include "starling/mixing/averager.hpp"

#include <utility>

#include "starling/collective/collective.hpp"
#include "starling/core/buffer.hpp"
#include "starling/core/span_math.hpp"
#include "starling/mixing/ceca.hpp"
#include "starling/mixing/doubly_stochastic.hpp"
#include "starling/mixing/push_sum.hpp"

namespace starling::mixing {

namespace {

MixingOptions options_of(const AveragingRound& round) {
  return {.round = round.round, .deadline = round.deadline};
}

/// What all of them keep: the vector they work on.
class OnValues : public Averager {
 public:
  void begin(std::span<const float> values) override {
    values_ = Buffer(values.size_bytes());
    copy(values, values_.mutable_values());
  }

  [[nodiscard]] std::span<const float> values() const override { return values_.values(); }

 protected:
  [[nodiscard]] std::span<float> own() { return values_.mutable_values(); }

 private:
  Buffer values_;
};

class Gossip final : public OnValues {
 public:
  Gossip(const Group& group, SharedTopology topology)
      : group_(group), topology_(std::move(topology)) {}

  void round(const AveragingRound& round) override {
    const std::size_t rank = group_.rank();
    const auto row = row_without(topology_->row(round.round, rank), rank, round.absent);
    mix_with_neighbours(own(), row, group_, options_of(round));
  }

 private:
  const Group& group_;
  SharedTopology topology_;
};

class Pushing final : public OnValues {
 public:
  Pushing(const Group& group, SharedTopology topology)
      : group_(group), topology_(std::move(topology)) {}

  void begin(std::span<const float> values) override {
    OnValues::begin(values);
    estimate_ = Buffer::copy_of(values);
  }

  void round(const AveragingRound& round) override {
    const std::size_t rank = group_.rank();
    const auto row = shares_without(topology_->row(round.round, rank), rank, round.absent);
    push_sum_.round(own(), row, group_, options_of(round));
    push_sum_.debias(own(), estimate_.mutable_values());
  }

  [[nodiscard]] std::span<const float> values() const override { return estimate_.values(); }

 private:
  const Group& group_;
  SharedTopology topology_;
  PushSum push_sum_;
  Buffer estimate_;  // x / w
};

class Ceca final : public OnValues {
 public:
  Ceca(const Group& group, topology::CecaSchedule schedule)
      : group_(group), schedule_(std::move(schedule)) {}

  void begin(std::span<const float> values) override {
    OnValues::begin(values);
    others_ = Buffer::copy_of(values);
  }

  void round(const AveragingRound& round) override {
    if (!round.absent.empty() || schedule_.rounds() == 0) {
      return;
    }
    const auto exchange = schedule_.exchange(next_, group_.rank());
    ceca_round(
        {.own = own(), .others = others_.mutable_values()}, exchange, group_, options_of(round));
    next_ = (next_ + 1) % schedule_.rounds();
  }

 private:
  const Group& group_;
  topology::CecaSchedule schedule_;
  std::size_t next_ = 0;  // round of the cycle
  Buffer others_;
};

class AllReduce final : public OnValues {
 public:
  AllReduce(const Group& group, std::string collective)
      : collective_(group), name_(std::move(collective)) {}

  void round(const AveragingRound& round) override {
    if (round.absent.empty()) {
      collective_.all_reduce(
          own(),
          collective::Reduction::mean,
          {.algorithm = name_, .deadline = round.deadline, .round = round.round});
    }
  }

 private:
  collective::Collective collective_;
  std::string name_;
};

class OnGrid final : public OnValues {
 public:
  OnGrid(const Group& group, SharedGrid grid, GridAverageOptions options)
      : average_(group, std::move(grid), std::move(options)) {}

  void round(const AveragingRound& round) override {
    average_.round(own(), options_of(round), round.absent);
  }

 private:
  GridAverage average_;
};

}  // namespace

MakeAverager gossip_averager(SharedTopology topology) {
  return [topology = std::move(topology)](const Group& group) {
    return std::make_unique<Gossip>(group, topology);
  };
}

MakeAverager push_sum_averager(SharedTopology topology) {
  return [topology = std::move(topology)](const Group& group) {
    return std::make_unique<Pushing>(group, topology);
  };
}

MakeAverager ceca_averager(topology::CecaSchedule schedule) {
  return [schedule = std::move(schedule)](const Group& group) {
    return std::make_unique<Ceca>(group, schedule);
  };
}

MakeAverager all_reduce_averager(std::string collective) {
  return [collective = std::move(collective)](const Group& group) {
    return std::make_unique<AllReduce>(group, collective);
  };
}

MakeAverager grid_averager(SharedGrid grid, GridAverageOptions options) {
  return [grid = std::move(grid), options = std::move(options)](const Group& group) {
    return std::make_unique<OnGrid>(group, grid, options);
  };
}

}  // namespace starling::mixing
