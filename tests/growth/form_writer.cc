#include "tests/growth/form_writer.h"

#include "graph/io/dtype_io.h"
#include "proto/graph.pb.h"

namespace warpbeam {

using tensorflow::NodeDef;

NodeDef* FormWriter::Node(const std::string& op, const std::string& name, const Inputs& inputs) {
  NodeDef* node = graph_.add_node();
  node->set_op(op);
  node->set_name(name);
  for (const std::string& input : inputs) node->add_input(input);
  return node;
}

void FormWriter::SetType(NodeDef* node, const char* attr, DType type) {
  (*node->mutable_attr())[attr].set_type(static_cast<tensorflow::DataType>(NumberOf(type)));
}

void FormWriter::SetInt(NodeDef* node, const char* attr, int value) {
  (*node->mutable_attr())[attr].set_i(value);
}

std::string FormWriter::Float(const std::string& op, const std::string& name,
                              const Inputs& inputs) {
  SetType(Node(op, name, inputs), "T", DType::kFloat);
  return name;
}

std::string FormWriter::NoOp(const std::string& name, const Inputs& inputs) {
  Node("NoOp", name, inputs);
  return name;
}

namespace {

// The message of a constant's value, with its type and no dimensions.
tensorflow::TensorProto* ValueOf(NodeDef* node, DType type) {
  FormWriter::SetType(node, "dtype", type);
  tensorflow::TensorProto* value = (*node->mutable_attr())["value"].mutable_tensor();
  value->set_dtype(static_cast<tensorflow::DataType>(NumberOf(type)));
  return value;
}

}  // namespace

std::string FormWriter::Fed(const std::string& name) {
  NodeDef* node = Node("PlaceholderWithDefault", name, {Scalar(name + "_default", 1)});
  SetType(node, "dtype", DType::kFloat);
  (*node->mutable_attr())["shape"].mutable_shape();
  return name;
}

std::string FormWriter::Scalar(const std::string& name, float value, const Inputs& inputs) {
  ValueOf(Node("Const", name, inputs), DType::kFloat)->add_float_val(value);
  return name;
}

std::string FormWriter::Int(const std::string& name, int value) {
  ValueOf(Node("Const", name), DType::kInt32)->add_int_val(value);
  return name;
}

std::string FormWriter::Bool(const std::string& name, bool value) {
  ValueOf(Node("Const", name), DType::kBool)->add_bool_val(value);
  return name;
}

std::string FormWriter::Text(const std::string& name, const std::string& value) {
  ValueOf(Node("Const", name), DType::kString)->add_string_val(value);
  return name;
}

std::string FormWriter::Vector(const std::string& name, const std::vector<int>& values) {
  tensorflow::TensorProto* value = ValueOf(Node("Const", name), DType::kInt32);
  value->mutable_tensor_shape()->add_dim()->set_size(static_cast<int64_t>(values.size()));
  for (const int v : values) value->add_int_val(v);
  return name;
}

std::string FormWriter::Filled(const std::string& name, int size, float value) {
  tensorflow::TensorProto* tensor = ValueOf(Node("Const", name), DType::kFloat);
  tensor->mutable_tensor_shape()->add_dim()->set_size(size);
  tensor->add_float_val(value);
  return name;
}

}  // namespace warpbeam
