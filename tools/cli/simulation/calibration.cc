#include "tools/cli/simulation/calibration.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/build/node_builder.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/benchmarks/feeds.h"
#include "tools/benchmarks/measure.h"
#include "tools/cli/simulation/measured_costs.h"

namespace warpbeam {
namespace cli {
namespace {

constexpr int kWarmUp = 3;
constexpr int kChain = 1000;
constexpr int kWakings = 20;
constexpr int kSessions = 5;
constexpr int kProductSize = 256;
// Of what only hands on bytes nothing is known that operations would limit.
constexpr double kNoLimit = 1e15;

std::vector<int64_t> Numbers(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int64_t number = 0;
    (void)absl::SimpleAtoi(word, &number);  // the table above has numbers only
    numbers.push_back(number);
  }
  return numbers;
}

// A graph with a node for each op and operands, what it is fed and what initialises it.
class CalibrationGraph {
 public:
  Status Add(const CalibratedOp& op) {
    const std::string name = absl::StrCat("op", nodes_.size());
    std::vector<OutputRef> inputs;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const OutputRef input,
                          AddOperand(absl::StrCat(name, "/in", i), op.operands[i]));
      inputs.push_back(input);
    }
    WB_ASSIGN_OR_RETURN(const OpSchema* schema, graph_->FindSchema(op.op));
    NodeBuilder builder(graph_.get(), op.op);
    builder.ExactName(name);
    size_t next = 0;
    for (const ArgSpec& arg : schema->inputs) {
      if (arg.number_attr.empty()) {
        builder.Input(inputs[next++]);
        continue;
      }
      // A list has what the others leave.
      const size_t count = inputs.size() + 1 - schema->inputs.size();
      const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(next);
      builder.Input(std::vector<OutputRef>(begin, begin + static_cast<std::ptrdiff_t>(count)));
      next += count;
    }
    for (const auto& [key, value] : op.attrs) builder.Attr(key, value);
    WB_ASSIGN_OR_RETURN(const Node* node, builder.Build());
    nodes_.push_back(node->id());
    return OkStatus();
  }

  // Nodes of nearly nothing, each after the other, on so many CPUs in turn; the last one's name.
  StatusOr<std::string> AddChain(int cpus) {
    WB_ASSIGN_OR_RETURN(OutputRef last, AddOperand("chain", ""));
    for (int i = 0; i < kChain; ++i) {
      WB_ASSIGN_OR_RETURN(last, NodeBuilder(graph_.get(), "Neg")
                                    .ExactName(absl::StrCat("chain", i))
                                    .Input(last)
                                    .BuildOutput());
      graph_->SetDevice(last.node, absl::StrCat("/cpu:", i % cpus));
    }
    return graph_->node(last.node).name();
  }

  // Products one after the other on one CPU, each longer than threads look for work, of which each
  // hands its result to the other CPU.
  Status AddWakings() {
    const std::string size = absl::StrCat(kProductSize, ",", kProductSize);
    WB_ASSIGN_OR_RETURN(OutputRef last, AddOperand("wakings", size));
    const OutputRef first = last;
    for (int i = 0; i < kWakings; ++i) {
      WB_ASSIGN_OR_RETURN(last, NodeBuilder(graph_.get(), "MatMul")
                                    .ExactName(absl::StrCat("product", i))
                                    .Input(last)
                                    .Input(first)
                                    .Device("/cpu:0")
                                    .BuildOutput());
      WB_RETURN_IF_ERROR(NodeBuilder(graph_.get(), "Neg")
                             .ExactName(absl::StrCat("woken", i))
                             .Input(last)
                             .Device("/cpu:1")
                             .Build()
                             .status());
    }
    return OkStatus();
  }

  const std::shared_ptr<Graph>& graph() const { return graph_; }
  const Node& node(size_t op) const { return graph_->node(nodes_[op]); }
  const NamedTensors& feeds(size_t op) const { return feeds_.at(node(op).name()); }
  const NamedTensors& feeds(const std::string& owner) const { return feeds_.at(owner); }
  const std::vector<std::pair<std::string, NamedTensors>>& init() const { return init_; }

 private:
  StatusOr<OutputRef> AddValue(const std::string& name, const char* op, DType type,
                               const Shape& shape) {
    return NodeBuilder(graph_.get(), op)
        .ExactName(name)
        .Attr("dtype", type)
        .Attr("shape", PartialShape(shape))
        .BuildOutput();
  }

  StatusOr<OutputRef> AddNumbers(const std::string& name, const std::vector<int64_t>& numbers) {
    const std::vector<int32_t> values(numbers.begin(), numbers.end());
    // An axis is a scalar, sizes are a vector.
    WB_ASSIGN_OR_RETURN(const Node* node,
                        AddConstant(graph_.get(), name,
                                    values.size() == 1 ? Tensor::Scalar<int32_t>(values[0])
                                                       : Tensor::Vector<int32_t>(values)));
    return OutputRef{node->id(), 0};
  }

