#include "graph/types/stack_room.h"

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace warpbeam {
namespace {

// Stacks grow downwards.
uintptr_t MiddleOfStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return is_known ? reinterpret_cast<uintptr_t>(lowest) + size / 2 : 0;
}

}  // namespace

bool StackIsLow() {
  static thread_local const uintptr_t middle = MiddleOfStack();
  // The frame's address, and not that of a variable: AddressSanitizer keeps those elsewhere.
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < middle;
}

}  // namespace warpbeam
