#include <cudnn.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/span.h"
#include "ops/nn/conv/cudnn_plan.h"
#include "ops/nn/conv/cudnn_status.h"

static_assert(CUDNN_VERSION >= 90800, "plans from descriptions of GPUs came with cuDNN 9.8");

namespace warpbeam {
namespace {

// Builds a descriptor; remembers what went wrong first.
class Builder {
 public:
  Builder(cudnnBackendDescriptorType_t type, const char* what) : what_(what) {
    cudnnBackendDescriptor_t made = nullptr;
    status_ = CudnnStatus(cudnnBackendCreateDescriptor(type, &made), what);
    made_.reset(made);
  }
  Builder& Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
               const void* values) {
    if (status_.ok()) {
      status_ =
          CudnnStatus(cudnnBackendSetAttribute(made_.get(), name, type, count, values), what_);
    }
    return *this;
  }
  template <class T>
  Builder& Value(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T value) {
    return Set(name, type, 1, &value);
  }
  Builder& Numbers(cudnnBackendAttributeName_t name, Span<const int64_t> values) {
    return Set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
  }
  Builder& Part(cudnnBackendAttributeName_t name, const CudnnDescriptor& part) {
    return Value(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, part.get());
  }
  StatusOr<CudnnDescriptor> Finalize() {
    if (status_.ok()) status_ = CudnnStatus(cudnnBackendFinalize(made_.get()), what_);
    if (!status_.ok()) return status_;
    return std::move(made_);
  }

 private:
  const char* const what_;
  CudnnDescriptor made_;
  Status status_;
};

Status Get(const CudnnDescriptor& from, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, int64_t most, int64_t* count, void* values) {
  return CudnnStatus(cudnnBackendGetAttribute(from.get(), name, type, most, count, values),
                     "asking about a convolution");
}

struct Arithmetic {
  cudnnDataType_t element;
  cudnnDataType_t sum;  // of which the factors of the result are, too
};
StatusOr<Arithmetic> ArithmeticOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return Arithmetic{CUDNN_DATA_HALF, CUDNN_DATA_FLOAT};
    case DType::kBFloat16:
      return Arithmetic{CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT};
    case DType::kFloat:
      return Arithmetic{CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT};
    case DType::kDouble:
      return Arithmetic{CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE};
    default:
      return Unimplemented("convolutions of ", DTypeName(dtype), " on GPUs");
  }
}

constexpr uint32_t Bit(cudnnBackendNumericalNote_t note) { return uint32_t{1} << note; }

uint32_t RefusedNotes(const GpuConvolution& convolution) {
  uint32_t refused = Bit(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) |
                     Bit(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) |
                     Bit(CUDNN_NUMERICAL_NOTE_FFT) | Bit(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) |
                     Bit(CUDNN_NUMERICAL_NOTE_WINOGRAD);
  // The tensor cores take float as TF32, which the library calls converting the inputs.
  if (convolution.dtype != DType::kFloat) return refused;
  if (convolution.tensor_float_32) return refused & ~Bit(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  return refused | Bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
}

// Operands are told apart by these numbers.
enum OperandId : int64_t { kInput = 1, kFilter, kOutput, kBias, kSums, kBiased };

// How many of the axes depth, height and width the library is told of, from the last: an image's
// depth is no axis.
int SpatialAxes(const ConvGeometry& g) {
  const bool has_depth = g.input[0] != 1 || g.filter[0] != 1 || g.output[0] != 1;
  return has_depth ? 3 : 2;
}
Span<const int64_t> LastAxes(const int64_t numbers[3], int axes) {
  return MakeConstSpan(numbers + 3 - axes, axes);
}

// What goes from one operation to the next has no address, but is to have an alignment that its
// type may have.
constexpr int64_t kVirtualAlignment = 16;

// The library's dimensions are [batch, channels, spatial axes] whatever the order in memory.
StatusOr<CudnnDescriptor> DescribeOperand(OperandId id, cudnnDataType_t element, int64_t batch,
                                          int64_t channels, Span<const int64_t> extent,
                                          bool channels_first, int64_t alignment,
                                          bool is_virtual = false) {
  std::vector<int64_t> dimensions = {batch, channels}, strides(2 + extent.size());
  dimensions.insert(dimensions.end(), extent.begin(), extent.end());
  int64_t step = channels_first ? 1 : channels;
  for (size_t i = extent.size(); i-- > 0; step *= extent[i]) strides[2 + i] = step;
  strides[1] = channels_first ? step : 1;
  strides[0] = channels_first ? step * channels : step;
  return Builder(CUDNN_BACKEND_TENSOR_DESCRIPTOR, "describing an operand of a convolution")
      .Value(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, element)
      .Value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id)
      .Value(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, alignment)
      .Value(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, is_virtual)
      .Numbers(CUDNN_ATTR_TENSOR_DIMENSIONS, dimensions)
      .Numbers(CUDNN_ATTR_TENSOR_STRIDES, strides)
      .Finalize();
}

