#include "starling/objective/idx.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <system_error>

#include <zlib.h>

#include "starling/core/error.hpp"
#include "starling/core/layout.hpp"

namespace starling::objective {

namespace {

/// The content of a file, decompressed on the way if it is gzip.
class ByteSource {
 public:
  explicit ByteSource(const std::filesystem::path& file) : file_(file) {
    std::error_code error;
    if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
      fail("is not a regular file");  // opening a pipe would wait for a writer for ever
    }
    stream_.open(file, std::ios::binary);
    size_ = std::filesystem::file_size(file, error);
    if (error || !stream_) {
      fail("cannot be read" + (error ? ": " + error.message() : ""));
    }
    refill();
    gzip_ = left_.size() >= 2 && left_[0] == 0x1F && left_[1] == 0x8B;
    if (gzip_ && inflateInit2(&inflater_, 16 + MAX_WBITS) != Z_OK) {
      fail("zlib does not start");
    }
  }

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  ~ByteSource() {
    if (gzip_) {
      inflateEnd(&inflater_);
    }
  }

  /// Fills `out` as far as there are bytes; returns how many there were.
  std::size_t read(std::span<std::uint8_t> out) { return gzip_ ? read_gzip(out) : read_plain(out); }

  /// True if the compressed stream came to its own end and its checksum was right.
  [[nodiscard]] bool complete() const { return !gzip_ || ended_; }

  /// True if the file goes on behind the end of the compressed stream.
  bool has_rest() { return !left_.empty() || refill(); }

  [[nodiscard]] bool is_gzip() const { return gzip_; }

  /// The most bytes this source can hold: deflate gains at most a factor of 1032.
  [[nodiscard]] std::uintmax_t most_bytes() const {
    constexpr std::uintmax_t kDeflateFactor = 1032;
    return gzip_ ? size_ * kDeflateFactor : size_;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(file_.string() + " (" + std::to_string(size_) + " bytes): " + what);
  }

 private:
  bool refill() {
    stream_.read(reinterpret_cast<char*>(buffer_.data()),
                 static_cast<std::streamsize>(buffer_.size()));
    left_ = std::span(buffer_).first(static_cast<std::size_t>(stream_.gcount()));
    return !left_.empty();
  }

  std::size_t read_plain(std::span<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size() && (!left_.empty() || refill())) {
      const std::size_t now = std::min(out.size() - done, left_.size());
      std::memcpy(out.data() + done, left_.data(), now);
      left_ = left_.subspan(now);
      done += now;
    }
    return done;
  }

  std::size_t read_gzip(std::span<std::uint8_t> out) {
    std::size_t done = 0;
    while (done < out.size() && !ended_ && (!left_.empty() || refill())) {
      const std::size_t room =
          std::min<std::size_t>(out.size() - done, std::numeric_limits<uInt>::max());
      inflater_.next_in = left_.data();
      inflater_.avail_in = static_cast<uInt>(left_.size());
      inflater_.next_out = out.data() + done;
      inflater_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&inflater_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END) {
        fail(std::string("damaged gzip: ") + (inflater_.msg ? inflater_.msg : "zlib gave up") +
             "; fetch it again");
      }
      left_ = left_.last(inflater_.avail_in);
      done += room - inflater_.avail_out;
      ended_ = status == Z_STREAM_END;
    }
    return done;
  }

  std::filesystem::path file_;
  std::ifstream stream_;
  std::uintmax_t size_ = 0;
  std::array<std::uint8_t, 65536> buffer_{};
  std::span<std::uint8_t> left_;  // what of buffer_ has not been used yet
  z_stream inflater_{};
  bool gzip_ = false;
  bool ended_ = false;
};

[[noreturn]] void fail_short(const ByteSource& source,
                             std::uintmax_t expected,
                             std::uintmax_t found) {
  const bool gzip = source.is_gzip();
  source.fail(std::string(gzip ? "truncated gzip: " : "truncated: ") + "expected " +
              std::to_string(expected) + " bytes" + (gzip ? " after decompression" : "") +
              ", found " + std::to_string(found) + "; fetch it again");
}

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
         (std::uint32_t{bytes[2]} << 8) | std::uint32_t{bytes[3]};
}

std::string hexadecimal(std::uint32_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(8) << std::setfill('0') << value;
  return text.str();
}

std::vector<std::size_t> read_extents(ByteSource& source, std::size_t dimensions) {
  constexpr std::uint32_t kUnsignedBytes = 0x08;
  std::vector<std::uint8_t> header(4 + 4 * dimensions);
  const std::size_t got = source.read(header);
  if (got < 4) {
    fail_short(source, header.size(), got);
  }
  const auto magic = big_endian(header);
  const auto expected = (kUnsignedBytes << 8) | static_cast<std::uint32_t>(dimensions);
  if (magic != expected) {
    source.fail("not an IDX file of bytes in " + std::to_string(dimensions) +
                " dimensions: expected magic number " + hexadecimal(expected) + ", found " +
                hexadecimal(magic));
  }
  if (got < header.size()) {
    fail_short(source, header.size(), got);
  }
  std::vector<std::size_t> extents(dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    extents[k] = big_endian(std::span(header).subspan(4 + 4 * k, 4));
  }
  return extents;
}

/// The product of the extents, if the file can hold as many bytes at all.
std::size_t checked_size(const ByteSource& source, std::span<const std::size_t> extents) {
  std::uintmax_t product = 1;
  for (const std::size_t extent : extents) {
    if (extent != 0 && product > source.most_bytes() / extent) {
      source.fail("truncated, or its header is wrong: expected " + shape_text(extents) +
                  " bytes, found a file that can hold at most " +
                  std::to_string(source.most_bytes()) + "; fetch it again");
    }
    product *= extent;
  }
  return static_cast<std::size_t>(product);
}

/// Nothing may follow the array, and a compressed stream must have come to its end.
void check_end(ByteSource& source, std::uintmax_t expected) {
  std::array<std::uint8_t, 1> behind{};
  if (source.read(behind) != 0) {
    source.fail("bytes behind the end of the array: expected " + std::to_string(expected) +
                (source.is_gzip() ? " bytes after decompression" : " bytes") + ", found more");
  }
  if (!source.complete()) {
    source.fail("truncated gzip: all " + std::to_string(expected) +
                " bytes are there but not the checksum behind them; fetch it again");
  }
  if (source.has_rest()) {
    source.fail("bytes behind the end of the gzip stream");
  }
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& file, std::size_t dimensions) {
  ByteSource source(file);
  IdxArray array{.extents = read_extents(source, dimensions), .bytes = {}};
  const std::size_t header = 4 + 4 * dimensions;
  const std::size_t size = checked_size(source, array.extents);
  array.bytes.resize(size);
  const std::size_t got = source.read(array.bytes);
  if (got < size) {
    fail_short(source, header + size, header + got);
  }
  check_end(source, header + size);
  return array;
}

}  // namespace starling::objective
