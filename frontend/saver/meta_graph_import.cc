#include <google/protobuf/text_format.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "frontend/collections.h"
#include "frontend/control_flow/control_flow_def.h"
#include "frontend/graph_state.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/meta_graph_def.h"
#include "frontend/variables/variable_builder.h"
#include "graph/io/graph_import.h"
#include "proto/meta_graph.pb.h"
#include "proto/variable.pb.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using tensorflow::MetaGraphDef;

// These are lists of serialized VariableDefs; other lists of bytes stay what they are.
bool HoldsVariables(const std::string& key) {
  for (const char* name :
       {GraphKeys::kGlobalVariables, GraphKeys::kLocalVariables, GraphKeys::kModelVariables,
        GraphKeys::kMetricVariables, GraphKeys::kTrainableVariables,
        GraphKeys::kMovingAverageVariables, GraphKeys::kGlobalStep}) {
    if (key == name) return true;
  }
  return false;
}

class Collections {
 public:
  // Names stand below `prefix`, which is empty or ends in '/'.
  Collections(const Scope& scope, std::string prefix) : scope_(scope), prefix_(std::move(prefix)) {}

  Status Add(const std::string& key, const tensorflow::CollectionDef& proto) {
    for (const std::string& name : proto.node_list().value()) {
      WB_ASSIGN_OR_RETURN(CollectionItem item, Named(name));
      AddToCollection(scope_, key, item);
    }
    for (const std::string& bytes : proto.bytes_list().value()) {
      if (!HoldsVariables(key)) {
        WB_ASSIGN_OR_RETURN(const std::string here, WithPrefix(key, bytes));
        AddToCollection(scope_, key, here);
        continue;
      }
      WB_ASSIGN_OR_RETURN(Variable variable, VariableOf(bytes));
      AddToCollection(scope_, key, variable);
    }
    return OkStatus();
  }

 private:
  // Descriptions of loops and branches name nodes.
  StatusOr<std::string> WithPrefix(const std::string& key, const std::string& bytes) const {
    const bool names_nodes = key == GraphKeys::kWhileContext || key == GraphKeys::kCondContext;
    return names_nodes && !prefix_.empty() ? PrefixControlFlow(key, bytes, prefix_) : bytes;
  }

  StatusOr<Operation> OpNamed(absl::string_view name) const {
    const Node* node = scope_.graph()->Find(absl::StrCat(prefix_, name));
    if (node != nullptr) return Operation(&scope_.state(), node->id());
    return InvalidArgument("'", name, "' is no node of the graph");
  }

  StatusOr<Output> TensorNamed(const std::string& name) const {
    const size_t colon = name.find(':');
    int index = 0;
    if (colon != std::string::npos && !absl::SimpleAtoi(name.substr(colon + 1), &index)) {
      return InvalidArgument("'", name, "' names no tensor");
    }
    WB_ASSIGN_OR_RETURN(const Operation op, OpNamed(name.substr(0, colon)));
    const Output output = op.output(index);
    if (output.valid()) return output;
    return InvalidArgument("'", name, "' is no output of its node, which has ", op.num_outputs());
  }

  StatusOr<CollectionItem> Named(const std::string& name) const {
    if (absl::StrContains(name, ":")) {
      WB_ASSIGN_OR_RETURN(const Output output, TensorNamed(name));
      return CollectionItem(output);
    }
    WB_ASSIGN_OR_RETURN(const Operation op, OpNamed(name));
    return CollectionItem(op);
  }

