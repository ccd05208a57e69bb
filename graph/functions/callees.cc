#include "graph/functions/callees.h"

#include <set>
#include <utility>

namespace warpbeam {

std::vector<std::string> CalleesOf(const Function& function) {
  std::vector<std::string> names;
  for (const NodeSpec& node : function.nodes) {
    names.push_back(node.op);
    for (const AttrMap::Entry& attr : node.attrs) {
      if (attr.second.kind() == AttrValue::Kind::kFunction) {
        names.push_back(attr.second.func().name);
      }
      for (const FunctionRef& f : attr.second.list<FunctionRef>()) names.push_back(f.name);
    }
  }
  return names;
}

std::vector<FunctionRef> CalledFunctions(const FunctionLibrary& library, const std::string& op,
                                         const AttrMap& attrs) {
  std::vector<FunctionRef> called;
  if (library.size() == 0) return called;
  if (library.Find(op) != nullptr) called.push_back({op, attrs});
  for (const AttrMap::Entry& attr : attrs) {
    if (attr.second.kind() == AttrValue::Kind::kFunction) called.push_back(attr.second.func());
    for (const FunctionRef& f : attr.second.list<FunctionRef>()) called.push_back(f);
  }
  return called;
}

void VisitBodies(const FunctionLibrary& library, std::vector<FunctionRef> functions,
                 const std::function<bool(const NodeSpec& node)>& visit) {
  std::set<std::string> seen;
  while (!functions.empty()) {
    const std::string name = functions.back().name;
    functions.pop_back();
    const std::shared_ptr<const Function> function = library.Find(name);
    if (function == nullptr || !seen.insert(name).second) continue;
    for (const NodeSpec& node : function->nodes) {
      if (!visit(node)) return;
      for (FunctionRef& f : CalledFunctions(library, node.op, node.attrs)) {
        functions.push_back(std::move(f));
      }
    }
  }
}

}  // namespace warpbeam
