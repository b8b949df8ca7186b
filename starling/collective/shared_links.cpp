#include "starling/collective/shared_links.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Shares and rates that differ by less are equal but for rounding.
constexpr double kSame = 1e-12;

}  // namespace

SharedLinks::SharedLinks(std::size_t links) : links_(links) {}

SharedLinks::Flow SharedLinks::start(double now,
                                     std::span<const std::uint32_t> route,
                                     double seconds,
                                     double weight) {
  ensure(!route.empty() && weight > 0.0, "a flow crosses a link and has a weight", route.size());
  Flow flow = 0;
  if (unused_.empty()) {
    flow = static_cast<Flow>(flows_.size());
    flows_.emplace_back();
  } else {
    flow = unused_.back();
    unused_.pop_back();
  }
  State& state = flows_[flow];
  state.route = route;
  state.weight = weight;
  state.left = seconds;
  state.rate = 0.0;
  state.since = now;
  state.version += 1;
  state.is_running = true;
  for (const std::uint32_t link : route) {
    links_[link].flows.push_back(flow);
  }
  touch(state);
  return flow;
}

void SharedLinks::touch(const State& flow) {
  for (const std::uint32_t link : flow.route) {
    if (!links_[link].is_touched) {
      links_[link].is_touched = true;
      touched_.push_back(link);
    }
  }
}

void SharedLinks::share(double now) {
  if (touched_.empty()) {
    return;
  }
  find_who_meets();
  divide();
  for (std::size_t k = 0; k < meeting_flows_.size(); ++k) {
    const Flow flow = meeting_flows_[k];
    State& state = flows_[flow];
    const double before = old_rates_[k];
    if (std::abs(state.rate - before) <= kSame * before) {
      state.rate = before;
      continue;
    }
    state.left = std::max(0.0, state.left - before * (now - state.since));
    state.since = now;
    state.version += 1;
    ends_.push({now + state.left / state.rate, flow, state.version});
  }
}

/// Links and flows that have to do with the touched links, over links in common.
void SharedLinks::find_who_meets() {
  divisions_ += 1;
  meeting_flows_.clear();
  old_rates_.clear();
  meeting_links_.swap(touched_);
  touched_.clear();
  for (const std::uint32_t index : meeting_links_) {
    links_[index].is_touched = false;
    links_[index].seen = divisions_;
  }
  for (std::size_t k = 0; k < meeting_links_.size(); ++k) {
    Link& link = links_[meeting_links_[k]];
    link.free = 1.0;
    link.weights = 0.0;
    link.unsettled = link.flows.size();
    for (const Flow flow : link.flows) {
      State& state = flows_[flow];
      link.weights += state.weight;
      if (state.seen == divisions_) {
        continue;
      }
      state.seen = divisions_;
      state.is_settled = false;
      meeting_flows_.push_back(flow);
      old_rates_.push_back(state.rate);
      for (const std::uint32_t next : state.route) {
        if (links_[next].seen != divisions_) {
          links_[next].seen = divisions_;
          meeting_links_.push_back(next);
        }
      }
    }
  }
}

/// The links with the smallest share for a unit of weight settle the rates of their flows; then the
/// same with what is left.
void SharedLinks::divide() {
  const auto share_of = [this](std::uint32_t link) {
    return links_[link].free / links_[link].weights;
  };
  for (;;) {
    double least = std::numeric_limits<double>::infinity();
    const auto settled =
        std::remove_if(meeting_links_.begin(), meeting_links_.end(), [this](std::uint32_t link) {
          return links_[link].unsettled == 0;
        });
    meeting_links_.erase(settled, meeting_links_.end());
    if (meeting_links_.empty()) {
      return;
    }
    for (const std::uint32_t link : meeting_links_) {
      least = std::min(least, share_of(link));
    }
    full_links_.clear();
    std::copy_if(meeting_links_.begin(),
                 meeting_links_.end(),
                 std::back_inserter(full_links_),
                 [&](std::uint32_t link) { return share_of(link) <= least * (1.0 + kSame); });
    for (const std::uint32_t link : full_links_) {
      for (const Flow flow : links_[link].flows) {
        if (!flows_[flow].is_settled) {
          settle(flow, least * flows_[flow].weight);
        }
      }
    }
  }
}

void SharedLinks::settle(Flow flow, double rate) {
  State& state = flows_[flow];
  state.rate = rate;
  state.is_settled = true;
  for (const std::uint32_t index : state.route) {
    Link& link = links_[index];
    link.free = std::max(0.0, link.free - rate);
    link.weights -= state.weight;
    link.unsettled -= 1;
  }
}

void SharedLinks::drop_void_ends() {
  while (!ends_.empty()) {
    const End& next = ends_.top();
    if (flows_[next.flow].is_running && flows_[next.flow].version == next.version) {
      return;
    }
    ends_.pop();
  }
}

double SharedLinks::next_end() {
  drop_void_ends();
  return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().at;
}

SharedLinks::Flow SharedLinks::end_next() {
  drop_void_ends();
  ensure(!ends_.empty(), "a flow ends", flows_.size());
  const Flow flow = ends_.top().flow;
  ends_.pop();
  State& state = flows_[flow];
  state.is_running = false;
  for (const std::uint32_t index : state.route) {
    auto& others = links_[index].flows;
    others.erase(std::find(others.begin(), others.end(), flow));
  }
  touch(state);
  unused_.push_back(flow);
  return flow;
}

}  // namespace starling::collective
