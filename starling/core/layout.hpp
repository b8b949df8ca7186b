// How a flat vector of parameters is divided into named tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starling/core/range.hpp"

namespace starling {

enum class ElementType : std::uint8_t { f32 = 0, f16 = 1 };

const char* to_string(ElementType type) noexcept;

/// One named tensor of a model.
struct TensorLayout {
  std::string name;
  std::vector<std::size_t> shape;  ///< empty: a scalar
  std::size_t offset = 0;          ///< first element in the flat vector
  ElementType type = ElementType::f32;

  [[nodiscard]] std::size_t elements() const;

  [[nodiscard]] Range range() const { return {offset, offset + elements()}; }

  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// The tensors of a model in the order they lie in its flat vector, without gaps.
class Layout {
 public:
  Layout() = default;

  /// Appends a tensor behind the last one. @throws ContractError on a name that is taken or empty
  void append(std::string name,
              std::vector<std::size_t> shape,
              ElementType type = ElementType::f32);

  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }

  [[nodiscard]] std::span<const TensorLayout> tensors() const noexcept { return tensors_; }

  /// Name of the tensor that holds element `index`. @pre index < elements()
  [[nodiscard]] const std::string& tensor_of(std::size_t index) const;

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  std::vector<TensorLayout> tensors_;
  std::size_t elements_ = 0;
};

/// The first difference between two layouts in words ("tensor 2 is fc.weight 100x2560 here,
/// 200x2560 there"); nothing if they are equal.
std::optional<std::string> first_difference(const Layout& here, const Layout& there);

/// "200x2560", "scalar".
std::string shape_text(std::span<const std::size_t> shape);

}  // namespace starling
