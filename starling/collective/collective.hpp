// The group operations with their plans kept from call to call: what a training loop holds on to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/choose.hpp"
#include "starling/collective/collectives.hpp"
#include "starling/collective/executor.hpp"
#include "starling/collective/plan.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

/// Operations of one member of a group, as the free functions of collectives.hpp. Used by one
/// activity at a time. After PeerLost the group is dead, and so is this.
class Collective {
 public:
  /// @pre group outlives this; selection is the same at all members
  explicit Collective(const Group& group, Selection selection = {});

  void all_reduce(std::span<const float> input,
                  std::span<float> output,
                  Reduction reduction,
                  const CollectiveOptions& options);
  void all_reduce(std::span<float> values, Reduction reduction, const CollectiveOptions& options);
  void broadcast(std::span<float> values, std::size_t root, const CollectiveOptions& options);
  void reduce(std::span<const float> input,
              std::span<float> output,
              std::size_t root,
              const CollectiveOptions& options);
  void all_gather(std::span<const float> input,
                  std::span<float> output,
                  const CollectiveOptions& options);
  void reduce_scatter(std::span<const float> input,
                      std::span<float> output,
                      const CollectiveOptions& options);
  void barrier(const CollectiveOptions& options);

 private:
  struct Kept {
    std::string algorithm;
    Plan plan;
  };

  const Group* group_;
  Selection selection_;
  Executor executor_;
  std::vector<Kept> kept_;  // the plans used last, newest at the end

  void run(Operation operation,
           std::size_t root,
           const Operands& operands,
           Reduction reduction,
           const CollectiveOptions& options);
  const Plan& plan_for(std::string_view algorithm, const Request& request);
};

}  // namespace starling::collective
