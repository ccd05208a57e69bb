#include "frontend/saver/variable_snapshot.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "runtime/checkpoint/bundle_merge.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file_root.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// Inputs of SaveV2.
constexpr int kPrefix = 0, kNames = 1, kSlices = 2, kFirstTensor = 3;

// The SaveV2 nodes that have run once `save_tensor` is there.
StatusOr<std::vector<const Node*>> FindSaves(const Graph& graph, const std::string& save_tensor) {
  const Node* const last = graph.Find(save_tensor.substr(0, save_tensor.find(':')));
  if (last == nullptr) return NotFound("the graph has no node for the tensor '", save_tensor, "'");
  std::vector<const Node*> saves;
  std::set<NodeId> seen = {last->id()};
  std::vector<NodeId> next = {last->id()};
  const auto visit = [&](NodeId id) {
    if (seen.insert(id).second) next.push_back(id);
  };
  while (!next.empty()) {
    const Node& node = graph.node(next.back());
    next.pop_back();
    if (node.op_name() == "Save" || node.op_name() == "SaveSlices") {
      return Unimplemented("'", node.name(), "' (", node.op_name(),
                           ") writes a checkpoint of version 1, not in the background");
    }
    if (node.op_name() == "SaveV2") {
      saves.push_back(&node);
      continue;
    }
    for (const OutputRef input : node.inputs()) visit(input.node);
    for (const NodeId input : node.control_inputs()) visit(input);
  }
  if (saves.empty()) return Unimplemented("no SaveV2 node belongs to '", save_tensor, "'");
  return saves;
}

// All that the nodes read, each tensor once.
class Inputs {
 public:
  Inputs(const Graph& graph, const std::vector<const Node*>& saves, const std::string& path_tensor,
         const std::string& prefix)
      : graph_(graph), path_tensor_(path_tensor), path_(Tensor::Scalar<std::string>(prefix)) {
    for (const Node* save : saves) {
      for (const OutputRef input : save->inputs()) {
        if (NameOf(input) == path_tensor_) continue;
        const auto [at, is_new] = index_.emplace(NameOf(input), names_.size());
        if (is_new) names_.push_back(at->first);
      }
    }
  }
  Status Read(Session& session) {
    return session.Run(RunOptions(), {{path_tensor_, path_}}, names_, {}, &values_);
  }
  const Tensor& Of(const Node& save, int input) const {
    if (NameOf(save.input(input)) == path_tensor_) return path_;
    return values_[index_.at(NameOf(save.input(input)))];
  }

 private:
  std::string NameOf(OutputRef output) const {
    return absl::StrCat(graph_.node(output.node).name(), ":", output.index);
  }

  const Graph& graph_;
  const std::string path_tensor_;  // is fed, so it cannot be fetched
  const Tensor path_;
  std::map<std::string, size_t> index_;
  std::vector<std::string> names_;
  std::vector<Tensor> values_;
};

StatusOr<VariableSnapshot::Shard> ShardOf(const Node& save, const Inputs& inputs) {
  const Tensor &prefix = inputs.Of(save, kPrefix), &names = inputs.Of(save, kNames),
               &slices = inputs.Of(save, kSlices);
  const int count = save.num_inputs() - kFirstTensor;
  if (prefix.num_elements() != 1 || names.num_elements() != count ||
      slices.num_elements() != count) {
    return InvalidArgument("'", save.name(), "' saves ", count, " tensors to ",
                           prefix.num_elements(), " prefixes under ", names.num_elements(),
                           " names with ", slices.num_elements(), " slices");
  }
  VariableSnapshot::Shard shard;
  shard.prefix = *prefix.data<std::string>();
  for (int i = 0; i < count; ++i) {
    WB_ASSIGN_OR_RETURN(ShapeAndSlice part,
                        ShapeAndSlice::Parse(slices.flat<std::string>()[static_cast<size_t>(i)]));
    shard.items.push_back({names.flat<std::string>()[static_cast<size_t>(i)], std::move(part),
                           inputs.Of(save, kFirstTensor + i)});
  }
  return shard;
}

Status WriteShard(VariableSnapshot::Shard shard, const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Create(prefix));
  for (VariableSnapshot::Item& item : shard.items) {
    WB_RETURN_IF_ERROR(item.part.is_given ? writer->AddSlice(item.name, item.part.full,
                                                             item.part.slice, item.value)
                                          : writer->Add(item.name, item.value));
    item.value.Reset();  // from here on the variable is updated in place again
  }
  return writer->Finish();
}

}  // namespace

StatusOr<VariableSnapshot> TakeSnapshot(Session& session, const Graph& graph,
                                        const SaverNames& names, const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(const std::vector<const Node*> saves, FindSaves(graph, names.save_tensor));
  Inputs inputs(graph, saves, names.filename_tensor, prefix);
  WB_RETURN_IF_ERROR(inputs.Read(session));
  VariableSnapshot snapshot;
  for (const Node* save : saves) {
    WB_ASSIGN_OR_RETURN(VariableSnapshot::Shard shard, ShardOf(*save, inputs));
    snapshot.shards.push_back(std::move(shard));
  }
  std::sort(snapshot.shards.begin(), snapshot.shards.end(),
            [](const auto& a, const auto& b) { return a.prefix < b.prefix; });
  return snapshot;
}

Status WriteSnapshot(VariableSnapshot snapshot, const std::string& prefix) {
  // One part alone is the checkpoint.
  if (snapshot.shards.size() == 1) return WriteShard(std::move(snapshot.shards[0]), prefix);
  std::vector<std::string> parts;
  std::set<std::string> folders;
  for (VariableSnapshot::Shard& shard : snapshot.shards) {
    parts.push_back(shard.prefix);
    folders.insert(DirectoryOf(shard.prefix));
    WB_RETURN_IF_ERROR(WriteShard(std::move(shard), parts.back()));
  }
  WB_RETURN_IF_ERROR(MergeBundles(parts, prefix, /*allow_missing=*/false));
  folders.erase(DirectoryOf(prefix));
  // Only empty ones go, and one that stays is no failure.
  for (const std::string& folder : folders) files::RemoveDirectory(folder);
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
