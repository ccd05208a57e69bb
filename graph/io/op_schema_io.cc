#include "graph/io/op_schema_io.h"

#include "graph/io/attr_io.h"
#include "graph/io/dtype_io.h"
#include "proto/op_def.pb.h"

namespace warpbeam {
namespace {

using tensorflow::OpDef;

StatusOr<ArgSpec> ArgFromProto(const OpDef::ArgDef& proto) {
  ArgSpec arg;
  arg.name = proto.name();
  auto type = DTypeFromNumber(proto.type());
  if (!type.ok()) return Annotate(type.status(), absl::StrCat("argument '", proto.name(), "'"));
  arg.type = *type;
  arg.type_attr = proto.type_attr();
  arg.number_attr = proto.number_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.is_ref = proto.is_ref();
  return arg;
}

void ArgToProto(const ArgSpec& arg, OpDef::ArgDef* proto) {
  proto->set_name(arg.name);
  proto->set_type(static_cast<tensorflow::DataType>(NumberOf(arg.type)));
  proto->set_type_attr(arg.type_attr);
  proto->set_number_attr(arg.number_attr);
  proto->set_type_list_attr(arg.type_list_attr);
  proto->set_is_ref(arg.is_ref);
}

StatusOr<AttrSpec> AttrSpecFromProto(const OpDef::AttrDef& proto, ValueBudget* budget) {
  AttrSpec attr;
  attr.name = proto.name();
  attr.type = proto.type();
  attr.has_minimum = proto.has_minimum();
  attr.minimum = proto.minimum();
  if (proto.has_default_value()) {
    WB_ASSIGN_OR_RETURN(attr.default_value, AttrFromProto(proto.default_value(), budget));
  }
  if (proto.has_allowed_values()) {
    WB_ASSIGN_OR_RETURN(attr.allowed_values, AttrFromProto(proto.allowed_values(), budget));
  }
  return attr;
}

Status AttrSpecToProto(const AttrSpec& attr, OpDef::AttrDef* proto) {
  proto->set_name(attr.name);
  proto->set_type(attr.type);
  proto->set_has_minimum(attr.has_minimum);
  proto->set_minimum(attr.minimum);
  if (attr.default_value.has_value()) {
    WB_RETURN_IF_ERROR(AttrToProto(attr.default_value, proto->mutable_default_value()));
  }
  if (attr.allowed_values.has_value()) {
    WB_RETURN_IF_ERROR(AttrToProto(attr.allowed_values, proto->mutable_allowed_values()));
  }
  return OkStatus();
}

}  // namespace

StatusOr<OpSchema> OpSchemaFromProto(const OpDef& proto, ValueBudget* budget) {
  OpSchema schema;
  schema.name = proto.name();
  for (const auto& arg : proto.input_arg()) {
    WB_ASSIGN_OR_RETURN(ArgSpec spec, ArgFromProto(arg));
    schema.inputs.push_back(std::move(spec));
  }
  for (const auto& arg : proto.output_arg()) {
    WB_ASSIGN_OR_RETURN(ArgSpec spec, ArgFromProto(arg));
    schema.outputs.push_back(std::move(spec));
  }
  for (const auto& attr : proto.attr()) {
    auto spec = AttrSpecFromProto(attr, budget);
    if (!spec.ok()) return Annotate(spec.status(), absl::StrCat("attribute '", attr.name(), "'"));
    schema.attrs.push_back(*std::move(spec));
  }
  schema.control_outputs.assign(proto.control_output().begin(), proto.control_output().end());
  schema.is_stateful = proto.is_stateful();
  schema.is_commutative = proto.is_commutative();
  schema.is_aggregate = proto.is_aggregate();
  schema.allows_uninitialized_input = proto.allows_uninitialized_input();
  schema.is_distributed_communication = proto.is_distributed_communication();
  schema.deprecated_since = proto.deprecation().version();
  schema.deprecation = proto.deprecation().explanation();
  schema.doc = proto.summary();
  return schema;
}

Status OpSchemaToProto(const OpSchema& schema, OpDef* proto) {
  proto->Clear();
  proto->set_name(schema.name);
  for (const ArgSpec& arg : schema.inputs) ArgToProto(arg, proto->add_input_arg());
  for (const ArgSpec& arg : schema.outputs) ArgToProto(arg, proto->add_output_arg());
  for (const AttrSpec& attr : schema.attrs) {
    if (Status s = AttrSpecToProto(attr, proto->add_attr()); !s.ok()) {
      return Annotate(s, absl::StrCat("attribute '", attr.name, "'"));
    }
  }
  for (const std::string& output : schema.control_outputs) proto->add_control_output(output);
  proto->set_is_stateful(schema.is_stateful);
  proto->set_is_commutative(schema.is_commutative);
  proto->set_is_aggregate(schema.is_aggregate);
  proto->set_allows_uninitialized_input(schema.allows_uninitialized_input);
  proto->set_is_distributed_communication(schema.is_distributed_communication);
  if (schema.deprecated_since != 0 || !schema.deprecation.empty()) {
    proto->mutable_deprecation()->set_version(schema.deprecated_since);
    proto->mutable_deprecation()->set_explanation(schema.deprecation);
  }
  proto->set_summary(schema.doc);
  return OkStatus();
}

}  // namespace warpbeam
