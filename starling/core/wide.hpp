// For loops over elements that the compiler is to vectorise. One build runs on every x86-64 and
// still uses wide registers where they exist: element-wise loops give the same bits at any width.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(STARLING_SANITIZED)
#define STARLING_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STARLING_WIDE
#endif

// The next loop's output overlaps no input of another round, which the compiler cannot see.
#if defined(__clang__)
#define STARLING_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define STARLING_NO_ALIAS _Pragma("GCC ivdep")
#endif
