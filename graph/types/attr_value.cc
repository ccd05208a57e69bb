#include "graph/types/attr_value.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString) return a.flat<std::string>() == b.flat<std::string>();
  if (!IsPlainData(a.dtype())) return a.buffer().get() == b.buffer().get();
  return a.bytes() == 0 || memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

// By their bits: 0 is not -0, whose reciprocal is another, and NaN equals itself.
bool SameFloat(float a, float b) { return memcmp(&a, &b, sizeof(a)) == 0; }

bool SameTensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameTensor);
}

auto LowerBound(std::vector<AttrMap::Entry>& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const AttrMap::Entry& e, std::string_view n) { return e.first < n; });
}

template <typename T, typename Formatter>
std::string FormatList(const std::vector<T>& list, Formatter format) {
  return absl::StrCat(
      "[", absl::StrJoin(list, ", ", [&](std::string* out, const T& v) { out->append(format(v)); }),
      "]");
}

std::string Quote(const std::string& s) { return absl::StrCat("\"", absl::CEscape(s), "\""); }

std::string FormatFunction(const FunctionRef& f) {
  if (f.attrs.empty()) return f.name;
  return absl::StrCat(f.name, "[",
                      absl::StrJoin(f.attrs, ", ",
                                    [](std::string* out, const AttrMap::Entry& e) {
                                      absl::StrAppend(out, e.first, "=", e.second.ToString());
                                    }),
                      "]");
}

// Which kind of AttrValue a C++ type is, and how to take it out.
template <typename T>
struct AttrTraits;

#define WB_ATTR_TRAITS(T, Enum, expr)                                             \
  template <>                                                                     \
  struct AttrTraits<T> {                                                          \
    static constexpr AttrValue::Kind kKind = AttrValue::Kind::Enum;               \
    static bool Is(const AttrValue& v) { return v.kind() == kKind; }              \
    static T From(const AttrValue& v) { return v.expr; }                          \
  };                                                                              \
  template <>                                                                     \
  struct AttrTraits<std::vector<T>> {                                             \
    static constexpr AttrValue::Kind kKind = AttrValue::Kind::Enum##List;         \
    static bool Is(const AttrValue& v) {                                          \
      return v.kind() == kKind || v.kind() == AttrValue::Kind::kEmptyList;        \
    }                                                                             \
    static const std::vector<T>& From(const AttrValue& v) { return v.list<T>(); } \
  };
WB_ATTR_TRAITS(int64_t, kInt, i())
WB_ATTR_TRAITS(float, kFloat, f())
WB_ATTR_TRAITS(bool, kBool, b())
WB_ATTR_TRAITS(DType, kType, type())
WB_ATTR_TRAITS(std::string, kString, s())
WB_ATTR_TRAITS(PartialShape, kShape, shape())
WB_ATTR_TRAITS(Tensor, kTensor, tensor())
WB_ATTR_TRAITS(FunctionRef, kFunction, func())
#undef WB_ATTR_TRAITS

}  // namespace

struct AttrValue::Large {
  std::variant<std::string, PartialShape, Tensor, FunctionRef, std::vector<int64_t>,
               std::vector<float>, std::vector<bool>, std::vector<DType>, std::vector<std::string>,
               std::vector<PartialShape>, std::vector<Tensor>, std::vector<FunctionRef>>
      value;
};

template <typename T>
AttrValue::AttrValue(Kind kind, T value)
    : kind_(kind), large_(std::make_shared<const Large>(Large{std::move(value)})) {}

template <typename T>
const T& AttrValue::large() const {
  return *std::get_if<T>(&large_->value);
}

template <typename T>
const std::vector<T>& AttrValue::list() const {
  const auto* v = large_ ? std::get_if<std::vector<T>>(&large_->value) : nullptr;
  static const std::vector<T> kEmpty;
  return v == nullptr ? kEmpty : *v;
}

template <typename T>
StatusOr<T> AttrMap::Get(std::string_view name) const {
  const AttrValue* v = Find(name);
  if (v == nullptr) return NotFound("no attribute '", name, "'");
  if (!AttrTraits<T>::Is(*v)) {
    return InvalidArgument("the attribute '", name, "' is ", AttrValue::KindName(v->kind()),
                           ", not ", AttrValue::KindName(AttrTraits<T>::kKind));
  }
  return AttrTraits<T>::From(*v);
}

template <typename T>
T AttrMap::GetOr(std::string_view name, T fallback) const {
  const AttrValue* v = Find(name);
  return v != nullptr && AttrTraits<T>::Is(*v) ? T(AttrTraits<T>::From(*v)) : std::move(fallback);
}

