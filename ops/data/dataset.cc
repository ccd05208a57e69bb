#include "ops/data/dataset.h"

#include <algorithm>
#include <utility>

namespace warpbeam {

Status ElementSpec::CheckCompatible(const ElementSpec& other) const {
  if (types.size() != other.types.size()) {
    return InvalidArgument("number of components does not match: expected ", types.size(),
                           " types, got ", other.types.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != other.types[i]) {
      return InvalidArgument("data type mismatch at component ", i, ": expected ",
                             DTypeName(types[i]), ", got ", DTypeName(other.types[i]));
    }
  }
  if (shapes.size() != other.shapes.size()) {
    return InvalidArgument("number of components does not match: expected ", shapes.size(),
                           " shapes, got ", other.shapes.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].IsCompatibleWith(other.shapes[i])) {
      return InvalidArgument("incompatible shapes at component ", i, ": expected ",
                             shapes[i].ToString(), ", got ", other.shapes[i].ToString());
    }
  }
  return OkStatus();
}

Status ElementSpec::CheckElement(const Element& element) const {
  if (element.size() != types.size()) {
    return InvalidArgument("the element has ", element.size(), " components, ", types.size(),
                           " were declared");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (element[i].dtype() != types[i]) {
      return InvalidArgument("component ", i, " of the element is ", DTypeName(element[i].dtype()),
                             ", ", DTypeName(types[i]), " was declared");
    }
    if (i >= shapes.size() || !shapes[i].has_rank()) continue;
    const Shape& shape = element[i].shape();
    bool fits = shape.rank() == shapes[i].rank();
    for (int d = 0; fits && d < shape.rank(); ++d) {
      fits = shapes[i].dim(d) < 0 || shapes[i].dim(d) == shape.dim(d);
    }
    if (!fits) {
      return InvalidArgument("component ", i, " of the element has the shape ", shape.ToString(),
                             ", ", shapes[i].ToString(), " was declared");
    }
  }
  return OkStatus();
}

Dataset::Dataset(ElementSpec spec, std::vector<Ref> inputs)
    : spec_(std::move(spec)), inputs_(std::move(inputs)) {
  for (const Ref& input : inputs_) depth_ = std::max(depth_, input->depth() + 1);
}

void Dataset::set_origin(DatasetOrigin origin) {
  for (const Tensor& input : origin.inputs) {
    const StatusOr<DatasetRef> dataset = DatasetFromTensor(input);
    if (dataset.ok()) depth_ = std::max(depth_, (*dataset)->depth() + 1);
  }
  origin_ = std::make_unique<const DatasetOrigin>(std::move(origin));
}

int64_t Dataset::Cardinality() const {
  if (cardinality_ == kNotAsked) cardinality_ = CountElements();
  return cardinality_;
}

bool Dataset::IsImmediate() const {
  if (is_immediate_ == kNotAsked) is_immediate_ = FindImmediate() ? 1 : 0;
  return is_immediate_ == 1;
}

bool Dataset::HasSideEffects(const FunctionLibrary& library) const {
  if (has_side_effects_ == kNotAsked) has_side_effects_ = FindSideEffects(library) ? 1 : 0;
  return has_side_effects_ == 1;
}

bool Dataset::InputsAreImmediate() const {
  for (const Ref& input : inputs_) {
    if (!input->IsImmediate()) return false;
  }
  return true;
}

bool Dataset::FindSideEffects(const FunctionLibrary& library) const {
  for (const Ref& input : inputs_) {
    if (input->HasSideEffects(library)) return true;
  }
  return false;
}

Tensor DatasetToTensor(DatasetRef dataset) {
  return Tensor::Scalar<Variant>(Variant::Of<DatasetRef>(std::move(dataset)));
}

StatusOr<DatasetRef> DatasetFromTensor(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.rank() != 0) {
    return InvalidArgument("a dataset is a scalar of type variant, got ", DTypeName(tensor.dtype()),
                           tensor.shape().ToString());
  }
  const DatasetRef* dataset = tensor.scalar<Variant>().get<DatasetRef>();
  if (dataset == nullptr || *dataset == nullptr) {
    return InvalidArgument("expected a dataset, got a variant that holds ",
                           tensor.scalar<Variant>().type_name());
  }
  return *dataset;
}

}  // namespace warpbeam
