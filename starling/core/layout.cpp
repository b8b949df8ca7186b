#include "starling/core/layout.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

std::string describe(const TensorLayout& tensor) {
  return tensor.name + " " + shape_text(tensor.shape) + " " + to_string(tensor.type);
}

}  // namespace

const char* to_string(ElementType type) noexcept {
  return type == ElementType::f16 ? "f16" : "f32";
}

std::size_t TensorLayout::elements() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) {
    product *= extent;
  }
  return product;
}

void Layout::append(std::string name, std::vector<std::size_t> shape, ElementType type) {
  ensure(!name.empty(), "a tensor has a name");
  const bool taken = std::any_of(tensors_.begin(), tensors_.end(), [&](const TensorLayout& tensor) {
    return tensor.name == name;
  });
  ensure(!taken, "tensor names are unique", name);
  tensors_.push_back({std::move(name), std::move(shape), elements_, type});
  elements_ += tensors_.back().elements();
}

const std::string& Layout::tensor_of(std::size_t index) const {
  ensure(index < elements_, "no tensor holds this element", index, elements_);
  const auto after = std::upper_bound(
      tensors_.begin(), tensors_.end(), index, [](std::size_t i, const TensorLayout& t) {
        return i < t.range().end;
      });
  return after->name;
}

std::optional<std::string> first_difference(const Layout& here, const Layout& there) {
  const auto ours = here.tensors();
  const auto theirs = there.tensors();
  for (std::size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k) {
    if (ours[k] != theirs[k]) {
      return "tensor " + std::to_string(k) + " is " + describe(ours[k]) + " here, " +
             describe(theirs[k]) + " there";
    }
  }
  if (ours.size() == theirs.size()) {
    return std::nullopt;
  }
  return std::to_string(ours.size()) + " tensors here, " + std::to_string(theirs.size()) + " there";
}

std::string shape_text(std::span<const std::size_t> shape) {
  if (shape.empty()) {
    return "scalar";
  }
  std::string text;
  for (const std::size_t extent : shape) {
    if (!text.empty()) {
      text += 'x';
    }
    text += std::to_string(extent);
  }
  return text;
}

}  // namespace starling
