// Models to and from the neighbours of one round, with the run's policies about losses and about
// numbers that are not finite. What the mixings have in common; each of them decides what an
// absence means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "starling/mixing/options.hpp"
#include "starling/peer/group.hpp"

namespace starling::mixing {

/// The exchange of one round between a peer and its neighbours.
class Neighbours {
 public:
  /// @param operation tells kinds of mixing apart; @param elements floats in a model
  /// @pre the layout of the options, if there is one, has as many elements
  Neighbours(const Group& group,
             const MixingOptions& options,
             std::uint32_t operation,
             std::size_t elements);

  /// Sends `payload` with `weight` to `rank`. An empty payload says "nothing to offer this round".
  /// @return whether it went out; false is a loss the policy lets pass
  /// @throws PeerLost if the policy is stop
  bool offer(std::size_t rank, Buffer payload, double weight);

  /// The model of `rank` for this round; nothing if it is lost, had nothing to offer or is not
  /// finite, and the policies let that pass. Messages of earlier rounds, late after a loss, are
  /// dropped.
  /// @throws PeerLost, NotFiniteError
  std::optional<Message> collect(std::size_t rank);

  /// Takes the message of `rank` off the channel without looking at it.
  void drop(std::size_t rank);

  /// Notes that this peer's own model was left out. @throws NotFiniteError unless the policy is
  /// skip_peer
  void reject_own(std::size_t first_bad_element);

  /// Throws NotFiniteError: neither this peer nor a neighbour had a model to go on with.
  [[noreturn]] void refuse_for_want_of_models() const;

  [[nodiscard]] const MixingReport& report() const noexcept { return report_; }

 private:
  const Group& group_;
  MixingOptions options_;
  Expected expected_;
  MixingReport report_;
  std::optional<std::size_t> own_bad_element_;

  void note_lost(std::size_t rank, const Failure& failure);
  Result<Message> receive_of_round(std::size_t rank);
  [[nodiscard]] std::optional<Message> take_early(std::size_t rank) const;
  [[nodiscard]] Failure misfit(std::size_t rank, const Message& message) const;
  void reject(PeerId whose, std::size_t element);
  [[nodiscard]] std::string tensor_of(std::size_t element) const;
  [[nodiscard]] std::string not_finite_text(PeerId whose, std::size_t element) const;
};

}  // namespace starling::mixing
