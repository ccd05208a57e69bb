// Functions on shapes and layout that are more than one operation, or named otherwise than their op
// (tf.concat, tf.expand_dims, tf.zeros…). Plain operations are in frontend/ops.
//
//   Output stacked = Concat(scope, {ExpandDims(scope, a, 0), ExpandDims(scope, b, 0)}, 0);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_ARRAY_H_
#define WARPBEAM_FRONTEND_ARRAY_H_

#include <vector>

#include "frontend/build.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

Output Placeholder(ScopeRef scope, DType dtype, const PartialShape& shape = PartialShape());
Output Identity(ScopeRef scope, const Input& x);

Output Reshape(ScopeRef scope, const Input& x, const Input& shape);
Output ExpandDims(ScopeRef scope, const Input& x, int axis);
Output Concat(ScopeRef scope, const InputList& values, int axis);
Output Stack(ScopeRef scope, const InputList& values, int axis = 0);
OutputList Split(ScopeRef scope, const Input& x, int count, int axis = 0);
// All dimensions in reverse where no order is given.
Output Transpose(ScopeRef scope, const Input& x);
Output Transpose(ScopeRef scope, const Input& x, const std::vector<int32_t>& order);

// Constants up to a thousand elements, a Fill beyond.
Output Zeros(ScopeRef scope, const Shape& shape, DType dtype = DType::kFloat);
Output Ones(ScopeRef scope, const Shape& shape, DType dtype = DType::kFloat);
Output ZerosLike(ScopeRef scope, const Input& x);
// tf.ones_like and tf.zeros_like as they are for tensors: of a constant where the shape is known.
Output OnesLike(ScopeRef scope, const Output& x);
Output ZerosOfShapeOf(ScopeRef scope, const Output& x);

// Shape and rank as int32: constants where inference knows them.
Output ShapeOf(ScopeRef scope, const Input& x);
Output RankOf(ScopeRef scope, const Input& x);

// x[index] and x[begin:] as Python's brackets take them from the first dimension; negative numbers
// count from the end.
Output ElementAt(ScopeRef scope, const Input& x, int index);
Output ElementsFrom(ScopeRef scope, const Input& x, int begin);

Output OneHot(ScopeRef scope, const Input& indices, int depth, DType dtype = DType::kFloat);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_ARRAY_H_
