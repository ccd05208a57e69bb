// Gradients of array ops against central differences, through whole graphs, on the CPU and on a
// simulated GPU.
#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

// Differentiates sum(w * op(x, …)) by the first input, where w are fixed numbers.
class GradientRecord {
 public:
  GradientRecord(std::string op, int x_input) : op_(std::move(op)), x_input_(x_input) {}
  GradientRecord& Attr(const char* name, AttrValue value) {
    attrs_.emplace_back(name, std::move(value));
    return *this;
  }
  GradientRecord& Input(Tensor value) {
    inputs_.push_back(std::move(value));
    return *this;
  }

  void Check() const {
    SCOPED_TRACE(op_);
    const Status s = TryCheck();
    EXPECT_TRUE(s.ok()) << s;
  }

 private:
  Status TryCheck() const {
    auto graph = std::make_shared<Graph>();
    NodeBuilder builder(graph.get(), op_);
    OutputRef x;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      WB_ASSIGN_OR_RETURN(Node * input,
                          AddConstant(graph.get(), absl::StrCat("in", i), inputs_[i]));
      if (static_cast<int>(i) == x_input_) x = {input->id(), 0};
      builder.Input(input);
    }
    for (const auto& attr : attrs_) builder.Attr(attr.first, attr.second);
    WB_ASSIGN_OR_RETURN(Node * node, builder.Name("y").Build());
    const OutputRef y = {node->id(), 0};
    WB_ASSIGN_OR_RETURN(Shape shape, node->output_shape(0).AsShape());
    WB_ASSIGN_OR_RETURN(Tensor weights, Tensor::Allocate(DType::kDouble, shape));
    for (int64_t i = 0; i < shape.num_elements(); ++i) weights.data<double>()[i] = 1 + 0.5 * i;
    WB_ASSIGN_OR_RETURN(Node * w, AddConstant(graph.get(), "w", weights));
    GradientOptions options;
    options.grad_ys = {GradientValue::Dense({w->id(), 0})};
    WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dx, AddGradients(*graph, {y}, {x}, options));
    WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(*graph, dx[0], "dense"));
    const std::string fetch = absl::StrCat(graph->node(dense.node).name(), ":", dense.index);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Create({}, graph));
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session->Run({}, {}, {fetch}, {}, &out));
    WB_ASSIGN_OR_RETURN(const Tensor expected, Differences(*session, weights));
    WB_RETURN_IF_ERROR(CompareTensors(out[0], expected, {1e-6, 1e-6}));
    return CheckOnGpu(graph, *node, fetch, expected);
  }

  Status CheckOnGpu(const std::shared_ptr<Graph>& graph, const Node& node, const std::string& fetch,
                    const Tensor& expected) const {
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(WithGpu(), graph));
    RunOptions run;
    run.trace = TraceLevel::kFull;
    RunMetadata metadata;
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session->Run(run, {}, {fetch, "y:0"}, {}, &out, &metadata));
    WB_RETURN_IF_ERROR(CompareTensors(out[0], expected, {1e-6, 1e-6}));
    const KernelRegistry& kernels = KernelRegistry::Global();
    if (kernels.Find(op_, node.attrs(), DeviceType::kGpu) == nullptr) return OkStatus();
    for (const NodeStats& stats : metadata.step_stats.nodes) {
      if (stats.op == op_ && absl::StrContains(stats.device, "GPU:")) return OkStatus();
    }
    return Internal(op_, " did not run on the GPU");
  }

  // A simulated GPU runs the kernels of real ones; no pass computes constants on the CPU before.
  static SessionOptions WithGpu() {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    options.passes = "none";
    return options;
  }

  StatusOr<double> Value(Session& session, const Tensor& x, const Tensor& weights) const {
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(
        session.Run({}, {{absl::StrCat("in", x_input_), x}}, {"y"}, {}, &out, nullptr));
    double sum = 0;
    for (int64_t i = 0; i < weights.num_elements(); ++i) {
      sum += out[0].data<double>()[i] * weights.data<double>()[i];
    }
    return sum;
  }

  StatusOr<Tensor> Differences(Session& session, const Tensor& weights) const {
    const Tensor& x = inputs_[static_cast<size_t>(x_input_)];
    WB_ASSIGN_OR_RETURN(Tensor result, x.Clone());
    constexpr double kStep = 1e-3;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      double values[2];
      for (int side = 0; side < 2; ++side) {
        WB_ASSIGN_OR_RETURN(Tensor moved, x.Clone());
        moved.data<double>()[i] += side == 0 ? -kStep : kStep;
        WB_ASSIGN_OR_RETURN(values[side], Value(session, moved, weights));
      }
      result.data<double>()[i] = (values[1] - values[0]) / (2 * kStep);
    }
    return result;
  }

  std::string op_;
  int x_input_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<Tensor> inputs_;
};

