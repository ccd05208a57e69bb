// Signature: an entry point of a model, the tensors that go in and come out by the names that
// callers know (tensorflow.SignatureDef).
//
//   Signature predict{"tensorflow/serving/predict", {{"images", {"x:0", DType::kFloat}}}, {}};
//
// Ownership, thread safety: values.
#ifndef WARPBEAM_GRAPH_IO_META_GRAPH_SIGNATURE_H_
#define WARPBEAM_GRAPH_IO_META_GRAPH_SIGNATURE_H_

#include <map>
#include <string>

#include "graph/types/dtype.h"
#include "graph/types/shape.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// A tensor that goes into or comes out of a graph.
struct TensorPort {
  std::string tensor;  // "node:output"
  DType dtype = DType::kInvalid;
  PartialShape shape;
  // What an input is where the caller says nothing; without a value there is no default.
  Tensor default_value;
};

// An entry point. A sparse tensor is three ports: "x/indices", "x/values" and "x/dense_shape";
// other composites are "x/0", "x/1"…
struct Signature {
  std::string method;  // "tensorflow/serving/predict"
  std::map<std::string, TensorPort> inputs;
  std::map<std::string, TensorPort> outputs;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_META_GRAPH_SIGNATURE_H_
