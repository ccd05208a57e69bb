#include "tests/gpu/finite_differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/gradients/gradients.h"
#include "graph/types/testing/tensor_compare.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace finite_differences {

Node* Maker::Add(NodeBuilder builder) {
  if (!status_.ok()) return nullptr;
  auto node = builder.Device(device_).Build();
  if (node.ok()) return *node;
  status_ = node.status();
  return nullptr;
}

Refs Maker::Outputs(const std::string& op, const std::vector<NodeInput>& inputs,
                    const Attrs& attrs) {
  NodeBuilder builder(graph_, op);
  for (const NodeInput& input : inputs) builder.Input(input);
  for (const auto& [name, value] : attrs) builder.Attr(name, value);
  const Node* const node = Add(std::move(builder));
  Refs outputs(1);
  if (node == nullptr) return outputs;
  outputs.resize(static_cast<size_t>(node->num_outputs()));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = {node->id(), static_cast<int>(i)};
  return outputs;
}

OutputRef Maker::Op(const std::string& op, const std::vector<NodeInput>& inputs,
                    const Attrs& attrs) {
  return Outputs(op, inputs, attrs)[0];
}

OutputRef Maker::Constant(const Tensor& value) {
  return Op("Const", {}, {{"value", value}, {"dtype", value.dtype()}});
}

namespace {

constexpr char kGpu[] = "/gpu:0";

Tensor As(DType dtype, const Tensor& doubles) {
  if (dtype == DType::kDouble) return doubles;
  const double* const from = doubles.data<double>();
  return Tensor::FromValues<float>(doubles.shape(),
                                   std::vector<float>(from, from + doubles.num_elements()));
}

double Element(const Tensor& t, int64_t i) {
  return t.dtype() == DType::kDouble ? t.data<double>()[i] : double{t.data<float>()[i]};
}

// Fractions of multiples of the golden ratio: no two are near each other. They are numbers of a
// float, so that both graphs are at the same point.
Tensor PointOf(const X& x, size_t number) {
  const int64_t count = x.shape.num_elements();
  std::vector<double> values(static_cast<size_t>(count));
  double at = 0.29 + 0.37 * static_cast<double>(number);
  for (double& value : values) {
    at += 0.6180339887498949;
    value = static_cast<float>(x.low + (x.high - x.low) * (at - std::floor(at)));
  }
  return Tensor::FromValues<double>(x.shape, values);
}

// The weights of y's elements in the sum that is differentiated.
Tensor WeightsOf(const Shape& shape) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::cos(1 + 0.9 * static_cast<double>(i));
  return Tensor::FromValues<double>(shape, values);
}

std::string NameOf(size_t x) { return absl::StrCat("x", x); }

// The graph of a row, with its inputs.
struct RowGraph {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Refs xs;
  OutputRef y;

  std::string Name(OutputRef ref) const {
    return absl::StrCat(graph->node(ref.node).name(), ":", ref.index);
  }
};

StatusOr<OutputRef> AddFed(Graph* graph, const std::string& name, DType dtype, const Shape& shape,
                           const std::string& device) {
  return NodeBuilder(graph, "Placeholder")
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Name(name)
      .Device(device)
      .BuildOutput();
}

StatusOr<RowGraph> MakeGraph(const Row& row, DType dtype, const std::string& device) {
  RowGraph made;
  for (size_t i = 0; i < row.xs.size(); ++i) {
    WB_ASSIGN_OR_RETURN(OutputRef x,
                        AddFed(made.graph.get(), NameOf(i), dtype, row.xs[i].shape, device));
    made.xs.push_back(x);
  }
  Maker maker(made.graph.get(), dtype, device);
  made.y = row.build(maker, made.xs);
  WB_RETURN_IF_ERROR(maker.status());
  return made;
}

SessionOptions WithGpu() {
  SessionOptions options;
  options.simulated_gpus = 1;
  options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
  options.passes = "none";
  return options;
}

SessionOptions WithoutGpu() {
  SessionOptions options;
  options.gpus = 0;
  options.passes = "none";
  return options;
}