  // The same variable may be in several collections.
  StatusOr<Variable> VariableOf(const std::string& bytes) {
    tensorflow::VariableDef proto;
    if (!proto.ParseFromString(bytes)) return InvalidArgument("it holds what is no VariableDef");
    const auto found = made_.find(proto.variable_name());
    if (found != made_.end()) return found->second;
    VariableData data;
    WB_ASSIGN_OR_RETURN(data.ref, TensorNamed(proto.variable_name()));
    WB_ASSIGN_OR_RETURN(data.read, TensorNamed(proto.snapshot_name()));
    WB_ASSIGN_OR_RETURN(data.initializer, OpNamed(proto.initializer_name()));
    if (!proto.initial_value_name().empty()) {
      WB_ASSIGN_OR_RETURN(data.initial_value, TensorNamed(proto.initial_value_name()));
    }
    data.name = data.ref.op().name();
    data.dtype = data.read.dtype();
    PartialShape shape = data.read.shape();
    if (!shape.IsFullyDefined() && proto.is_resource()) {
      const Node& handle = scope_.graph()->node(data.ref.op().node());
      shape = handle.attrs().GetOr<PartialShape>("shape", shape);
    }
    if (!shape.IsFullyDefined()) {
      return Unimplemented("the variable '", data.name, "' has the shape ", shape.ToString(),
                           ", which is not known whole");
    }
    WB_ASSIGN_OR_RETURN(data.shape, shape.AsShape());
    data.trainable = proto.trainable();
    if (proto.has_save_slice_info_def()) {
      WB_ASSIGN_OR_RETURN(data.slice, SliceOf(data, proto.save_slice_info_def()));
    }
    const Variable variable = VariableBuilder::FromNodes(scope_, std::move(data));
    made_.emplace(proto.variable_name(), variable);
    return variable;
  }

  StatusOr<VariableSlice> SliceOf(const VariableData& data,
                                  const tensorflow::SaveSliceInfoDef& proto) const {
    VariableSlice slice;
    slice.full_name = prefix_ + proto.full_name();
    slice.offset.assign(proto.var_offset().begin(), proto.var_offset().end());
    WB_ASSIGN_OR_RETURN(
        slice.full_shape,
        PartialShape({proto.full_shape().begin(), proto.full_shape().end()}).AsShape());
    const int rank = data.shape.rank();
    bool fits = slice.full_shape.rank() == rank && proto.var_offset_size() == rank;
    for (int i = 0; fits && i < rank; ++i) {
      fits = proto.var_offset(i) >= 0 &&
             proto.var_offset(i) <= slice.full_shape.dim(i) - data.shape.dim(i);
    }
    if (fits) return slice;
    return InvalidArgument("the variable '", data.name, "' of the shape ", data.shape.ToString(),
                           " is no part of '", slice.full_name, "' at the place that it is said ",
                           "to have there");
  }

  const Scope& scope_;
  const std::string prefix_;
  std::map<std::string, Variable> made_;  // by VariableDef::variable_name
};

}  // namespace

StatusOr<std::optional<Saver>> ImportMetaGraphDef(const Scope& scope, const MetaGraphDef& proto,
                                                  const std::string& name) {
  WB_RETURN_IF_ERROR(scope.status());
  WB_RETURN_IF_ERROR(scope.state().CheckGrows(name, "a MetaGraph"));
  const std::string prefix = name.empty() ? scope.name_scope() : scope.NameScope(name).name_scope();
  WB_RETURN_IF_ERROR(scope.status());
  ImportOptions options;
  options.prefix = prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1));
  WB_RETURN_IF_ERROR(ImportGraphDef(proto.graph_def(), options, scope.graph().get()));
  Collections collections(scope, prefix);
  for (const auto& [key, collection] : proto.collection_def()) {
    Status added = collections.Add(key, collection);
    if (!added.ok()) return Annotate(added, absl::StrCat("the collection '", key, "'"));
  }
  if (proto.saver_def().filename_tensor_name().empty()) return std::optional<Saver>();
  tensorflow::SaverDef def = proto.saver_def();
  def.set_filename_tensor_name(prefix + def.filename_tensor_name());
  def.set_save_tensor_name(prefix + def.save_tensor_name());
  def.set_restore_op_name(prefix + def.restore_op_name());
  WB_ASSIGN_OR_RETURN(Saver saver, Saver::Parse(scope, def.SerializeAsString()));
  return std::optional<Saver>(std::move(saver));
}

StatusOr<std::optional<Saver>> ImportMetaGraph(const Scope& scope, const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, ReadFileToString(path));
  MetaGraphDef proto;
  const bool is_text = absl::EndsWith(path, ".pbtxt");
  if (!(is_text ? google::protobuf::TextFormat::ParseFromString(bytes, &proto)
                : proto.ParseFromString(bytes))) {
    return DataLoss("'", path, "' is no MetaGraph: its ", bytes.size(), " bytes do not parse");
  }
  auto saver = ImportMetaGraphDef(scope, proto, "");
  if (!saver.ok()) return Annotate(saver.status(), path);
  return saver;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
