// AddressSanitizer's ways to forbid and to allow memory, where a program is linked with it; nothing
// elsewhere. Kernels may be instrumented in a program whose other code is not
// (tools/bazel/sanitized_kernels.bzl), so that no macro could say so.
//
//   char memory[64];
//   ForbidMemory(memory, sizeof(memory));   // what touches it is reported
//   AllowMemory(memory, sizeof(memory));
//
// Ownership: none. Thread safety: any thread, for memory that no other thread names. Errors: none.
#ifndef WARPBEAM_RUNTIME_DEVICE_SIMULATED_ADDRESS_SANITIZER_H_
#define WARPBEAM_RUNTIME_DEVICE_SIMULATED_ADDRESS_SANITIZER_H_

#include <cstddef>

extern "C" {
void __asan_poison_memory_region(const volatile void* at, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void* at, size_t bytes) __attribute__((weak));
}

namespace warpbeam {

inline void ForbidMemory(const void* at, size_t bytes) {
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(at, bytes);
}
inline void AllowMemory(const void* at, size_t bytes) {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(at, bytes);
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_SIMULATED_ADDRESS_SANITIZER_H_
