// How fast messages go that share the links of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

namespace starling::collective {

/// Flows over links that carry one second of traffic a second. Flows share them max-min fairly: the
/// fullest link divides what it can carry among those that cross it, in proportion to their
/// weights; what they leave elsewhere is for the others. So SimGrid shares links, too, with
/// 1 / latency for the weight.
class SharedLinks {
 public:
  using Flow = std::uint32_t;

  explicit SharedLinks(std::size_t links);

  /// A flow that takes `seconds` if it is alone, from `now` on.
  /// @param route the links it crosses; outlives the flow
  /// @pre now does not go back from call to call
  Flow start(double now, std::span<const std::uint32_t> route, double seconds, double weight);

  /// Divides the links anew among the flows that have started since the last call, and those that
  /// meet them. To be called when all that happens at `now` has happened.
  void share(double now);

  /// When the next flow ends; infinity: there is none. @pre shared since the last start
  [[nodiscard]] double next_end();

  /// Takes the flow away that ends next. @pre there is one
  Flow end_next();

 private:
  struct State {
    std::span<const std::uint32_t> route;
    double weight = 1.0;
    double left = 0.0;  // seconds of traffic, at `since`
    double rate = 0.0;  // seconds of traffic a second
    double since = 0.0;
    std::uint32_t version = 0;  // of `rate`: older entries of ends_ are void
    std::uint32_t seen = 0;     // by which division
    bool is_running = false;
    bool is_settled = false;  // by the division under way
  };

  struct Link {
    std::vector<Flow> flows;
    // During a division:
    double free = 1.0;
    double weights = 0.0;  // of the flows that have no rate yet
    std::size_t unsettled = 0;
    std::uint32_t seen = 0;
    bool is_touched = false;
  };

  struct End {
    double at = 0.0;
    Flow flow = 0;
    std::uint32_t version = 0;

    friend bool operator>(const End& a, const End& b) {
      return a.at != b.at ? a.at > b.at : a.flow > b.flow;
    }
  };

  std::vector<State> flows_;
  std::vector<Flow> unused_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> touched_;  // links that somebody came to or left
  std::vector<std::uint32_t> meeting_links_;
  std::vector<std::uint32_t> full_links_;
  std::vector<Flow> meeting_flows_;
  std::vector<double> old_rates_;  // by place in meeting_flows_
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::uint32_t divisions_ = 0;

  void touch(const State& flow);
  void find_who_meets();
  void divide();
  void settle(Flow flow, double rate);
  void drop_void_ends();
};

}  // namespace starling::collective
