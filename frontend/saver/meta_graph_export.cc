#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <set>

#include "absl/strings/match.h"
#include "frontend/collections.h"
#include "frontend/graph_state.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/meta_graph_def.h"
#include "graph/io/graph_export.h"
#include "graph/io/op_schema_io.h"
#include "proto/meta_graph.pb.h"
#include "proto/variable.pb.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using tensorflow::CollectionDef;
using tensorflow::MetaGraphDef;

std::string VariableBytes(const Variable& variable) {
  tensorflow::VariableDef proto;
  proto.set_variable_name(variable.ref().name());
  proto.set_initial_value_name(variable.initial_value().name());
  proto.set_initializer_name(variable.initializer().name());
  proto.set_snapshot_name(variable.read().name());
  proto.set_trainable(variable.trainable());
  proto.set_is_resource(variable.is_resource());
  if (const VariableSlice* slice = variable.slice()) {
    tensorflow::SaveSliceInfoDef* part = proto.mutable_save_slice_info_def();
    part->set_full_name(slice->full_name);
    for (const int64_t dim : slice->full_shape.dims()) part->add_full_shape(dim);
    for (const int64_t place : slice->offset) part->add_var_offset(place);
    for (const int64_t dim : variable.shape().dims()) part->add_var_shape(dim);
  }
  return proto.SerializeAsString();
}

CollectionDef ToProto(const std::vector<CollectionItem>& items) {
  CollectionDef proto;
  for (const CollectionItem& item : items) {
    if (const Variable* variable = item.get<Variable>()) {
      proto.mutable_bytes_list()->add_value(VariableBytes(*variable));
    } else if (const std::string* bytes = item.get<std::string>()) {
      proto.mutable_bytes_list()->add_value(*bytes);
    }
  }
  // A collection is of one kind; tensors and operations go by name.
  if (proto.has_bytes_list()) return proto;
  for (const CollectionItem& item : items) proto.mutable_node_list()->add_value(item.name());
  return proto;
}

Status AddOps(const Graph& graph, MetaGraphDef::MetaInfoDef* info) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (graph.ops().Find(node.op_name()) != nullptr) names.insert(node.op_name());
  }
  for (const auto& function : graph.functions().functions()) {
    for (const NodeSpec& node : function.second->nodes) {
      if (graph.ops().Find(node.op) != nullptr) names.insert(node.op);
    }
  }
  for (const std::string& name : names) {
    WB_RETURN_IF_ERROR(
        OpSchemaToProto(*graph.ops().Find(name), info->mutable_stripped_op_list()->add_op()));
  }
  return OkStatus();
}

Status TooLarge() {
  return ResourceExhausted("the graph is larger than the 2 GiB of a MetaGraph; save without it");
}

// The same bytes for the same graph: maps in the order of their keys.
StatusOr<std::string> BytesOf(const MetaGraphDef& proto) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!proto.SerializeToCodedStream(&coded)) return TooLarge();
  }
  return bytes;
}

}  // namespace

StatusOr<std::string> SerializeMetaGraphNodes(const Scope& scope) {
  WB_RETURN_IF_ERROR(scope.status());
  MetaGraphDef proto;
  WB_RETURN_IF_ERROR(AddOps(*scope.graph(), proto.mutable_meta_info_def()));
  WB_RETURN_IF_ERROR(ExportGraphDef(*scope.graph(), proto.mutable_graph_def()));
  return BytesOf(proto);
}

StatusOr<std::string> SerializeMetaGraphCollections(const Scope& scope, const Saver* saver) {
  WB_RETURN_IF_ERROR(scope.status());
  MetaGraphDef proto;
  for (const auto& [key, items] : scope.state().collections()) {
    if (!items.empty()) (*proto.mutable_collection_def())[key] = ToProto(items);
  }
  if (saver != nullptr && !proto.mutable_saver_def()->ParseFromString(saver->Serialize())) {
    return Internal("a saver's own SaverDef does not parse");
  }
  return BytesOf(proto);
}

Status ExportMetaGraphDef(const Scope& scope, const Saver* saver, MetaGraphDef* proto) {
  WB_ASSIGN_OR_RETURN(std::string bytes, SerializeMetaGraphNodes(scope));
  WB_ASSIGN_OR_RETURN(const std::string rest, SerializeMetaGraphCollections(scope, saver));
  bytes += rest;
  return proto->ParseFromString(bytes) ? OkStatus() : TooLarge();
}

Status ExportMetaGraph(const Scope& scope, const std::string& path, const Saver* saver) {
  WB_ASSIGN_OR_RETURN(std::string bytes, SerializeMetaGraphNodes(scope));
  WB_ASSIGN_OR_RETURN(const std::string rest, SerializeMetaGraphCollections(scope, saver));
  bytes += rest;
  if (absl::EndsWith(path, ".pbtxt")) {
    MetaGraphDef proto;
    std::string text;
    if (!proto.ParseFromString(bytes) ||
        !google::protobuf::TextFormat::PrintToString(proto, &text)) {
      return TooLarge();
    }
    bytes = std::move(text);
  }
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(bytes));
  WB_RETURN_IF_ERROR(file->Commit());
  return SyncDirectoryOf(path);
}

std::string Saver::Serialize() const {
  tensorflow::SaverDef proto;
  proto.set_filename_tensor_name(names_.filename_tensor);
  proto.set_save_tensor_name(names_.save_tensor);
  proto.set_restore_op_name(names_.restore_op);
  proto.set_max_to_keep(options_.max_to_keep_value);
  proto.set_sharded(options_.is_sharded);
  proto.set_keep_checkpoint_every_n_hours(static_cast<float>(options_.keep_hours));
  proto.set_version(tensorflow::SaverDef::V2);
  return proto.SerializeAsString();
}

StatusOr<Saver> Saver::Parse(const Scope& scope, const std::string& bytes) {
  tensorflow::SaverDef proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument("a saver of ", bytes.size(), " bytes is no serialized SaverDef");
  }
  if (proto.version() == tensorflow::SaverDef::V1) {
    return Unimplemented("the saver writes checkpoints of version 1; make a new Saver");
  }
  SaverOptions options;
  options.max_to_keep(proto.max_to_keep()).sharded(proto.sharded());
  if (proto.keep_checkpoint_every_n_hours() > 0) {
    options.keep_checkpoint_every_n_hours(proto.keep_checkpoint_every_n_hours());
  }
  return Saver(scope,
               {proto.filename_tensor_name(), proto.save_tensor_name(), proto.restore_op_name()},
               options);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
