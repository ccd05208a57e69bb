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
#include <string_view>
#include <utility>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/shape.h"
#include "graph/types/status_or.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class AttrValue;
struct FunctionRef;

// Copies share their entries until one of them is changed.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;
  const AttrValue* Find(std::string_view name) const;
  void Set(std::string_view name, AttrValue value);
  bool Erase(std::string_view name);
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
  StatusOr<T> Get(std::string_view name) const;
  // The same, with a value for when it is missing or of another kind.
  template <typename T>
  T GetOr(std::string_view name, T fallback) const;

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
  AttrValue(int64_t v) : kind_(Kind::kInt) { small_.i = v; }  // NOLINT
  AttrValue(int v) : AttrValue(static_cast<int64_t>(v)) {}    // NOLINT
  AttrValue(float v) : kind_(Kind::kFloat) { small_.f = v; }  // NOLINT
  AttrValue(bool v) : kind_(Kind::kBool) { small_.b = v; }    // NOLINT
  AttrValue(DType v) : kind_(Kind::kType) { small_.t = v; }   // NOLINT
  AttrValue(std::string v);                                   // NOLINT
  AttrValue(const char* v);                                   // NOLINT
  AttrValue(PartialShape v);                                  // NOLINT
  AttrValue(const Shape& v);                                  // NOLINT
  AttrValue(Tensor v);                                        // NOLINT
  AttrValue(FunctionRef v);                                   // NOLINT
  AttrValue(std::vector<int64_t> v);                          // NOLINT
  AttrValue(std::vector<float> v);                            // NOLINT
  AttrValue(std::vector<bool> v);                             // NOLINT
  AttrValue(std::vector<DType> v);                            // NOLINT
  AttrValue(std::vector<std::string> v);                      // NOLINT
  AttrValue(std::vector<PartialShape> v);                     // NOLINT
  AttrValue(std::vector<Tensor> v);                           // NOLINT
  AttrValue(std::vector<FunctionRef> v);                      // NOLINT
  static AttrValue EmptyList() {
    AttrValue v;
    v.kind_ = Kind::kEmptyList;
    return v;
  }
  static AttrValue Placeholder(std::string name);

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ != Kind::kNone; }
  int64_t i() const { return small_.i; }
  float f() const { return small_.f; }
  bool b() const { return small_.b; }
  DType type() const { return small_.t; }
  const std::string& s() const;
  const std::string& placeholder() const { return s(); }
  const PartialShape& shape() const;
  const Tensor& tensor() const;
  const FunctionRef& func() const;
  // An empty list for anything that is not a list of T, which is one of those above.
  template <typename T>
  const std::vector<T>& list() const;

  // The number of elements of a list value; 0 for anything else.
  size_t list_size() const;
  // Tensors compare by dtype, shape and bytes.
  friend bool operator==(const AttrValue& a, const AttrValue& b);
  friend bool operator!=(const AttrValue& a, const AttrValue& b) { return !(a == b); }
  std::string ToString() const;
  // "int", "list(type)", "func"…, in the spelling of op specifications.
  static const char* KindName(Kind kind);

 private:
  // One of the values that are not stored in place. Only the .cc knows which: every source sees
  // this header.
  struct Large;
  template <typename T>
  AttrValue(Kind kind, T value);
  template <typename T>
  const T& large() const;

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

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_ATTR_VALUE_H_
