#include "starling/core/error.hpp"

namespace starling {

std::string words_of(const std::exception_ptr& error) {
  if (!error) {
    return {};
  }
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& cause) {
    return cause.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace starling
