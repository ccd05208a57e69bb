#include "frontend/control_flow/tensor_array.h"

#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

PartialShape WithoutRows(const PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return PartialShape();
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

PartialShape ShapeOfInput(const Input& value) {
  if (!value.is_value()) return value.output().shape();
  const StatusOr<Tensor> tensor = value.ValueAs(value.dtype());
  return tensor.ok() ? PartialShape(tensor->shape()) : PartialShape();
}

Output Range(const Scope& scope, const Input& limit) {
  const Scope inside = scope.NameScope("range");
  return BuildOutput(inside.Named(inside.name_scope()), "Range", {0, limit, 1});
}

}  // namespace

TensorArray::TensorArray(ScopeRef scope_ref, DType dtype, const Input& size,
                         const TensorArrayOptions& options)
    : dtype_(dtype),
      infer_shape_(options.infer_shape),
      element_shape_(std::make_shared<PartialShape>(options.element_shape)) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return;
  const Scope inside = scope.OpenScope("TensorArray");
  const Output length = AsOutput(inside.Named("size"), size, DType::kInt32);
  const Operation made = BuildOp(inside.Named(inside.name_scope()), "TensorArrayV3", {length},
                                 OpAttrs()
                                     .Set("dtype", dtype)
                                     .Set("element_shape", options.element_shape)
                                     .Set("identical_element_shapes", options.infer_shape)
                                     .Set("dynamic_size", options.dynamic_size)
                                     .Set("clear_after_read", options.clear_after_read)
                                     .Set("tensor_array_name", options.tensor_array_name));
  if (!made.valid()) return;
  handle_ = scope(made.output(0));
  flow_ = scope(made.output(1));
  if (!options.dynamic_size) size_ = scope(length);
}

TensorArray TensorArray::WithFlow(const Output& flow) const {
  TensorArray array = *this;
  array.flow_ = flow;
  return array;
}

void TensorArray::NoteElement(const Scope& scope, const PartialShape& shape) const {
  if (!infer_shape_ || element_shape_ == nullptr) return;
  auto merged = PartialShape::Merge(*element_shape_, shape);
  if (merged.ok()) {
    *element_shape_ = *std::move(merged);
  } else {
    scope.Fail(InvalidArgument("the TensorArray's elements are of shape ",
                               element_shape_->ToString(), "; one of shape ", shape.ToString(),
                               " cannot be written unless infer_shape is false"));
  }
}

TensorArray TensorArray::Write(ScopeRef scope_ref, const Input& index, const Input& value) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return TensorArray();
  NoteElement(scope, ShapeOfInput(value));
  const Scope inside = scope.OpenScope("TensorArrayWrite");
  return WithFlow(scope(BuildOutput(inside, "TensorArrayWriteV3", {handle_, index, value, flow_},
                                    OpAttrs().Set("T", dtype_))));
}

Output TensorArray::Read(ScopeRef scope_ref, const Input& index) const {
  const Scope scope = scope_ref.scope();
  const Output value = BuildOutput(scope, "TensorArrayReadV3", {handle_, index, flow_},
                                   OpAttrs().Set("dtype", dtype_));
  if (value.valid() && infer_shape_) value.set_shape(*element_shape_);
  return value;
}

Output TensorArray::Stack(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const Scope inside = scope.OpenScope("TensorArrayStack").ColocateWith(handle_);
  return scope(Gather(inside, Range(inside, Size(inside))));
}

TensorArray TensorArray::Unstack(ScopeRef scope_ref, const Input& value) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return TensorArray();
  const Scope inside = scope.OpenScope("TensorArrayUnstack");
  const Output rows = AsOutput(inside, value, dtype_);
  const PartialShape shape = rows.shape();
  const bool known = shape.has_rank() && shape.rank() > 0 && shape.dim(0) >= 0;
  const Input count = known ? Input(static_cast<int>(shape.dim(0)))
                            : Input(BuildOutput(inside.Named("strided_slice"), "StridedSlice",
                                                {ShapeOf(inside, rows), std::vector<int32_t>{0},
                                                 std::vector<int32_t>{1}, std::vector<int32_t>{1}},
                                                OpAttrs().Set("shrink_axis_mask", 1)));
  const TensorArray full = Scatter(inside, Range(inside, count), rows);
  return WithFlow(scope(full.flow()));
}

Output TensorArray::Gather(ScopeRef scope_ref, const Input& indices) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const PartialShape element = element_shape_ == nullptr ? PartialShape() : *element_shape_;
  return BuildOutput(scope, "TensorArrayGatherV3", {handle_, indices, flow_},
                     OpAttrs().Set("dtype", dtype_).Set("element_shape", element));
}

TensorArray TensorArray::Scatter(ScopeRef scope_ref, const Input& indices,
                                 const Input& value) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return TensorArray();
  NoteElement(scope, WithoutRows(ShapeOfInput(value)));
  const Scope inside = scope.OpenScope("TensorArrayScatter");
  return WithFlow(scope(BuildOutput(inside, "TensorArrayScatterV3",
                                    {handle_, indices, value, flow_}, OpAttrs().Set("T", dtype_))));
}

Output TensorArray::Concat(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const PartialShape row =
      element_shape_ == nullptr ? PartialShape() : WithoutRows(*element_shape_);
  const Output value =
      BuildOutput(scope, "TensorArrayConcatV3", {handle_, flow_},
                  OpAttrs().Set("dtype", dtype_).Set("element_shape_except0", row));
  if (value.valid() && row.has_rank()) {
    std::vector<int64_t> dims = row.dims();
    dims.insert(dims.begin(), -1);
    value.set_shape(PartialShape(std::move(dims)));
  }
  return value;
}

TensorArray TensorArray::Split(ScopeRef scope_ref, const Input& value, const Input& lengths) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return TensorArray();
  const PartialShape whole = ShapeOfInput(value);
  if (whole.has_rank() && whole.rank() > 0) {
    std::vector<int64_t> part = whole.dims();
    part[0] = -1;
    NoteElement(scope, PartialShape(std::move(part)));
  }
  const Scope inside = scope.OpenScope("TensorArraySplit");
  return WithFlow(scope(BuildOutput(inside, "TensorArraySplitV3", {handle_, value, lengths, flow_},
                                    OpAttrs().Set("T", dtype_))));
}

Output TensorArray::Size(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (size_.valid()) return scope(size_);
  return BuildOutput(scope, "TensorArraySizeV3", {handle_, flow_});
}

Operation TensorArray::Close(ScopeRef scope) const {
  return BuildOp(scope.scope(), "TensorArrayCloseV3", {handle_});
}

TensorArray TensorArray::Grad(ScopeRef scope_ref, const std::string& source,
                              const Output& flow) const {
  const Scope scope = scope_ref.scope();
  const Scope beside = scope.OpenScope("TensorArrayGrad").ColocateWith(handle_);
  const std::vector<Output> made =
      BuildOutputs(beside, "TensorArrayGradV3", {handle_, flow.valid() ? flow : flow_},
                   OpAttrs().Set("source", source), 2);
  TensorArray gradients = *this;
  gradients.handle_ = scope(made[0]);
  const Scope after = beside.ControlDependencies({made[0].op()});
  gradients.flow_ =
      scope(frontend::Identity(after.Named("gradient_flow"), flow.valid() ? flow : flow_));
  return gradients;
}

TensorArray TensorArray::Identity(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  return WithFlow(BuildOutput(scope, "Identity", {flow_}));
}

}  // namespace frontend
}  // namespace warpbeam