#define WB_ATTR_TYPE(T)                                                                   \
  template const std::vector<T>& AttrValue::list<T>() const;                              \
  template StatusOr<T> AttrMap::Get<T>(std::string_view) const;                           \
  template T AttrMap::GetOr<T>(std::string_view, T) const;                                \
  template StatusOr<std::vector<T>> AttrMap::Get<std::vector<T>>(std::string_view) const; \
  template std::vector<T> AttrMap::GetOr<std::vector<T>>(std::string_view, std::vector<T>) const;
WB_ATTR_TYPE(int64_t)
WB_ATTR_TYPE(float)
WB_ATTR_TYPE(bool)
WB_ATTR_TYPE(DType)
WB_ATTR_TYPE(std::string)
WB_ATTR_TYPE(PartialShape)
WB_ATTR_TYPE(Tensor)
WB_ATTR_TYPE(FunctionRef)
#undef WB_ATTR_TYPE

// In turn as long as there are few, since most differ in length already.
const AttrValue* AttrMap::Find(std::string_view name) const {
  constexpr size_t kFew = 16;
  const Entry* first = begin();
  if (size() > kFew) {
    first = std::lower_bound(begin(), end(), name,
                             [](const Entry& e, std::string_view n) { return e.first < n; });
    return first != end() && first->first == name ? &first->second : nullptr;
  }
  for (; first != end(); ++first) {
    if (first->first == name) return &first->second;
  }
  return nullptr;
}

std::vector<AttrMap::Entry>& AttrMap::Own() {
  if (entries_ == nullptr) {
    entries_ = std::make_shared<std::vector<Entry>>();
  } else if (entries_.use_count() > 1) {
    entries_ = std::make_shared<std::vector<Entry>>(*entries_);
  }
  return *entries_;
}

void AttrMap::Set(std::string_view name, AttrValue value) {
  std::vector<Entry>& entries = Own();
  auto it = LowerBound(entries, name);
  if (it != entries.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries.emplace(it, std::string(name), std::move(value));
  }
}

bool AttrMap::Erase(std::string_view name) {
  if (Find(name) == nullptr) return false;
  std::vector<Entry>& entries = Own();
  entries.erase(LowerBound(entries, name));
  return true;
}