StatusOr<CudnnDescriptor> DescribeWindow(const ConvGeometry& g, cudnnDataType_t sum) {
  const int axes = SpatialAxes(g);
  return Builder(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "describing the windows of a convolution")
      .Value(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, sum)
      .Value(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
      .Value<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, axes)
      .Numbers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, LastAxes(g.stride, axes))
      .Numbers(CUDNN_ATTR_CONVOLUTION_DILATIONS, LastAxes(g.dilation, axes))
      .Numbers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, LastAxes(g.before, axes))
      .Numbers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, LastAxes(g.after, axes))
      .Finalize();
}

// The names that the attributes of an operation have by pass.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t input, filter, output, window, factor, factor_of_old;
};
constexpr OperationNames kForwardNames = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr OperationNames kToInputNames = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
constexpr OperationNames kToFilterNames = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

const OperationNames& NamesOf(ConvPass pass) {
  if (pass == ConvPass::kForward) return kForwardNames;
  return pass == ConvPass::kBackwardInput ? kToInputNames : kToFilterNames;
}

// The library adds up places in 32 bits.
Status CheckReach(const ConvGeometry& g) {
  for (int i = 0; i < 3; ++i) {
    const double reach = static_cast<double>(g.dilation[i]) * static_cast<double>(g.filter[i] - 1);
    const double padded = static_cast<double>(g.input[i]) + static_cast<double>(g.before[i]) +
                          static_cast<double>(g.after[i]);
    if (reach + padded > std::numeric_limits<int32_t>::max()) {
      return Unimplemented("cuDNN has no convolution with a padded input of ", padded,
                           " places and a filter that reaches over ", reach + 1);
    }
  }
  return OkStatus();
}

