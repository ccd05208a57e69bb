#include "graph/functions/callees.h"

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

}  // namespace warpbeam
