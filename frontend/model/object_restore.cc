#include "frontend/model/object_restore.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "graph/build/node_builder.h"
#include "graph/io/meta_graph/object_graph.h"
#include "runtime/checkpoint/bundle_reader.h"

namespace warpbeam {
namespace frontend {
namespace {

bool IsBundle(const std::string& checkpoint) {
  std::error_code error;
  return std::filesystem::exists(IndexFileName(checkpoint), error);
}

// Nothing where the checkpoint was not written by objects.
StatusOr<std::optional<CheckpointObjects>> ObjectsIn(const BundleReader& reader) {
  if (!reader.Contains(CheckpointObjects::kKey)) return std::optional<CheckpointObjects>();
  WB_ASSIGN_OR_RETURN(const Tensor bytes, reader.Read(CheckpointObjects::kKey));
  if (bytes.dtype() != DType::kString || bytes.num_elements() != 1) {
    return DataLoss("'", CheckpointObjects::kKey, "' is no string");
  }
  WB_ASSIGN_OR_RETURN(CheckpointObjects objects,
                      CheckpointObjects::Parse(bytes.flat<std::string>()[0]));
  return std::optional<CheckpointObjects>(std::move(objects));
}

// A variable and its key in the checkpoint.
struct Wanted {
  NodeId handle;
  std::string key;
};

// The variables that somebody uses and the saver does not reach.
std::vector<const SavedObjects::Variable*> LeftOut(const MetaGraph& meta) {
  const Graph& graph = *meta.graph;
  const std::vector<bool> restored = NodesBehind(graph, {meta.saver.restore_op});
  std::vector<bool> used(static_cast<size_t>(graph.num_nodes()));
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.input(i).node != kNoNode) used[static_cast<size_t>(node.input(i).node)] = true;
    }
  }
  std::vector<const SavedObjects::Variable*> left_out;
  for (const SavedObjects::Variable& variable : meta.objects.variables) {
    const Node* node = graph.Find(variable.node);
    if (node == nullptr) continue;
    const auto id = static_cast<size_t>(node->id());
    if (used[id] && !restored[id]) left_out.push_back(&variable);
  }
  return left_out;
}

// "restore_objects/RestoreV2" and what is around it.
StatusOr<SaverNodes> AddNodes(const std::vector<Wanted>& wanted, Graph* graph) {
  std::vector<std::string> keys;
  std::vector<DType> dtypes;
  for (const Wanted& one : wanted) {
    keys.push_back(one.key);
    dtypes.push_back(graph->node(one.handle).attrs().GetOr<DType>("dtype", DType::kInvalid));
  }
  const std::vector<std::string> whole(keys.size());
  const std::string scope = graph->UniqueName("restore_objects");
  WB_ASSIGN_OR_RETURN(Node * filename, NodeBuilder(graph, "Placeholder")
                                           .Name(scope + "/filename")
                                           .Attr("dtype", DType::kString)
                                           .Build());
  const auto list = [&](const char* name, const std::vector<std::string>& values) {
    return AddConstant(graph, absl::StrCat(scope, "/", name), Tensor::Vector<std::string>(values));
  };
  WB_ASSIGN_OR_RETURN(Node * names, list("tensor_names", keys));
  WB_ASSIGN_OR_RETURN(Node * slices, list("shape_and_slices", whole));
  WB_ASSIGN_OR_RETURN(Node * restore, NodeBuilder(graph, "RestoreV2")
                                          .Name(scope + "/RestoreV2")
                                          .Input(filename)
                                          .Input(names)
                                          .Input(slices)
                                          .Attr("dtypes", dtypes)
                                          .Build());
  NodeBuilder all(graph, "NoOp");
  all.Name(scope + "/restore_all");
  for (size_t i = 0; i < wanted.size(); ++i) {
    WB_ASSIGN_OR_RETURN(Node * assign, NodeBuilder(graph, "AssignVariableOp")
                                           .Name(scope + "/AssignVariableOp")
                                           .Input(OutputRef{wanted[i].handle, 0})
                                           .Input(OutputRef{restore->id(), static_cast<int>(i)})
                                           .Build());
    all.ControlInput(assign->id());
  }
  WB_ASSIGN_OR_RETURN(Node * done, all.Build());
  return SaverNodes{filename->name() + ":0", done->name()};
}

}  // namespace