// An operation on each element: y = mode(x, bias), or mode(x) where there is none. What it is made
// of is added to `parts`, the operation last.
Status DescribePointwise(cudnnPointwiseMode_t mode, cudnnDataType_t sum, const CudnnDescriptor& x,
                         const CudnnDescriptor* bias, const CudnnDescriptor& y,
                         std::vector<CudnnDescriptor>* parts) {
  constexpr char kWhat[] = "describing what follows a convolution";
  WB_ASSIGN_OR_RETURN(CudnnDescriptor pointwise,
                      Builder(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, kWhat)
                          .Value(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
                          .Value(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, sum)
                          .Finalize());
  Builder operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, kWhat);
  operation.Part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
  operation.Part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (bias != nullptr) operation.Part(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *bias);
  operation.Part(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  WB_ASSIGN_OR_RETURN(CudnnDescriptor made, operation.Finalize());
  parts->push_back(std::move(pointwise));
  parts->push_back(std::move(made));
  return OkStatus();
}

// The operations behind a convolution with the result `sums`, in the order of the graph.
Status DescribeEpilogue(const GpuConvolution& x, const Arithmetic& with, int64_t alignment,
                        const CudnnDescriptor& sums, const CudnnDescriptor& output,
                        std::vector<CudnnDescriptor>* parts,
                        std::vector<cudnnBackendDescriptor_t>* operations) {
  const ConvGeometry& g = x.geometry;
  const int axes = SpatialAxes(g);
  constexpr int64_t kOnes[] = {1, 1, 1};
  WB_ASSIGN_OR_RETURN(CudnnDescriptor bias,
                      DescribeOperand(kBias, with.element, 1, g.out_channels, LastAxes(kOnes, axes),
                                      x.channels_first, alignment));
  if (!x.relu) {
    WB_RETURN_IF_ERROR(
        DescribePointwise(CUDNN_POINTWISE_ADD, with.sum, sums, &bias, output, parts));
    operations->push_back(parts->back().get());
  } else {
    WB_ASSIGN_OR_RETURN(
        CudnnDescriptor biased,
        DescribeOperand(kBiased, with.sum, g.batch, g.out_channels, LastAxes(g.output, axes),
                        x.channels_first, kVirtualAlignment,
                        /*is_virtual=*/true));
    WB_RETURN_IF_ERROR(
        DescribePointwise(CUDNN_POINTWISE_ADD, with.sum, sums, &bias, biased, parts));
    operations->push_back(parts->back().get());
    WB_RETURN_IF_ERROR(
        DescribePointwise(CUDNN_POINTWISE_RELU_FWD, with.sum, biased, nullptr, output, parts));
    operations->push_back(parts->back().get());
    parts->push_back(std::move(biased));
  }
  parts->push_back(std::move(bias));
  return OkStatus();
}

// The graph of the operations; what it is made of is added to `parts`, the graph last.
Status DescribeGraph(const GpuConvolution& x, int64_t alignment,
                     std::vector<CudnnDescriptor>* parts) {
  const ConvGeometry& g = x.geometry;
  WB_RETURN_IF_ERROR(CheckReach(g));
  const int axes = SpatialAxes(g);
  WB_ASSIGN_OR_RETURN(const Arithmetic with, ArithmeticOf(x.dtype));
  WB_ASSIGN_OR_RETURN(CudnnDescriptor input,
                      DescribeOperand(kInput, with.element, g.batch, g.in_channels,
                                      LastAxes(g.input, axes), x.channels_first, alignment));
  WB_ASSIGN_OR_RETURN(CudnnDescriptor filter,
                      DescribeOperand(kFilter, with.element, g.out_channels, g.group_inputs(),
                                      LastAxes(g.filter, axes), x.channels_first, alignment));
  WB_ASSIGN_OR_RETURN(CudnnDescriptor output,
                      DescribeOperand(kOutput, with.element, g.batch, g.out_channels,
                                      LastAxes(g.output, axes), x.channels_first, alignment));
  const bool has_bias = x.bias != nullptr;
  CudnnDescriptor sums;
  if (has_bias) {
    WB_ASSIGN_OR_RETURN(
        sums, DescribeOperand(kSums, with.sum, g.batch, g.out_channels, LastAxes(g.output, axes),
                              x.channels_first, kVirtualAlignment, /*is_virtual=*/true));
  }
  WB_ASSIGN_OR_RETURN(CudnnDescriptor window, DescribeWindow(g, with.sum));
  const OperationNames& names = NamesOf(x.pass);
  Builder operation(names.type, "describing a convolution");
  operation.Part(names.input, input).Part(names.filter, filter);
  operation.Part(names.output, has_bias ? sums : output);
  operation.Part(names.window, window);
  if (with.sum == CUDNN_DATA_DOUBLE) {
    operation.Value(names.factor, CUDNN_TYPE_DOUBLE, 1.0);
    operation.Value(names.factor_of_old, CUDNN_TYPE_DOUBLE, 0.0);
  } else {
    operation.Value(names.factor, CUDNN_TYPE_FLOAT, 1.0f);
    operation.Value(names.factor_of_old, CUDNN_TYPE_FLOAT, 0.0f);
  }
  WB_ASSIGN_OR_RETURN(CudnnDescriptor made, operation.Finalize());
  std::vector<cudnnBackendDescriptor_t> operations = {made.get()};
  if (has_bias) {
    WB_RETURN_IF_ERROR(DescribeEpilogue(x, with, alignment, sums, output, parts, &operations));
  }
  WB_ASSIGN_OR_RETURN(CudnnDescriptor graph,
                      Builder(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, "describing a graph")
                          .Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                               static_cast<int64_t>(operations.size()), operations.data())
                          .Finalize());
  for (CudnnDescriptor* part : {&input, &filter, &output, &sums, &window, &made, &graph}) {
    if (*part != nullptr) parts->push_back(std::move(*part));
  }
  return OkStatus();
}

