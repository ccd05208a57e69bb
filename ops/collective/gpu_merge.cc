#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "runtime/comm/collective_kind.h"

#if WB_HOST_PASS
#include "ops/collective/gpu_merge.h"
#include "ops/launch/dispatch.h"
#endif

namespace warpbeam::WB_PASS {

// y = x[0] op x[1] op …, divided by `divisor` unless that is 0. A launch takes the addresses of its
// inputs with it.
template <class T>
struct MergeBlock {
  static constexpr int kMost = 8;
  const T* x[kMost];
  int inputs;
  T* y;
  int64_t count;
  MergeOp op;
  float divisor;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      T all = x[0][i];
      for (int k = 1; k < kMost; ++k) {
        if (k >= inputs) break;
        all = T(Merged(A(all), A(x[k][i])));
      }
      y[i] = divisor == 0 ? all : T(A(all) / A(T(divisor)));
    });
  }

 private:
  using A = ComputeType<T>;
  WB_BLOCK A Merged(A a, A b) const {
    switch (op) {
      case MergeOp::kAdd:
        return a + b;
      case MergeOp::kMul:
        return a * b;
      case MergeOp::kMin:
        return b < a ? b : a;
      case MergeOp::kMax:
        return a < b ? b : a;
    }
    return a;
  }
};

WB_GPU_FUNCTION(MergeBlock<Half>);
WB_GPU_FUNCTION(MergeBlock<BFloat16>);
WB_GPU_FUNCTION(MergeBlock<float>);
WB_GPU_FUNCTION(MergeBlock<double>);
WB_GPU_FUNCTION(MergeBlock<int32_t>);
WB_GPU_FUNCTION(MergeBlock<int64_t>);

#if WB_HOST_PASS
namespace {

using MergedTypes = TypeList<Half, BFloat16, float, double, int32_t, int64_t>;

// All inputs, or as many as fit at a time, with what there is of the result as the first of them.
template <class T>
Status LaunchMerges(GpuStream& stream, const GpuMerge& merge) {
  MergeBlock<T> block = {};
  block.y = static_cast<T*>(merge.out);
  block.count = merge.count;
  block.op = merge.op;
  for (size_t k = 0; k < merge.in.size(); ++k) {
    block.x[block.inputs++] = static_cast<const T*>(merge.in[k]);
    if (block.inputs < MergeBlock<T>::kMost && k + 1 < merge.in.size()) continue;
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(merge.count), block));
    block.x[0] = block.y;
    block.inputs = 1;
  }
  return OkStatus();
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

Status MergeOnGpu(GpuStream& stream, const GpuMerge& merge) {
  if (merge.count == 0) return OkStatus();
  return DispatchTypes(host_pass::MergedTypes{}, merge.dtype, [&](auto tag) {
    return host_pass::LaunchMerges<typename decltype(tag)::type>(stream, merge);
  });
}

Status DivideOnGpu(const Device& device, Stream& stream, const GpuDivision& division) {
  if (division.count == 0) return OkStatus();
  return DispatchTypes(host_pass::MergedTypes{}, division.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::MergeBlock<T> block = {};
    block.y = static_cast<T*>(division.data);
    block.x[0] = block.y;
    block.inputs = 1;
    block.count = division.count;
    block.divisor = static_cast<float>(division.by);
    return host_pass::LaunchOn(stream, device.runs_host_code(), ElementGrid(division.count), block);
  });
}

bool HasGpuMerge() { return host_pass::HasGpuFunction<host_pass::MergeBlock<float>>(); }

}  // namespace warpbeam
#endif
