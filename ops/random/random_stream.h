// RandomStream: the state of a seeded op: a Philox stream that goes on from step to step.
//
//   WB_ASSIGN_OR_RETURN(stream_, RandomStream::FromAttrs(init));   // in Create: "seed", "seed2"
//   Philox numbers = stream_->Reserve(blocks);                     // in Compute
//
// A step takes a stretch of the stream; the next step, of whatever plan of the session, gets what
// follows. How much each op takes is fixed by TensorFlow: most take 256 blocks for every element,
// far more than they use, so that rejection cannot run into the next step's numbers.
//
// Seeds (0, 0) mean: draw seeds that nobody can foresee. Thread safety: any thread.
#ifndef WARPBEAM_OPS_RANDOM_RANDOM_STREAM_H_
#define WARPBEAM_OPS_RANDOM_RANDOM_STREAM_H_

#include <memory>
#include <mutex>

#include "ops/random/philox.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

// Blocks that an op takes for each element of its output.
inline constexpr int64_t kBlocksPerElement = 256;

class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t seed2);
  static StatusOr<std::unique_ptr<RandomStream>> FromAttrs(const KernelInit& init);

  // The stream as it is now; it goes on `blocks` blocks later.
  Philox Reserve(uint64_t blocks);
  Philox ReserveForElements(int64_t elements) {
    return Reserve(static_cast<uint64_t>(elements) * kBlocksPerElement);
  }

 private:
  std::mutex mutex_;
  Philox stream_;
};

// A kernel with a stream of its own, made from attributes: Derived(std::unique_ptr<RandomStream>).
template <class Derived>
class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(std::unique_ptr<RandomStream> stream) : stream_(std::move(stream)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<RandomStream> stream, RandomStream::FromAttrs(init));
    return std::make_unique<Derived>(std::move(stream));
  }

 protected:
  RandomStream& stream() { return *stream_; }

 private:
  std::unique_ptr<RandomStream> stream_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_RANDOM_STREAM_H_
