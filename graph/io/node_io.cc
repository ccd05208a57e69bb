#include "graph/io/node_io.h"

#include <algorithm>

#include "graph/types/shown_name.h"
#include "proto/node_def.pb.h"

namespace warpbeam {
namespace {

using tensorflow::NodeDef;

// Nodes of all ops may have attributes of such names.
bool IsFree(const std::string& attr) { return !attr.empty() && attr[0] == '_'; }

bool HasUnknownFields(const NodeDef& proto) {
  return proto.has_experimental_debug_info() || proto.has_experimental_type() ||
         !proto.GetReflection()->GetUnknownFields(proto).empty() ||
         std::any_of(proto.attr().begin(), proto.attr().end(),
                     [](const auto& attr) { return HasMoreThanValue(attr.second); });
}

// The bytes of `proto` that a NodeSpec with these attributes has no place for; "" for nearly every
// node.
std::string UnknownFields(const NodeDef& proto, const AttrMap& attrs) {
  if (attrs.size() == static_cast<size_t>(proto.attr_size()) && !HasUnknownFields(proto)) return "";
  NodeDef kept;
  if (proto.has_experimental_debug_info()) {
    *kept.mutable_experimental_debug_info() = proto.experimental_debug_info();
  }
  if (proto.has_experimental_type()) {
    *kept.mutable_experimental_type() = proto.experimental_type();
  }
  for (const auto& [name, attr] : proto.attr()) {
    if (HasMoreThanValue(attr) || attrs.Find(name) == nullptr) (*kept.mutable_attr())[name] = attr;
  }
  const auto& unknown = proto.GetReflection()->GetUnknownFields(proto);
  if (!unknown.empty()) {
    kept.GetReflection()->MutableUnknownFields(&kept)->MergeFrom(unknown);
  }
  return kept.SerializeAsString();
}

Status WriteAttrs(const AttrMap& attrs, const std::string& unknown_fields, NodeDef* proto) {
  NodeDef kept;
  if (!unknown_fields.empty() && !kept.ParseFromString(unknown_fields)) {
    return Internal("the kept wire fields do not parse");
  }
  for (const auto& [name, value] : attrs) {
    tensorflow::AttrValue& to = (*proto->mutable_attr())[name];
    const auto it = kept.attr().find(name);
    if (it != kept.attr().end()) {
      const auto as_read = AttrFromProto(it->second);
      if (as_read.ok() && *as_read == value) {
        to = it->second;
        continue;
      }
    }
    if (Status s = AttrToProto(value, &to); !s.ok()) {
      return Annotate(s, absl::StrCat("attribute '", name, "'"));
    }
  }
  // What is left are attributes that the op does not have.
  for (const auto& [name, value] : attrs) kept.mutable_attr()->erase(name);
  proto->MergeFrom(kept);
  return OkStatus();
}

std::string InputString(const Graph& graph, OutputRef ref) {
  const std::string& name = graph.node(ref.node).name();
  return ref.index == 0 ? name : absl::StrCat(name, ":", ref.index);
}

}  // namespace

StatusOr<NodeSpec> NodeFromProto(const NodeDef& proto, ValueBudget* budget, IgnoredAttrs* ignored) {
  if (proto.op().empty()) return InvalidArgument("it names no op");
  NodeSpec spec;
  spec.name = proto.name();
  spec.op = proto.op();
  spec.device = proto.device();
  spec.inputs.assign(proto.input().begin(), proto.input().end());
  const OpSchema* op = ignored->SchemaOf(proto.op());
  WB_RETURN_IF_ERROR(
      ForEachAttr(proto.attr(), budget,
                  [&](const std::string& name, const tensorflow::AttrValue& attr) -> Status {
                    if (op != nullptr && !IsFree(name) && op->FindAttr(name) == nullptr) {
                      ignored->Add(proto.op(), name);
                      return OkStatus();
                    }
                    auto value = AttrFromProto(attr, budget);
                    if (!value.ok() && IsFree(name) && !IsResourceExhausted(value.status())) {
                      // A value of a kind that only a newer version knows; no op reads it.
                      ignored->Add(proto.op(), name);
                      return OkStatus();
                    }
                    if (!value.ok()) return value.status();
                    spec.attrs.Set(name, *std::move(value));
                    return OkStatus();
                  }));
  spec.unknown_fields = UnknownFields(proto, spec.attrs);
  return spec;
}

Status NodeToProto(const NodeSpec& spec, NodeDef* proto) {
  proto->Clear();
  proto->set_name(spec.name);
  proto->set_op(spec.op);
  for (const std::string& input : spec.inputs) proto->add_input(input);
  proto->set_device(spec.device);
  return WriteAttrs(spec.attrs, spec.unknown_fields, proto);
}

Status NodeToProto(const Graph& graph, const Node& node, NodeDef* proto) {
  proto->Clear();
  proto->set_name(node.name());
  proto->set_op(node.op_name());
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input(i).node == kNoNode) {
      return FailedPrecondition("node '", ShownName(node.name()), "': input ", i,
                                " is not connected; call Graph::SetInput first");
    }
    proto->add_input(InputString(graph, node.input(i)));
  }
  for (NodeId control : node.control_inputs()) {
    proto->add_input(absl::StrCat("^", graph.node(control).name()));
  }
  proto->set_device(node.device());
  return Annotate(
      WriteAttrs(node.attrs(), node.unknown_fields(), proto),
      absl::StrCat("node '", ShownName(node.name()), "' (", ShownName(node.op_name()), ")"));
}

}  // namespace warpbeam