// The forward of a row by itself.
class ForwardOf {
 public:
  static StatusOr<ForwardOf> Create(const Row& row) {
    ForwardOf made;
    made.dtype_ = row.forward == Forward::kDouble ? DType::kDouble : DType::kFloat;
    const bool on_gpu = row.forward == Forward::kOnGpu;
    WB_ASSIGN_OR_RETURN(const RowGraph graph, MakeGraph(row, made.dtype_, on_gpu ? kGpu : ""));
    made.y_ = graph.Name(graph.y);
    WB_ASSIGN_OR_RETURN(made.session_,
                        Session::Create(on_gpu ? WithGpu() : WithoutGpu(), graph.graph));
    return made;
  }

  StatusOr<Tensor> Y(const std::vector<Tensor>& points) {
    NamedTensors feeds;
    for (size_t i = 0; i < points.size(); ++i) feeds.emplace_back(NameOf(i), As(dtype_, points[i]));
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session_->Run({}, feeds, {y_}, {}, &out));
    return out[0];
  }

  // The slope along every element of one x.
  StatusOr<Tensor> Slopes(const std::vector<Tensor>& points, size_t by, const Tensor& weights) {
    const double step = dtype_ == DType::kDouble ? 1e-5 : 1.0 / 128;
    WB_ASSIGN_OR_RETURN(Tensor slopes, points[by].Clone());
    std::vector<Tensor> moved = points;
    for (int64_t i = 0; i < slopes.num_elements(); ++i) {
      double sums[2] = {};
      for (const int side : {0, 1}) {
        WB_ASSIGN_OR_RETURN(moved[by], points[by].Clone());
        moved[by].data<double>()[i] += side == 0 ? -step : step;
        WB_ASSIGN_OR_RETURN(const Tensor y, Y(moved));
        for (int64_t k = 0; k < y.num_elements(); ++k) {
          sums[side] += Element(y, k) * Element(weights, k);
        }
      }
      slopes.data<double>()[i] = (sums[1] - sums[0]) / (2 * step);
    }
    return slopes;
  }

 private:
  DType dtype_ = DType::kDouble;
  std::string y_;
  std::unique_ptr<Session> session_;
};

// The ops of nodes that have a kernel of their own for GPUs.
std::set<std::string> WithKernels(const Graph& graph) {
  std::set<std::string> ops;
  for (const Node& node : graph.nodes()) {
    const std::string& op = node.op().name;
    const KernelDecl* const decl =
        KernelRegistry::Global().Find(op, node.attrs(), DeviceType::kGpu);
    if (decl != nullptr && decl->gpu_factory != nullptr) ops.insert(op);
  }
  return ops;
}

std::vector<std::string> OpsOf(const Row& row) { return absl::StrSplit(row.ops, ' '); }

// Every op that the row names has run on the GPU, by its own kernel.
Status CheckOps(const Row& row, const Graph& graph, const StepStats& stats) {
  const std::set<std::string> have = WithKernels(graph);
  std::set<std::string> ran;
  for (const NodeStats& node : stats.nodes) {
    if (!node.is_copy && absl::StrContains(node.device, "GPU:")) ran.emplace(node.op);
  }
  for (const std::string& op : OpsOf(row)) {
    if (have.count(op) == 0) {
      return Internal(op, " is not one with a kernel for GPUs here: ", absl::StrJoin(have, " "));
    }
    if (ran.count(op) == 0) {
      return Internal(op, " did not run on the GPU, but ", absl::StrJoin(ran, " "));
    }
  }
  return OkStatus();
}

// The gradients of the weighted sum by all xs.
StatusOr<std::vector<Tensor>> GradientsOnGpu(const Row& row, const std::vector<Tensor>& points,
                                             const Tensor& weights) {
  WB_ASSIGN_OR_RETURN(const RowGraph made, MakeGraph(row, DType::kFloat, kGpu));
  Graph& graph = *made.graph;
  WB_ASSIGN_OR_RETURN(const OutputRef w, AddFed(&graph, "w", DType::kFloat, weights.shape(), kGpu));
  GradientOptions options;
  options.grad_ys = {GradientValue::Dense(w)};
  options.device = kGpu;
  WB_ASSIGN_OR_RETURN(const std::vector<GradientValue> gradients,
                      AddGradients(graph, {made.y}, made.xs, options));
  NamedTensors feeds = {{"w", As(DType::kFloat, weights)}};
  std::vector<std::string> fetches = {made.Name(made.y)};
  for (size_t i = 0; i < points.size(); ++i) {
    feeds.emplace_back(NameOf(i), As(DType::kFloat, points[i]));
    if (gradients[i].is_none()) return Internal(NameOf(i), " has no gradient");
    WB_ASSIGN_OR_RETURN(const OutputRef dense, ToDense(graph, gradients[i]));
    // What is fed, such as the gradient of an addition, cannot be fetched.
    WB_ASSIGN_OR_RETURN(const OutputRef dx,
                        NodeBuilder(&graph, "Identity").Input(dense).Device(kGpu).BuildOutput());
    fetches.push_back(made.Name(dx));
  }
  WB_ASSIGN_OR_RETURN(const auto session, Session::Create(WithGpu(), made.graph));
  RunOptions run;
  run.trace = TraceLevel::kFull;
  RunMetadata metadata;
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run(run, feeds, fetches, {}, &out, &metadata));
  WB_RETURN_IF_ERROR(CheckOps(row, graph, metadata.step_stats));
  return out;
}

