#include "starling/simulation/links.hpp"

#include <algorithm>

namespace starling::simulation {

namespace {

std::pair<PeerId, PeerId> either_way(PeerId a, PeerId b) {
  return std::minmax(a, b);
}

}  // namespace

Links::Links(Scheduler& scheduler,
             std::size_t peers,
             const FaultPlan& faults,
             std::uint64_t seed,
             std::function<void()> changed)
    : scheduler_(scheduler),
      seed_(seed),
      changed_(std::move(changed)),
      chance_(peers),
      peers_down_(peers, 0) {
  for (const Fault& fault : faults.faults) {
    if (fault.kind == Fault::Kind::delay) {
      delays_.push_back(fault);
    }
    if (fault.kind != Fault::Kind::link_down) {
      continue;
    }
    scheduler_.at(fault.from, [this, fault] { change(fault, true); });
    if (fault.until < Time::max()) {
      scheduler_.at(fault.until, [this, fault] { change(fault, false); });
    }
  }
}

bool Links::cut(PeerId from, PeerId to) const {
  if (peers_down_[from.value] > 0 || peers_down_[to.value] > 0) {
    return true;
  }
  const auto pair = pairs_down_.find(either_way(from, to));
  return pair != pairs_down_.end() && pair->second > 0;
}

Duration Links::draw_delay(PeerId from, PeerId to) {
  Duration late{};
  const Time now = scheduler_.now();
  for (const Fault& fault : delays_) {
    const bool concerned = (!fault.peer || *fault.peer == from) &&
                           (!fault.other || *fault.other == to) && fault.from <= now &&
                           now < fault.until;
    if (!concerned) {
      continue;
    }
    std::optional<Random>& random = chance_[from.value];
    if (!random) {
      random.emplace(stream_key(seed_, from.value), stream_key("simulation.delay"));
    }
    if (random->bernoulli(fault.probability)) {
      late += fault.by;
    }
  }
  return late;
}

void Links::change(const Fault& fault, bool down) {
  std::size_t& count = fault.other ? pairs_down_[either_way(*fault.peer, *fault.other)]
                                   : peers_down_[fault.peer->value];
  if (down) {
    ++count;
  } else {
    --count;
  }
  changed_();
}

}  // namespace starling::simulation