Tensor X(std::initializer_list<int64_t> shape) {
  Tensor t = *Tensor::Allocate(DType::kDouble, Shape(shape));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<double>()[i] = 0.3 * i - 1;
  return t;
}
Tensor I(std::initializer_list<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor I2(std::initializer_list<int32_t> values) {
  const int64_t rows = static_cast<int64_t>(values.size()) / 2;
  return OpTest::Make<int32_t>({rows, 2}, values);
}
Tensor N(int32_t value) { return Tensor::Scalar(value); }

TEST(ArrayGradients, OfViewsAndPermutations) {
  GradientRecord("Identity", 0).Input(X({3})).Check();
  GradientRecord("DebugGradientIdentity", 0).Input(X({3})).Check();
  GradientRecord("Reshape", 0).Input(X({2, 3})).Input(I({3, -1})).Check();
  GradientRecord("ExpandDims", 0).Input(X({2})).Input(N(-1)).Check();
  GradientRecord("Squeeze", 0).Input(X({1, 2, 1})).Check();
  GradientRecord("Transpose", 0).Input(X({2, 3, 2})).Input(I({2, 0, 1})).Check();
  GradientRecord("ReverseV2", 0).Input(X({2, 3})).Input(I({1})).Check();
  GradientRecord("Roll", 0).Input(X({2, 3})).Input(I({2})).Input(I({1})).Check();
  GradientRecord("ReverseSequence", 0).Attr("seq_dim", 1).Input(X({2, 3})).Input(I({2, 3})).Check();
}

TEST(ArrayGradients, OfParts) {
  GradientRecord("Slice", 0).Input(X({3, 3})).Input(I({1, 0})).Input(I({-1, 2})).Check();
  GradientRecord("StridedSlice", 0)
      .Attr("shrink_axis_mask", 1)
      .Input(X({3, 4}))
      .Input(I({1, 3}))
      .Input(I({2, 0}))
      .Input(I({1, -2}))
      .Check();
  GradientRecord("GatherV2", 0).Input(X({3, 2})).Input(I({2, 0, 2})).Input(N(0)).Check();
  GradientRecord("GatherNd", 0).Input(X({3, 2})).Input(I2({2, 0, 2, 0, 1, 1})).Check();
}

TEST(ArrayGradients, OfBorders) {
  GradientRecord("Pad", 0).Input(X({2, 2})).Input(I2({1, 0, 0, 2})).Check();
  GradientRecord("MirrorPad", 0)
      .Attr("mode", "REFLECT")
      .Input(X({3, 2}))
      .Input(I2({2, 1, 1, 0}))
      .Check();
}

TEST(ArrayGradients, OfBlocksAndDiagonals) {
  GradientRecord("SpaceToDepth", 0).Attr("block_size", 2).Input(X({1, 2, 4, 1})).Check();
  GradientRecord("DepthToSpace", 0).Attr("block_size", 2).Input(X({1, 1, 2, 4})).Check();
  GradientRecord("SpaceToBatchND", 0).Input(X({1, 3, 1})).Input(I({2})).Input(I2({1, 0})).Check();
  GradientRecord("BatchToSpaceND", 0).Input(X({2, 2, 1})).Input(I({2})).Input(I2({1, 0})).Check();
  GradientRecord("MatrixDiag", 0).Input(X({2, 2})).Check();
  GradientRecord("MatrixDiagPartV3", 0)
      .Input(X({3, 4}))
      .Input(I({-1, 2}))
      .Input(Tensor::Scalar(0.0))
      .Check();
  GradientRecord("MatrixSetDiagV3", 0).Input(X({3, 3})).Input(X({2})).Input(N(1)).Check();
  GradientRecord("MatrixSetDiagV3", 1).Input(X({3, 3})).Input(X({2})).Input(N(1)).Check();
  GradientRecord("Diag", 0).Input(X({3})).Check();
}

TEST(ArrayGradients, OfScatters) {
  const Tensor indices = OpTest::Make<int32_t>({2, 1}, {2, 0});
  GradientRecord("ScatterNd", 1).Input(indices).Input(X({2})).Input(I({4})).Check();
  GradientRecord("TensorScatterUpdate", 0).Input(X({4})).Input(indices).Input(X({2})).Check();
  GradientRecord("TensorScatterUpdate", 2).Input(X({4})).Input(indices).Input(X({2})).Check();
  GradientRecord("TensorScatterSub", 2).Input(X({4})).Input(indices).Input(X({2})).Check();
}

}  // namespace
}  // namespace warpbeam
