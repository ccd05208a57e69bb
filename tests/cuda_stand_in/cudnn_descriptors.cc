#include "tests/cuda_stand_in/cudnn_descriptors.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/cuda_stand_in/cudnn_written.h"
#include "tests/cuda_stand_in/libraries.h"

namespace warpbeam::cuda_stand_in {
namespace {

// An attribute that a kind of descriptors has.
struct Rule {
  cudnnBackendDescriptorType_t kind;
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  enum { kGiven, kNeeded, kAsked } use;  // kAsked: the library gives it
};
constexpr Rule kRules[] = {
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE,
     Rule::kNeeded},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, Rule::kNeeded},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, Rule::kNeeded},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN,
     Rule::kGiven},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
     Rule::kNeeded},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
     Rule::kNeeded},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kGiven},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
     Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
     CUDNN_TYPE_CONVOLUTION_MODE, Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_OPS,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE,
     Rule::kNeeded},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE,
     Rule::kNeeded},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_RESULTS,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kAsked},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     Rule::kAsked},
    {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
     Rule::kAsked},
    // Plans are made of an engine's settings, or of their own words.
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kGiven},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
     CUDNN_TYPE_CHAR, Rule::kGiven},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
     CUDNN_TYPE_CHAR, Rule::kAsked},
    {CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
     CUDNN_TYPE_CHAR, Rule::kAsked},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, Rule::kNeeded},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
     CUDNN_TYPE_INT64, Rule::kAsked},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
     CUDNN_TYPE_VOID_PTR, Rule::kNeeded},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
     Rule::kNeeded},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
     Rule::kGiven},
};

// The names that a convolution's attributes have, by what is written.
struct OperationKind {
  cudnnBackendDescriptorType_t kind;
  CudnnConvolution::Result result;
  cudnnBackendAttributeName_t input, filter, output, window, factor, factor_of_old;
};
constexpr OperationKind kOperations[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CudnnConvolution::kOutput,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, CudnnConvolution::kInput,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, CudnnConvolution::kFilter,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};
const OperationKind* OperationOf(cudnnBackendDescriptorType_t kind) {
  for (const OperationKind& operation : kOperations) {
    if (operation.kind == kind) return &operation;
  }
  return nullptr;
}

// Whether the kind has the attribute with that type, to be given or to be asked for.
bool Has(cudnnBackendDescriptorType_t kind, cudnnBackendAttributeName_t name,
         cudnnBackendAttributeType_t type, bool is_asked) {
  for (const Rule& rule : kRules) {
    if (rule.kind == kind && rule.name == name && rule.type == type &&
        (rule.use == Rule::kAsked) == is_asked) {
      return true;
    }
  }
  const OperationKind* const operation = OperationOf(kind);
  if (operation == nullptr || is_asked) return false;
  if (name == operation->factor || name == operation->factor_of_old) {
    return type == CUDNN_TYPE_FLOAT || type == CUDNN_TYPE_DOUBLE;
  }
  const auto parts = {operation->input, operation->filter, operation->output, operation->window};
  return std::find(parts.begin(), parts.end(), name) != parts.end() &&
         type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
}

size_t BytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    default:
      return 4;  // floats and enumerations
  }
}

// What the library answers for a GPU of today: engines that the plans of ops/nn/conv take, and
// before them such as they refuse.
const CudnnEngine kNondeterministic = {{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, true, false};
const CudnnEngine kWinograd = {
    {CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4}, true, false};
const CudnnEngine kFourier = {{CUDNN_NUMERICAL_NOTE_FFT}, true, false};
const CudnnEngine kSumsOfHalves = {
    {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION},
    true,
    false};
const CudnnEngine kTensorFloat32 = {
    {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}, true, true};
const CudnnEngine kTensorCores = {{CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, true, true};
const CudnnEngine kWithoutPlan = {{}, false, false};
const CudnnEngine kPlain = {{}, true, true};
// By the numbers that they have in the words of plans.
const CudnnEngine* const kEngines[] = {&kNondeterministic, &kWinograd,      &kFourier,
                                       &kSumsOfHalves,     &kTensorFloat32, &kTensorCores,
                                       &kWithoutPlan,      &kPlain};

}  // namespace

template <class T>
std::vector<T> CudnnDescriptor::All(cudnnBackendAttributeName_t name) const {
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) return {};
  std::vector<T> values(found->second.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), found->second.bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
T CudnnDescriptor::One(cudnnBackendAttributeName_t name) const {
  const std::vector<T> values = All<T>(name);
  return values.size() == 1 ? values[0] : T();
}

void* CudnnDescriptor::workspace() const { return One<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE); }

