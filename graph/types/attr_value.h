// AttrValue: the value of one attribute of a node; AttrMap: all attributes of a node.
//
// Small values (int, float, bool, type) are stored in place, the others are immutable and shared,
// so that copying an AttrValue is cheap. A FunctionRef names a library function with the attributes
// to instantiate it with. A placeholder ("$T" in a function body) stands for an attribute of the
// function itself.
//
//   AttrMap attrs;  attrs.Set("T", AttrValue(DType::kFloat));
//   const AttrValue* v = attrs.Find("T");   v->type() == DType::kFloat
//   WB_ASSIGN_OR_RETURN(int64_t n, attrs.Get<int64_t>("N"));
//
// Thread safety: values. Errors: Get returns NOT_FOUND for a missing attribute and INVALID_ARGUMENT
// for one of another kind. The unchecked accessors (i(), f()…) need the right kind().
#ifndef WARPBEAM_GRAPH_TYPES_ATTR_VALUE_H_
#define WARPBEAM_GRAPH_TYPES_ATTR_VALUE_H_

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/shape.h"
#include "graph/types/status.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class AttrValue;
struct FunctionRef;

// Copies share their entries until one of them is changed.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;
  const AttrValue* Find(absl::string_view name) const;
  void Set(absl::string_view name, AttrValue value);
  bool Erase(absl::string_view name);
  bool empty() const;
  size_t size() const;
  // Sorted by name.
  const Entry* begin() const;
  const Entry* end() const;

  // What copies have in common, and only they: null for an empty map, and for one that has no
  // copies. It may be used anew once the last of them is gone.
  const void* shared_entries() const;

  // The attribute as a C++ value: int64_t, float, bool, DType, std::string, PartialShape, Tensor,
  // FunctionRef, or a std::vector of one of these.
  template <typename T>
  absl::StatusOr<T> Get(absl::string_view name) const;
  // The same, with a value for when it is missing or of another kind.
  template <typename T>
  T GetOr(absl::string_view name, T fallback) const;

  friend bool operator==(const AttrMap& a, const AttrMap& b);

 private:
  // The entries, which no other map has.
  std::vector<Entry>& Own();

  std::shared_ptr<std::vector<Entry>> entries_;  // null for none
};

struct FunctionRef {
  std::string name;
  AttrMap attrs;
  friend bool operator==(const FunctionRef& a, const FunctionRef& b);
};

class AttrValue {
 public:
  // The order is that of the variants below.
  enum class Kind {
    kNone,
    kInt,
    kFloat,
    kBool,
    kType,
    kString,
    kShape,
    kTensor,
    kFunction,
    kIntList,
    kFloatList,
    kBoolList,
    kTypeList,
    kStringList,
    kShapeList,
    kTensorList,
    kFunctionList,
    kEmptyList,    // a list of no elements and so of no kind; equal to any empty list
    kPlaceholder,  // the name of a function's attribute
  };

