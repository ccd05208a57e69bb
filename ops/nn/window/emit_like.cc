#include "ops/nn/window/emit_like.h"

#include "graph/op/op_registry.h"

namespace warpbeam {

std::vector<OutputRef> EmitAllLike(GradContext& c, absl::string_view op,
                                   const std::vector<NodeInput>& inputs) {
  AttrMap attrs;
  if (const OpSchema* schema = OpRegistry::Global().Find(op)) {
    for (const AttrMap::Entry& attr : c.node().attrs()) {
      if (schema->FindAttr(attr.first) != nullptr) attrs.Set(attr.first, attr.second);
    }
  }
  return c.EmitAll(op, inputs, attrs);
}

OutputRef EmitLike(GradContext& c, absl::string_view op, const std::vector<NodeInput>& inputs) {
  const std::vector<OutputRef> outputs = EmitAllLike(c, op, inputs);
  return outputs.empty() ? OutputRef() : outputs[0];
}

}  // namespace warpbeam
