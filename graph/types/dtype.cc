#include "graph/types/dtype.h"

#include "graph/types/tensor.h"

namespace warpbeam {
namespace {

struct TypeInfo {
  const char* name;
  size_t size;
};

constexpr size_t kStringBytes = sizeof(std::string);

const TypeInfo kTypes[kNumDTypes] = {
    {"invalid", 0},
    {"float", 4},
    {"double", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", kStringBytes},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"half", 2},
    {"resource", sizeof(ResourceHandle)},
    {"variant", sizeof(Variant)},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 1},
    {"uint4", 1},
    {"int2", 1},
    {"uint2", 1},
    {"float4_e2m1fn", 1},
};

}  // namespace

size_t DTypeSize(DType t) {
  const int i = static_cast<int>(BaseType(t));
  return i < kNumDTypes ? kTypes[i].size : 0;
}

std::string DTypeName(DType t) {
  const int i = static_cast<int>(BaseType(t));
  if (i >= kNumDTypes) return "unknown type " + std::to_string(static_cast<int>(t));
  return std::string(kTypes[i].name) + (IsRef(t) ? "_ref" : "");
}

DType ParseDType(const std::string& name) {
  std::string s = name;
  if (s.rfind("DT_", 0) == 0) {
    s = s.substr(3);
    for (char& c : s) c = static_cast<char>(tolower(static_cast<unsigned char>(c)));
  }
  if (s == "float32") s = "float";
  if (s == "float64") s = "double";
  if (s == "float16") s = "half";
  bool ref = false;
  if (s.size() > 4 && s.compare(s.size() - 4, 4, "_ref") == 0) {
    s.resize(s.size() - 4);
    ref = true;
  }
  for (int i = 1; i < kNumDTypes; ++i) {
    if (s == kTypes[i].name) {
      return ref ? RefType(static_cast<DType>(i)) : static_cast<DType>(i);
    }
  }
  return DType::kInvalid;
}

bool IsHostOnly(DType t) {
  t = BaseType(t);
  return t == DType::kString || t == DType::kResource || t == DType::kVariant;
}
bool IsPlainData(DType t) { return !IsHostOnly(t) && BaseType(t) != DType::kInvalid; }
bool IsHalfPrecision(DType t) { return t == DType::kHalf || t == DType::kBFloat16; }

bool IsFloating(DType t) { return kFloatingTypes.contains(t); }
bool IsComplex(DType t) { return kComplexTypes.contains(t); }
bool IsInteger(DType t) { return kIntegerTypes.contains(t); }

std::string TypeSet::ToString() const {
  std::string out = "{";
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!contains(static_cast<DType>(i))) continue;
    if (out.size() > 1) out += ", ";
    out += kTypes[i].name;
  }
  return out + "}";
}

}  // namespace warpbeam
