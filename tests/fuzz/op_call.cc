#include "tests/fuzz/op_call.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/io/attr_io.h"
#include "graph/io/dtype_io.h"
#include "proto/graph.pb.h"
#include "tests/fuzz/tensor_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

using tensorflow::AttrValue;
using tensorflow::GraphDef;
using tensorflow::NodeDef;

tensorflow::DataType Wire(DType type) { return static_cast<tensorflow::DataType>(NumberOf(type)); }

// A type that the attribute may have.
DType AnyType(const AttrSpec& attr) {
  const std::vector<DType>& allowed = attr.allowed_values.list<DType>();
  const bool has_float = std::find(allowed.begin(), allowed.end(), DType::kFloat) != allowed.end();
  return allowed.empty() || has_float ? DType::kFloat : allowed[0];
}
std::string AnyText(const AttrSpec& attr) {
  const std::vector<std::string>& allowed = attr.allowed_values.list<std::string>();
  return allowed.empty() ? "" : allowed[0];
}

template <class Field, class Element>
void Resize(Field* field, int size, const Element& first) {
  while (field->size() > size) field->RemoveLast();
  while (field->size() < size) {
    const Element last =
        field->empty() ? first : static_cast<Element>(field->Get(field->size() - 1));
    *field->Add() = last;
  }
}

// A graph that gets nodes as they are needed.
class Elements {
 public:
  Elements(GraphDef* graph, int rank) : graph_(graph), rank_(rank) {}

  // The name of a node that gives a tensor of the type: ones.
  std::string Of(int type, bool is_ref) {
    const std::string name = absl::StrCat("element_", rank_, "_", type, is_ref ? "_ref" : "");
    for (const NodeDef& node : graph_->node()) {
      if (node.name() == name) return name;
    }
    if (type == tensorflow::DT_VARIANT) {
      const std::string one = ConstantOf(tensorflow::DT_INT64, 0, absl::StrCat(name, "_one"));
      NodeDef* const range = Add("RangeDataset", name);
      for (int i = 0; i < 3; ++i) range->add_input(one);
      auto* const types = (*range->mutable_attr())["output_types"].mutable_list();
      types->add_type(tensorflow::DT_INT64);
      (*range->mutable_attr())["output_shapes"].mutable_list()->add_shape();
    } else if (is_ref || type == tensorflow::DT_RESOURCE) {
      NodeDef* const variable = Add(is_ref ? "VariableV2" : "VarHandleOp", name);
      const auto held = is_ref ? static_cast<tensorflow::DataType>(type) : tensorflow::DT_FLOAT;
      (*variable->mutable_attr())["dtype"].set_type(held);
      (*variable->mutable_attr())["shape"].mutable_shape();
    } else {
      return ConstantOf(type, rank_, name);
    }
    return name;
  }

 private:
  NodeDef* Add(const char* op, const std::string& name) {
    NodeDef* const node = graph_->add_node();
    node->set_op(op);
    node->set_name(name);
    return node;
  }
  std::string ConstantOf(int type, int rank, const std::string& name) {
    NodeDef* const node = Add("Const", name);
    auto* const value = (*node->mutable_attr())["value"].mutable_tensor();
    value->set_dtype(tensorflow::DT_FLOAT);
    for (int i = 0; i < rank; ++i) value->mutable_tensor_shape()->add_dim()->set_size(2);
    value->add_float_val(1);
    ConvertTensor(type, value);
    (*node->mutable_attr())["dtype"].set_type(value->dtype());
    return name;
  }

  GraphDef* const graph_;
  const int rank_;
};

AttrValue AnyValue(const AttrSpec& spec) {
  AttrValue value;
  if (spec.type == "int") value.set_i(std::max<int64_t>(spec.minimum, 1));
  if (spec.type == "float") value.set_f(1);
  if (spec.type == "bool") value.set_b(true);
  if (spec.type == "string") value.set_s(AnyText(spec));
  if (spec.type == "type") value.set_type(Wire(AnyType(spec)));
  if (spec.type == "shape") value.mutable_shape();
  if (spec.type == "func") value.mutable_func();
  if (spec.type == "tensor") value.mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
  if (absl::StartsWith(spec.type, "list(")) {
    value.mutable_list();
    SetLength(spec, static_cast<int>(spec.minimum), &value);
  }
  return value;
}