  StatusOr<OutputRef> AddOperand(const std::string& name, absl::string_view text) {
    const std::string owner = name.substr(0, name.find('/'));
    NamedTensors& feeds = feeds_[owner];
    if (absl::ConsumePrefix(&text, "i:")) return AddNumbers(name, Numbers(text));
    const bool is_variable = absl::ConsumePrefix(&text, "v:");
    const bool is_numbers = absl::ConsumePrefix(&text, "n:");
    std::vector<int64_t> dims = Numbers(text);
    int64_t below = 0;
    if (is_numbers) {
      below = dims.back();
      dims.pop_back();
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    const std::vector<float> values = benchmarks::FeedValues(
        is_numbers ? absl::StrCat("i", below) : "u", static_cast<size_t>(shape.num_elements()));
    if (is_numbers) {
      const std::vector<int32_t> numbers(values.begin(), values.end());
      feeds.emplace_back(name, Tensor::FromValues<int32_t>(shape, numbers));
      return AddValue(name, "Placeholder", DType::kInt32, shape);
    }
    const Tensor value = Tensor::FromValues<float>(shape, values);
    if (!is_variable) {
      feeds.emplace_back(name, value);
      return AddValue(name, "Placeholder", DType::kFloat, shape);
    }
    WB_ASSIGN_OR_RETURN(const OutputRef variable,
                        AddValue(name, "VariableV2", DType::kFloat, shape));
    const std::string from = name + "/from";
    WB_ASSIGN_OR_RETURN(const OutputRef first, AddValue(from, "Placeholder", DType::kFloat, shape));
    const std::string assign = name + "/assign";
    init_.push_back({assign, {{from, value}}});
    WB_RETURN_IF_ERROR(NodeBuilder(graph_.get(), "Assign")
                           .ExactName(assign)
                           .Input(variable)
                           .Input(first)
                           .Build()
                           .status());
    return variable;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<NodeId> nodes_;
  std::map<std::string, NamedTensors> feeds_;  // by the node that is run
  std::vector<std::pair<std::string, NamedTensors>> init_;
};

class Calibrator {
 public:
  Calibrator(const CalibrationOptions& options, Console& console)
      : options_(options), console_(console) {}

  StatusOr<std::vector<MachineDevice>> Run() {
    WB_ASSIGN_OR_RETURN(const Machine machine, MachineOf(options_.session));
    is_alone_ = HasOneThread(machine.device(0).model);
    WB_RETURN_IF_ERROR(Open());
    MachineDevice measured;
    WB_ASSIGN_OR_RETURN(measured.launch_s, ChainSeconds(*session_, graph_, chain_));
    measured.hand_over_s = machine.device(0).hand_over_s;
    measured.wake_s = machine.device(0).wake_s;
    if (machine.num_devices() > 1) {
      WB_ASSIGN_OR_RETURN(const double seconds, AlternatingSeconds());
      measured.hand_over_s = std::max(seconds - measured.launch_s, 0.0);
      WB_ASSIGN_OR_RETURN(measured.wake_s, WakeSeconds());
    }
    const std::vector<CalibratedOp>& ops = CalibratedOps();
    for (size_t i = 0; i + 1 < ops.size(); i += 2) {
      console_.Progress(absl::StrCat("measuring ", ops[i].op));
      WB_ASSIGN_OR_RETURN(const MeasuredWork small, Measure(i));
      WB_ASSIGN_OR_RETURN(const MeasuredWork large, Measure(i + 1));
      measured.op_rates[ops[i].op] = RateThrough(small, large);
    }
    console_.EndProgress();
    std::vector<MachineDevice> devices = machine.devices();
    for (MachineDevice& device : devices) {
      device.launch_s = measured.launch_s;
      device.hand_over_s = measured.hand_over_s;
      device.wake_s = measured.wake_s;
      device.op_rates = measured.op_rates;
      const std::pair<CostClass, const char*> classes[] = {{CostClass::kElements, "AddV2"},
                                                           {CostClass::kProduct, "MatMul"},
                                                           {CostClass::kConvolution, "Conv2D"}};
      for (const auto& [c, op] : classes) {
        device.rates[static_cast<int>(c)] = measured.op_rates[op];
      }
    }
    return devices;
  }

 private:
  Status Open() {
    for (const CalibratedOp& op : CalibratedOps()) WB_RETURN_IF_ERROR(graph_.Add(op));
    WB_ASSIGN_OR_RETURN(chain_, graph_.AddChain(1));
    WB_ASSIGN_OR_RETURN(session_, SessionOf(graph_));
    for (const auto& [target, feeds] : graph_.init()) {
      WB_RETURN_IF_ERROR(session_->Run(RunOptions(), feeds, {}, {target}, nullptr));
    }
    return OkStatus();
  }

  // What is measured are the nodes as they stand.
  StatusOr<std::unique_ptr<Session>> SessionOf(const CalibrationGraph& graph,
                                               bool own_threads = false) const {
    SessionOptions options = options_.session;
    options.use_per_session_threads |= own_threads;
    options.passes = "none";
    return Session::Create(options, graph.graph());
  }

  // Of each node of a chain where every node waits for one on the other device. How long threads
  // take to meet depends on the cores that they came to be on: each session has its own.
  StatusOr<double> AlternatingSeconds() const {
    CalibrationGraph graph;
    WB_ASSIGN_OR_RETURN(const std::string chain, graph.AddChain(2));
    std::vector<double> seconds;
    for (int i = 0; i < kSessions; ++i) {
      WB_ASSIGN_OR_RETURN(const auto session, SessionOf(graph, /*own_threads=*/true));
      WB_ASSIGN_OR_RETURN(seconds.emplace_back(), ChainSeconds(*session, graph, chain));
    }
    return benchmarks::Quantile(seconds, 0.5);
  }

  // From a product's end to the beginning of the node that it makes ready on a CPU that sleeps.
  StatusOr<double> WakeSeconds() const {
    CalibrationGraph graph;
    WB_RETURN_IF_ERROR(graph.AddWakings());
    WB_ASSIGN_OR_RETURN(const auto session, SessionOf(graph));
    std::vector<std::string> targets;
    for (int i = 0; i < kWakings; ++i) targets.push_back(absl::StrCat("woken", i));
    std::vector<double> seconds;
    for (int step = 0; step < kWarmUp + options_.steps; ++step) {
      RunOptions run;
      run.trace = TraceLevel::kFull;
      RunMetadata metadata;
      WB_RETURN_IF_ERROR(
          session->Run(run, graph.feeds("wakings"), {}, targets, nullptr, &metadata));
      if (step < kWarmUp) continue;
      for (const NodeStats& stats : metadata.step_stats.nodes) {
        if (!absl::StartsWith(stats.node, "woken")) continue;
        seconds.push_back(1e-9 * static_cast<double>(stats.start_ns - stats.scheduled_ns));
      }
    }
    if (seconds.empty()) return Internal("calibration: no node has woken a device");
    return std::max(benchmarks::Quantile(seconds, 0.5), 0.0);
  }

  StatusOr<double> ChainSeconds(Session& session, const CalibrationGraph& graph,
                                const std::string& chain) const {
    std::vector<double> seconds;
    for (int i = 0; i < kWarmUp + options_.steps; ++i) {
      const double before = benchmarks::WallSeconds();
      WB_RETURN_IF_ERROR(session.Run(RunOptions(), graph.feeds("chain"), {}, {chain}, nullptr));
      if (i >= kWarmUp) seconds.push_back(benchmarks::WallSeconds() - before);
    }
    return benchmarks::Quantile(seconds, 0.5) / kChain;
  }

  StatusOr<MeasuredWork> Measure(size_t op) {
    const Node& node = graph_.node(op);
    std::vector<double> seconds;
    for (int i = 0; i < kWarmUp + options_.steps; ++i) {
      RunOptions run;
      run.trace = i < kWarmUp ? TraceLevel::kNone : TraceLevel::kFull;
      RunMetadata metadata;
      WB_RETURN_IF_ERROR(
          session_->Run(run, graph_.feeds(op), {}, {node.name()}, nullptr, &metadata));
      for (const NodeStats& stats : metadata.step_stats.nodes) {
        if (stats.node != node.name() || stats.is_copy) continue;
        seconds.push_back(KernelSeconds(stats, is_alone_));
      }
    }
    if (seconds.empty()) return Internal("calibration: '", node.name(), "' did not run");
    return MeasuredWork{CostOf(*graph_.graph(), node, kDefaultUnknownExtent),
                        benchmarks::Quantile(seconds, 0.5)};
  }

  const CalibrationOptions& options_;
  Console& console_;
  CalibrationGraph graph_;
  std::string chain_;
  bool is_alone_ = false;  // a device has one thread
  std::unique_ptr<Session> session_;
};

}  // namespace

OpRate RateThrough(const MeasuredWork& small, const MeasuredWork& large) {
  const bool by_flops = large.cost.cost_class != CostClass::kElements;
  const auto work = [&](const MeasuredWork& m) { return by_flops ? m.cost.flops : m.cost.bytes; };
  const double more = large.seconds - small.seconds;
  // Where the larger one took no longer, the clock or the machine was at fault: one point counts.
  const double rate = more > 0 ? (work(large) - work(small)) / more : work(large) / large.seconds;
  OpRate fit;
  fit.flops_per_s = by_flops ? rate : kNoLimit;
  fit.bytes_per_s = by_flops ? kNoLimit : rate;
  fit.setup_s = std::max(0.0, small.seconds - work(small) / rate);
  return fit;
}

StatusOr<std::vector<MachineDevice>> Calibrate(const CalibrationOptions& options,
                                               Console& console) {
  if (options.session.simulated_gpus > 0) {
    return Unimplemented("GPUs are not measured; describe them by hand, as ",
                         "docs/placement_search.md says, or leave them out of --devices");
  }
  if (options.steps < 1) return InvalidArgument("--steps must be at least 1, not ", options.steps);
  return Calibrator(options, console).Run();
}

}  // namespace cli
}  // namespace warpbeam
