#include "starling/model/backend.hpp"

#include <string_view>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/version.h>

namespace starling::model {

namespace {

/// A function of the BLAS in use, or null if that is not OpenBLAS.
template <class Function>
Function* blas_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Layers allocate and free megabytes in every step. By default glibc maps and unmaps those, or
/// trims its heaps, which takes a lock of the whole process and thousands of page faults a step:
/// two peers on threads were up to 1.5 times slower than in two processes. With these thresholds
/// the memory is kept.
void keep_freed_memory() {
  constexpr int map_above = 32 << 20;  // the largest value glibc itself would grow to
  constexpr int trim_above = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, map_above);
  mallopt(M_TRIM_THRESHOLD, trim_above);
}

void prepare_process() {
  keep_freed_memory();
  if (auto* set_threads = blas_function<void(int)>("openblas_set_num_threads")) {
    set_threads(1);
  }
  at::globalContext().setDeterministicAlgorithms(true, false);
}

/// The word behind `label` in libtorch's report of itself; "?" if there is none.
std::string word_after(std::string_view report, std::string_view label) {
  const std::size_t found = report.find(label);
  if (found == std::string_view::npos) {
    return "?";
  }
  const std::string_view rest = report.substr(found + label.size());
  return std::string(rest.substr(0, rest.find_first_of(" \n")));
}

std::string describe() {
  const std::string report = at::show_config();
  std::string text = "libtorch " TORCH_VERSION " (" + word_after(report, "CPU capability usage: ") +
                     "), oneDNN " + word_after(report, "MKL-DNN ");
  if (auto* core = blas_function<char*()>("openblas_get_corename")) {
    text += std::string(", OpenBLAS ") + core();
  } else {
    text += ", a BLAS that is not OpenBLAS";
  }
  int blas_threads = 1;
  if (auto* threads = blas_function<int()>("openblas_get_num_threads")) {
    blas_threads = threads();
  }
  return text + ", threads " + std::to_string(at::get_num_threads()) + " + " +
         std::to_string(blas_threads);
}

}  // namespace

void prepare_backend() {
  static const bool process_ready = (prepare_process(), true);
  thread_local const bool thread_ready = (at::set_num_threads(1), true);
  static_cast<void>(process_ready);
  static_cast<void>(thread_ready);
}

const std::string& backend_description() {
  prepare_backend();
  static const std::string text = describe();
  return text;
}

}  // namespace starling::model
