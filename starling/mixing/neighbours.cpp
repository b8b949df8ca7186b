#include "starling/mixing/neighbours.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

constexpr Tag kTag{Purpose::mixing, 0};

bool is_declined(const Message& message) {
  return message.payload.empty() && message.stamp.weight == 0.0;
}

/// The same as what was expected but for the round; a message that declines has no payload.
bool is_of_this_exchange(const Expected& expected, const Message& message) {
  Expected wanted = expected;
  wanted.stamp.round = message.stamp.round;
  wanted.bytes = is_declined(message) ? 0 : expected.bytes;
  return compare(wanted, message.stamp, message.payload.size()) == Fit::fits;
}

bool is_a_weight(double weight) {
  return std::isfinite(weight) && weight > 0.0;
}

}  // namespace

Neighbours::Neighbours(const Group& group,
                       const MixingOptions& options,
                       std::uint32_t operation,
                       std::size_t elements)
    : group_(group),
      options_(options),
      expected_{{.group = group.version(), .operation = operation, .round = options.round},
                elements * sizeof(float)} {
  ensure(options_.layout == nullptr || options_.layout->elements() == elements,
         "a layout names every element of the model",
         elements);
}

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
  if (is_finite(message->payload.values()) && is_a_weight(message->stamp.weight)) {
    return std::move(message).or_throw();
  }
  reject(message->from, first_not_finite(message->payload.values()));
  return std::nullopt;
}

void Neighbours::drop(std::size_t rank) {
  const Result<Message> message = receive_of_round(rank);
  if (!message) {
    note_lost(rank, message.error());
  }
}

void Neighbours::reject_own(std::size_t first_bad_element) {
  own_bad_element_ = first_bad_element;
  reject(group_.peer().id(), first_bad_element);
}

void Neighbours::reject(PeerId whose, std::size_t element) {
  if (options_.not_finite != NotFinite::skip_peer) {
    throw NotFiniteError(not_finite_text(whose, element) + "; " + advice(options_.not_finite));
  }
  ++report_.rejected;
  group_.peer().emit(ContributionRejected{
      whose, options_.round, tensor_of(element), to_string(options_.not_finite)});
}

void Neighbours::refuse_for_want_of_models() const {
  const PeerId self = group_.peer().id();
  const std::string nobody = ", and no neighbour offered another; ";
  if (own_bad_element_) {
    throw NotFiniteError(not_finite_text(self, *own_bad_element_) + nobody +
                         advice(options_.not_finite));
  }
  throw NotFiniteError("round " + std::to_string(options_.round) + ": " + to_string(self) +
                       " keeps no share of its model" + nobody +
                       "use weights that keep a share at home");
}

/// Empty for the weight behind the model, and if nobody knows the layout.
std::string Neighbours::tensor_of(std::size_t element) const {
  const Layout* layout = options_.layout;
  return layout != nullptr && element < layout->elements() ? layout->tensor_of(element) : "";
}

std::string Neighbours::not_finite_text(PeerId whose, std::size_t element) const {
  const std::string text = "round " + std::to_string(options_.round) + ": the model of " +
                           to_string(whose) + " is not finite ";
  if (element * sizeof(float) == expected_.bytes) {
    return text + "at its weight";
  }
  const std::string tensor = tensor_of(element);
  return text + (tensor.empty() ? "at element " + std::to_string(element) : "in " + tensor);
}

std::optional<Message> Neighbours::take_early(std::size_t rank) const {
  if (options_.early == nullptr) {
    return std::nullopt;
  }
  const auto found = options_.early->find(rank);
  if (found == options_.early->end() || found->second.stamp.round > options_.round) {
    return std::nullopt;
  }
  Message message = std::move(found->second);
  options_.early->erase(found);
  return message.stamp.round == options_.round ? std::optional(std::move(message)) : std::nullopt;
}

Result<Message> Neighbours::receive_of_round(std::size_t rank) {
  const bool goes_on = options_.on_loss == OnLoss::continue_ && options_.early != nullptr;
  if (auto early = take_early(rank)) {
    return *std::move(early);
  }
  const auto skipped = [&] {
    Failure failure;
    failure.kind = FailureKind::deadline;
    failure.peer = failure.culprit = group_.member(rank);
    failure.what = "it has given up round " + std::to_string(options_.round);
    return failure;
  };
  if (goes_on && options_.early->contains(rank)) {
    return skipped();
  }
  for (;;) {
    Result<Message> message = group_.receive(rank, kTag, options_.deadline);
    if (!message) {
      return message;
    }
    if (!is_of_this_exchange(expected_, *message)) {
      throw PeerLost(misfit(rank, *message));
    }
    const std::uint64_t round = message->stamp.round;
    if (round == options_.round) {
      return message;
    }
    if (!goes_on) {
      throw PeerLost(misfit(rank, *message));
    }
    if (round > options_.round) {
      options_.early->insert_or_assign(rank, std::move(message).or_throw());
      return skipped();
    }
  }
}

Failure Neighbours::misfit(std::size_t rank, const Message& message) const {
  Failure failure;
  failure.kind = FailureKind::refused;
  failure.peer = failure.culprit = group_.member(rank);
  failure.what = mismatch_text(expected_, message.stamp, message.payload.size());
  return failure;
}

void Neighbours::note_lost(std::size_t rank, const Failure& failure) {
  if (options_.on_loss == OnLoss::stop) {
    throw PeerLost(failure);
  }
  ++report_.lost;
  group_.peer().emit(PartnerLost{group_.member(rank), options_.round, failure.message()});
}

}  // namespace starling::mixing