bool HasNumbers(const Tensor& slopes) {
  const double* const slope = slopes.data<double>();
  return std::any_of(slope, slope + slopes.num_elements(),
                     [](double value) { return std::abs(value) > 1e-2; });
}

Status TryRow(const Row& row) {
  std::vector<Tensor> points;
  for (const X& x : row.xs) points.push_back(PointOf(x, points.size()));
  WB_ASSIGN_OR_RETURN(ForwardOf forward, ForwardOf::Create(row));
  WB_ASSIGN_OR_RETURN(const Tensor y, forward.Y(points));
  const Tensor weights = WeightsOf(y.shape());
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> got, GradientsOnGpu(row, points, weights));
  const double tolerance = row.forward == Forward::kDouble ? 1e-4 : 2e-3;
  for (size_t i = 0; i < points.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const Tensor slopes, forward.Slopes(points, i, weights));
    if (!HasNumbers(slopes)) return Internal("y hardly depends on ", NameOf(i));
    const Status same =
        CompareTensors(got[i + 1], As(DType::kFloat, slopes), {tolerance, tolerance});
    if (!same.ok()) return Internal("by ", NameOf(i), ": ", same.message());
  }
  return OkStatus();
}

}  // namespace

OutputRef Maker::Numbers(const Shape& shape, const std::vector<double>& values) {
  return Constant(As(dtype_, Tensor::FromValues<double>(shape, values)));
}

Build Op(const char* op, std::vector<Tensor> constants, Attrs attrs) {
  return [=](Maker& m, const Refs& x) {
    std::vector<NodeInput> inputs(x.begin(), x.end());
    for (const Tensor& constant : constants) inputs.push_back(m.Constant(constant));
    return m.Op(op, inputs, attrs);
  };
}

Build OpOfList(const char* op, std::vector<Tensor> constants, Attrs attrs) {
  return [=](Maker& m, const Refs& x) {
    std::vector<NodeInput> inputs = {x};
    for (const Tensor& constant : constants) inputs.push_back(m.Constant(constant));
    return m.Op(op, inputs, attrs);
  };
}

Tensor Ints(std::vector<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Pairs(std::vector<int32_t> values) {
  return Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(values.size()) / 2, 2}), values);
}
Tensor Longs(std::vector<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor LongPairs(std::vector<int64_t> values) {
  return Tensor::FromValues<int64_t>(Shape({static_cast<int64_t>(values.size()) / 2, 2}), values);
}
std::vector<int64_t> List(std::vector<int64_t> values) { return values; }

std::vector<Row> Together(std::vector<std::vector<Row>> parts) {
  std::vector<Row> rows;
  for (std::vector<Row>& part : parts) {
    rows.insert(rows.end(), std::make_move_iterator(part.begin()),
                std::make_move_iterator(part.end()));
  }
  return rows;
}

void CheckRow(const Row& row) {
  SCOPED_TRACE(row.ops);
  const Status s = TryRow(row);
  EXPECT_TRUE(s.ok()) << s;
}

std::vector<std::string> OpsWithout(const std::vector<Row>& rows) {
  std::set<std::string> in_rows, missing;
  for (const Row& row : rows) {
    for (const std::string& op : OpsOf(row)) in_rows.insert(op);
  }
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    const GradientEntry* const gradient = GradientRegistry::Global().Find(decl->op);
    if (decl->gpu_factory == nullptr || gradient == nullptr || gradient->function == nullptr) {
      continue;
    }
    if (in_rows.count(decl->op) == 0) missing.insert(decl->op);
  }
  return {missing.begin(), missing.end()};
}

}  // namespace finite_differences
}  // namespace warpbeam
