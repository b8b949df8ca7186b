// Schedules of whole groups for tests: played on numbers, and laid over the links of a torus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "starling/collective/cost.hpp"
#include "starling/collective/schedule.hpp"

namespace starling::testing {

/// Every rank's vector after its schedule, added in the order it says.
inline std::vector<std::vector<float>> played(const std::vector<collective::Schedule>& schedules,
                                              std::vector<std::vector<float>> vectors) {
  using collective::Action;
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // lane, from, to
  const std::size_t elements = vectors.front().size();
  std::map<Key, std::vector<std::vector<float>>> under_way;
  const auto visit = [&](std::size_t round, auto act) {
    bool any = false;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      for (std::size_t lane = 0; lane < schedules[rank].lanes.size(); ++lane) {
        if (round >= schedules[rank].lanes[lane].rounds()) {
          continue;
        }
        any = true;
        for (const auto& each : schedules[rank].lanes[lane].round(round)) {
          act(rank, lane, each);
        }
      }
    }
    return any;
  };
  const auto elements_of = [&](std::size_t rank, std::size_t lane, const auto& transfer) {
    std::vector<std::size_t> indices;
    for (const Range& run : schedules[rank].lanes[lane].blocks(transfer)) {
      const Range range = schedules[rank].cut.elements(run, elements);
      for (std::size_t index = range.begin; index < range.end; ++index) {
        indices.push_back(index);
      }
    }
    return indices;
  };
  for (std::size_t round = 0;; ++round) {
    const bool any = visit(round, [&](std::size_t rank, std::size_t lane, const auto& each) {
      if (each.action != Action::send) {
        return;
      }
      auto& letter = under_way[{lane, rank, each.peer}].emplace_back();
      for (const std::size_t index : elements_of(rank, lane, each)) {
        letter.push_back(vectors[rank][index]);
      }
    });
    if (!any) {
      return vectors;
    }
    visit(round, [&](std::size_t rank, std::size_t lane, const auto& each) {
      if (each.action == Action::send) {
        return;
      }
      auto& letters = under_way[{lane, each.peer, rank}];
      std::size_t next = 0;
      for (const std::size_t index : elements_of(rank, lane, each)) {
        const float arrived = letters.front()[next++];
        vectors[rank][index] =
            each.action == Action::add ? vectors[rank][index] + arrived : arrived;
      }
      letters.erase(letters.begin());
    });
  }
}

/// By round, what every directed link of a torus carries, in blocks.
inline std::vector<std::vector<std::size_t>> link_loads(
    const std::vector<collective::Schedule>& schedules, const std::vector<std::size_t>& dims) {
  std::vector<std::vector<std::size_t>> loads;
  for (const auto& schedule : schedules) {
    for (const auto& lane : schedule.lanes) {
      for (std::size_t round = 0; round < lane.rounds(); ++round) {
        loads.resize(std::max(loads.size(), round + 1),
                     std::vector<std::size_t>(schedules.size() * dims.size() * 2));
        for (const auto& each : lane.round(round)) {
          if (each.action != collective::Action::send) {
            continue;
          }
          std::size_t blocks = 0;
          for (const Range& run : lane.blocks(each)) {
            blocks += run.size();
          }
          for (const std::size_t link : collective::torus_route(schedule.rank, each.peer, dims)) {
            loads[round][link] += blocks;
          }
        }
      }
    }
  }
  return loads;
}

}  // namespace starling::testing