// The wire number of the type of an argument's element `i`; 0 where the node does not say.
int ElementType(const OpSchema& schema, const ArgSpec& arg, int i, NodeDef* node) {
  if (arg.type_attr.empty() && arg.type_list_attr.empty()) return NumberOf(arg.type);
  const std::string& name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
  const AttrSpec* const spec = schema.FindAttr(name);
  const AttrValue* const attr = spec == nullptr ? nullptr : FindAttr(*spec, node);
  if (attr == nullptr) return 0;
  if (!arg.type_attr.empty()) return attr->type();
  return i < attr->list().type_size() ? attr->list().type(i) : 0;
}

int ArgLength(const OpSchema& schema, const ArgSpec& arg, NodeDef* node) {
  const std::string& name = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
  const AttrSpec* const spec = name.empty() ? nullptr : schema.FindAttr(name);
  const AttrValue* const attr = spec == nullptr ? nullptr : FindAttr(*spec, node);
  // A number that was changed may be negative.
  return spec == nullptr ? 1 : attr == nullptr ? 0 : std::max(LengthOf(*spec, *attr), 0);
}

}  // namespace

bool IsLength(const OpSchema& schema, const AttrSpec& attr) {
  if (absl::StartsWith(attr.type, "list(")) return true;
  for (const auto* args : {&schema.inputs, &schema.outputs}) {
    for (const ArgSpec& arg : *args) {
      if (arg.number_attr == attr.name) return true;
    }
  }
  return false;
}

AttrValue* FindAttr(const AttrSpec& spec, NodeDef* node) {
  auto& attrs = *node->mutable_attr();
  const auto found = attrs.find(spec.name);
  if (found != attrs.end()) return &found->second;
  AttrValue value;
  if (!spec.default_value.has_value() || !AttrToProto(spec.default_value, &value).ok()) {
    return nullptr;
  }
  return &(attrs[spec.name] = value);
}

int LengthOf(const AttrSpec& spec, const AttrValue& attr) {
  if (spec.type == "int") return static_cast<int>(attr.i());
  const AttrValue::ListValue& list = attr.list();
  return list.i_size() + list.f_size() + list.b_size() + list.type_size() + list.s_size() +
         list.shape_size() + list.func_size();
}

void SetLength(const AttrSpec& spec, int length, AttrValue* attr) {
  if (spec.type == "int") return attr->set_i(length);
  AttrValue::ListValue* const list = attr->mutable_list();
  if (spec.type == "list(int)") Resize(list->mutable_i(), length, int64_t{1});
  if (spec.type == "list(float)") Resize(list->mutable_f(), length, 1.0f);
  if (spec.type == "list(bool)") Resize(list->mutable_b(), length, true);
  if (spec.type == "list(type)") Resize(list->mutable_type(), length, NumberOf(AnyType(spec)));
  if (spec.type == "list(string)") Resize(list->mutable_s(), length, AnyText(spec));
  if (spec.type == "list(shape)") {
    Resize(list->mutable_shape(), length, tensorflow::TensorShapeProto());
  }
  if (spec.type == "list(func)") Resize(list->mutable_func(), length, tensorflow::NameAttrList());
}

int InputType(const OpSchema& schema, int i, NodeDef* node) {
  for (const ArgSpec& arg : schema.inputs) {
    const int length = ArgLength(schema, arg, node);
    if (i < length) return ElementType(schema, arg, i, node);
    i -= length;
  }
  return 0;
}

void FitInputs(const OpSchema& schema, NodeDef before, int rank, GraphDef* graph, NodeDef* node) {
  Elements elements(graph, rank);
  std::vector<std::string> inputs;
  int at = 0;
  for (const ArgSpec& arg : schema.inputs) {
    const int had = ArgLength(schema, arg, &before), wanted = ArgLength(schema, arg, node);
    for (int i = 0; i < wanted; ++i) {
      const bool is_there = i < had && at + i < before.input_size();
      inputs.push_back(is_there ? before.input(at + i)
                                : elements.Of(ElementType(schema, arg, i, node), arg.is_ref));
    }
    at += had;
  }
  for (const std::string& input : before.input()) {
    if (absl::StartsWith(input, "^")) inputs.push_back(input);
  }
  node->clear_input();
  for (std::string& input : inputs) node->add_input(std::move(input));
}

NodeDef CallWithoutInputs(const OpSchema& schema) {
  NodeDef node;
  node.set_op(schema.name);
  node.set_name("node");
  for (const AttrSpec& spec : schema.attrs) {
    if (!spec.default_value.has_value()) (*node.mutable_attr())[spec.name] = AnyValue(spec);
  }
  return node;
}

}  // namespace fuzz
}  // namespace warpbeam
