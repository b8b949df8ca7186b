// What can go wrong outside our code: exceptions, each with the exit code it ends the program with.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "starling/core/exit_code.hpp"
#include "starling/core/failure.hpp"

namespace starling {

/// An error of the environment. The message says: part, expected, found, what to do.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Wrong usage or configuration; may carry several findings at once, one a line.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message) : Error(ExitCode::configuration, message) {}
};

/// Data or a checkpoint that cannot be read as what it claims to be.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message) : Error(ExitCode::data, message) {}
};

/// The disk or a directory refused.
class StorageError : public Error {
 public:
  explicit StorageError(const std::string& message) : Error(ExitCode::storage, message) {}
};

/// A number that is not finite reached a place where the policy is to stop.
class NotFiniteError : public Error {
 public:
  explicit NotFiniteError(const std::string& message) : Error(ExitCode::not_finite, message) {}
};

/// An operation that needs every peer lost one. Carries the failure with its root cause.
class PeerLost : public Error {
 public:
  explicit PeerLost(Failure failure)
      : Error(failure.code, failure.message()), failure_(std::move(failure)) {}

  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

/// What `error` says, for messages; empty if there is none.
std::string words_of(const std::exception_ptr& error);

}  // namespace starling
