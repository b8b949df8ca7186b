// What one peer spent: counted where messages are sent and where it waits.
#pragma once

#include <cstdint>

#include "starling/core/time.hpp"
#include "starling/peer/message.hpp"

namespace starling {

struct Meter {
  std::uint64_t messages_sent = 0;
  std::uint64_t payload_bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t payload_bytes_received = 0;
  Duration computing{};  ///< inside Peer::compute
  Duration waiting{};    ///< inside waits for messages, for room to send and for posted sends

  /// Bytes beyond the payload.
  [[nodiscard]] std::uint64_t overhead_bytes_sent() const {
    return messages_sent * kMessageOverheadBytes;
  }

  Meter& operator+=(const Meter& other) {
    messages_sent += other.messages_sent;
    payload_bytes_sent += other.payload_bytes_sent;
    messages_received += other.messages_received;
    payload_bytes_received += other.payload_bytes_received;
    computing += other.computing;
    waiting += other.waiting;
    return *this;
  }

  /// What was spent since `before`, an earlier reading of the same meter.
  [[nodiscard]] Meter since(const Meter& before) const {
    return {messages_sent - before.messages_sent,
            payload_bytes_sent - before.payload_bytes_sent,
            messages_received - before.messages_received,
            payload_bytes_received - before.payload_bytes_received,
            computing - before.computing,
            waiting - before.waiting};
  }

  friend bool operator==(const Meter&, const Meter&) = default;
};

}  // namespace starling
