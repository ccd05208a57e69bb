// FrameUnit: what one thread of a FrameStep works through.
//
// Ownership: a FrameStep owns its units and uses them again. Thread safety: a unit belongs to one
// thread at a time; what it is at may be read by any.
#ifndef WARPBEAM_RUNTIME_STEP_FRAME_UNIT_H_
#define WARPBEAM_RUNTIME_STEP_FRAME_UNIT_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbeam {

struct Iteration;

// An item that is ready.
struct FrameWork {
  int32_t item;
  Iteration* iteration;
};

// First in, first out, so that no iteration runs far ahead of the others; a ring that only grows.
class FrameWorkQueue {
 public:
  bool empty() const { return size_ == 0; }
  void Push(FrameWork work) {
    if (size_ == ring_.size()) {
      std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(head_), ring_.end());
      head_ = 0;
      ring_.resize(ring_.size() * 2);
    }
    ring_[(head_ + size_++) & (ring_.size() - 1)] = work;
  }
  FrameWork Pop() {
    const FrameWork work = ring_[head_];
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    return work;
  }

 private:
  std::vector<FrameWork> ring_ = std::vector<FrameWork>(64);
  size_t head_ = 0;
  size_t size_ = 0;
};

// What one thread works through.
struct FrameUnit {
  int32_t lane = 0;
  FrameWorkQueue queue;
  std::vector<FrameWork> others;     // ready, but not for this thread
  std::vector<FrameUnit*> outgoing;  // to be scheduled
  int64_t items_run = 0;
  // What it is at, for messages.
  std::atomic<int32_t> item{-1};
  std::atomic<int64_t> iteration{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_FRAME_UNIT_H_
