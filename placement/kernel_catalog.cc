#include "placement/kernel_catalog.h"

namespace warpbeam {

bool Satisfies(const TypeConstraints& constraints, const AttrMap& attrs) {
  for (const auto& [name, allowed] : constraints) {
    const AttrValue* value = attrs.Find(name);
    if (value == nullptr) return false;
    switch (value->kind()) {
      case AttrValue::Kind::kType:
        if (!allowed.contains(value->type())) return false;
        break;
      case AttrValue::Kind::kTypeList:
        for (DType type : value->list<DType>()) {
          if (!allowed.contains(type)) return false;
        }
        break;
      case AttrValue::Kind::kEmptyList:
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace warpbeam