cudnnStatus_t CudnnDescriptor::Set(cudnnBackendAttributeName_t name,
                                   cudnnBackendAttributeType_t type, int64_t count,
                                   const void* values) {
  if (is_finalized_) return Refuse("it is finalised", CUDNN_STATUS_BAD_PARAM);
  if (!Has(type_, name, type, /*is_asked=*/false)) {
    return Refuse(absl::StrCat("no attribute ", static_cast<int>(name), " of that type"),
                  CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  }
  if (count < 1 || values == nullptr)
    return Refuse("no values", CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  const auto* const bytes = static_cast<const char*>(values);
  attributes_[name] = {
      type, count, std::vector<char>(bytes, bytes + static_cast<size_t>(count) * BytesOf(type))};
  return CUDNN_STATUS_SUCCESS;
}

const CudnnDescriptor* CudnnDescriptor::Part(cudnnBackendAttributeName_t name,
                                             cudnnBackendDescriptorType_t type) const {
  const auto* const part = static_cast<const CudnnDescriptor*>(One<void*>(name));
  return part != nullptr && part->type() == type && part->is_finalized() ? part : nullptr;
}

cudnnStatus_t CudnnDescriptor::Finalize() {
  if (is_finalized_) return Refuse("it is finalised", CUDNN_STATUS_BAD_PARAM);
  for (const Rule& rule : kRules) {
    if (rule.kind == type_ && rule.use == Rule::kNeeded && attributes_.count(rule.name) == 0) {
      return Refuse(absl::StrCat("the attribute ", static_cast<int>(rule.name), " is missing"),
                    CUDNN_STATUS_BAD_PARAM);
    }
  }
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (type_ == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    status = FinalizeTensor();
  } else if (type_ == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) {
    status = FinalizeWindow();
  } else if (OperationOf(type_) != nullptr) {
    status = FinalizeOperation();
  } else if (type_ == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    status = FinalizePointwise();
  } else if (type_ == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    status = FinalizeGraph();
  } else if (type_ == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) {
    status = FinalizeFrom(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                          CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (status == CUDNN_STATUS_SUCCESS && Engines().empty()) {
      status = Refuse("no choice of that mode", CUDNN_STATUS_NOT_SUPPORTED);
    }
  } else if (type_ == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    status = attributes_.count(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) > 0
                 ? FinalizeWritten()
                 : FinalizeFrom(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    if (status == CUDNN_STATUS_SUCCESS && !engine_->has_plan) {
      status = Refuse("the engine cannot do it after all", CUDNN_STATUS_NOT_SUPPORTED);
    }
  } else if (type_ == CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    status = FinalizeArguments();
  } else if (type_ != CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR &&
             type_ != CUDNN_BACKEND_POINTWISE_DESCRIPTOR) {
    status = Refuse("the library fills it", CUDNN_STATUS_BAD_PARAM);
  }
  is_finalized_ = status == CUDNN_STATUS_SUCCESS;
  return status;
}

cudnnStatus_t CudnnDescriptor::FinalizeTensor() {
  const auto dimensions = All<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = All<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  const auto alignment = One<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  const auto is_positive = [](int64_t number) { return number > 0; };
  if (dimensions.size() < 3 || dimensions.size() > 5 || strides.size() != dimensions.size() ||
      !std::all_of(dimensions.begin(), dimensions.end(), is_positive) ||
      !std::all_of(strides.begin(), strides.end(), is_positive)) {
    return Refuse("no such dimensions and strides", CUDNN_STATUS_BAD_PARAM);
  }
  CudnnOperand operand;
  const cudnnStatus_t status = ReadOperand(&operand);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0 ||
      alignment % BytesOf(operand.element) != 0) {
    return Refuse("no such alignment", CUDNN_STATUS_BAD_PARAM);
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizeWindow() {
  const auto axes = static_cast<size_t>(One<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  const auto check = [&](cudnnBackendAttributeName_t name, int64_t least) {
    const auto numbers = All<int64_t>(name);
    return numbers.size() == axes && std::all_of(numbers.begin(), numbers.end(),
                                                 [=](int64_t number) { return number >= least; });
  };
  if (axes < 1 || axes > 3 || !check(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1) ||
      !check(CUDNN_ATTR_CONVOLUTION_DILATIONS, 1) ||
      !check(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0) ||
      !check(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 0)) {
    return Refuse("no such windows", CUDNN_STATUS_BAD_PARAM);
  }
  if (One<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) != CUDNN_CROSS_CORRELATION) {
    return Refuse("mirrored filters", CUDNN_STATUS_NOT_SUPPORTED);
  }
  return CUDNN_STATUS_SUCCESS;
}

// Of a tensor's descriptor.
cudnnStatus_t CudnnDescriptor::ReadOperand(CudnnOperand* operand) const {
  switch (One<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)) {
    case CUDNN_DATA_HALF:
      operand->element = CudnnElement::kHalf;
      break;
    case CUDNN_DATA_BFLOAT16:
      operand->element = CudnnElement::kBFloat16;
      break;
    case CUDNN_DATA_FLOAT:
      operand->element = CudnnElement::kFloat;
      break;
    case CUDNN_DATA_DOUBLE:
      operand->element = CudnnElement::kDouble;
      break;
    default:
      return Refuse("no such elements", CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
  }
  operand->id = One<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  operand->alignment = One<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  operand->is_virtual = One<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0;
  operand->dimensions = All<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  operand->strides = All<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizePointwise() {
  const CudnnDescriptor* const what =
      Part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  if (what == nullptr) return Refuse("what is done", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  const auto mode = what->One<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  if (mode != CUDNN_POINTWISE_ADD && mode != CUDNN_POINTWISE_RELU_FWD) {
    return Refuse("neither an addition nor a Relu", CUDNN_STATUS_NOT_SUPPORTED);
  }
  if (what->One<cudnnDataType_t>(CUDNN_ATTR_POINTWISE_MATH_PREC) != CUDNN_DATA_FLOAT) {
    return Refuse("no such arithmetic", CUDNN_STATUS_NOT_SUPPORTED);
  }
  auto made = std::make_shared<CudnnPointwise>();
  made->adds_bias = mode == CUDNN_POINTWISE_ADD;
  std::vector<std::pair<cudnnBackendAttributeName_t, CudnnOperand*>> operands = {
      {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, &made->x},
      {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, &made->y}};
  if (made->adds_bias) operands.emplace_back(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, &made->bias);
  for (const auto& [name, operand] : operands) {
    const CudnnDescriptor* const part = Part(name, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    if (part == nullptr) return Refuse("an operand", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    const cudnnStatus_t status = part->ReadOperand(operand);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  if (made->x.dimensions != made->y.dimensions) {
    return Refuse("results of another size", CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  }
  pointwise_ = std::move(made);
  return CUDNN_STATUS_SUCCESS;
}

// The convolution with what follows it.
cudnnStatus_t CudnnDescriptor::FinalizeGraph() {
  const auto operations = All<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  const auto at = [&](size_t i) { return static_cast<const CudnnDescriptor*>(operations[i]); };
  for (size_t i = 0; i < operations.size(); ++i) {
    if (at(i) == nullptr || !at(i)->is_finalized()) {
      return Refuse("an operation", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    }
    const bool fits = i == 0 ? at(i)->convolution_ != nullptr : at(i)->pointwise_ != nullptr;
    if (!fits) return Refuse("no such graph", CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
  }
  auto made = std::make_shared<CudnnConvolution>(*at(0)->convolution_);
  for (size_t i = 1; i < operations.size(); ++i) {
    const CudnnPointwise& next = *at(i)->pointwise_;
    const bool in_order = next.adds_bias ? i == 1 : i == 2;
    if (!in_order || made->result != CudnnConvolution::kOutput || !made->output.is_virtual ||
        next.x.id != made->output.id) {
      return Refuse("no such graph", CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
    }
    made->output = next.y;
    made->has_relu = !next.adds_bias;
    if (!next.adds_bias) continue;
    made->has_bias = true;
    made->bias = next.bias;
    std::vector<int64_t> want(made->output.dimensions.size(), 1);
    want[1] = made->output.dimensions[1];
    if (next.bias.dimensions != want || next.bias.strides[1] != 1) {
      return Refuse("no bias along the channels", CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
    }
  }
  for (const CudnnOperand* x : {&made->input, &made->filter, &made->output}) {
    if (x->is_virtual || x->element != made->input.element) {
      return Refuse("an end that is virtual or of another type",
                    CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
    }
  }
  convolution_ = std::move(made);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizeOperation() {
  const OperationKind& kind = *OperationOf(type_);
  auto made = std::make_shared<CudnnConvolution>();
  made->result = kind.result;
  const std::pair<cudnnBackendAttributeName_t, CudnnOperand*> operands[] = {
      {kind.input, &made->input}, {kind.filter, &made->filter}, {kind.output, &made->output}};
  for (const auto& [name, operand] : operands) {
    const CudnnDescriptor* const part = Part(name, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    if (part == nullptr) return Refuse("an operand", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    const cudnnStatus_t status = part->ReadOperand(operand);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  const CudnnDescriptor* const window = Part(kind.window, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  if (window == nullptr) return Refuse("the windows", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  made->window = {
      window->One<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) == CUDNN_DATA_DOUBLE,
      window->All<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
      window->All<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS),
      window->All<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
      window->All<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS)};
  // One, and nothing of the old result, where nothing is said.
  const auto read = [&](cudnnBackendAttributeName_t name, double* factor) {
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) return;
    *factor = found->second.type == CUDNN_TYPE_DOUBLE ? One<double>(name) : One<float>(name);
  };
  read(kind.factor, &made->factor);
  read(kind.factor_of_old, &made->factor_of_old);
  std::string wrong = CheckSizes(*made);
  if (!wrong.empty()) return Refuse(std::move(wrong), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  convolution_ = std::move(made);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizeFrom(cudnnBackendAttributeName_t name,
                                            cudnnBackendDescriptorType_t type) {
  const CudnnDescriptor* const part = Part(name, type);
  if (part == nullptr) return Refuse("a part", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  for (const cudnnBackendAttributeName_t gpu :
       {CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP}) {
    if (attributes_.count(gpu) > 0 && Part(gpu, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR) == nullptr) {
      return Refuse("the GPU's properties", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
    }
  }
  convolution_ = part->convolution_;
  engine_ = part->engine_;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizeWritten() {
  const auto words = All<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  auto made = std::make_shared<CudnnConvolution>();
  int engine = 0;
  if (!ReadPlan(absl::string_view(words.data(), words.size()), made.get(), &engine) || engine < 0 ||
      engine >= static_cast<int>(std::size(kEngines))) {
    return Refuse("no plan in these words", CUDNN_STATUS_BAD_PARAM);
  }
  convolution_ = std::move(made);
  engine_ = kEngines[engine];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::GetWords(int64_t most, int64_t* count, void* values) const {
  std::string words = "{\"deviceName\":\"the stand-in\"}";
  if (type_ == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    const auto* const at = std::find(std::begin(kEngines), std::end(kEngines), engine_);
    words = WrittenPlan(*convolution_, static_cast<int>(at - std::begin(kEngines)));
  }
  *count = static_cast<int64_t>(words.size());
  if (most == 0) return CUDNN_STATUS_SUCCESS;
  if (most < *count) return Refuse("too little room", CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  std::copy(words.begin(), words.end(), static_cast<char*>(values));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::FinalizeArguments() {
  const auto numbers = All<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  if (All<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size() != numbers.size()) {
    return Refuse("not as many addresses as numbers", CUDNN_STATUS_BAD_PARAM);
  }
  return CUDNN_STATUS_SUCCESS;
}

void* CudnnDescriptor::Address(int64_t operand) const {
  const auto numbers = All<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto addresses = All<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const auto found = std::find(numbers.begin(), numbers.end(), operand);
  return found == numbers.end() ? nullptr : addresses[static_cast<size_t>(found - numbers.begin())];
}

// Gradients of filters are added up in parts, those of inputs as well.
int64_t CudnnDescriptor::workspace_bytes() const {
  const CudnnConvolution& c = *convolution_;
  if (c.result == CudnnConvolution::kOutput) return 0;
  return 2 * (c.result == CudnnConvolution::kFilter ? c.filter : c.input).bytes();
}

std::vector<const CudnnEngine*> CudnnDescriptor::Engines() const {
  const bool is_fallback =
      One<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_FALLBACK;
  if (convolution_->has_bias &&
      convolution_->filter.dimensions[1] != convolution_->input.dimensions[1]) {
    return {};
  }
  if (is_fallback) return {&kWithoutPlan, &kPlain};
  switch (convolution_->input.element) {
    case CudnnElement::kHalf:
    case CudnnElement::kBFloat16:
      return {&kSumsOfHalves, &kNondeterministic, &kTensorCores};
    case CudnnElement::kFloat:
      return {&kWinograd, &kFourier, &kTensorFloat32, &kWithoutPlan, &kPlain};
    case CudnnElement::kDouble:
      break;
  }
  return {};
}

cudnnStatus_t CudnnDescriptor::GetEngines(int64_t most, int64_t* count, void* values) const {
  const std::vector<const CudnnEngine*> engines = Engines();
  *count = static_cast<int64_t>(engines.size());
  if (most == 0) return CUDNN_STATUS_SUCCESS;
  *count = std::min(*count, most);
  for (int64_t i = 0; i < *count; ++i) {
    auto* const settings = static_cast<CudnnDescriptor**>(values)[i];
    if (settings->type_ != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR || settings->is_finalized_) {
      return Refuse("no empty settings", CUDNN_STATUS_BAD_PARAM);
    }
    settings->convolution_ = convolution_;
    settings->engine_ = engines[static_cast<size_t>(i)];
    settings->is_finalized_ = true;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::Get(cudnnBackendAttributeName_t name,
                                   cudnnBackendAttributeType_t type, int64_t most, int64_t* count,
                                   void* values) const {
  if (!is_finalized_) return Refuse("it", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  if (!Has(type_, name, type, /*is_asked=*/true)) {
    return Refuse(absl::StrCat("no attribute ", static_cast<int>(name), " of that type"),
                  CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  }
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) return GetEngines(most, count, values);
  if (type == CUDNN_TYPE_CHAR) return GetWords(most, count, values);
  if (most < 1) return Refuse("no room for a value", CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  *count = 1;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
    *static_cast<int64_t*>(values) = workspace_bytes();
  } else if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
    auto* const engine = *static_cast<CudnnDescriptor**>(values);
    if (engine->type_ != CUDNN_BACKEND_ENGINE_DESCRIPTOR) {
      return Refuse("no engine", CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
    }
    engine->engine_ = engine_;
    engine->is_finalized_ = true;
  } else {
    *count = std::min<int64_t>(most, static_cast<int64_t>(engine_->notes.size()));
    std::copy_n(engine_->notes.begin(), *count, static_cast<cudnnBackendNumericalNote_t*>(values));
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace warpbeam::cuda_stand_in
