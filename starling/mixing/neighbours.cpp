#include "starling/mixing/neighbours.hpp"

#include <string>
#include <utility>

#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

constexpr Tag kTag{Purpose::mixing, 0};

bool is_declined(const Message& message) {
  return message.payload.empty() && message.stamp.weight == 0.0;
}

}  // namespace

Neighbours::Neighbours(const Group& group,
                       const MixingOptions& options,
                       std::uint32_t operation,
                       std::size_t elements)
    : group_(group),
      options_(options),
      expected_{{.group = group.version(), .operation = operation, .round = options.round},
                elements * sizeof(float)} {}

bool Neighbours::offer(std::size_t rank, Buffer payload, double weight) {
  Stamp stamp = expected_.stamp;
  stamp.weight = weight;
  const auto sent = group_.send(rank, kTag, stamp, std::move(payload), options_.deadline);
  if (!sent) {
    note_lost(rank, sent.error());
  }
  return sent.has_value();
}

std::optional<Message> Neighbours::collect(std::size_t rank) {
  Result<Message> message = receive_of_round(rank);
  if (!message) {
    note_lost(rank, message.error());
    return std::nullopt;
  }
  if (is_declined(*message)) {
    ++report_.rejected;
    return std::nullopt;
  }
  if (is_finite(message->payload.values())) {
    return std::move(message).or_throw();
  }
  if (options_.not_finite != NotFinite::skip_peer) {
    throw NotFiniteError("round " + std::to_string(options_.round) + ": the model of " +
                         to_string(message->from) + " is not finite at element " +
                         std::to_string(first_not_finite(message->payload.values())) +
                         "; lower the learning rate or set --not-finite skip-peer");
  }
  ++report_.rejected;
  group_.peer().emit(ContributionRejected{message->from, options_.round, {}, "skip-peer"});
  return std::nullopt;
}

void Neighbours::drop(std::size_t rank) {
  const Result<Message> message = receive_of_round(rank);
  if (!message) {
    note_lost(rank, message.error());
  }
}

void Neighbours::reject_own(std::size_t first_bad_element) {
  const PeerId self = group_.peer().id();
  if (options_.not_finite != NotFinite::skip_peer) {
    throw NotFiniteError("round " + std::to_string(options_.round) + ": the model of " +
                         to_string(self) + " is not finite at element " +
                         std::to_string(first_bad_element) +
                         "; lower the learning rate or set --not-finite skip-peer");
  }
  ++report_.rejected;
  group_.peer().emit(ContributionRejected{self, options_.round, {}, "skip-peer"});
}

Result<Message> Neighbours::receive_of_round(std::size_t rank) {
  for (;;) {
    Result<Message> message = group_.receive(rank, kTag, options_.deadline);
    if (!message || is_declined(*message)) {
      return message;
    }
    const Stamp& found = message->stamp;
    if (options_.on_loss == OnLoss::continue_ && found.round < expected_.stamp.round) {
      continue;
    }
    if (compare(expected_, found, message->payload.size()) == Fit::fits) {
      return message;
    }
    Failure failure;
    failure.kind = FailureKind::refused;
    failure.peer = group_.member(rank);
    failure.culprit = failure.peer;
    failure.what = mismatch_text(expected_, found, message->payload.size());
    throw PeerLost(failure);
  }
}

void Neighbours::note_lost(std::size_t rank, const Failure& failure) {
  if (options_.on_loss == OnLoss::stop) {
    throw PeerLost(failure);
  }
  ++report_.lost;
  group_.peer().emit(PartnerLost{group_.member(rank), options_.round, failure.message()});
}

}  // namespace starling::mixing
