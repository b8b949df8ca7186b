#include "starling/core/event.hpp"

#include <sstream>

namespace starling {

namespace {

struct SeverityOf {
  Severity operator()(const Note& note) const { return note.severity; }

  Severity operator()(const PartnerLost&) const { return Severity::warning; }

  Severity operator()(const ContributionRejected&) const { return Severity::warning; }

  Severity operator()(const SlowPeer&) const { return Severity::warning; }

  Severity operator()(const PeerGone&) const { return Severity::error; }

  Severity operator()(const Stalled&) const { return Severity::error; }

  Severity operator()(const StepDone&) const { return Severity::debug; }

  Severity operator()(const ModelSnapshot&) const { return Severity::debug; }

  Severity operator()(const CheckpointSaved&) const { return Severity::info; }
};

struct Describe {
  std::ostream& out;

  void operator()(const Note& note) const { out << note.text; }

  void operator()(const PartnerLost& lost) const {
    out << "round " << lost.round << ": no model from " << to_string(lost.partner)
        << ", its weight stays home (" << lost.reason << ")";
  }

  void operator()(const ContributionRejected& rejected) const {
    out << "step " << rejected.step << ": numbers of " << to_string(rejected.contributor)
        << " are not finite";
    if (!rejected.tensor.empty()) {
      out << " in tensor " << rejected.tensor;
    }
    out << ", policy " << rejected.policy;
  }

  void operator()(const SlowPeer& slow) const {
    out << "waiting for " << to_string(slow.culprit) << " since " << seconds(slow.waited) << " s";
  }

  void operator()(const PeerGone& gone) const {
    out << to_string(gone.peer) << " is gone: " << gone.reason;
  }

  void operator()(const Stalled& stalled) const {
    out << "nothing can run while something is awaited:\n" << stalled.waits;
  }

  void operator()(const StepDone& done) const {
    out << "step " << done.step << " done, loss " << done.loss;
  }

  void operator()(const ModelSnapshot& snapshot) const {
    out << "model after step " << snapshot.step;
  }

  void operator()(const CheckpointSaved& saved) const {
    out << "checkpoint of step " << saved.step << " saved in " << saved.path;
  }
};

}  // namespace

Severity severity_of(const Event& event) noexcept {
  return std::visit(SeverityOf{}, event.what);
}

std::string describe(const Event& event) {
  std::ostringstream out;
  std::visit(Describe{out}, event.what);
  return out.str();
}

}  // namespace starling
