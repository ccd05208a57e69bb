// The names of the graph's types that programs written against the frontend use.
//
// Everything of the frontend lives in `warpbeam::frontend`; programs shorten that and write types
// and functions alike:
//
//   namespace wb = warpbeam::frontend;
//   wb::Tensor t = wb::Tensor::Scalar<float>(1);
//   if (wb::Status s = Train(); !s.ok()) …
//
// Thread safety, ownership and errors: those of the types themselves (graph/types).
#ifndef WARPBEAM_FRONTEND_TYPES_H_
#define WARPBEAM_FRONTEND_TYPES_H_

#include "graph/node_spec.h"
#include "graph/types/attr_value.h"
#include "graph/types/dtype.h"
#include "graph/types/shape.h"
#include "graph/types/status_or.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class Graph;
class OpRegistry;

namespace frontend {

using ::warpbeam::AttrMap;
using ::warpbeam::AttrValue;
using ::warpbeam::BaseType;
using ::warpbeam::DType;
using ::warpbeam::DTypeName;
using ::warpbeam::DTypeSize;
using ::warpbeam::FunctionRef;
using ::warpbeam::Graph;
using ::warpbeam::IsComplex;
using ::warpbeam::IsFloating;
using ::warpbeam::IsInteger;
using ::warpbeam::OpRegistry;
using ::warpbeam::PartialShape;
using ::warpbeam::Shape;
using ::warpbeam::SourceLocation;
using ::warpbeam::Status;
using ::warpbeam::StatusCode;
using ::warpbeam::StatusOr;
using ::warpbeam::Tensor;

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TYPES_H_
