// Broken contracts: our own mistakes, or a caller's. Checked in every build.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// A promise between two parts of the program was broken (shapes differ, a key is unknown).
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// The text of a contract together with the place that states it.
struct Claim {
  std::string_view text;
  std::string_view file;
  unsigned line;

  // Implicit on purpose: ensure(ok, "text") must capture the caller's place. The builtins are what
  // std::source_location is made of, which clang 14 does not have with this standard library.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Claim(const char* claim,
                  const char* in_file = __builtin_FILE(),
                  unsigned at_line = __builtin_LINE())
      : text(claim), file(in_file), line(at_line) {}
};

[[noreturn]] void contract_broken(const Claim& claim, const std::string& values);

}  // namespace detail

/// Throws ContractError with `claim`, the values and the place unless `condition` holds.
template <class... Values>
void ensure(bool condition, detail::Claim claim, const Values&... values) {
  if (condition) [[likely]] {
    return;
  }
  std::ostringstream text;
  ((text << (text.tellp() > 0 ? ", " : "") << values), ...);
  detail::contract_broken(claim, text.str());
}

}  // namespace starling
