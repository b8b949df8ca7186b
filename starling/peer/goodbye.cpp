#include "starling/peer/goodbye.hpp"

#include "starling/core/error.hpp"

namespace starling {

Goodbye goodbye_of(PeerId self, const std::exception_ptr& error) {
  if (!error) {
    return {.finished = true, .culprit = self, .words = {}, .code = ExitCode::ok};
  }
  try {
    std::rethrow_exception(error);
  } catch (const PeerLost& lost) {
    const Failure& failure = lost.failure();
    if (!failure.root_cause.empty()) {
      return {false, failure.culprit, failure.root_cause, failure.code};
    }
    return {false, failure.peer, to_string(self) + " saw: " + lost.what(), failure.code};
  } catch (const Error& cause) {
    return {false, self, to_string(self) + ": " + cause.what(), cause.code()};
  } catch (...) {
    return {false, self, to_string(self) + ": " + words_of(error), ExitCode::internal};
  }
}

bool is_consequence(const std::exception_ptr& error) {
  if (!error) {
    return false;
  }
  try {
    std::rethrow_exception(error);
  } catch (const PeerLost& lost) {
    return !lost.failure().root_cause.empty();
  } catch (...) {
    return false;
  }
}

Failure failure_from(PeerId gone, const Goodbye& goodbye, Duration waited) {
  Failure failure;
  failure.kind = FailureKind::lost;
  failure.peer = gone;
  failure.waited = waited;
  failure.what = goodbye.finished ? "it had finished and left" : "it ended early";
  failure.culprit = goodbye.culprit;
  failure.root_cause = goodbye.words;
  failure.code = goodbye.finished ? ExitCode::peers_lost : goodbye.code;
  return failure;
}

Failure nobody_else(PeerId self, Duration waited) {
  Failure failure;
  failure.peer = self;
  failure.culprit = self;
  failure.waited = waited;
  failure.what = "there is no other peer to wait for";
  return failure;
}

std::optional<PeerId> last_witness(PeerId self,
                                   std::span<const PeerId> peers,
                                   FunctionRef<const Goodbye*(PeerId)> goodbye_from) {
  std::optional<PeerId> witness;
  bool failed = false;
  for (const PeerId other : peers) {
    if (other == self) {
      continue;
    }
    const Goodbye* goodbye = goodbye_from(other);
    if (goodbye == nullptr) {
      return std::nullopt;
    }
    if (!witness || (!failed && !goodbye->finished)) {
      witness = other;
      failed = !goodbye->finished;
    }
  }
  return witness.value_or(self);
}

}  // namespace starling
