#include "graph/functions/substitute.h"

#include "graph/types/errors.h"

namespace warpbeam {
namespace {

using Kind = AttrValue::Kind;
constexpr int kMaxNesting = 16;

Status SubstituteIn(const AttrMap& values, int depth, AttrMap* attrs);

Status SubstituteFunction(const AttrMap& values, int depth, FunctionRef* ref) {
  if (depth >= kMaxNesting) {
    return InvalidArgument("function attributes are nested deeper than ", kMaxNesting);
  }
  return SubstituteIn(values, depth + 1, &ref->attrs);
}

// Sets `*changed` when there was something to replace.
Status SubstituteValue(const AttrMap& values, int depth, const AttrValue& value,
                       AttrValue* changed) {
  switch (value.kind()) {
    case Kind::kPlaceholder: {
      const AttrValue* found = values.Find(value.placeholder());
      if (found == nullptr) {
        return InvalidArgument("the placeholder $", value.placeholder(), " has no value");
      }
      *changed = *found;
      return OkStatus();
    }
    case Kind::kFunction: {
      if (value.func().attrs.empty()) return OkStatus();
      FunctionRef ref = value.func();
      WB_RETURN_IF_ERROR(SubstituteFunction(values, depth, &ref));
      *changed = AttrValue(std::move(ref));
      return OkStatus();
    }
    case Kind::kFunctionList: {
      std::vector<FunctionRef> refs = value.list<FunctionRef>();
      for (FunctionRef& ref : refs) {
        WB_RETURN_IF_ERROR(SubstituteFunction(values, depth, &ref));
      }
      *changed = AttrValue(std::move(refs));
      return OkStatus();
    }
    default:
      return OkStatus();
  }
}

Status SubstituteIn(const AttrMap& values, int depth, AttrMap* attrs) {
  std::vector<std::pair<std::string, AttrValue>> changes;
  for (const AttrMap::Entry& entry : *attrs) {
    AttrValue changed;
    Status done = SubstituteValue(values, depth, entry.second, &changed);
    if (!done.ok()) return Annotate(done, absl::StrCat("attribute '", entry.first, "'"));
    if (changed.has_value()) changes.emplace_back(entry.first, std::move(changed));
  }
  for (auto& change : changes) attrs->Set(change.first, std::move(change.second));
  return OkStatus();
}

}  // namespace

Status SubstitutePlaceholders(const AttrMap& values, AttrMap* attrs) {
  return SubstituteIn(values, 0, attrs);
}

}  // namespace warpbeam
