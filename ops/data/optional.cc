// OptionalFromValue, OptionalNone, OptionalHasValue and OptionalGetValue.

#include "ops/data/optional.h"

#include <optional>

#include "graph/io/variant_codec.h"
#include "ops/data/dataset_kernel.h"

namespace warpbeam {
namespace {

using OptionalElement = std::optional<Element>;

class OptionalFromValueKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<OptionalFromValueKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    Element element = InputRange(ctx, 0, ctx.num_inputs());
    ctx.set_output(0, OptionalToTensor(&element));
    return OkStatus();
  }
};

class OptionalNoneKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<OptionalNoneKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, OptionalToTensor(nullptr));
    return OkStatus();
  }
};

class OptionalHasValueKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<OptionalHasValueKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Element* element, OptionalFromTensor(ctx.input(0)));
    ctx.set_output(0, Tensor::Scalar<bool>(element != nullptr));
    return OkStatus();
  }
};

class OptionalGetValueKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    return OkStatus();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Element* element, OptionalFromTensor(ctx.input(0)));
    if (element == nullptr) return InvalidArgument("the given optional does not have a value");
    WB_RETURN_IF_ERROR(spec_.CheckElement(*element));
    for (size_t i = 0; i < element->size(); ++i) ctx.set_output(static_cast<int>(i), (*element)[i]);
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

WB_OP("OptionalFromValue")
    .Input("components: Toutput_types")
    .Output("optional: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Shape(shapes::Scalar);
WB_OP("OptionalNone").Output("optional: variant").Shape(shapes::Scalar);
WB_OP("OptionalHasValue")
    .Input("optional: variant")
    .Output("has_value: bool")
    .Shape(shapes::Scalar);
WB_OP("OptionalGetValue")
    .Input("optional: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Shape(ElementShapes);
WB_KERNEL("OptionalFromValue", OptionalFromValueKernel).Cpu().Cheap();
WB_KERNEL("OptionalNone", OptionalNoneKernel).Cpu().Cheap();
WB_KERNEL("OptionalHasValue", OptionalHasValueKernel).Cpu().Cheap();
WB_KERNEL("OptionalGetValue", KernelOf<OptionalGetValueKernel>).Cpu().Cheap();

StatusOr<VariantData> WriteOptional(const Variant& variant) {
  const OptionalElement& optional = *variant.get<OptionalElement>();
  VariantData data;
  data.metadata.assign(1, optional.has_value() ? 1 : 0);
  if (optional.has_value()) data.tensors = *optional;
  return data;
}

StatusOr<Variant> ReadOptional(VariantData data) {
  if (data.metadata.size() != 1) return InvalidArgument("it does not tell whether it has a value");
  if (data.metadata[0] == 0) return Variant::Of<OptionalElement>({});
  return Variant::Of<OptionalElement>(std::move(data.tensors));
}

[[maybe_unused]] const bool kIsOptionalRegistered = RegisterVariantCodec<OptionalElement>(
    "tensorflow::data::Optional", WriteOptional, ReadOptional);

}  // namespace

Tensor OptionalToTensor(Element* element) {
  return Tensor::Scalar<Variant>(Variant::Of<OptionalElement>(
      element == nullptr ? OptionalElement() : OptionalElement(std::move(*element))));
}

bool IsOptional(const Variant& variant) { return variant.get<OptionalElement>() != nullptr; }

const Element* ElementOf(const Variant& optional) {
  const OptionalElement& element = *optional.get<OptionalElement>();
  return element.has_value() ? &*element : nullptr;
}

StatusOr<const Element*> OptionalFromTensor(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.rank() != 0) {
    return InvalidArgument("an optional is a scalar of type variant, got ",
                           DTypeName(tensor.dtype()), tensor.shape().ToString());
  }
  const Variant& variant = tensor.scalar<Variant>();
  if (IsOptional(variant)) return ElementOf(variant);
  return InvalidArgument("expected an optional, got a variant that holds ",
                         VariantTypeName(variant));
}

}  // namespace warpbeam
