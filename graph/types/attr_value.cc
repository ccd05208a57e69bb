#include "graph/types/attr_value.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"

namespace warpbeam {
namespace {

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString) return a.flat<std::string>() == b.flat<std::string>();
  if (!IsPlainData(a.dtype())) return a.buffer().get() == b.buffer().get();
  return a.bytes() == 0 || memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

bool SameTensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameTensor);
}

auto LowerBound(std::vector<AttrMap::Entry>& entries, absl::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const AttrMap::Entry& e, absl::string_view n) { return e.first < n; });
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

}  // namespace

// In turn: there are few, and most differ in length already.
const AttrValue* AttrMap::Find(absl::string_view name) const {
  for (const Entry& entry : *this) {
    if (entry.first == name) return &entry.second;
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

void AttrMap::Set(absl::string_view name, AttrValue value) {
  std::vector<Entry>& entries = Own();
  auto it = LowerBound(entries, name);
  if (it != entries.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries.emplace(it, std::string(name), std::move(value));
  }
}

bool AttrMap::Erase(absl::string_view name) {
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

AttrValue::AttrValue(FunctionRef v) : AttrValue(Kind::kFunction, std::move(v)) {}
AttrValue::AttrValue(std::vector<FunctionRef> v) : AttrValue(Kind::kFunctionList, std::move(v)) {}

const FunctionRef& AttrValue::func() const { return *std::get_if<FunctionRef>(&*large_); }

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
      return a.small_.f == b.small_.f;
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
      return a.list<float>() == b.list<float>();
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
