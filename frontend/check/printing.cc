#include "frontend/check/printing.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/graph_state.h"
#include "frontend/math/elementwise.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {
namespace {

// What is written as it stands; none of tensors, whose strings are written in quotes.
std::optional<std::string> TextOf(const Input& item) {
  if (!item.is_value() || item.dtype() != DType::kString || item.rank() != 0) return std::nullopt;
  const StatusOr<Tensor> value = item.ValueAs(DType::kString);
  if (!value.ok()) return std::nullopt;
  return *value->data<std::string>();
}

}  // namespace

Output Print(ScopeRef scope, const Input& x, const std::vector<Input>& data,
             const PrintOptions& options) {
  return BuildOutput(scope.scope(), "Print", {x, InputList(data)},
                     OpAttrs()
                         .Set("message", options.text)
                         .Set("first_n", options.times)
                         .Set("summarize", options.elements));
}

Operation PrintV2(ScopeRef scope_ref, const std::vector<Input>& items,
                  const PrintV2Options& options) {
  const Scope scope = scope_ref.scope();
  // Texts are parts of the format, which has for the tensors what no text has.
  std::vector<std::optional<std::string>> texts;
  std::vector<Input> tensors;
  for (const Input& item : items) {
    texts.push_back(TextOf(item));
    if (!texts.back().has_value()) tensors.push_back(item);
  }
  std::string placeholder = "{}";
  const auto has_placeholder = [&](const std::optional<std::string>& text) {
    return text.has_value() && text->find(placeholder) != std::string::npos;
  };
  while (std::any_of(texts.begin(), texts.end(), has_placeholder)) {
    placeholder = "{" + placeholder + "}";
  }
  std::string format;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) format += options.separator;
    format += texts[i].value_or(placeholder);
  }
  const Output text = BuildOutput(scope.Named("StringFormat"), "StringFormat", {InputList(tensors)},
                                  OpAttrs()
                                      .Set("template", format)
                                      .Set("placeholder", placeholder)
                                      .Set("summarize", options.elements));
  return BuildOp(scope, "PrintV2", {text},
                 OpAttrs().Set("output_stream", options.stream).Set("end", options.ending));
}

Output Timestamp(ScopeRef scope) { return BuildOutput(scope.scope(), "Timestamp", {}); }

Operation AddCheckNumericsOps(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  std::vector<Output> floats;
  for (const Node& node : scope.graph()->nodes()) {
    const Operation op(&scope.state(), node.id());
    const std::string type = op.type();
    const bool branches =
        type == "Switch" || type == "Merge" || type == "Enter" || type == "RefSwitch";
    for (int i = 0; i < op.num_outputs(); ++i) {
      const Output output = op.output(i);
      const DType dtype = output.dtype();
      if (dtype != DType::kFloat && dtype != DType::kDouble && dtype != DType::kHalf) continue;
      if (branches) {
        scope.Fail(FailedPrecondition(
            "AddCheckNumericsOps cannot check what is in a branch or a loop: ", output.name()));
        return Operation();
      }
      floats.push_back(output);
    }
  }
  std::vector<Operation> checks;
  for (const Output& output : floats) {
    const Output checked = CheckNumerics(scope.Named(""), output, output.name());
    if (!checked.valid()) return Operation();
    checks.push_back(checked.op());
  }
  return Group(scope, checks);
}

std::optional<Tensor> GetStaticValue(const Output& x) {
  if (!x.valid() || x.op().type() != "Const") return std::nullopt;
  const Tensor value = x.op().attrs().GetOr<Tensor>("value", Tensor());
  if (!value.has_value()) return std::nullopt;
  return value;
}

Output GetSessionHandle(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "GetSessionHandleV2", {x});
}

Output GetSessionTensor(ScopeRef scope, const Input& handle, DType dtype) {
  return BuildOutput(scope.scope(), "GetSessionTensor", {handle}, OpAttrs().Set("dtype", dtype));
}

Operation DeleteSessionTensor(ScopeRef scope, const Input& handle) {
  return BuildOp(scope.scope(), "DeleteSessionTensor", {handle});
}

}  // namespace frontend
}  // namespace warpbeam
