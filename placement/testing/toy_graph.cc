#include "placement/testing/toy_graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

void MustHold(const Status& status, absl::string_view what) {
  if (status.ok()) return;
  std::fprintf(stderr, "faulty test: %s: %s\n", std::string(what).c_str(),
               status.ToString().c_str());
  std::abort();
}

// "a: float, b: N * T" without the spaces around commas.
std::vector<std::string> Specs(const std::string& text) {
  std::vector<std::string> specs;
  for (absl::string_view part : absl::StrSplit(text, ", ", absl::SkipEmpty())) {
    specs.emplace_back(part);
  }
  return specs;
}

}  // namespace

void ToyCatalog::Add(const std::string& op, const std::string& devices,
                     std::vector<std::string> host_args, TypeConstraints types) {
  Kernel kernel;
  kernel.types = std::move(types);
  kernel.cpu = absl::StrContains(devices, "cpu");
  kernel.gpu = absl::StrContains(devices, "gpu");
  kernel.host_args = std::move(host_args);
  kernels_[op].push_back(std::move(kernel));
}

bool ToyCatalog::Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const {
  ++questions_;
  auto it = kernels_.find(schema.name);
  if (it == kernels_.end()) return false;
  for (const Kernel& kernel : it->second) {
    const bool has = type == DeviceType::kGpu ? kernel.gpu : kernel.cpu;
    if (has && Satisfies(kernel.types, attrs)) return true;
  }
  return false;
}

bool ToyCatalog::KnowsOp(absl::string_view op) const {
  auto it = kernels_.find(std::string(op));
  if (it == kernels_.end()) return false;
  return std::any_of(it->second.begin(), it->second.end(),
                     [](const Kernel& kernel) { return kernel.cpu || kernel.gpu; });
}

std::vector<std::string> ToyCatalog::Describe(absl::string_view op) const {
  std::vector<std::string> lines;
  auto it = kernels_.find(std::string(op));
  if (it == kernels_.end()) return lines;
  for (const Kernel& kernel : it->second) {
    std::string types;
    for (const auto& [attr, set] : kernel.types) {
      absl::StrAppend(&types, types.empty() ? ": " : ", ", attr, " in ", set.ToString());
    }
    if (kernel.cpu) lines.push_back("CPU" + types);
    if (kernel.gpu) lines.push_back("GPU" + types);
  }
  return lines;
}

MemoryPlaces ToyCatalog::Memory(const OpSchema& schema, const AttrMap&, DeviceType type) const {
  MemoryPlaces places;
  auto it = kernels_.find(schema.name);
  if (it == kernels_.end() || type != DeviceType::kGpu) return places;
  const std::vector<std::string>& host = it->second[0].host_args;
  auto on_host = [&](const ArgSpec& arg) {
    return std::find(host.begin(), host.end(), arg.name) != host.end();
  };
  for (const ArgSpec& arg : schema.inputs) places.input_on_host.push_back(on_host(arg));
  for (const ArgSpec& arg : schema.outputs) places.output_on_host.push_back(on_host(arg));
  return places;
}

ToyGraph::ToyGraph() : graph(registry) {}

void ToyGraph::Op(const std::string& name, const std::string& inputs, const std::string& outputs,
                  const std::string& devices, std::vector<std::string> host_args,
                  const std::string& attrs) {
  OpSchemaBuilder builder(name);
  for (const std::string& spec : Specs(attrs)) builder.Attr(spec);
  for (const std::string& spec : Specs(inputs)) builder.Input(spec);
  for (const std::string& spec : Specs(outputs)) builder.Output(spec);
  if (name == "Shape") builder.ReadsShapesOnly();
  MustHold(registry.Register(builder), name);
  if (!devices.empty()) catalog.Add(name, devices, std::move(host_args));
}

void ToyGraph::UsualOps() {
  Op("Source", "", "y: float", "cpu gpu");
  Op("Var", "", "ref: Ref(float)", "cpu gpu");
  Op("Handle", "", "handle: resource", "cpu gpu");
  Op("Unary", "x: float", "y: float", "cpu gpu");
  Op("CpuUnary", "x: float", "y: float", "cpu");
  Op("GpuUnary", "x: float", "y: float", "gpu");
  Op("Binary", "a: float, b: float", "y: float", "cpu gpu");
  Op("Assign", "ref: Ref(float), value: float", "out: Ref(float)", "cpu gpu");
  Op("CpuAssign", "ref: Ref(float), value: float", "out: Ref(float)", "cpu");
  Op("Read", "handle: resource", "value: float", "cpu gpu");
  Op("Update", "handle: resource, value: float", "", "cpu gpu");
  Op("CpuUpdate", "handle: resource, value: float", "", "cpu");
  Op("Shape", "x: float", "shape: int32", "cpu gpu", {"shape"});
  Op("NoOp", "", "", "cpu gpu");
}

OutputRef ToyGraph::Output(const std::string& text) const {
  std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  OutputRef output{Find(parts.first), 0};
  if (!parts.second.empty() && !absl::SimpleAtoi(parts.second, &output.index)) {
    MustHold(InvalidArgument("no output number"), text);
  }
  return output;
}

NodeId ToyGraph::Find(const std::string& name) const {
  const class Node* node = graph.Find(name);
  if (node == nullptr) MustHold(NotFound("no such node"), name);
  return node->id();
}

NodeId ToyGraph::Node(const std::string& name, const std::string& op,
                      const std::vector<std::string>& inputs, const std::string& device,
                      const std::vector<std::string>& beside, AttrMap attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.device = device;
  spec.attrs = std::move(attrs);
  if (!beside.empty()) {
    std::vector<std::string> classes;
    for (const std::string& other : beside) classes.push_back("loc:@" + other);
    spec.attrs.Set("_class", classes);
  }
  std::vector<OutputRef> data;
  std::vector<NodeId> controls;
  for (const std::string& input : inputs) {
    if (input == "?") {
      data.push_back({kNoNode, 0});
    } else if (input[0] == '^') {
      controls.push_back(Find(input.substr(1)));
    } else {
      data.push_back(Output(input));
    }
  }
  auto node = graph.AddNode(std::move(spec), std::move(data), std::move(controls), false);
  MustHold(node.status(), name);
  return (*node)->id();
}

Status ToyGraph::SetInput(const std::string& node, int input, const std::string& source) {
  return graph.SetInput(Find(node), input, Output(source));
}

std::vector<DeviceName> ToyDevices(int cpus, int gpus) {
  std::vector<DeviceName> devices;
  for (int i = 0; i < cpus; ++i) devices.push_back(DeviceName::Local(DeviceType::kCpu, i));
  for (int i = 0; i < gpus; ++i) devices.push_back(DeviceName::Local(DeviceType::kGpu, i));
  return devices;
}

}  // namespace warpbeam
