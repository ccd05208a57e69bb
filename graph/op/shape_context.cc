#include "graph/op/shape_context.h"

#include <algorithm>

namespace warpbeam {
namespace {

std::string Place(const ShapeContext& c, int input) {
  // The argument's name, where the arguments before it are single tensors.
  const auto& args = c.schema().inputs;
  for (int i = 0; i <= input && i < static_cast<int>(args.size()); ++i) {
    if (!args[i].number_attr.empty() || !args[i].type_list_attr.empty()) break;
    if (i == input) return absl::StrCat("input ", input, " ('", args[i].name, "')");
  }
  return absl::StrCat("input ", input);
}

StatusOr<PartialShape> ShapeOfValue(const Tensor& value) {
  std::vector<int64_t> dims;
  if (value.dtype() == DType::kInt32) {
    dims.assign(value.flat<int32_t>().begin(), value.flat<int32_t>().end());
  } else if (value.dtype() == DType::kInt64) {
    dims.assign(value.flat<int64_t>().begin(), value.flat<int64_t>().end());
  } else {
    return InvalidArgument("a shape is int32 or int64, not ", DTypeName(value.dtype()));
  }
  if (value.rank() == 0) {
    if (dims[0] == -1) return PartialShape::Unknown();
    return InvalidArgument("a shape is a vector (or the scalar -1), got the scalar ", dims[0]);
  }
  if (value.rank() != 1) {
    return InvalidArgument("a shape is a vector, got shape ", value.shape().ToString());
  }
  return PartialShape::Make(dims);
}

}  // namespace

ShapeContext::ShapeContext(const OpSchema& schema, const AttrMap& attrs,
                           std::vector<PartialShape> inputs,
                           std::vector<HandleShapes> input_handles, int num_outputs, Source source)
    : schema_(schema),
      attrs_(attrs),
      inputs_(std::move(inputs)),
      input_handles_(std::move(input_handles)),
      outputs_(num_outputs),
      source_(std::move(source)) {}

const HandleShapes& ShapeContext::input_handle(int i) const {
  static const HandleShapes kNone;
  return i < static_cast<int>(input_handles_.size()) ? input_handles_[i] : kNone;
}

const HandleShapes& ShapeContext::output_handle(int i) const {
  static const HandleShapes kNone;
  return i < static_cast<int>(output_handles_.size()) ? output_handles_[i] : kNone;
}

void ShapeContext::set_output_handle(int i, HandleShapes shapes) {
  if (output_handles_.empty()) output_handles_.resize(outputs_.size());
  output_handles_[i] = std::move(shapes);
}

std::optional<Tensor> ShapeContext::ConstantInput(int i) const {
  return source_.constant ? source_.constant(i) : std::nullopt;
}

StatusOr<PartialShape> ShapeContext::ShapeFromInput(int i) const {
  if (std::optional<Tensor> value = ConstantInput(i)) {
    StatusOr<PartialShape> shape = ShapeOfValue(*value);
    if (!shape.ok()) return Annotate(shape.status(), Place(*this, i));
    return shape;
  }
  if (inputs_[i].rank() > 1) {
    return InvalidArgument(Place(*this, i), ": a shape is a vector, got shape ",
                           inputs_[i].ToString());
  }
  if (source_.constant_as_shape) {
    if (std::optional<PartialShape> shape = source_.constant_as_shape(i)) return *std::move(shape);
  }
  // The length of the vector is the rank.
  const int rank = inputs_[i].rank() == 1 ? RankOfLength(inputs_[i].dim(0)) : -1;
  return rank < 0 ? PartialShape::Unknown() : PartialShape::UnknownOfRank(rank);
}

std::optional<int64_t> ShapeContext::ConstantScalar(int i) const {
  std::optional<Tensor> value = ConstantInput(i);
  if (!value || value->num_elements() != 1) return std::nullopt;
  switch (value->dtype()) {
    case DType::kInt32:
      return *value->data<int32_t>();
    case DType::kInt64:
      return *value->data<int64_t>();
    case DType::kInt16:
      return *value->data<int16_t>();
    case DType::kInt8:
      return *value->data<int8_t>();
    case DType::kUInt8:
      return *value->data<uint8_t>();
    default:
      return std::nullopt;
  }
}

StatusOr<PartialShape> ShapeContext::WithRank(int input, int rank) const {
  const PartialShape& shape = inputs_[input];
  if (!shape.has_rank()) return PartialShape::UnknownOfRank(rank);
  if (shape.rank() == rank) return shape;
  return InvalidArgument(Place(*this, input), " must have rank ", rank, ", its shape is ",
                         shape.ToString());
}

StatusOr<PartialShape> ShapeContext::WithRankAtLeast(int input, int rank) const {
  const PartialShape& shape = inputs_[input];
  if (!shape.has_rank() || shape.rank() >= rank) return shape;
  return InvalidArgument(Place(*this, input), " must have at least rank ", rank, ", its shape is ",
                         shape.ToString());
}

int ShapeContext::RankOfLength(int64_t length) {
  return length < 0 || length > kMaxRank ? -1 : static_cast<int>(length);
}

StatusOr<PartialShape> ShapeContext::Broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::Unknown();
  const PartialShape& longer = a.rank() >= b.rank() ? a : b;
  const PartialShape& shorter = a.rank() >= b.rank() ? b : a;
  PartialShape out = longer;
  const int skip = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer.dim(i + skip);
    const int64_t y = shorter.dim(i);
    if (x == y || y == 1) continue;
    if (x == 1) {
      out.set_dim(i + skip, y);
    } else if (x < 0 || y < 0) {
      // An unknown extent is 1 or equals the other one, which is more than 1 (or 0).
      out.set_dim(i + skip, std::max(x, y));
    } else {
      return InvalidArgument("the shapes ", a.ToString(), " and ", b.ToString(),
                             " do not broadcast: ", x, " against ", y);
    }
  }
  return out;
}

namespace shapes {

Status Unknown(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape::Unknown());
  return OkStatus();
}

Status Scalar(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(Shape()));
  return OkStatus();
}

Status Unchanged(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(0));
    if (!c.input_handle(0).empty()) c.set_output_handle(i, c.input_handle(0));
  }
  return OkStatus();
}

Status MergeInputs(ShapeContext& c) {
  if (c.num_inputs() == 0) return Unknown(c);
  PartialShape merged = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (!merged.IsCompatibleWith(c.input(i))) {
      return InvalidArgument("all inputs must have one shape: ", Place(c, i), " has ",
                             c.input(i).ToString(), ", those before it ", merged.ToString());
    }
    WB_ASSIGN_OR_RETURN(merged, PartialShape::Merge(merged, c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, merged);
  return OkStatus();
}

Status BroadcastBinary(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape out, ShapeContext::Broadcast(c.input(0), c.input(1)));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return OkStatus();
}

Status NoOutputs(ShapeContext&) { return OkStatus(); }

}  // namespace shapes

}  // namespace warpbeam
