#include "starling/collective/data_type.hpp"

namespace starling::collective {

const char* to_string(DataType type) noexcept {
  switch (type) {
    case DataType::f32:
      return "f32";
    case DataType::f64:
      return "f64";
    case DataType::f16:
      return "f16";
    case DataType::bf16:
      return "bf16";
    case DataType::i32:
      return "i32";
    case DataType::i64:
      return "i64";
  }
  return "unknown";
}

}  // namespace starling::collective
