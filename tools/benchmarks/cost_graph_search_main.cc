// cost_graph_search GRAPH.json [EXPERT.json | DEVICES [EVALUATIONS]]: what a search finds for a
// layer or operator graph with given costs, in the form of github.com/msr-fiddle/dnn-partitioning
// (its README has it), beside the split that a person made; metric lines as `warpbeam bench`
// prints.
//
//   found, bound, one   the simulated makespan of one step (us) as it was found, what no placement
//                       can beat, and all on one accelerator, if it fits there
//   gap                 how much longer than the bound, in per cent
//   expert, ratio       that of the person's split, and found by it
//   peak                the fullest accelerator's memory, in per cent of what it has
//
// A node's accelerator is a GPU here, one of DEVICES or as many as EXPERT.json has, with the file's
// limit of memory; its CPUs are the lanes of one device without a limit. The cost of an edge is the
// time between an accelerator and the host's memory; from one accelerator to another takes twice
// that, once for all readers there, beside other work. Classes of colours stay together.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "graph/build/node_builder.h"
#include "graph/op/op_registry.h"
#include "placement/search/searched_step.h"
#include "placement/search/starts.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/step_part.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

constexpr double kBytesPerSecond = 1e6;  // of what edges move; so few that memory is the nodes' own
constexpr char kModel[] = "as profiled";

// A node of the file: only simulated, never run.
class CostedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CostedKernel>();
  }
  Status Compute(KernelContext&) override { return Unimplemented("a costed node does not run"); }
};

WB_OP("Costed")
    .Input("own: Ref(float)")
    .Input("inputs: N * float")
    .Output("output: float")
    .Attr("N: int >= 0")
    .Attr("id: int")
    .Attr("moved: shape")
    .Shape([](ShapeContext& c) -> Status {
      WB_ASSIGN_OR_RETURN(PartialShape moved, c.attr<PartialShape>("moved"));
      c.set_output(0, std::move(moved));
      return OkStatus();
    });
WB_KERNEL("Costed", CostedKernel).Cpu().Gpu();

struct CostedNode {
  int64_t id = 0;
  double cpu_s = 0, accelerator_s = 0, bytes = 0;
  bool on_accelerators = true;
  int64_t colour = 0;
  std::vector<int64_t> inputs;  // ids
  double moved_s = 0;           // of its output
};

struct CostGraph {
  std::map<int64_t, CostedNode> nodes;
  double memory_bytes = 0;
  int accelerators = 0, cpus = 1;
};

double NumberOf(const Struct& object, const std::string& key) {
  const auto found = object.fields().find(key);
  if (found == object.fields().end()) return 0;
  const Value& value = found->second;
  return value.kind_case() == Value::kBoolValue ? value.bool_value() : value.number_value();
}

const ListValue& ListOf(const Struct& object, const std::string& key) {
  static const ListValue* const none = new ListValue;
  const auto found = object.fields().find(key);
  return found == object.fields().end() ? *none : found->second.list_value();
}

StatusOr<Struct> ReadJson(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return NotFound("cannot read '", path, "'");
  Struct object;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text.str(), &object);
  if (!parsed.ok()) return InvalidArgument(path, ": ", std::string(parsed.message()));
  return object;
}

StatusOr<CostGraph> ReadCostGraph(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const Struct file, ReadJson(path));
  CostGraph graph;
  graph.memory_bytes = NumberOf(file, "maxSizePerFPGA");
  graph.accelerators = static_cast<int>(NumberOf(file, "maxFPGAs"));
  graph.cpus = std::max(1, static_cast<int>(NumberOf(file, "maxCPUs")));
  for (const Value& value : ListOf(file, "nodes").values()) {
    const Struct& from = value.struct_value();
    CostedNode node;
    node.id = static_cast<int64_t>(NumberOf(from, "id"));
    node.cpu_s = NumberOf(from, "cpuLatency") * 1e-3;
    node.accelerator_s = NumberOf(from, "fpgaLatency") * 1e-3;
    node.bytes = NumberOf(from, "size");
    node.on_accelerators = NumberOf(from, "supportedOnFpga") != 0;
    const bool coloured = from.fields().contains("colorClass");
    node.colour = coloured ? static_cast<int64_t>(NumberOf(from, "colorClass")) : -1 - node.id;
    graph.nodes[node.id] = std::move(node);
  }
  for (const Value& value : ListOf(file, "edges").values()) {
    const Struct& edge = value.struct_value();
    const auto from = graph.nodes.find(static_cast<int64_t>(NumberOf(edge, "sourceId")));
    const auto to = graph.nodes.find(static_cast<int64_t>(NumberOf(edge, "destId")));
    if (from == graph.nodes.end() || to == graph.nodes.end()) {
      return InvalidArgument(path, ": an edge of a node that is not there");
    }
    from->second.moved_s = std::max(from->second.moved_s, NumberOf(edge, "cost") * 1e-3);
    to->second.inputs.push_back(from->first);
  }
  if (graph.nodes.empty()) return InvalidArgument(path, " has no nodes");
  return graph;
}

