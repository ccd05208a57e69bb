#include "graph/io/meta_graph/object_graph.h"

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "proto/meta_graph.pb.h"
#include "proto/saved_object_graph.pb.h"
#include "proto/trackable_object_graph.pb.h"

namespace warpbeam {
namespace {

using tensorflow::MetaGraphDef;
using tensorflow::NodeDef;
using tensorflow::SavedObjectGraph;

// What an object calls its value.
constexpr char kValue[] = "VARIABLE_VALUE";

// From the root on; `index` gets where each object of the message is, -1 for those not reached.
std::vector<SavedObjects::Object> Tree(const SavedObjectGraph& proto, std::vector<int>* index) {
  std::vector<SavedObjects::Object> objects;
  index->assign(static_cast<size_t>(proto.nodes_size()), -1);
  if (proto.nodes_size() == 0) return objects;
  std::vector<int> order = {0};
  (*index)[0] = 0;
  objects.emplace_back();
  for (size_t i = 0; i < order.size(); ++i) {
    for (const auto& child : proto.nodes(order[i]).children()) {
      const int id = child.node_id();
      if (id < 0 || id >= proto.nodes_size() || (*index)[static_cast<size_t>(id)] >= 0) continue;
      (*index)[static_cast<size_t>(id)] = static_cast<int>(objects.size());
      objects.push_back({static_cast<int>(i), child.local_name()});
      order.push_back(id);
    }
  }
  return objects;
}

// The node that each variable of the tree became, by the variable's place in the message.
class NodesOfObjects {
 public:
  explicit NodesOfObjects(const MetaGraphDef& proto) : objects_(proto.object_graph_def()) {
    for (const NodeDef& node : proto.graph_def().node()) {
      if (node.op() == "VarHandleOp") handles_.emplace(node.name(), &node);
    }
    for (const NodeDef& node : proto.graph_def().node()) TakeCall(node);
    TakeNames();
  }
  const std::map<int, std::string>& nodes() const { return nodes_; }

 private:
  // A call's last inputs are the objects that the function captured, in order.
  void TakeCall(const NodeDef& node) {
    const auto attr = node.attr().find("f");
    if (attr == node.attr().end()) return;
    const auto function = objects_.concrete_functions().find(attr->second.func().name());
    if (function == objects_.concrete_functions().end()) return;
    const auto& bound = function->second.bound_inputs();
    int inputs = 0;
    while (inputs < node.input_size() && !absl::StartsWith(node.input(inputs), "^")) ++inputs;
    if (bound.size() > inputs) return;
    for (int i = 0; i < bound.size(); ++i) {
      const std::string& input = node.input(inputs - bound.size() + i);
      const std::string handle = input.substr(0, input.find(':'));
      if (handles_.count(handle) > 0 && IsVariable(bound[i])) Take(bound[i], handle);
    }
  }

  void TakeNames() {
    std::map<std::string, int> by_name;  // -1 for more than one
    for (int i = 0; i < objects_.nodes_size(); ++i) {
      if (!IsVariable(i)) continue;
      const auto [it, added] = by_name.emplace(objects_.nodes(i).variable().name(), i);
      if (!added) it->second = -1;
    }
    for (const auto& [name, node] : handles_) {
      const auto shared = node->attr().find("shared_name");
      if (shared == node->attr().end() || taken_.count(name) > 0) continue;
      const auto found = by_name.find(shared->second.s());
      if (found != by_name.end() && found->second >= 0) Take(found->second, name);
    }
  }

  bool IsVariable(int i) const {
    return i >= 0 && i < objects_.nodes_size() && objects_.nodes(i).has_variable();
  }
  void Take(int object, const std::string& node) {
    if (nodes_.emplace(object, node).second) taken_.insert(node);
  }

  const SavedObjectGraph& objects_;
  std::map<std::string, const NodeDef*> handles_;
  std::map<int, std::string> nodes_;
  std::set<std::string> taken_;
};

}  // namespace

SavedObjects ObjectsOf(const MetaGraphDef& proto) {
  SavedObjects saved;
  if (proto.object_graph_def().nodes_size() == 0) return saved;
  std::vector<int> index;
  saved.objects = Tree(proto.object_graph_def(), &index);
  const NodesOfObjects variables(proto);
  for (const auto& [object, node] : variables.nodes()) {
    const int at = index[static_cast<size_t>(object)];
    if (at >= 0) saved.variables.push_back({node, at});
  }
  return saved;
}

StatusOr<CheckpointObjects> CheckpointObjects::Parse(absl::string_view bytes) {
  tensorflow::TrackableObjectGraph proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss("the ", bytes.size(), " bytes of '", kKey, "' are no tree of objects");
  }
  CheckpointObjects read;
  read.objects_.resize(static_cast<size_t>(proto.nodes_size()));
  for (int i = 0; i < proto.nodes_size(); ++i) {
    Object& object = read.objects_[static_cast<size_t>(i)];
    for (const auto& child : proto.nodes(i).children()) {
      if (child.node_id() < 0 || child.node_id() >= proto.nodes_size()) continue;
      object.children.emplace(child.local_name(), child.node_id());
    }
    for (const auto& value : proto.nodes(i).attributes()) {
      if (value.name() == kValue) object.value_key = value.checkpoint_key();
      if (!value.full_name().empty()) {
        read.by_name_.emplace(value.full_name(), value.checkpoint_key());
      }
    }
  }
  return read;
}

std::vector<std::string> CheckpointObjects::KeysOf(const SavedObjects& saved) const {
  std::vector<int> there(saved.objects.size(), -1);
  for (size_t i = 0; i < saved.objects.size(); ++i) {
    const SavedObjects::Object& object = saved.objects[i];
    if (object.parent < 0) {
      there[i] = objects_.empty() ? -1 : 0;
      continue;
    }
    const int parent = there[static_cast<size_t>(object.parent)];
    if (parent < 0) continue;
    const auto& children = objects_[static_cast<size_t>(parent)].children;
    const auto child = children.find(object.name);
    if (child != children.end()) there[i] = child->second;
  }
  std::vector<std::string> keys;
  keys.reserve(saved.variables.size());
  for (const SavedObjects::Variable& variable : saved.variables) {
    const int at = there[static_cast<size_t>(variable.object)];
    keys.push_back(at < 0 ? "" : objects_[static_cast<size_t>(at)].value_key);
  }
  return keys;
}

std::string CheckpointObjects::KeyOfName(absl::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? "" : found->second;
}

}  // namespace warpbeam
