#include "ops/random/stateless_seed.h"

#include "graph/types/errors.h"

namespace warpbeam {
namespace {

uint32_t Low(uint64_t v) { return static_cast<uint32_t>(v); }
uint32_t High(uint64_t v) { return static_cast<uint32_t>(v >> 32); }

StatusOr<uint64_t> Seed(const Tensor& seed, int i) {
  switch (seed.dtype()) {
    case DType::kInt32:
      return static_cast<uint64_t>(int64_t{seed.data<int32_t>()[i]});
    case DType::kInt64:
      return static_cast<uint64_t>(seed.data<int64_t>()[i]);
    default:
      return InvalidArgument("seed must be int32 or int64, not ", DTypeName(seed.dtype()));
  }
}

}  // namespace

StatusOr<Philox> StreamFromSeed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return InvalidArgument("seed must have shape [2], not ", seed.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const uint64_t first, Seed(seed, 0));
  WB_ASSIGN_OR_RETURN(const uint64_t second, Seed(seed, 1));
  // An arbitrary key, part of what makes streams equal to TensorFlow's.
  Philox mixer({0x3ec8f720, 0x02461e29}, {Low(first), High(first), Low(second), High(second)});
  const Philox::Block mixed = mixer.Next();
  return Philox({mixed[0], mixed[1]}, {0, 0, mixed[2], mixed[3]});
}

Status CheckState(const Tensor& key, const Tensor& counter, const Tensor& alg) {
  if (alg.rank() != 0) {
    return InvalidArgument("alg must be a scalar, not of shape ", alg.shape().ToString());
  }
  const int32_t algorithm = alg.scalar<int32_t>();
  if (algorithm == kAlgorithmThreeFry) {
    return InvalidArgument("no kernel computes the algorithm ThreeFry (2); use Philox (1)");
  }
  if (algorithm != kAlgorithmPhilox && algorithm != kAlgorithmAuto) {
    return InvalidArgument("alg must be 1 (Philox), 2 (ThreeFry) or 3 (automatic), not ",
                           algorithm);
  }
  if (key.rank() != 1 || key.dim(0) != 1) {
    return InvalidArgument("key must have shape [1], not ", key.shape().ToString());
  }
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return InvalidArgument("counter must be a vector of at least 2 elements, not of shape ",
                           counter.shape().ToString());
  }
  return OkStatus();
}

StatusOr<Philox> StreamFromState(const Tensor& key, const Tensor& counter, const Tensor& alg) {
  WB_RETURN_IF_ERROR(CheckState(key, counter, alg));
  const uint64_t k = key.data<uint64_t>()[0];
  const uint64_t* c = counter.data<uint64_t>();
  return Philox({Low(k), High(k)}, {Low(c[0]), High(c[0]), Low(c[1]), High(c[1])});
}

}  // namespace warpbeam
