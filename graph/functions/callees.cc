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

FunctionLibrary WithCallees(const FunctionLibrary& library, const std::string& function) {
  FunctionLibrary some;
  const auto add = [&](const std::string& name) {
    std::shared_ptr<const Function> found = library.Find(name);
    // Names are unique in the library, so that adding one again is nothing.
    if (found != nullptr) some.Add(std::move(found)).IgnoreError();
  };
  add(function);
  if (const std::shared_ptr<const Function> found = library.Find(function)) {
    for (const std::string& name : CalleesOf(*found)) add(name);
  }
  return some;
}

}  // namespace warpbeam
