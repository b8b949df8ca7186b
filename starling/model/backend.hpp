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
/// OpenBLAS SkylakeX, 1 thread". Two machines with the same text compute the same parameters.
const std::string& backend_description();

/// Stack that gradient() and evaluate() of any network need, with room to spare.
inline constexpr std::size_t kStackBytes = std::size_t{512} << 10;

}  // namespace starling::model
