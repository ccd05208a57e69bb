// HeldMemory: host memory that an object holds outside of tensors, such as the index of a table: it
// counts in the limit of host memory as tensors do.
//
//   HeldMemory held_;                                  // a member
//   WB_RETURN_IF_ERROR(StringMemory::CheckRoom("the keys of a table", more));
//   …
//   held_.Set(bytes);                                  // in place of what was counted before
//
// Ownership: what is counted is taken off with the object. Thread safety: one thread at a time.
// Errors: none; whoever is about to hold more asks first whether there is room.
#ifndef WARPBEAM_RUNTIME_MEMORY_HELD_MEMORY_H_
#define WARPBEAM_RUNTIME_MEMORY_HELD_MEMORY_H_

#include <cstdint>

#include "graph/types/object_memory.h"

namespace warpbeam {

class HeldMemory {
 public:
  HeldMemory() = default;
  ~HeldMemory() { Set(0); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  int64_t bytes() const { return bytes_; }
  void Set(int64_t bytes) {
    if (bytes != bytes_) ObjectMemory::Add(bytes - bytes_);
    bytes_ = bytes;
  }

 private:
  int64_t bytes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_HELD_MEMORY_H_
