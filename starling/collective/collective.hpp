// Exact group operations. Every member calls the same operation with the same sizes, types and
// options; all get the same bits, or all get PeerLost with one culprit and their inputs are as they
// were. Vectors are spans of float, double, Half, BFloat16, std::int32_t or std::int64_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/catalog.hpp"
#include "starling/collective/choose.hpp"
#include "starling/collective/data_type.hpp"
#include "starling/collective/executor.hpp"
#include "starling/collective/plan.hpp"
#include "starling/collective/reduction.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

struct CollectiveOptions {
  /// A name of `starling list collectives`, with parameters: "multiported-torus:4x4:colors=2".
  /// auto: choose.cpp decides.
  std::string algorithm = "auto";
  Deadline deadline{};      ///< for the whole operation
  std::uint64_t round = 0;  ///< step or round of the caller; members that differ are refused

  /// Longer messages travel in parts of this length; 0: kMessageBytesMax of executor.hpp.
  std::size_t message_bytes = 0;
};

/// One member of a group. A training loop holds on to it: it keeps plans and working memory from
/// call to call; for a single operation Collective(group).all_reduce(..) will do. Used by one
/// activity at a time. All operations throw PeerLost; afterwards the group is dead, and so is this.
class Collective {
 public:
  /// @param slot operations that are under way at the same time have different ones, see
  /// background.hpp
  /// @pre group outlives this; selection is the same at all members; slot < kSlots
  explicit Collective(const Group& group, Selection selection = {}, std::size_t slot = 0);

  /// output <- reduction over all members' inputs, at every member. output may not overlap input.
  /// @pre equal sizes and types
  void all_reduce(const ConstValues& input,
                  const Values& output,
                  Reduction reduction,
                  const CollectiveOptions& options);

  /// As above, in place: `values` changes only if the whole operation succeeds.
  void all_reduce(const Values& values, Reduction reduction, const CollectiveOptions& options);

  /// values at every member <- values of `root`.
  void broadcast(const Values& values, std::size_t root, const CollectiveOptions& options);

  /// output at `root` <- reduction of all inputs; output is untouched (and may be empty) elsewhere.
  void reduce(const ConstValues& input,
              const Values& output,
              Reduction reduction,
              std::size_t root,
              const CollectiveOptions& options);

  /// output <- the inputs of all members, by rank. @pre output.size() == size * input.size()
  void all_gather(const ConstValues& input, const Values& output, const CollectiveOptions& options);

  /// The same with inputs of any lengths: `counts`, by rank, is the same at all members.
  /// @pre counts.size() == group.size(); output.size() is their sum
  void all_gather(const ConstValues& input,
                  const Values& output,
                  std::span<const std::size_t> counts,
                  const CollectiveOptions& options);

  /// output <- part `rank` (see chunk()) of the reduction of all inputs.
  /// @pre output.size() == chunk(input.size(), group.size(), group.rank()).size()
  void reduce_scatter(const ConstValues& input,
                      const Values& output,
                      Reduction reduction,
                      const CollectiveOptions& options);

  /// output at member r <- part r (see chunk()) of the input of `root`, which has the length
  /// `elements`; input is not looked at elsewhere.
  void scatter(const ConstValues& input,
               const Values& output,
               std::size_t elements,
               std::size_t root,
               const CollectiveOptions& options);

  /// output at `root` <- the inputs of all members, by rank, `elements` in all, member r bringing
  /// part r (see chunk()); output is untouched (and may be empty) elsewhere.
  void gather(const ConstValues& input,
              const Values& output,
              std::size_t elements,
              std::size_t root,
              const CollectiveOptions& options);

  /// Part d of the input of member s becomes part s of the output of member d; all parts are
  /// equally long. @pre input.size() == output.size(), a multiple of group.size()
  void all_to_all(const ConstValues& input, const Values& output, const CollectiveOptions& options);

  /// The same with parts of any lengths: `counts[s * n + d]` elements go from s to d. The same at
  /// all members (who knows only its own row gathers the others' with all_gather first).
  void all_to_all(const ConstValues& input,
                  const Values& output,
                  std::span<const std::size_t> counts,
                  const CollectiveOptions& options);

  /// Returns when every member has entered.
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

// One operation of a Collective that nothing is kept of, for those that are called that way.

/// As Collective::all_reduce(), in place.
inline void all_reduce(const Group& group,
                       const Values& values,
                       Reduction reduction,
                       const CollectiveOptions& options) {
  Collective(group).all_reduce(values, reduction, options);
}

/// As Collective::all_gather() of inputs of any lengths.
inline void all_gather(const Group& group,
                       const ConstValues& input,
                       const Values& output,
                       std::span<const std::size_t> counts,
                       const CollectiveOptions& options) {
  Collective(group).all_gather(input, output, counts, options);
}

/// As Collective::all_to_all() of parts of any lengths.
inline void all_to_all(const Group& group,
                       const ConstValues& input,
                       const Values& output,
                       std::span<const std::size_t> counts,
                       const CollectiveOptions& options) {
  Collective(group).all_to_all(input, output, counts, options);
}

/// As Collective::barrier().
inline void barrier(const Group& group, const CollectiveOptions& options) {
  Collective(group).barrier(options);
}

}  // namespace starling::collective
