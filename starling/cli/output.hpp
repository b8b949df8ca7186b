// Writing to standard output and standard error: readers may be slow, gone, or never have been
// there.
#pragma once

#include <cstdint>
#include <string_view>

#include "starling/core/time.hpp"

namespace starling::cli {

enum class Written : std::uint8_t {
  all,
  reader_gone,  ///< the pipe or terminal was closed: nothing to complain about
  failed,       ///< e.g. disk full; errno says why
  too_slow      ///< the patience ran out
};

/// Opens /dev/null for standard input, output and error where the caller has closed them, so that
/// no file of ours ever gets their numbers; what is written to standard output fails then. Makes a
/// closed pipe an error instead of a signal.
void prepare_standard_streams();

/// Writes all of `text`, waiting for the reader at most `patience` in one piece; less than zero:
/// for ever.
Written write_all(int descriptor, std::string_view text, Duration patience);

/// Writes `text` (of at most 4096 bytes, else cut) if that is possible without waiting.
Written write_if_ready(int descriptor, std::string_view text);

}  // namespace starling::cli