// The device of each node by its id: accelerators are 1 and on.
StatusOr<std::map<int64_t, int>> ReadExpert(const std::string& path, int* accelerators) {
  WB_ASSIGN_OR_RETURN(const Struct file, ReadJson(path));
  std::map<int64_t, int> device_of;
  const ListValue& all = ListOf(file, "fpgas");
  *accelerators = all.values_size();
  for (int i = 0; i < all.values_size(); ++i) {
    for (const Value& node : ListOf(all.values(i).struct_value(), "nodes").values()) {
      device_of[static_cast<int64_t>(node.number_value())] = i + 1;
    }
  }
  for (const Value& cpu : ListOf(file, "cpus").values()) {
    for (const Value& node : ListOf(cpu.struct_value(), "nodes").values()) {
      device_of[static_cast<int64_t>(node.number_value())] = 0;
    }
  }
  return device_of;
}

StatusOr<Machine> MachineOf(const CostGraph& graph, int accelerators) {
  std::vector<DeviceName> names = {DeviceName::Local(DeviceType::kCpu, 0)};
  for (int i = 0; i < accelerators; ++i) {
    names.push_back(DeviceName::Local(DeviceType::kGpu, i));
  }
  WB_ASSIGN_OR_RETURN(const Machine usual, Machine::Usual(names));
  std::vector<MachineDevice> devices = usual.devices();
  for (int d = 0; d <= accelerators; ++d) {
    MachineDevice& device = devices[static_cast<size_t>(d)];
    device.lanes = d == 0 ? graph.cpus : 1;
    device.launch_s = 0;
    device.model = kModel;
    if (d > 0) device.memory_bytes = static_cast<int64_t>(graph.memory_bytes);
  }
  const auto link = [](const char* from, const char* to, double rate) -> StatusOr<MachineLink> {
    MachineLink link;
    WB_ASSIGN_OR_RETURN(link.from, DeviceName::Parse(from));
    WB_ASSIGN_OR_RETURN(link.to, DeviceName::Parse(to));
    link.bytes_per_s = rate;
    return link;
  };
  WB_ASSIGN_OR_RETURN(MachineLink between, link("/gpu:*", "/gpu:*", kBytesPerSecond / 2));
  WB_ASSIGN_OR_RETURN(MachineLink host, link("/cpu:*", "/gpu:*", kBytesPerSecond));
  return Machine::Create(std::move(devices), {between, host});
}

// The graph in the form that is placed and simulated, and what its nodes cost.
struct Built {
  Graph graph;
  OpCosts costs;
  std::map<NodeId, int64_t> id_of;
};

// A vector of floats that has so many bytes, rounded.
PartialShape ShapeOf(double bytes) {
  return PartialShape(Shape({static_cast<int64_t>(bytes / sizeof(float) + 0.5)}));
}

Status AddNode(const CostedNode& node, const std::map<int64_t, OutputRef>& outputs,
               std::map<int64_t, std::string>* colours, OutputRef* output, Built* built) {
  const std::string name = absl::StrCat("node", node.id);
  WB_ASSIGN_OR_RETURN(const OutputRef own, NodeBuilder(&built->graph, "VariableV2")
                                               .Name(name + "/own")
                                               .Attr("dtype", DType::kFloat)
                                               .Attr("shape", ShapeOf(node.bytes))
                                               .BuildOutput());
  std::vector<OutputRef> inputs;
  for (const int64_t input : node.inputs) inputs.push_back(outputs.at(input));
  NodeBuilder builder(&built->graph, "Costed");
  builder.Name(name)
      .Input(own)
      .Input(std::move(inputs))
      .Attr("id", node.id)
      .Attr("moved", ShapeOf(node.moved_s * kBytesPerSecond));
  if (!node.on_accelerators) builder.Device("/cpu:0");
  const auto [colour, is_first] = colours->emplace(node.colour, name);
  if (!is_first) {
    builder.Attr("_class", std::vector<std::string>{absl::StrCat("loc:@", colour->second)});
  }
  WB_ASSIGN_OR_RETURN(Node * made, builder.Build());
  *output = {made->id(), 0};
  built->id_of[made->id()] = node.id;
  const NodeCost cost = CostOf(built->graph, *made, 1);
  const std::string key = OpCostKey(built->graph, *made, 1);
  built->costs.Add({"CPU", kModel}, key, cost, node.cpu_s);
  built->costs.Add({"GPU", kModel}, key, cost, node.accelerator_s);
  return OkStatus();
}