// Empty descriptors, for the library to fill.
StatusOr<CudnnDescriptor> Unfilled(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  WB_RETURN_IF_ERROR(
      CudnnStatus(cudnnBackendCreateDescriptor(type, &made), "asking about a convolution"));
  return CudnnDescriptor(made);
}

// The engines for a graph, with their settings, the library's first choice first.
StatusOr<std::vector<CudnnDescriptor>> EnginesFor(const CudnnGpu& gpu, const CudnnDescriptor& graph,
                                                  cudnnBackendHeurMode_t mode) {
  WB_ASSIGN_OR_RETURN(
      const CudnnDescriptor heuristic,
      Builder(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, "choosing how to compute a convolution")
          .Part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
          .Part(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, gpu.descriptor())
          .Value(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode)
          .Finalize());
  int64_t count = 0;
  WB_RETURN_IF_ERROR(Get(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                         &count, nullptr));
  std::vector<CudnnDescriptor> engines;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < count; ++i) {
    WB_ASSIGN_OR_RETURN(CudnnDescriptor engine, Unfilled(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    raw.push_back(engine.get());
    engines.push_back(std::move(engine));
  }
  if (count == 0) return engines;
  WB_RETURN_IF_ERROR(Get(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                         count, &count, raw.data()));
  engines.resize(static_cast<size_t>(count));
  return engines;
}

StatusOr<uint32_t> NotesOf(const CudnnDescriptor& settings) {
  WB_ASSIGN_OR_RETURN(const CudnnDescriptor engine, Unfilled(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  cudnnBackendDescriptor_t raw = engine.get();
  int64_t count = 0;
  WB_RETURN_IF_ERROR(
      Get(settings, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw));
  cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
  WB_RETURN_IF_ERROR(Get(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                         CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, notes));
  uint32_t bits = 0;
  for (int64_t i = 0; i < count; ++i) bits |= Bit(notes[i]);
  return bits;
}

// In JSON, as the library writes it.
StatusOr<std::string> TextOf(const CudnnDescriptor& of, cudnnBackendAttributeName_t name) {
  int64_t count = 0;
  WB_RETURN_IF_ERROR(Get(of, name, CUDNN_TYPE_CHAR, 0, &count, nullptr));
  std::string text(static_cast<size_t>(count), '\0');
  WB_RETURN_IF_ERROR(Get(of, name, CUDNN_TYPE_CHAR, count, &count, text.data()));
  text.resize(static_cast<size_t>(count));
  return text;
}

// More than that only engines want that copy everything several times over.
constexpr int64_t kMostWorkspace = int64_t{1} << 30;

StatusOr<int64_t> WorkspaceOf(const CudnnDescriptor& plan) {
  int64_t count = 0, bytes = 0;
  WB_RETURN_IF_ERROR(
      Get(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes));
  return bytes;
}

}  // namespace

void DestroyCudnnDescriptor::operator()(void* descriptor) const {
  cudnnBackendDestroyDescriptor(descriptor);
}

StatusOr<CudnnGpu> CudnnGpu::Of(cudnnContext* library) {
  WB_ASSIGN_OR_RETURN(
      CudnnDescriptor made,
      Builder(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "asking for the GPU's properties")
          .Value(CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, library)
          .Finalize());
  return CudnnGpu(std::move(made));
}

StatusOr<CudnnGpu> CudnnGpu::Described(absl::string_view json) {
  WB_ASSIGN_OR_RETURN(CudnnDescriptor made,
                      Builder(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, "reading a GPU's properties")
                          .Set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                               static_cast<int64_t>(json.size()), json.data())
                          .Finalize());
  return CudnnGpu(std::move(made));
}

StatusOr<std::string> CudnnGpu::Describe() const {
  return TextOf(descriptor_, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION);
}

bool CudnnPlan::Has(DType dtype) { return ArithmeticOf(dtype).ok(); }

StatusOr<std::shared_ptr<const CudnnPlan>> CudnnPlan::Make(const CudnnGpu& gpu,
                                                           const GpuConvolution& convolution,
                                                           int64_t alignment) {
  const std::shared_ptr<CudnnPlan> plan(new CudnnPlan);
  WB_RETURN_IF_ERROR(DescribeGraph(convolution, alignment, &plan->parts_));
  const CudnnDescriptor& graph = plan->parts_.back();
  const uint32_t refused = RefusedNotes(convolution);
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    auto engines = EnginesFor(gpu, graph, mode);
    if (IsUnimplemented(engines.status())) continue;
    WB_RETURN_IF_ERROR(engines.status());
    for (CudnnDescriptor& engine : *engines) {
      WB_ASSIGN_OR_RETURN(plan->numerical_notes_, NotesOf(engine));
      if ((plan->numerical_notes_ & refused) != 0) continue;
      auto made = Builder(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "planning a convolution")
                      .Part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine)
                      .Part(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, gpu.descriptor())
                      .Finalize();
      if (IsUnimplemented(made.status())) continue;  // so it is no choice after all
      WB_ASSIGN_OR_RETURN(plan->plan_, std::move(made));
      WB_ASSIGN_OR_RETURN(plan->workspace_bytes_, WorkspaceOf(plan->plan_));
      if (plan->workspace_bytes_ > kMostWorkspace) continue;
      plan->parts_.push_back(std::move(engine));
      return plan;
    }
  }
  const ConvGeometry& g = convolution.geometry;
  return Unimplemented(
      "cuDNN has no convolution of ", DTypeName(convolution.dtype), " images of ", g.input[1], "x",
      g.input[2], "x", g.in_channels, " with a filter of ", g.filter[1], "x", g.filter[2], " in ",
      g.groups, " groups to ", g.output[1], "x", g.output[2], "x", g.out_channels,
      convolution.bias == nullptr ? "" : ", with a bias,", " that gives the same bits each time");
}

