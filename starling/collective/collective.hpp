// The group operations with their plans kept from call to call: what a training loop holds on to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/catalog.hpp"
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
  /// @param slot operations that are under way at the same time have different ones, see
  /// background.hpp
  /// @pre group outlives this; selection is the same at all members; slot < kSlots
  explicit Collective(const Group& group, Selection selection = {}, std::size_t slot = 0);

  void all_reduce(const ConstValues& input,
                  const Values& output,
                  Reduction reduction,
                  const CollectiveOptions& options);
  void all_reduce(const Values& values, Reduction reduction, const CollectiveOptions& options);
  void broadcast(const Values& values, std::size_t root, const CollectiveOptions& options);
  void reduce(const ConstValues& input,
              const Values& output,
              Reduction reduction,
              std::size_t root,
              const CollectiveOptions& options);
  void all_gather(const ConstValues& input, const Values& output, const CollectiveOptions& options);
  void all_gather(const ConstValues& input,
                  const Values& output,
                  std::span<const std::size_t> counts,
                  const CollectiveOptions& options);
  void reduce_scatter(const ConstValues& input,
                      const Values& output,
                      Reduction reduction,
                      const CollectiveOptions& options);
  void scatter(const ConstValues& input,
               const Values& output,
               std::size_t elements,
               std::size_t root,
               const CollectiveOptions& options);
  void gather(const ConstValues& input,
              const Values& output,
              std::size_t elements,
              std::size_t root,
              const CollectiveOptions& options);
  void all_to_all(const ConstValues& input, const Values& output, const CollectiveOptions& options);
  void all_to_all(const ConstValues& input,
                  const Values& output,
                  std::span<const std::size_t> counts,
                  const CollectiveOptions& options);
  void barrier(const CollectiveOptions& options);

 private:
  struct Kept {
    const CatalogEntry* entry;
    Plan plan;
  };

  /// The algorithm a name stands for, looked up once.
  struct Named {
    std::string text;
    Operation operation = Operation::all_reduce;
    Choice choice;
  };

  const Group* group_;
  Selection selection_;
  std::size_t slot_;
  Executor executor_;
  std::vector<Named> named_;
  std::vector<Kept> kept_;  // the plans used last, newest at the end

  [[nodiscard]] Request request_for(Operation operation,
                                    std::size_t root,
                                    std::size_t elements) const;
  void run(Request request,
           const Operands& operands,
           Reduction reduction,
           const CollectiveOptions& options);
  const Choice& choice_for(std::string_view text, Operation operation);
  const Plan& plan_for(const CatalogEntry& entry, const Request& request);
};

}  // namespace starling::collective
