// TensorArray (tf.TensorArray): tensors by index, which loops write and read. Each is written once,
// and by default read once.
//
//   TensorArray squares(scope, DType::kFloat, n);
//   auto r = WhileLoop(scope, less_than_n,
//                      [&](const Scope& s, const std::vector<Output>& v) {
//                        const TensorArray before = squares.WithFlow(v[1]);
//                        const TensorArray next = before.Write(s, v[0], Square(s, x));
//                        return std::vector<Output>{Add(s, v[0], 1), next.flow()};
//                      },
//                      {0, squares.flow()});
//   Output all = squares.WithFlow(r[1]).Stack(scope);
//
// What changes an array gives back the array after the change; use that one from then on. In a loop
// the array travels as its flow, a scalar without meaning that orders what is done to it.
//
// Ownership: a value; the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in
// the scope; an array that was never made has outputs that are not valid.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_TENSOR_ARRAY_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_TENSOR_ARRAY_H_

#include <memory>
#include <string>
#include <utility>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct TensorArrayOptions {
  bool dynamic_size = false;     // writes beyond the end make it longer
  bool clear_after_read = true;  // reading gives an element's memory up
  // Elements are of one shape, which the first write tells; needed for static shapes.
  bool infer_shape = true;
  PartialShape element_shape;
  std::string tensor_array_name;
};

class TensorArray {
 public:
  TensorArray() = default;
  TensorArray(ScopeRef scope, DType dtype, const Input& size,
              const TensorArrayOptions& options = TensorArrayOptions());

  DType dtype() const { return dtype_; }
  bool dynamic_size() const { return !size_.valid(); }
  // What is known of it by now; infer_shape learns more from what is written.
  PartialShape element_shape() const { return element_shape_ ? *element_shape_ : PartialShape(); }
  const Output& handle() const { return handle_; }
  const Output& flow() const { return flow_; }
  // The same array as of another moment.
  TensorArray WithFlow(const Output& flow) const;

  TensorArray Write(ScopeRef scope, const Input& index, const Input& value) const;
  Output Read(ScopeRef scope, const Input& index) const;
  // All elements as rows of one tensor, and the rows of a tensor as elements.
  Output Stack(ScopeRef scope) const;
  TensorArray Unstack(ScopeRef scope, const Input& value) const;
  Output Gather(ScopeRef scope, const Input& indices) const;
  TensorArray Scatter(ScopeRef scope, const Input& indices, const Input& value) const;
  // Elements joined along their first dimension; `value` cut into parts of these lengths.
  Output Concat(ScopeRef scope) const;
  TensorArray Split(ScopeRef scope, const Input& value, const Input& lengths) const;
  Output Size(ScopeRef scope) const;
  Operation Close(ScopeRef scope) const;
  TensorArray Identity(ScopeRef scope) const;
  // The array of this one's gradients that has the name `source` ("gradients:0"), made when it is
  // first asked for; what is written to an element more than once is summed up. With a `flow`, as
  // of that moment.
  TensorArray Grad(ScopeRef scope, const std::string& source, const Output& flow = Output()) const;

 private:
  void NoteElement(const Scope& scope, const PartialShape& shape) const;

  DType dtype_ = DType::kInvalid;
  Output handle_;
  Output flow_;
  Output size_;  // where it stays what it was made with
  bool infer_shape_ = true;
  // Shared by all moments of the array: a write in a loop's body tells what comes after the loop.
  std::shared_ptr<PartialShape> element_shape_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_TENSOR_ARRAY_H_
