// Latch: what streams of GPUs wait for, until a test lets them go on.
//
//   Latch latch;
//   latch.Hang(*gpu->compute_stream());
//   …  latch.Open();
//
// Ownership: outlives what the streams do. Thread safety: any thread. Errors: fail the test.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_LATCH_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_LATCH_H_

#include <condition_variable>
#include <mutex>

#include "gtest/gtest.h"
#include "runtime/device/stream.h"

namespace warpbeam {

class Latch {
 public:
  void Hang(Stream& stream) {
    const Status hung = stream.RunOnHost([this] {
      std::unique_lock<std::mutex> lock(mutex_);
      open_.wait(lock, [this] { return is_open_; });
    });
    EXPECT_TRUE(hung.ok()) << hung;
  }
  void Open() {
    std::lock_guard<std::mutex> lock(mutex_);
    is_open_ = true;
    open_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  bool is_open_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_LATCH_H_
