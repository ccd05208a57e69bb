#include "ops/data/dataset.h"

#include <utility>

namespace warpbeam {

absl::Status ElementSpec::CheckCompatible(const ElementSpec& other) const {
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
  return absl::OkStatus();
}

absl::Status ElementSpec::CheckElement(const Element& element) const {
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
  return absl::OkStatus();
}

bool Dataset::InputsAreImmediate() const {
  for (const Ref& input : inputs_) {
    if (!input->IsImmediate()) return false;
  }
  return true;
}

bool Dataset::HasSideEffects(const FunctionLibrary& library) const {
  for (const Ref& input : inputs_) {
    if (input->HasSideEffects(library)) return true;
  }
  return false;
}

Tensor DatasetToTensor(DatasetRef dataset) {
  return Tensor::Scalar<Variant>(Variant::Of<DatasetRef>(std::move(dataset)));
}

absl::StatusOr<DatasetRef> DatasetFromTensor(const Tensor& tensor) {
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