bool operator==(const AttrMap& a, const AttrMap& b) {
  return a.begin() == b.begin() || std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool operator==(const FunctionRef& a, const FunctionRef& b) {
  return a.name == b.name && a.attrs == b.attrs;
}

AttrValue::AttrValue(std::string v) : AttrValue(Kind::kString, std::move(v)) {}
AttrValue::AttrValue(const char* v) : AttrValue(std::string(v)) {}
AttrValue::AttrValue(PartialShape v) : AttrValue(Kind::kShape, std::move(v)) {}
AttrValue::AttrValue(const Shape& v) : AttrValue(PartialShape(v)) {}
AttrValue::AttrValue(Tensor v) : AttrValue(Kind::kTensor, std::move(v)) {}
AttrValue::AttrValue(FunctionRef v) : AttrValue(Kind::kFunction, std::move(v)) {}
AttrValue::AttrValue(std::vector<int64_t> v) : AttrValue(Kind::kIntList, std::move(v)) {}
AttrValue::AttrValue(std::vector<float> v) : AttrValue(Kind::kFloatList, std::move(v)) {}
AttrValue::AttrValue(std::vector<bool> v) : AttrValue(Kind::kBoolList, std::move(v)) {}
AttrValue::AttrValue(std::vector<DType> v) : AttrValue(Kind::kTypeList, std::move(v)) {}
AttrValue::AttrValue(std::vector<std::string> v) : AttrValue(Kind::kStringList, std::move(v)) {}
AttrValue::AttrValue(std::vector<PartialShape> v) : AttrValue(Kind::kShapeList, std::move(v)) {}
AttrValue::AttrValue(std::vector<Tensor> v) : AttrValue(Kind::kTensorList, std::move(v)) {}
AttrValue::AttrValue(std::vector<FunctionRef> v) : AttrValue(Kind::kFunctionList, std::move(v)) {}

AttrValue AttrValue::Placeholder(std::string name) {
  return AttrValue(Kind::kPlaceholder, std::move(name));
}

const std::string& AttrValue::s() const { return large<std::string>(); }
const PartialShape& AttrValue::shape() const { return large<PartialShape>(); }
const Tensor& AttrValue::tensor() const { return large<Tensor>(); }
const FunctionRef& AttrValue::func() const { return large<FunctionRef>(); }

size_t AttrValue::list_size() const {
  switch (kind_) {
    case Kind::kIntList:
      return list<int64_t>().size();
    case Kind::kFloatList:
      return list<float>().size();
    case Kind::kBoolList:
      return list<bool>().size();
    case Kind::kTypeList:
      return list<DType>().size();
    case Kind::kStringList:
      return list<std::string>().size();
    case Kind::kShapeList:
      return list<PartialShape>().size();
    case Kind::kTensorList:
      return list<Tensor>().size();
    case Kind::kFunctionList:
      return list<FunctionRef>().size();
    default:
      return 0;
  }
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  using Kind = AttrValue::Kind;
  if (a.kind_ != b.kind_) {
    const bool lists = a.kind_ == Kind::kEmptyList || b.kind_ == Kind::kEmptyList;
    const bool both_lists = a.kind_ >= Kind::kIntList && a.kind_ <= Kind::kEmptyList &&
                            b.kind_ >= Kind::kIntList && b.kind_ <= Kind::kEmptyList;
    return lists && both_lists && a.list_size() == 0 && b.list_size() == 0;
  }
  switch (a.kind_) {
    case Kind::kNone:
    case Kind::kEmptyList:
      return true;
    case Kind::kInt:
      return a.small_.i == b.small_.i;
    case Kind::kFloat:
      return SameFloat(a.f(), b.f());
    case Kind::kBool:
      return a.small_.b == b.small_.b;
    case Kind::kType:
      return a.small_.t == b.small_.t;
    case Kind::kTensor:
      return SameTensor(a.tensor(), b.tensor());
    case Kind::kTensorList:
      return SameTensors(a.list<Tensor>(), b.list<Tensor>());
    case Kind::kString:
    case Kind::kPlaceholder:
      return a.s() == b.s();
    case Kind::kShape:
      return a.shape() == b.shape();
    case Kind::kFunction:
      return a.func() == b.func();
    case Kind::kIntList:
      return a.list<int64_t>() == b.list<int64_t>();
    case Kind::kFloatList:
      return std::equal(a.list<float>().begin(), a.list<float>().end(), b.list<float>().begin(),
                        b.list<float>().end(), SameFloat);
    case Kind::kBoolList:
      return a.list<bool>() == b.list<bool>();
    case Kind::kTypeList:
      return a.list<DType>() == b.list<DType>();
    case Kind::kStringList:
      return a.list<std::string>() == b.list<std::string>();
    case Kind::kShapeList:
      return a.list<PartialShape>() == b.list<PartialShape>();
    case Kind::kFunctionList:
      return a.list<FunctionRef>() == b.list<FunctionRef>();
  }
  return false;
}

std::string AttrValue::ToString() const {
  const auto number = [](auto v) { return absl::StrCat(v); };
  const auto truth = [](bool v) { return std::string(v ? "true" : "false"); };
  switch (kind_) {
    case Kind::kNone:
      return "<none>";
    case Kind::kInt:
      return number(i());
    case Kind::kFloat:
      return number(f());
    case Kind::kBool:
      return truth(b());
    case Kind::kType:
      return DTypeName(type());
    case Kind::kString:
      return Quote(s());
    case Kind::kShape:
      return shape().ToString();
    case Kind::kTensor:
      return tensor().ToString();
    case Kind::kFunction:
      return FormatFunction(func());
    case Kind::kIntList:
      return FormatList(list<int64_t>(), number);
    case Kind::kFloatList:
      return FormatList(list<float>(), number);
    case Kind::kBoolList: {
      std::vector<std::string> words;
      for (bool v : list<bool>()) words.push_back(truth(v));
      return absl::StrCat("[", absl::StrJoin(words, ", "), "]");
    }
    case Kind::kTypeList:
      return FormatList(list<DType>(), DTypeName);
    case Kind::kStringList:
      return FormatList(list<std::string>(), Quote);
    case Kind::kShapeList:
      return FormatList(list<PartialShape>(), [](const PartialShape& s) { return s.ToString(); });
    case Kind::kTensorList:
      return FormatList(list<Tensor>(), [](const Tensor& t) { return t.ToString(); });
    case Kind::kFunctionList:
      return FormatList(list<FunctionRef>(), FormatFunction);
    case Kind::kEmptyList:
      return "[]";
    case Kind::kPlaceholder:
      return absl::StrCat("$", s());
  }
  return "";
}

const char* AttrValue::KindName(Kind kind) {
  static constexpr const char* kNames[] = {
      "none",         "int",        "float",      "bool",         "type",
      "string",       "shape",      "tensor",     "func",         "list(int)",
      "list(float)",  "list(bool)", "list(type)", "list(string)", "list(shape)",
      "list(tensor)", "list(func)", "list",       "placeholder"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace warpbeam