  AttrValue() = default;
  AttrValue(int64_t v) : kind_(Kind::kInt) { small_.i = v; }                             // NOLINT
  AttrValue(int v) : AttrValue(static_cast<int64_t>(v)) {}                               // NOLINT
  AttrValue(float v) : kind_(Kind::kFloat) { small_.f = v; }                             // NOLINT
  AttrValue(bool v) : kind_(Kind::kBool) { small_.b = v; }                               // NOLINT
  AttrValue(DType v) : kind_(Kind::kType) { small_.t = v; }                              // NOLINT
  AttrValue(std::string v) : AttrValue(Kind::kString, std::move(v)) {}                   // NOLINT
  AttrValue(const char* v) : AttrValue(std::string(v)) {}                                // NOLINT
  AttrValue(PartialShape v) : AttrValue(Kind::kShape, std::move(v)) {}                   // NOLINT
  AttrValue(const Shape& v) : AttrValue(PartialShape(v)) {}                              // NOLINT
  AttrValue(Tensor v) : AttrValue(Kind::kTensor, std::move(v)) {}                        // NOLINT
  AttrValue(FunctionRef v);                                                              // NOLINT
  AttrValue(std::vector<int64_t> v) : AttrValue(Kind::kIntList, std::move(v)) {}         // NOLINT
  AttrValue(std::vector<float> v) : AttrValue(Kind::kFloatList, std::move(v)) {}         // NOLINT
  AttrValue(std::vector<bool> v) : AttrValue(Kind::kBoolList, std::move(v)) {}           // NOLINT
  AttrValue(std::vector<DType> v) : AttrValue(Kind::kTypeList, std::move(v)) {}          // NOLINT
  AttrValue(std::vector<std::string> v) : AttrValue(Kind::kStringList, std::move(v)) {}  // NOLINT
  AttrValue(std::vector<PartialShape> v) : AttrValue(Kind::kShapeList, std::move(v)) {}  // NOLINT
  AttrValue(std::vector<Tensor> v) : AttrValue(Kind::kTensorList, std::move(v)) {}       // NOLINT
  AttrValue(std::vector<FunctionRef> v);                                                 // NOLINT
  static AttrValue EmptyList() {
    AttrValue v;
    v.kind_ = Kind::kEmptyList;
    return v;
  }
  static AttrValue Placeholder(std::string name) {
    return AttrValue(Kind::kPlaceholder, std::move(name));
  }

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ != Kind::kNone; }
  int64_t i() const { return small_.i; }
  float f() const { return small_.f; }
  bool b() const { return small_.b; }
  DType type() const { return small_.t; }
  const std::string& s() const { return *std::get_if<std::string>(&*large_); }
  const std::string& placeholder() const { return s(); }
  const PartialShape& shape() const { return *std::get_if<PartialShape>(&*large_); }
  const Tensor& tensor() const { return *std::get_if<Tensor>(&*large_); }
  const FunctionRef& func() const;
  template <typename T>
  const std::vector<T>& list() const {
    const auto* v = large_ ? std::get_if<std::vector<T>>(&*large_) : nullptr;
    static const std::vector<T> kEmpty;
    return v == nullptr ? kEmpty : *v;
  }

  // The number of elements of a list value; 0 for anything else.
  size_t list_size() const;
  // Tensors compare by dtype, shape and bytes.
  friend bool operator==(const AttrValue& a, const AttrValue& b);
  friend bool operator!=(const AttrValue& a, const AttrValue& b) { return !(a == b); }
  std::string ToString() const;
  // "int", "list(type)", "func"…, in the spelling of op specifications.
  static const char* KindName(Kind kind);

 private:
  using Large = std::variant<std::string, PartialShape, Tensor, FunctionRef, std::vector<int64_t>,
                             std::vector<float>, std::vector<bool>, std::vector<DType>,
                             std::vector<std::string>, std::vector<PartialShape>,
                             std::vector<Tensor>, std::vector<FunctionRef>>;
  template <typename T>
  AttrValue(Kind kind, T value)
      : kind_(kind), large_(std::make_shared<const Large>(std::move(value))) {}

  Kind kind_ = Kind::kNone;
  union {
    int64_t i;
    float f;
    bool b;
    DType t;
  } small_ = {0};
  std::shared_ptr<const Large> large_;
};

inline bool AttrMap::empty() const { return entries_ == nullptr || entries_->empty(); }
inline size_t AttrMap::size() const { return entries_ == nullptr ? 0 : entries_->size(); }
inline const AttrMap::Entry* AttrMap::begin() const {
  return entries_ == nullptr ? nullptr : entries_->data();
}
inline const AttrMap::Entry* AttrMap::end() const { return begin() + size(); }
inline const void* AttrMap::shared_entries() const {
  return entries_.use_count() > 1 ? entries_.get() : nullptr;
}

// Which AttrValue kind a C++ type is, and how to take it out: the backing of AttrMap::Get.
template <typename T>
struct AttrTraits;

template <typename T>
absl::StatusOr<T> AttrMap::Get(absl::string_view name) const {
  const AttrValue* v = Find(name);
  if (v == nullptr) return NotFound("no attribute '", name, "'");
  if (!AttrTraits<T>::Is(*v)) {
    return InvalidArgument("the attribute '", name, "' is ", AttrValue::KindName(v->kind()),
                           ", not ", AttrValue::KindName(AttrTraits<T>::kKind));
  }
  return AttrTraits<T>::From(*v);
}
template <typename T>
T AttrMap::GetOr(absl::string_view name, T fallback) const {
  const AttrValue* v = Find(name);
  return v != nullptr && AttrTraits<T>::Is(*v) ? T(AttrTraits<T>::From(*v)) : std::move(fallback);
}

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

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_ATTR_VALUE_H_
