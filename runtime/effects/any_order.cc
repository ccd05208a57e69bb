#include "runtime/effects/any_order.h"

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

// Numbers whose sums and products are rounded: those of integers are the same in any order.
constexpr TypeSet kInexactTypes = kFloatingTypes | kComplexTypes;

const absl::flat_hash_map<absl::string_view, TypeSet>& TypesInAnyOrder() {
  static const auto* const types = new absl::flat_hash_map<absl::string_view, TypeSet>{
      // Sums and products.
      {"Bincount", kInexactTypes},
      {"CropAndResizeGradImage", kInexactTypes},
      {"DenseBincount", kInexactTypes},
      {"Dilation2DBackpropFilter", kInexactTypes},
      {"Dilation2DBackpropInput", kInexactTypes},
      {"FakeQuantWithMinMaxVarsGradient", kInexactTypes},
      {"FakeQuantWithMinMaxVarsPerChannelGradient", kInexactTypes},
      {"MaxPoolGradWithArgmax", kInexactTypes},
      {"ScatterNd", kInexactTypes},
      {"ScatterNdNonAliasingAdd", kInexactTypes},
      {"SparseSegmentMeanGrad", kInexactTypes},
      {"SparseSegmentMeanGradV2", kInexactTypes},
      {"SparseSegmentSqrtNGrad", kInexactTypes},
      {"SparseSegmentSqrtNGradV2", kInexactTypes},
      {"SparseSegmentSumGrad", kInexactTypes},
      {"SparseSegmentSumGradV2", kInexactTypes},
      {"SparseTensorDenseMatMul", kInexactTypes},
      {"TensorScatterAdd", kInexactTypes},
      {"TensorScatterSub", kInexactTypes},
      {"UnsortedSegmentProd", kInexactTypes},
      {"UnsortedSegmentSum", kInexactTypes},
      // Of NaN and a number, and of zeros of both signs, the one that comes later stays.
      {"UnsortedSegmentMax", kInexactTypes},
      {"UnsortedSegmentMin", kInexactTypes},
      // The last of several values of a place. Tensors of int32 are scattered on the host.
      {"SparseToDense", kRealTypes | TypeSet{DType::kBool}},
      {"TensorScatterUpdate", kInexactTypes | TypeSet{DType::kInt64}},
  };
  return *types;
}

}  // namespace

bool IsInAnyOrderOnGpus(absl::string_view op, DType dtype) {
  const auto found = TypesInAnyOrder().find(op);
  return found != TypesInAnyOrder().end() && found->second.contains(dtype);
}

}  // namespace warpbeam
