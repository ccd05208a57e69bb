// Tensors and shapes to their wire messages and back.
//
// Reading takes every form that TensorFlow reads: raw bytes in `tensor_content`, or a typed list of
// values of which the last one stands for all that follow; a list longer than the tensor is cut, an
// empty one gives zeros. Values in a list of another type are refused: TensorFlow would read zeros.
//
//   WB_ASSIGN_OR_RETURN(Tensor t, TensorFromProto(node.attr().at("value").tensor()));
//   WB_RETURN_IF_ERROR(TensorToProto(t, TensorForm::kCompact, &proto));
//   WB_ASSIGN_OR_RETURN(std::string bytes, SerializeTensor(t));
//
// Ownership: tensors read have buffers of their own. Thread safety: pure. Errors: INVALID_ARGUMENT
// for a message that is no tensor (saying which field and why) or holds a variant of an unknown
// type, RESOURCE_EXHAUSTED for one larger than allowed, UNIMPLEMENTED for writing variants that
// have no wire form (graph/io/variant_codec.h).
#ifndef WARPBEAM_GRAPH_IO_TENSOR_IO_H_
#define WARPBEAM_GRAPH_IO_TENSOR_IO_H_

#include <string>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "graph/types/tensor.h"

namespace tensorflow {
class TensorProto;
class TensorShapeProto;
}  // namespace tensorflow

namespace warpbeam {

// A few bytes of message can ask for any amount of memory by a large shape and one value.
inline constexpr int64_t kMaxTensorBytes = int64_t{4} << 30;

// How values are written; every form reads back the same.
enum class TensorForm {
  kCompact,  // one value where all are equal, else raw bytes
  kContent,  // raw bytes
  kValues,   // a list of all values
};

// `max_bytes` counts what lies within variants too, and so does `*taken`, what the tensor takes.
StatusOr<Tensor> TensorFromProto(const tensorflow::TensorProto& proto,
                                 int64_t max_bytes = kMaxTensorBytes, int64_t* taken = nullptr);
// Strings and resources have no raw form and are written as lists in every form. `proto` is
// cleared.
Status TensorToProto(const Tensor& tensor, TensorForm form, tensorflow::TensorProto* proto);

// The same on serialized messages.
StatusOr<Tensor> ParseTensor(absl::string_view wire_form, int64_t max_bytes = kMaxTensorBytes);
StatusOr<std::string> SerializeTensor(const Tensor& tensor, TensorForm form = TensorForm::kContent);

// Extents of -1 are unknown, and so may be the rank.
StatusOr<PartialShape> ShapeFromProto(const tensorflow::TensorShapeProto& proto);
void ShapeToProto(const PartialShape& shape, tensorflow::TensorShapeProto* proto);

// The same on serialized messages.
StatusOr<PartialShape> ParseShape(absl::string_view wire_form);
std::string SerializeShape(const PartialShape& shape);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_TENSOR_IO_H_