StatusOr<std::unique_ptr<Built>> Build(const CostGraph& from) {
  auto built = std::make_unique<Built>();
  std::map<int64_t, size_t> open;
  std::map<int64_t, std::vector<int64_t>> readers;
  std::vector<int64_t> ready;
  for (const auto& [id, node] : from.nodes) {
    open[id] = node.inputs.size();
    for (const int64_t input : node.inputs) readers[input].push_back(id);
    if (node.inputs.empty()) ready.push_back(id);
  }
  std::map<int64_t, OutputRef> outputs;
  std::map<int64_t, std::string> colours;
  for (size_t i = 0; i < ready.size(); ++i) {
    WB_RETURN_IF_ERROR(
        AddNode(from.nodes.at(ready[i]), outputs, &colours, &outputs[ready[i]], built.get()));
    for (const int64_t reader : readers[ready[i]]) {
      if (--open[reader] == 0) ready.push_back(reader);
    }
  }
  if (ready.size() != from.nodes.size()) return InvalidArgument("the graph has a cycle");
  return built;
}

double FullestShare(const Simulator& simulator, const Machine& machine) {
  double most = 0;
  for (int d = 1; d < machine.num_devices(); ++d) {
    most = std::max(most, simulator.memories()[d].peak_bytes /
                              static_cast<double>(machine.device(d).memory_bytes));
  }
  return most;
}

Status Run(const CostGraph& from, int accelerators, const std::map<int64_t, int>& expert,
           const SearchOptions& options) {
  WB_ASSIGN_OR_RETURN(const Machine machine, MachineOf(from, accelerators));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Built> built, Build(from));
  const KernelCatalog& kernels = KernelRegistry::Global();
  Placer placer(&kernels, machine.names(), PlacerOptions());
  WB_RETURN_IF_ERROR(placer.Place(built->graph));
  WB_ASSIGN_OR_RETURN(const StepPart part, StepPart::OfNames(built->graph, {}, {}));
  StepSearch search{kernels, machine, {}, {}, options};
  search.step.costs = &built->costs;
  const double begin = WallSeconds();
  WB_ASSIGN_OR_RETURN(const SearchedStep searched,
                      SearchedStep::Of(search, built->graph, part.bounds(), placer.sites(), 0));
  PrintMetric("search", WallSeconds() - begin, "s");
  const FoundPlacement& found = searched.found;
  PrintMetric("found", found.step_s * 1e6, "us");
  PrintMetric("bound", found.lower_bound_s * 1e6, "us");
  PrintMetric("gap", 100 * (found.step_s / found.lower_bound_s - 1), "%");
  Simulator simulator(&searched.step, &machine);
  std::vector<int> devices(static_cast<size_t>(searched.step.num_nodes()));
  const auto run = [&](const auto& device_of_group) {
    for (int g = 0; g < searched.groups.size(); ++g) {
      for (const int k : searched.groups.members[g]) devices[k] = device_of_group(g, k);
    }
    return simulator.Run(devices);
  };
  run([&](int g, int) { return found.devices[g]; });
  PrintMetric("peak", 100 * FullestShare(simulator, machine), "%");
  const double one = run([](int, int) { return 1; });
  if (FullestShare(simulator, machine) <= 1) PrintMetric("one", one * 1e6, "us");
  if (expert.empty()) return OkStatus();
  // A variable is where its node is.
  const auto expert_of = [&](int g, int) {
    for (const int k : searched.groups.members[g]) {
      const auto id = built->id_of.find(searched.step.id(k));
      if (id == built->id_of.end()) continue;
      const auto device = expert.find(id->second);
      return device == expert.end() ? 0 : device->second;
    }
    return 0;
  };
  const double by_expert = run(expert_of);
  PrintMetric("expert", by_expert * 1e6, "us");
  PrintMetric("expert.peak", 100 * FullestShare(simulator, machine), "%");
  PrintMetric("ratio", found.step_s / by_expert, "");
  return OkStatus();
}

Status Main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    return InvalidArgument(
        "usage: cost_graph_search GRAPH.json [EXPERT.json | DEVICES [EVALUATIONS]]");
  }
  WB_ASSIGN_OR_RETURN(const CostGraph graph, ReadCostGraph(argv[1]));
  int accelerators = graph.accelerators;
  std::map<int64_t, int> expert;
  if (argc >= 3 && !absl::SimpleAtoi(argv[2], &accelerators)) {
    WB_ASSIGN_OR_RETURN(expert, ReadExpert(argv[2], &accelerators));
  }
  if (accelerators < 1) return InvalidArgument("at least one accelerator is needed");
  SearchOptions options;
  if (argc == 4 && !absl::SimpleAtoi(argv[3], &options.evaluations)) {
    return InvalidArgument("EVALUATIONS is a number, not '", argv[3], "'");
  }
  return Run(graph, accelerators, expert, options);
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) {
  const warpbeam::Status status = warpbeam::benchmarks::Main(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "cost_graph_search: %s\n", std::string(status.message()).c_str());
  return 1;
}
