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

/// Tells observers, then the others. The time is taken before anyone can fail because of it.
void leave(Switchboard& board, ThreadPeer& peer, PeerOutcome& outcome) {
  Goodbye goodbye = goodbye_of(peer.id(), outcome.error);
  outcome.ended = board.now();
  outcome.meter = peer.meter();
  if (outcome.error) {
    peer.emit_if_possible(PeerGone{peer.id(), goodbye.words});
  }
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
  {
    std::vector<std::jthread> running;
    running.reserve(options_.peers);
    for (const PeerId id : board.peers()) {
      PeerOutcome& outcome = report.peers[id.value];
      try {
        running.emplace_back([&board, id, &body, &outcome] { live(board, id, body, outcome); });
      } catch (const std::system_error& cause) {
        outcome.error = no_thread(cause, options_.peers);
        ThreadPeer absent(board, id);
        leave(board, absent, outcome);
      }
    }
  }
  report.elapsed = board.now().time_since_epoch();
  report.culprit = culprit_of(report.peers);
  return report;
}

}  // namespace starling
