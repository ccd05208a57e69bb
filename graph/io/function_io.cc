#include "graph/io/function_io.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "graph/io/node_io.h"
#include "graph/io/op_schema_io.h"
#include "graph/types/shown_name.h"
#include "proto/function.pb.h"

namespace warpbeam {
namespace {

using tensorflow::FunctionDef;
using StringPairs = std::vector<std::pair<std::string, std::string>>;

// The bytes of a message, the same for equal messages: map entries are sorted.
std::string DeterministicBytes(const FunctionDef& proto) {
  std::string bytes(proto.ByteSizeLong(), '\0');
  google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  proto.SerializeWithCachedSizes(&coded);
  return bytes;
}

// Takes the entry of each of `names` from a map; all of them must be there.
template <typename Names, typename Map, typename NameOf>
Status TakeReturns(const char* what, const Names& names, const Map& map, NameOf name_of,
                   StringPairs* out) {
  for (const auto& entry : names) {
    const std::string& name = name_of(entry);
    const auto it = map.find(name);
    if (it == map.end()) {
      return InvalidArgument("nothing is returned for the ", what, " '", name, "'");
    }
    out->emplace_back(name, it->second);
  }
  return OkStatus();
}

Status ReadFunction(const FunctionDef& proto, ValueBudget* budget, IgnoredAttrs* ignored,
                    Function* function) {
  WB_ASSIGN_OR_RETURN(function->signature, OpSchemaFromProto(proto.signature(), budget));
  function->nodes.reserve(static_cast<size_t>(proto.node_def_size()));
  for (const auto& node : proto.node_def()) {
    auto spec = NodeFromProto(node, budget, ignored);
    if (!spec.ok()) {
      return Annotate(spec.status(), absl::StrCat("node '", ShownName(node.name()), "' (",
                                                  ShownName(node.op()), ")"));
    }
    function->nodes.push_back(*std::move(spec));
  }
  WB_RETURN_IF_ERROR(TakeReturns(
      "output", proto.signature().output_arg(), proto.ret(),
      [](const auto& arg) -> const std::string& { return arg.name(); }, &function->returns));
  WB_RETURN_IF_ERROR(TakeReturns(
      "control output", proto.signature().control_output(), proto.control_ret(),
      [](const std::string& name) -> const std::string& { return name; },
      &function->control_returns));
  WB_RETURN_IF_ERROR(ReadAttrs(proto.attr(), budget, &function->attrs));
  function->wire_form = DeterministicBytes(proto);
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<const Function>> FunctionFromProto(const FunctionDef& proto,
                                                            ValueBudget* budget,
                                                            IgnoredAttrs* ignored) {
  const std::string& name = proto.signature().name();
  if (name.empty()) return InvalidArgument("a function has no name");
  auto function = std::make_shared<Function>();
  if (Status s = ReadFunction(proto, budget, ignored, function.get()); !s.ok()) {
    return Annotate(s, absl::StrCat("function '", name, "'"));
  }
  return std::shared_ptr<const Function>(std::move(function));
}

Status FunctionToProto(const Function& function, FunctionDef* proto) {
  proto->Clear();
  if (!function.wire_form.empty()) {
    if (proto->ParseFromString(function.wire_form)) return OkStatus();
    return Internal("the kept message of function '", function.signature.name, "' does not parse");
  }
  const std::string place = absl::StrCat("function '", function.signature.name, "'");
  WB_RETURN_IF_ERROR(
      Annotate(OpSchemaToProto(function.signature, proto->mutable_signature()), place));
  for (const NodeSpec& node : function.nodes) {
    WB_RETURN_IF_ERROR(Annotate(NodeToProto(node, proto->add_node_def()), place));
  }
  for (const auto& [name, source] : function.returns) (*proto->mutable_ret())[name] = source;
  for (const auto& [name, node] : function.control_returns) {
    (*proto->mutable_control_ret())[name] = node;
  }
  for (const auto& [name, value] : function.attrs) {
    WB_RETURN_IF_ERROR(Annotate(AttrToProto(value, &(*proto->mutable_attr())[name]), place));
  }
  return OkStatus();
}

void ReadFunctions(const tensorflow::FunctionDefLibrary& proto, ValueBudget* budget,
                   IgnoredAttrs* ignored, FunctionLibrary* library, std::vector<Status>* problems) {
  for (const FunctionDef& def : proto.function()) {
    auto function = FunctionFromProto(def, budget, ignored);
    Status status = function.ok() ? library->Add(*std::move(function)) : function.status();
    if (!status.ok()) problems->push_back(std::move(status));
  }
  for (const auto& gradient : proto.gradient()) {
    Status status = library->AddGradient(gradient.function_name(), gradient.gradient_func());
    if (!status.ok()) problems->push_back(std::move(status));
  }
}

Status WriteFunctions(const FunctionLibrary& library, tensorflow::FunctionDefLibrary* proto) {
  for (const auto& [name, function] : library.functions()) {
    WB_RETURN_IF_ERROR(FunctionToProto(*function, proto->add_function()));
  }
  for (const auto& [function, gradient] : library.gradients()) {
    auto* entry = proto->add_gradient();
    entry->set_function_name(function);
    entry->set_gradient_func(gradient);
  }
  return OkStatus();
}

}  // namespace warpbeam
