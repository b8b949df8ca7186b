# Finds libtorch and makes the imported target starling_libtorch.
#
# Headers and libraries are looked up directly: Debian's TorchConfig.cmake asks for paths that its
# packages do not have, and the CMake files of the upstream archives want a whole CUDA tool chain.
# Another libtorch than the system's is chosen with -DTorch_DIR=<libtorch>/share/cmake/Torch or
# -DCMAKE_PREFIX_PATH=<libtorch>; it must be one with the C++11 ABI.

if(Torch_DIR)
  get_filename_component(STARLING_LIBTORCH_ROOT "${Torch_DIR}/../../.." ABSOLUTE)
endif()
find_path(STARLING_LIBTORCH_INCLUDE ATen/ops/linear.h HINTS "${STARLING_LIBTORCH_ROOT}/include")
find_library(STARLING_LIBTORCH_CPU torch_cpu HINTS "${STARLING_LIBTORCH_ROOT}/lib")
find_library(STARLING_LIBC10 c10 HINTS "${STARLING_LIBTORCH_ROOT}/lib")

foreach(part STARLING_LIBTORCH_INCLUDE STARLING_LIBTORCH_CPU STARLING_LIBC10)
  if(NOT ${part})
    message(FATAL_ERROR
      "libtorch: ${part} was not found. Install libtorch-dev (Debian) or give "
      "-DTorch_DIR=<libtorch>/share/cmake/Torch; or build without the networks: "
      "-DSTARLING_BUILD_TORCH=OFF")
  endif()
endforeach()
mark_as_advanced(STARLING_LIBTORCH_INCLUDE STARLING_LIBTORCH_CPU STARLING_LIBC10)

# One header an operator (AT_PER_OPERATOR_HEADERS): 4 s to compile instead of 30.
add_library(starling_libtorch INTERFACE IMPORTED)
set(STARLING_LIBTORCH_INCLUDES
    "${STARLING_LIBTORCH_INCLUDE}" "${STARLING_LIBTORCH_INCLUDE}/torch/csrc/api/include")
set_target_properties(starling_libtorch PROPERTIES
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${STARLING_LIBTORCH_INCLUDES}"
  INTERFACE_INCLUDE_DIRECTORIES "${STARLING_LIBTORCH_INCLUDES}"
  INTERFACE_COMPILE_DEFINITIONS AT_PER_OPERATOR_HEADERS
  INTERFACE_LINK_LIBRARIES "${STARLING_LIBTORCH_CPU};${STARLING_LIBC10}")
