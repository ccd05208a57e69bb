#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/graph_def/graph_lookup.h"
#include "frontend/saved_model/model_files.h"
#include "frontend/saved_model/saved_model_builder.h"
#include "frontend/saver/meta_graph_def.h"
#include "graph/graph.h"
#include "graph/io/attr_io.h"
#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/saved_model.pb.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace saved_model {
namespace {

using tensorflow::MetaGraphDef;

Status MakeDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? NotFound("cannot make '", path, "': ", error.message()) : OkStatus();
}

void SetInfo(const TensorInfo& info, tensorflow::TensorInfo* proto) {
  proto->set_name(info.tensor);
  proto->set_dtype(static_cast<tensorflow::DataType>(NumberOf(info.dtype)));
  ShapeToProto(info.shape, proto->mutable_tensor_shape());
}

// The part of "x/indices" before `suffix`; "" for other names.
std::string StemOf(const std::string& name, absl::string_view suffix) {
  return absl::EndsWith(name, suffix) ? name.substr(0, name.size() - suffix.size()) : "";
}

// One side of a signature; three ports of a sparse tensor are one entry.
template <typename ProtoMap>
Status SetPorts(GraphState& graph, const std::map<std::string, TensorInfo>& ports, ProtoMap* to) {
  for (const auto& [name, info] : ports) {
    const StatusOr<Output> tensor = FindTensor(graph, info.tensor);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("'", name, "'"));
    std::string stem;
    for (const char* suffix : {"/indices", "/values", "/dense_shape"}) {
      const std::string found = StemOf(name, suffix);
      if (!found.empty()) stem = found;
    }
    const auto values = ports.find(stem + "/values");
    const auto indices = ports.find(stem + "/indices");
    const auto dense_shape = ports.find(stem + "/dense_shape");
    if (values == ports.end() || indices == ports.end() || dense_shape == ports.end()) {
      SetInfo(info, &(*to)[name]);
      continue;
    }
    auto& sparse = (*to)[stem];
    sparse.mutable_coo_sparse()->set_values_tensor_name(values->second.tensor);
    sparse.mutable_coo_sparse()->set_indices_tensor_name(indices->second.tensor);
    sparse.mutable_coo_sparse()->set_dense_shape_tensor_name(dense_shape->second.tensor);
    sparse.set_dtype(static_cast<tensorflow::DataType>(NumberOf(values->second.dtype)));
  }
  return OkStatus();
}

Status SetSignature(GraphState& graph, const std::string& key, const SignatureDef& signature,
                    tensorflow::SignatureDef* proto) {
  proto->set_method_name(signature.method);
  Status set = SetPorts(graph, signature.inputs, proto->mutable_inputs());
  if (set.ok()) set = SetPorts(graph, signature.outputs, proto->mutable_outputs());
  return Annotate(set, absl::StrCat("the signature '", key, "'"));
}

void ClearDevices(tensorflow::GraphDef* graph) {
  for (auto& node : *graph->mutable_node()) node.clear_device();
  for (auto& function : *graph->mutable_library()->mutable_function()) {
    for (auto& node : *function.mutable_node_def()) node.clear_device();
  }
}

// Attributes that say what they say by default anyway.
void StripDefaults(const OpRegistry& ops, tensorflow::NodeDef* node) {
  const OpSchema* schema = ops.Find(node->op());
  if (schema == nullptr) return;
  std::vector<std::string> names;
  for (const auto& entry : node->attr()) names.push_back(entry.first);
  for (const std::string& name : names) {
    const AttrSpec* attr = schema->FindAttr(name);
    if (attr == nullptr || !attr->default_value.has_value()) continue;
    tensorflow::AttrValue wanted;
    if (AttrToProto(attr->default_value, &wanted).ok() &&
        wanted.SerializeAsString() == node->attr().at(name).SerializeAsString()) {
      node->mutable_attr()->erase(name);
    }
  }
}

}  // namespace

SavedModelOptions& SavedModelOptions::signature(const std::string& key, SignatureDef value) {
  signatures[key] = std::move(value);
  return *this;
}

SavedModelBuilder::SavedModelBuilder(std::string export_dir)
    : directory_(std::move(export_dir)), model_(std::make_unique<tensorflow::SavedModel>()) {
  model_->set_saved_model_schema_version(kSavedModelSchemaVersion);
}

