#include "runtime/session/device_graphs.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

class Cutter {
 public:
  explicit Cutter(const Plan& plan) : plan_(plan), graph_(*plan.facts.graph) {}

  std::vector<DeviceGraph> Cut() {
    for (size_t i = 0; i < plan_.program.feeds.size(); ++i) {
      fed_[plan_.program.feeds[i].output] = static_cast<int64_t>(i);
    }
    for (const PlanItem& item : plan_.program.items) {
      if (item.is_node()) device_of_[item.node] = item.device;
    }
    for (const PlanItem& item : plan_.program.items) {
      if (item.is_node()) AddNode(item);
    }
    for (size_t i = 0; i < plan_.program.fetches.size(); ++i) AddResult(static_cast<int64_t>(i));
    std::vector<DeviceGraph> graphs;
    for (auto& [device, graph] : graphs_) graphs.push_back(std::move(graph));
    return graphs;
  }

 private:
  DeviceGraph& On(const Device* device) {
    const std::string name = device->name().ToString();
    DeviceGraph& graph = graphs_[name];
    graph.device = name;
    return graph;
  }

  void AddNode(const PlanItem& item) {
    const Node& node = graph_.node(item.node);
    NodeSpec spec;
    spec.name = node.name();
    spec.op = node.op_name();
    spec.device = item.device->name().ToString();
    spec.attrs = node.attrs();
    for (OutputRef input : node.inputs()) spec.inputs.push_back(Input(input, item.device));
    for (NodeId control : node.control_inputs()) {
      const auto from = device_of_.find(control);
      if (from == device_of_.end()) continue;  // not a part of the plan, or done when it was made
      const bool is_local = from->second == item.device;
      spec.inputs.push_back(
          absl::StrCat("^", is_local ? graph_.node(control).name()
                                     : Transfer({control, -1}, from->second, item.device)));
    }
    On(item.device).nodes.push_back(std::move(spec));
  }

  // The name under which a node on `device` reads an output.
  std::string Input(OutputRef input, const Device* device) {
    const Node& producer = graph_.node(input.node);
    if (const auto fed = fed_.find(input); fed != fed_.end()) return Argument(fed->second, device);
    const auto from = device_of_.find(input.node);
    if (from == device_of_.end()) {
      // Constants and variables are put into the plan when it is compiled, wherever they are read.
      if (added_.emplace(device, input.node).second) {
        NodeSpec spec;
        spec.name = producer.name();
        spec.op = producer.op_name();
        spec.device = device->name().ToString();
        spec.attrs = producer.attrs();
        On(device).nodes.push_back(std::move(spec));
      }
    } else if (from->second != device) {
      return Transfer(input, from->second, device);
    }
    return input.index == 0 ? producer.name() : absl::StrCat(producer.name(), ":", input.index);
  }

  std::string Argument(int64_t index, const Device* device) {
    const PlanFeed& feed = plan_.program.feeds[index];
    const Node& node = graph_.node(feed.output.node);
    const std::string name = absl::StrCat("_arg_", node.name(), "_", feed.output.index);
    if (arguments_.emplace(device, index).second) {
      NodeSpec spec;
      spec.name = name;
      spec.op = "_Arg";
      spec.device = device->name().ToString();
      spec.attrs.Set("T", feed.dtype);
      spec.attrs.Set("index", index);
      On(device).nodes.push_back(std::move(spec));
    }
    return name;
  }

  // A pair of _Send and _Recv for the output, or with index -1 for a control edge; the receiver.
  std::string Transfer(OutputRef source, const Device* from, const Device* to) {
    const Node& producer = graph_.node(source.node);
    const bool is_control = source.index < 0;
    const std::string tensor = is_control ? absl::StrCat("^", producer.name())
                                          : absl::StrCat(producer.name(), ":", source.index);
    const std::string base =
        absl::StrCat(producer.name(), "/_", is_control ? "control" : absl::StrCat(source.index),
                     "_to_", DeviceTypeName(to->type()), "_", to->name().id.value_or(0));
    if (!transfers_.emplace(tensor, to).second) return absl::StrCat(base, "/recv");
    const DType dtype = is_control ? DType::kFloat : BaseType(producer.output_type(source.index));
    NodeSpec send, recv;
    send.name = absl::StrCat(base, "/send");
    recv.name = absl::StrCat(base, "/recv");
    send.op = "_Send";
    recv.op = "_Recv";
    send.inputs = {is_control ? tensor : source.index == 0 ? producer.name() : tensor};
    send.attrs.Set("T", dtype);
    recv.attrs.Set("tensor_type", dtype);
    send.device = from->name().ToString();
    recv.device = to->name().ToString();
    for (NodeSpec* end : {&send, &recv}) {
      end->attrs.Set("tensor_name", tensor);
      end->attrs.Set("send_device", from->name().ToString());
      end->attrs.Set("recv_device", to->name().ToString());
      end->attrs.Set("send_device_incarnation", int64_t{1});
      end->attrs.Set("client_terminated", false);
    }
    On(from).nodes.push_back(std::move(send));
    On(to).nodes.push_back(std::move(recv));
    return absl::StrCat(base, "/recv");
  }

  void AddResult(int64_t index) {
    const std::string& fetch = plan_.program.fetches[index].name;
    const size_t colon = fetch.rfind(':');
    const Node* node = graph_.Find(fetch.substr(0, colon));
    if (node == nullptr) return;
    const OutputRef output{node->id(), std::atoi(fetch.c_str() + colon + 1)};
    const auto from = device_of_.find(node->id());
    const Device* device = from != device_of_.end() ? from->second : plan_.program.lanes[0].device;
    NodeSpec spec;
    spec.name = absl::StrCat("_retval_", node->name(), "_", output.index, "_", index);
    spec.op = "_Retval";
    spec.device = device->name().ToString();
    spec.inputs = {Input(output, device)};
    spec.attrs.Set("T", BaseType(node->output_type(output.index)));
    spec.attrs.Set("index", index);
    On(device).nodes.push_back(std::move(spec));
  }

  const Plan& plan_;
  const Graph& graph_;
  std::map<std::string, DeviceGraph> graphs_;
  absl::flat_hash_map<OutputRef, int64_t> fed_;
  absl::flat_hash_map<NodeId, const Device*> device_of_;
  std::set<std::pair<const Device*, NodeId>> added_;
  std::set<std::pair<const Device*, int64_t>> arguments_;
  std::set<std::pair<std::string, const Device*>> transfers_;
};

}  // namespace

std::vector<DeviceGraph> DeviceGraphsOf(const Plan& plan) { return Cutter(plan).Cut(); }

}  // namespace warpbeam