StatusOr<std::string> CudnnPlan::Written() const {
  return TextOf(plan_, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
}

StatusOr<std::shared_ptr<const CudnnPlan>> CudnnPlan::FromWritten(const CudnnGpu& gpu,
                                                                  absl::string_view words) {
  const std::shared_ptr<CudnnPlan> plan(new CudnnPlan);
  WB_ASSIGN_OR_RETURN(
      plan->plan_,
      Builder(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, "reading the plan of a convolution")
          .Part(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, gpu.descriptor())
          .Set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
               static_cast<int64_t>(words.size()), words.data())
          .Finalize());
  WB_ASSIGN_OR_RETURN(plan->workspace_bytes_, WorkspaceOf(plan->plan_));
  if (plan->workspace_bytes_ > kMostWorkspace) {
    return Internal("a plan that wants ", plan->workspace_bytes_, " bytes to work in");
  }
  return plan;
}

Status CudnnPlan::Execute(cudnnContext* library, const Operands& operands, void* workspace) const {
  const void* pointers[] = {operands.input, operands.filter, operands.output, operands.bias};
  constexpr int64_t kIds[] = {kInput, kFilter, kOutput, kBias};
  const int64_t count = operands.bias == nullptr ? 3 : 4;
  WB_ASSIGN_OR_RETURN(
      const CudnnDescriptor arguments,
      Builder(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, "launching a convolution")
          .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers)
          .Numbers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, MakeConstSpan(kIds, count))
          .Value(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace)
          .Finalize());
  return CudnnStatus(cudnnBackendExecute(library, plan_.get(), arguments.get()),
                     "launching a convolution");
}

}  // namespace warpbeam
