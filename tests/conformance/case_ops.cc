#include "tests/conformance/case_ops.h"

#include <algorithm>
#include <iterator>

#include "graph/op/op_registry.h"
#include "proto/graph.pb.h"
#include "runtime/kernel/kernel_registry.h"
#include "tests/conformance/case.pb.h"

namespace warpbeam {

std::set<std::string> OpTypesOf(const CaseBytes& c) {
  conformance::Case parsed;
  tensorflow::GraphDef graph;
  std::set<std::string> ops;
  if (!parsed.ParseFromString(c.wire_form) || !graph.ParseFromString(parsed.graph())) return ops;
  for (const auto& node : graph.node()) ops.insert(node.op());
  for (const auto& function : graph.library().function()) {
    for (const auto& node : function.node_def()) ops.insert(node.op());
  }
  for (const auto& function : graph.library().function()) ops.erase(function.signature().name());
  return ops;
}

std::vector<std::string> SupportedOps() {
  std::vector<std::string> ops;
  for (const OpSchema* schema : OpRegistry::Global().All()) {
    if (KernelRegistry::Global().KnowsOp(schema->name)) ops.push_back(schema->name);
  }
  return ops;
}

std::vector<std::string> MissingOps(const CaseBytes& c, const std::set<std::string>& supported) {
  const std::set<std::string> ops = OpTypesOf(c);
  std::vector<std::string> missing;
  std::set_difference(ops.begin(), ops.end(), supported.begin(), supported.end(),
                      std::back_inserter(missing));
  return missing;
}

}  // namespace warpbeam
