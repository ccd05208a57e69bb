#include "graph/io/meta_graph/meta_graph.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/arena.h"
#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/meta_graph.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/variable.pb.h"

namespace warpbeam {
namespace {

using tensorflow::MetaGraphDef;
using tensorflow::TensorInfo;

// In a version 2 SavedModel these are no entry points: their one output names a node to run.
constexpr char kInitSignature[] = "__saved_model_init_op";
constexpr char kTrainSignature[] = "__saved_model_train_op";

Status AddPort(const std::string& name, const std::string& tensor, const TensorInfo& info,
               std::map<std::string, TensorPort>* ports) {
  TensorPort port;
  port.tensor = tensor;
  WB_ASSIGN_OR_RETURN(port.dtype, DTypeFromNumber(info.dtype()));
  if (info.has_tensor_shape()) {
    WB_ASSIGN_OR_RETURN(port.shape, ShapeFromProto(info.tensor_shape()));
  }
  ports->emplace(name, std::move(port));
  return OkStatus();
}

Status AddPorts(const std::string& name, const TensorInfo& info,
                std::map<std::string, TensorPort>* ports) {
  if (info.encoding_case() == TensorInfo::kName) return AddPort(name, info.name(), info, ports);
  if (info.encoding_case() == TensorInfo::kCooSparse) {
    const TensorInfo::CooSparse& sparse = info.coo_sparse();
    TensorInfo part = info;
    part.clear_tensor_shape();
    WB_RETURN_IF_ERROR(
        AddPort(absl::StrCat(name, "/values"), sparse.values_tensor_name(), part, ports));
    part.set_dtype(tensorflow::DT_INT64);
    WB_RETURN_IF_ERROR(
        AddPort(absl::StrCat(name, "/indices"), sparse.indices_tensor_name(), part, ports));
    return AddPort(absl::StrCat(name, "/dense_shape"), sparse.dense_shape_tensor_name(), part,
                   ports);
  }
  if (info.encoding_case() != TensorInfo::kCompositeTensor) {
    return InvalidArgument("it names no tensor");
  }
  const auto& components = info.composite_tensor().components();
  for (int i = 0; i < components.size(); ++i) {
    if (components[i].encoding_case() != TensorInfo::kName) {
      return Unimplemented("it is composed of what is composed itself");
    }
    WB_RETURN_IF_ERROR(
        AddPort(absl::StrCat(name, "/", i), components[i].name(), components[i], ports));
  }
  return OkStatus();
}

StatusOr<Signature> SignatureFromProto(const tensorflow::SignatureDef& proto) {
  Signature signature;
  signature.method = proto.method_name();
  for (const auto& [name, info] : proto.inputs()) {
    WB_RETURN_IF_ERROR(Annotate(AddPorts(name, info, &signature.inputs), "input '" + name + "'"));
  }
  for (const auto& [name, info] : proto.outputs()) {
    WB_RETURN_IF_ERROR(Annotate(AddPorts(name, info, &signature.outputs), "output '" + name + "'"));
  }
  for (const auto& [name, value] : proto.defaults()) {
    const auto input = signature.inputs.find(name);
    if (input == signature.inputs.end()) {
      return InvalidArgument("there is a default for '", name, "', which is no input");
    }
    auto tensor = TensorFromProto(value);
    if (!tensor.ok()) return Annotate(tensor.status(), "the default of '" + name + "'");
    input->second.default_value = *std::move(tensor);
  }
  return signature;
}

// "^init", "init" and "init:0" as the node's name.
std::string NodeOf(absl::string_view name) {
  if (absl::StartsWith(name, "^")) name.remove_prefix(1);
  return std::string(name.substr(0, name.find(':')));
}

std::string OnlyNodeOf(const MetaGraphDef& proto, const char* collection) {
  const auto found = proto.collection_def().find(collection);
  if (found == proto.collection_def().end()) return "";
  const auto& nodes = found->second.node_list().value();
  return nodes.empty() ? "" : NodeOf(nodes[0]);
}

std::string InitOpOf(const MetaGraphDef& proto) {
  const auto signature = proto.signature_def().find(kInitSignature);
  if (signature != proto.signature_def().end()) {
    const auto output = signature->second.outputs().find(kInitSignature);
    if (output != signature->second.outputs().end()) return NodeOf(output->second.name());
  }
  std::string node = OnlyNodeOf(proto, "saved_model_main_op");
  return node.empty() ? OnlyNodeOf(proto, "legacy_init_op") : node;
}

// As tf.saved_model.load chooses them: programs that serve a graph of TensorFlow 1 made these ready
// before they ran it, whether or not it was exported with an operation that does.
StatusOr<std::vector<std::string>> InitializersOf(const MetaGraphDef& proto) {
  std::vector<std::string> nodes;
  const auto add = [&](const std::string& name) {
    std::string node = NodeOf(name);
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(std::move(node));
  };
  const auto& collections = proto.collection_def();
  if (const auto local = collections.find("local_variables"); local != collections.end()) {
    for (const std::string& bytes : local->second.bytes_list().value()) {
      tensorflow::VariableDef variable;
      if (!variable.ParseFromString(bytes)) {
        return InvalidArgument("an entry of the collection local_variables is no VariableDef");
      }
      if (!variable.initializer_name().empty()) add(variable.initializer_name());
    }
  }
  for (const char* name : {"local_init_op", "table_initializer"}) {
    const auto found = collections.find(name);
    if (found == collections.end()) continue;
    for (const std::string& node : found->second.node_list().value()) add(node);
  }
  return nodes;
}

// Builders of TensorFlow 1 keep their assets in a collection.
Status AddAssets(const MetaGraphDef& proto, std::vector<AssetFile>* assets) {
  for (const auto& asset : proto.asset_file_def()) {
    assets->push_back({asset.tensor_info().name(), asset.filename()});
  }
  const auto collection = proto.collection_def().find("saved_model_assets");
  if (!assets->empty() || collection == proto.collection_def().end()) return OkStatus();
  for (const auto& any : collection->second.any_list().value()) {
    tensorflow::AssetFileDef asset;
    if (!asset.ParseFromString(any.value())) {
      return InvalidArgument("an entry of the collection saved_model_assets is no AssetFileDef");
    }
    assets->push_back({asset.tensor_info().name(), asset.filename()});
  }
  return OkStatus();
}

std::string ListTags(const tensorflow::SavedModel& proto) {
  std::vector<std::string> sets;
  for (const MetaGraphDef& graph : proto.meta_graphs()) {
    sets.push_back(absl::StrCat("{", absl::StrJoin(graph.meta_info_def().tags(), ", "), "}"));
  }
  return absl::StrJoin(sets, ", ");
}

}  // namespace

StatusOr<int> FindMetaGraph(const tensorflow::SavedModel& proto,
                            const std::vector<std::string>& tags) {
  if (tags.empty() && proto.meta_graphs_size() == 1) return 0;
  const std::set<std::string> wanted(tags.begin(), tags.end());
  for (int i = 0; i < proto.meta_graphs_size(); ++i) {
    const auto& own = proto.meta_graphs(i).meta_info_def().tags();
    if (std::set<std::string>(own.begin(), own.end()) == wanted) return i;
  }
  if (proto.meta_graphs_size() == 0) return InvalidArgument("the model holds no graph");
  return NotFound("the model has no graph with the tags {", absl::StrJoin(wanted, ", "),
                  "}; there are graphs with ", ListTags(proto));
}

StatusOr<MetaGraph> MetaGraphWithoutGraph(const MetaGraphDef& proto) {
  MetaGraph meta;
  meta.tags.assign(proto.meta_info_def().tags().begin(), proto.meta_info_def().tags().end());
  meta.tensorflow_version = proto.meta_info_def().tensorflow_version();
  for (const auto& [name, signature] : proto.signature_def()) {
    if (name == kInitSignature || name == kTrainSignature) continue;
    auto read = SignatureFromProto(signature);
    if (!read.ok()) return Annotate(read.status(), absl::StrCat("signature '", name, "'"));
    meta.signatures.emplace(name, *std::move(read));
  }
  if (!proto.saver_def().restore_op_name().empty()) {
    meta.saver.filename_tensor = proto.saver_def().filename_tensor_name();
    meta.saver.restore_op = NodeOf(proto.saver_def().restore_op_name());
  }
  WB_RETURN_IF_ERROR(AddAssets(proto, &meta.assets));
  meta.init_op = InitOpOf(proto);
  if (meta.init_op.empty()) {
    WB_ASSIGN_OR_RETURN(meta.initializers, InitializersOf(proto));
  }
  meta.objects = ObjectsOf(proto);
  return meta;
}

Status ImportGraphOf(const MetaGraphOptions& options, MetaGraphDef* proto, MetaGraph* to) {
  tensorflow::GraphDef* graph = proto->mutable_graph_def();
  if (options.on_ops) {
    std::vector<std::string> ops;
    for (const auto& op : proto->meta_info_def().stripped_op_list().op()) ops.push_back(op.name());
    options.on_ops(ops);
  }
  to->graph = std::make_shared<Graph>();
  return ImportGraphDef(*graph, options.graph, to->graph.get());
}

StatusOr<MetaGraph> ImportMetaGraphFile(const std::string& path, const MetaGraphOptions& options) {
  // In an arena the thousands of small parts of a message are not freed one by one.
  google::protobuf::Arena arena;
  auto* proto = google::protobuf::Arena::CreateMessage<MetaGraphDef>(&arena);
  WB_RETURN_IF_ERROR(ReadMetaGraphFile(path, proto));
  auto meta = MetaGraphWithoutGraph(*proto);
  if (!meta.ok()) return Annotate(meta.status(), path);
  WB_RETURN_IF_ERROR(Annotate(ImportGraphOf(options, proto, &*meta), path));
  return meta;
}

StatusOr<MetaGraph> ImportSavedModel(const std::string& directory,
                                     const std::vector<std::string>& tags,
                                     const MetaGraphOptions& options) {
  google::protobuf::Arena arena;
  auto* proto = google::protobuf::Arena::CreateMessage<tensorflow::SavedModel>(&arena);
  WB_RETURN_IF_ERROR(ReadSavedModelFile(directory, proto));
  const auto index = FindMetaGraph(*proto, tags);
  if (!index.ok()) return Annotate(index.status(), directory);
  MetaGraphDef* chosen = proto->mutable_meta_graphs(*index);
  auto meta = MetaGraphWithoutGraph(*chosen);
  if (!meta.ok()) return Annotate(meta.status(), directory);
  WB_RETURN_IF_ERROR(Annotate(ImportGraphOf(options, chosen, &*meta), directory));
  return meta;
}

}  // namespace warpbeam