SavedModelBuilder::~SavedModelBuilder() = default;

Status SavedModelBuilder::Prepare() {
  if (model_->meta_graphs_size() > 0) return OkStatus();
  std::error_code error;
  if (std::filesystem::exists(directory_, error) && !std::filesystem::is_empty(directory_, error)) {
    return AlreadyExists("'", directory_, "' is there and holds something; models are written to ",
                         "folders of their own");
  }
  return MakeDirectory(directory_);
}

Status SavedModelBuilder::AddMetaGraphAndVariables(ClientSession& session, const Scope& scope,
                                                   const std::vector<std::string>& tags,
                                                   const SavedModelOptions& options) {
  WB_RETURN_IF_ERROR(scope.status());
  if (has_variables_ || model_->meta_graphs_size() > 0) {
    return FailedPrecondition("the model has its variables already; add further graphs with ",
                              "AddMetaGraph");
  }
  WB_RETURN_IF_ERROR(Prepare());
  std::optional<train::Saver> made;
  train::Saver* saver = options.own_saver;
  if (saver == nullptr && !GlobalVariables(scope).empty()) {
    saver = &made.emplace(scope.WithPrefix("").Named(""), train::SaverOptions().sharded(true));
    WB_RETURN_IF_ERROR(scope.status());
  }
  if (saver != nullptr) {
    const std::string variables = JoinPath(directory_, kVariablesDirectory);
    WB_RETURN_IF_ERROR(MakeDirectory(variables));
    train::SaveOptions only_variables;
    only_variables.write_meta_graph = false;
    only_variables.write_state = false;
    const auto saved =
        saver->Save(session, JoinPath(variables, kVariablesFilename), std::nullopt, only_variables);
    WB_RETURN_IF_ERROR(saved.status());
  }
  has_variables_ = true;
  return Add(scope, tags, options, saver);
}

Status SavedModelBuilder::AddMetaGraph(const Scope& scope, const std::vector<std::string>& tags,
                                       const SavedModelOptions& options) {
  WB_RETURN_IF_ERROR(scope.status());
  if (!has_variables_) {
    return FailedPrecondition("the first graph of a model comes with the variables' values: call ",
                              "AddMetaGraphAndVariables before AddMetaGraph");
  }
  std::optional<train::Saver> made;
  const train::Saver* saver = options.own_saver;
  if (saver == nullptr && !GlobalVariables(scope).empty()) {
    saver = &made.emplace(scope.WithPrefix("").Named(""), train::SaverOptions().sharded(true));
    WB_RETURN_IF_ERROR(scope.status());
  }
  return Add(scope, tags, options, saver);
}

Status SavedModelBuilder::Add(const Scope& scope, const std::vector<std::string>& tags,
                              const SavedModelOptions& options, const train::Saver* saver) {
  if (tags.empty()) return InvalidArgument("a graph of a model needs a tag, such as 'serve'");
  MetaGraphDef proto;
  WB_RETURN_IF_ERROR(train::ExportMetaGraphDef(scope, saver, &proto));
  for (const std::string& tag : std::set<std::string>(tags.begin(), tags.end())) {
    proto.mutable_meta_info_def()->add_tags(tag);
  }
  for (const auto& [key, signature] : options.signatures) {
    WB_RETURN_IF_ERROR(
        SetSignature(scope.state(), key, signature, &(*proto.mutable_signature_def())[key]));
  }
  for (const Output& asset : options.asset_tensors) WB_RETURN_IF_ERROR(AddAsset(asset, &proto));
  if (options.init_op.valid()) {
    auto* list = (*proto.mutable_collection_def())[kMainOpKey].mutable_node_list();
    list->clear_value();
    list->add_value(options.init_op.name());
  }
  if (options.clears_devices) ClearDevices(proto.mutable_graph_def());
  if (options.strips_default_attrs) {
    const OpRegistry& ops = scope.graph()->ops();
    for (auto& node : *proto.mutable_graph_def()->mutable_node()) StripDefaults(ops, &node);
    proto.mutable_meta_info_def()->set_stripped_default_attrs(true);
  }
  *model_->add_meta_graphs() = std::move(proto);
  return OkStatus();
}