std::vector<bool> NodesBehind(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<bool> behind(static_cast<size_t>(graph.num_nodes()));
  std::vector<NodeId> left;
  const auto take = [&](NodeId id) {
    if (id == kNoNode || behind[static_cast<size_t>(id)]) return;
    behind[static_cast<size_t>(id)] = true;
    left.push_back(id);
  };
  for (const std::string& name : names) {
    const Node* node = graph.Find(absl::string_view(name).substr(0, name.find(':')));
    if (node != nullptr) take(node->id());
  }
  while (!left.empty()) {
    const Node& node = graph.node(left.back());
    left.pop_back();
    for (int i = 0; i < node.num_inputs(); ++i) take(node.input(i).node);
    for (NodeId control : node.control_inputs()) take(control);
  }
  return behind;
}

Status AddObjectRestore(const std::string& checkpoint, MetaGraph* meta) {
  if (meta->objects.variables.empty() || !IsBundle(checkpoint)) return OkStatus();
  SavedObjects left_out;
  for (const SavedObjects::Variable* variable : LeftOut(*meta)) {
    left_out.variables.push_back(*variable);
  }
  if (left_out.variables.empty()) return OkStatus();
  left_out.objects = meta->objects.objects;
  WB_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(checkpoint));
  auto objects = ObjectsIn(*reader);
  if (!objects.ok()) return Annotate(objects.status(), checkpoint);
  if (!objects->has_value()) return OkStatus();
  const std::vector<std::string> keys = (*objects)->KeysOf(left_out);
  std::vector<Wanted> wanted;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty() || !reader->Contains(keys[i])) continue;
    wanted.push_back({meta->graph->Find(left_out.variables[i].node)->id(), keys[i]});
  }
  if (wanted.empty()) return OkStatus();
  WB_ASSIGN_OR_RETURN(meta->object_saver, AddNodes(wanted, meta->graph.get()));
  return OkStatus();
}

StatusOr<NamedTensors> MapToObjects(const std::string& checkpoint, const Graph& graph,
                                    const std::string& restore_op) {
  NamedTensors feeds;
  std::vector<std::pair<const Node*, Tensor>> lists;
  const std::vector<bool> behind = NodesBehind(graph, {restore_op});
  for (const Node& node : graph.nodes()) {
    if (node.op_name() != "RestoreV2" || !behind[static_cast<size_t>(node.id())]) continue;
    const Node& list = graph.node(node.input(1).node);
    Tensor names = list.attrs().GetOr<Tensor>("value", Tensor());
    if (names.dtype() == DType::kString) lists.emplace_back(&list, std::move(names));
  }
  if (lists.empty() || !IsBundle(checkpoint)) return feeds;
  WB_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(checkpoint));
  for (const auto& [list, tensor] : lists) {
    const auto values = tensor.flat<std::string>();
    const std::vector<std::string> names(values.begin(), values.end());
    auto keys = KeysIn(*reader, names);
    if (!keys.ok()) return Annotate(keys.status(), checkpoint);
    if (*keys != names) {
      feeds.emplace_back(list->name() + ":0", Tensor::Vector<std::string>(*keys));
    }
  }
  return feeds;
}

StatusOr<std::vector<std::string>> KeysIn(const BundleReader& checkpoint,
                                          std::vector<std::string> names) {
  const auto has = [&](const std::string& name) { return checkpoint.Contains(name); };
  if (std::all_of(names.begin(), names.end(), has)) return names;
  WB_ASSIGN_OR_RETURN(const auto objects, ObjectsIn(checkpoint));
  if (!objects.has_value()) return names;
  for (std::string& name : names) {
    std::string key = has(name) ? "" : objects->KeyOfName(name);
    if (!key.empty()) name = std::move(key);
  }
  return names;
}

}  // namespace frontend
}  // namespace warpbeam
