// PeakCounter: an allocator that counts the most bytes that have been in use at a time.
//
//   auto* const counter = dynamic_cast<PeakCounter*>(&device->allocator());
//   counter->ResetPeak();                          // … a step runs …
//   counter->peak_bytes()                          // in use at a time meanwhile, by whomever
//
// Thread safety: any thread. Errors: none.
#ifndef WARPBEAM_RUNTIME_MEMORY_PEAK_COUNTER_H_
#define WARPBEAM_RUNTIME_MEMORY_PEAK_COUNTER_H_

#include <cstdint>

namespace warpbeam {

class PeakCounter {
 public:
  // Since the last ResetPeak.
  virtual int64_t peak_bytes() const = 0;
  virtual void ResetPeak() = 0;

 protected:
  ~PeakCounter() = default;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_PEAK_COUNTER_H_
