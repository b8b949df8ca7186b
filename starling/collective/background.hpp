// Group operations that go on while their caller does something else.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "starling/collective/collective.hpp"
#include "starling/collective/executor.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

/// An operation under way. Its operands must stay as they are until wait() has returned, or until
/// this is gone, which stops the operation and waits for its end.
class [[nodiscard]] Handle {
 public:
  Handle() = default;

  [[nodiscard]] bool is_done() const;

  /// @throws PeerLost  what the operation threw, or if the deadline has passed before its end
  void wait(Deadline deadline);

 private:
  friend class Background;
  struct State;

  explicit Handle(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// Starts operations of one member of a group, each on an activity of its own. Members start the
/// same ones in the same order; up to kSlots - 1 go on at the same time, the next one waits for the
/// oldest to end. Slot 0 is left to operations that are not started here.
class Background {
 public:
  /// @pre group outlives this and all handles
  explicit Background(const Group& group, Selection selection = {});

  /// `operation` calls one operation of the Collective it is given:
  ///   background.start([&](Collective& all) { all.all_reduce(x, y, Reduction::sum, options); });
  Handle start(std::function<void(Collective&)> operation);

 private:
  const Group* group_;
  Selection selection_;
  std::size_t started_ = 0;
  std::array<std::shared_ptr<Handle::State>, kSlots> last_;  // by slot
};

}  // namespace starling::collective
