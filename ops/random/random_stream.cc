#include "ops/random/random_stream.h"

#include <random>

namespace warpbeam {
namespace {

uint64_t Unforeseeable() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace

RandomStream::RandomStream(uint64_t seed, uint64_t seed2) : stream_(seed, seed2) {
  if (seed == 0 && seed2 == 0) stream_ = Philox(Unforeseeable(), Unforeseeable());
}

StatusOr<std::unique_ptr<RandomStream>> RandomStream::FromAttrs(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(int64_t seed, init.attr<int64_t>("seed"));
  WB_ASSIGN_OR_RETURN(int64_t seed2, init.attr<int64_t>("seed2"));
  return std::make_unique<RandomStream>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
}

Philox RandomStream::Reserve(uint64_t blocks) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Philox now = stream_;
  stream_.Skip(blocks);
  return now;
}

}  // namespace warpbeam
