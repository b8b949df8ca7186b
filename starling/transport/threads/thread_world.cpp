#include "starling/transport/threads/thread_world.hpp"

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "starling/core/error.hpp"
#include "starling/transport/threads/switchboard.hpp"
#include "starling/transport/threads/thread_peer.hpp"

namespace starling {

namespace {

using threads::Switchboard;
using threads::ThreadPeer;

/// Closes the outcome first: nobody can fail because of it before its time is taken.
void leave(Switchboard& board, ThreadPeer& peer, PeerOutcome& outcome) {
  Goodbye goodbye = close_outcome(peer, outcome);
  board.leave(peer.id(), std::move(goodbye));
}

void live(Switchboard& board,
          PeerId id,
          const std::function<void(Peer&)>& body,
          PeerOutcome& outcome) {
  ThreadPeer peer(board, id);
  try {
    body(peer);
  } catch (...) {
    outcome.error = std::current_exception();
  }
  leave(board, peer, outcome);
}

std::exception_ptr no_thread(const std::system_error& cause, std::size_t peers) {
  return std::make_exception_ptr(Error(ExitCode::configuration,
                                       "threads: cannot start a thread for each of " +
                                           std::to_string(peers) + " peers: " + cause.what() +
                                           "; use fewer peers or raise the limit (ulimit -u)"));
}

/// A thread for every peer; the outcome of one that gets none says so.
std::vector<std::jthread> start_all(Switchboard& board,
                                    const std::function<void(Peer&)>& body,
                                    std::vector<PeerOutcome>& outcomes) {
  std::vector<std::jthread> running;
  running.reserve(outcomes.size());
  for (const PeerId id : board.peers()) {
    PeerOutcome& outcome = outcomes[id.value];
    try {
      running.emplace_back([&board, id, &body, &outcome] { live(board, id, body, outcome); });
    } catch (const std::system_error& cause) {
      outcome.error = no_thread(cause, outcomes.size());
      ThreadPeer absent(board, id);
      leave(board, absent, outcome);
    }
  }
  return running;
}

}  // namespace

void ThreadWorldOptions::validate() const {
  if (peers == 0) {
    throw ConfigError("threads: expected at least 1 peer, found 0");
  }
  if (peers > kPeersMax) {
    throw ConfigError("threads: expected at most " + std::to_string(kPeersMax) +
                      " peers, each a thread, found " + std::to_string(peers) +
                      "; simulate larger worlds");
  }
  if (spin < Duration{}) {
    throw ConfigError("threads: the spinning time must not be negative, found " +
                      std::to_string(seconds(spin)) + " s");
  }
  if (slow_warning <= Duration{}) {
    throw ConfigError("threads: the warning time of a wait must be positive, found " +
                      std::to_string(seconds(slow_warning)) + " s");
  }
}

ThreadWorld::ThreadWorld(const ThreadWorldOptions& options) : options_(options) {
  options_.validate();
}

RunReport ThreadWorld::run(const std::function<void(Peer&)>& body) {
  Switchboard board(options_);
  RunReport report;
  report.peers.resize(options_.peers);
  start_all(board, body, report.peers).clear();  // joins them
  report.elapsed = board.now().time_since_epoch();
  report.culprit = culprit_of(report.peers);
  return report;
}

}  // namespace starling
