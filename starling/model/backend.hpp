// The process-wide state of libtorch and its BLAS: set once, before the first product.
#pragma once

#include <cstddef>
#include <string>

namespace starling::model {

/// Makes the calling thread ready to compute: one thread for libtorch, OpenMP and BLAS,
/// deterministic kernels. The number of threads decides the order of sums and so the bits. Cheap
/// when repeated; called by every entry of an objective, since OpenMP counts its threads per
/// calling thread.
void prepare_backend();

/// What decides the bits of a product besides the code: "libtorch 1.13.0 (AVX2), oneDNN v2.6.3,
/// OpenBLAS SkylakeX, threads 1 + 1". Two machines with the same text compute the same parameters.
const std::string& backend_description();

/// Stack for gradient(), evaluate() and predict() of any network. Measured on a painted stack: 45
/// KiB for convolutions (oneDNN), 14 KiB without, whatever the batch; other processors have other
/// kernels.
inline constexpr std::size_t kStackBytes = std::size_t{128} << 10;

}  // namespace starling::model