Status SavedModelBuilder::AddAsset(const Output& tensor, MetaGraphDef* proto) {
  if (!tensor.valid()) return InvalidArgument("an asset is an Output that ", tensor.problem());
  const Tensor value = tensor.op().attrs().GetOr<Tensor>("value", Tensor());
  if (tensor.op().type() != "Const" || value.dtype() != DType::kString ||
      value.num_elements() != 1) {
    return InvalidArgument("the asset '", tensor.name(),
                           "' must be a constant with the path of a file");
  }
  WB_ASSIGN_OR_RETURN(const std::string name, CopyAsset(value.data<std::string>()[0]));
  tensorflow::AssetFileDef asset;
  asset.mutable_tensor_info()->set_name(tensor.name());
  asset.set_filename(name);
  *proto->add_asset_file_def() = asset;
  // Where programs of the first version look for it.
  (*proto->mutable_collection_def())[kAssetsKey].mutable_any_list()->add_value()->PackFrom(asset);
  return OkStatus();
}

StatusOr<std::string> SavedModelBuilder::CopyAsset(const std::string& path) {
  const auto found = asset_names_.find(path);
  if (found != asset_names_.end()) return found->second;
  const std::string base = std::filesystem::path(path).filename().string();
  std::string name = base;
  const auto is_taken = [&] {
    return std::any_of(asset_names_.begin(), asset_names_.end(),
                       [&](const auto& entry) { return entry.second == name; });
  };
  for (int i = 1; is_taken(); ++i) name = absl::StrCat(base, "_", i);
  const std::string assets = JoinPath(directory_, kAssetsDirectory);
  WB_RETURN_IF_ERROR(MakeDirectory(assets));
  std::error_code error;
  std::filesystem::copy_file(path, JoinPath(assets, name),
                             std::filesystem::copy_options::overwrite_existing, error);
  if (error) return NotFound("the asset '", path, "' cannot be copied: ", error.message());
  asset_names_[path] = name;
  return name;
}

StatusOr<std::string> SavedModelBuilder::Save(bool as_text) {
  if (model_->meta_graphs_size() == 0) return FailedPrecondition("the model has no graph yet");
  std::string bytes;
  const bool written = as_text ? google::protobuf::TextFormat::PrintToString(*model_, &bytes)
                               : model_->SerializeToString(&bytes);
  if (!written) return ResourceExhausted("the model's graphs are larger than a message's 2 GiB");
  const std::string path =
      JoinPath(directory_, as_text ? kSavedModelFilenamePbtxt : kSavedModelFilenamePb);
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(bytes));
  WB_RETURN_IF_ERROR(file->Commit());
  WB_RETURN_IF_ERROR(SyncDirectoryOf(path));
  return path;
}

Status SimpleSave(ClientSession& session, const Scope& scope, const std::string& export_dir,
                  const NamedOutputs& inputs, const NamedOutputs& outputs,
                  const Operation& legacy_init_op) {
  SavedModelBuilder builder(export_dir);
  SavedModelOptions options;
  options.signature(kDefaultServingSignatureDefKey, PredictSignatureDef(inputs, outputs))
      .assets(GetCollection(scope, GraphKeys::kAssetFilepaths))
      .legacy_init_op(legacy_init_op)
      .clear_devices(true);
  WB_RETURN_IF_ERROR(builder.AddMetaGraphAndVariables(session, scope, {kServing}, options));
  return builder.Save().status();
}

Operation MainOp(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  std::vector<Operation> all = {GlobalVariablesInitializer(scope)};
  std::vector<Variable> locals = GetVariables(scope, GraphKeys::kLocalVariables);
  all.push_back(VariablesInitializer(scope.Named("init"), locals));
  std::vector<Operation> tables;
  for (const CollectionItem& item : GetCollectionItems(scope, GraphKeys::kTableInitializers)) {
    if (const Operation* operation = item.get<Operation>()) tables.push_back(*operation);
  }
  all.push_back(Group(scope.Named("init_all_tables"), tables));
  return Group(scope, all);
}

Operation MainOpWithRestore(ScopeRef scope_ref, const Operation& restore) {
  const Scope scope = scope_ref.scope();
  return Group(scope, {restore, MainOp(scope.Named("main_op"))});
}

}  // namespace saved_model
}  // namespace frontend
}  // namespace warpbeam
