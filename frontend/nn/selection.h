// The largest values of a tensor, and images in another order (tf.nn.top_k, approx_max_k,
// depth_to_space, space_to_batch…).
//
//   auto [values, indices] = nn::TopK(scope, logits, 5);
//   Output large = nn::DepthToSpace(scope, features, 2);       // [n, 2h, 2w, c / 4]
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_NN_SELECTION_H_
#define WARPBEAM_FRONTEND_NN_SELECTION_H_

#include <cstdint>
#include <string>

#include "frontend/arrays/layout.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct ValuesAndIndices {
  Output values;
  Output indices;
};

// The k largest along the last dimension, in descending order where `sorted`; of equal ones the
// first comes first.
ValuesAndIndices TopK(ScopeRef scope, const Input& input, const Input& k = 1, bool sorted = true,
                      DType index_type = DType::kInt32);

struct ApproxTopKOptions {
  ApproxTopKOptions& reduction_dimension(int64_t value) {
    dimension = value;
    return *this;
  }
  // Which part of the true ones must be among the results in the mean.
  ApproxTopKOptions& recall_target(float value) {
    recall = value;
    return *this;
  }
  ApproxTopKOptions& reduction_input_size_override(int64_t value) {
    input_size = value;
    return *this;
  }
  // Whether the candidates of the parts become k results.
  ApproxTopKOptions& aggregate_to_topk(bool value) {
    aggregates = value;
    return *this;
  }

  int64_t dimension = -1;
  float recall = 0.95f;
  int64_t input_size = -1;
  bool aggregates = true;
};

// About the k largest, and the k smallest, of floats.
ValuesAndIndices ApproxMaxK(ScopeRef scope, const Input& operand, int64_t k,
                            const ApproxTopKOptions& options = ApproxTopKOptions());
ValuesAndIndices ApproxMinK(ScopeRef scope, const Input& operand, int64_t k,
                            const ApproxTopKOptions& options = ApproxTopKOptions());

using frontend::DepthToSpace;
using frontend::SpaceToBatch;
using frontend::SpaceToDepth;

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_SELECTION_H_
