// DType: the element type of a tensor, with the numbers that TensorFlow's wire format uses.
//
// A reference type (the output of a VariableV2 node) is its base type + 100, as on the wire. Type
// sets are 64-bit masks over base types: `TypeSet` values are cheap to copy, intersect and print.
//
//   DTypeOf<float>::value == DType::kFloat;   DTypeSize(DType::kInt64) == 8;
//   DTypeName(DType::kBFloat16) == "bfloat16";  kFloatingTypes.contains(DType::kHalf)
//
// Thread safety: everything here is pure.
#ifndef WARPBEAM_GRAPH_TYPES_DTYPE_H_
#define WARPBEAM_GRAPH_TYPES_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "graph/types/number.h"

namespace warpbeam {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3FN = 25,
  kFloat8E4M3FNUZ = 26,
  kFloat8E4M3B11FNUZ = 27,
  kFloat8E5M2FNUZ = 28,
  kInt4 = 29,
  kUInt4 = 30,
  kInt2 = 31,
  kUInt2 = 32,
  kFloat4E2M1FN = 33,
};
inline constexpr int kNumDTypes = 34;
inline constexpr int kRefOffset = 100;

constexpr bool IsRef(DType t) { return static_cast<int>(t) >= kRefOffset; }
constexpr DType BaseType(DType t) {
  return IsRef(t) ? static_cast<DType>(static_cast<int>(t) - kRefOffset) : t;
}
constexpr DType RefType(DType t) {
  return IsRef(t) ? t : static_cast<DType>(static_cast<int>(t) + kRefOffset);
}

// Bytes of one element in memory; 0 for kInvalid. The 4- and 2-bit types take a byte each.
size_t DTypeSize(DType t);

// "float", "int32", "resource"…; a reference type gets "_ref" appended. Never fails: a number that
// is no type prints as "unknown type N".
std::string DTypeName(DType t);

// The reverse of DTypeName, which also takes "DT_FLOAT" and the aliases "float32", "float64",
// "float16" and "bool". Returns kInvalid for a name that is no type.
DType ParseDType(const std::string& name);

// A type that is plain bytes: copying it is memcpy. Strings, resources and variants are not.
bool IsPlainData(DType t);
bool IsFloating(DType t);
bool IsHalfPrecision(DType t);  // floats of 16 bits
bool IsComplex(DType t);
bool IsInteger(DType t);  // signed and unsigned, not quantised, not bool

// Whether tensors of this type stay in host memory whatever the device: strings, variants and
// resources do.
bool IsHostOnly(DType t);

// A set of base types.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<DType> types) {
    for (DType t : types) bits_ |= Bit(t);
  }
  constexpr bool contains(DType t) const { return (bits_ & Bit(BaseType(t))) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr friend TypeSet operator|(TypeSet a, TypeSet b) { return TypeSet(a.bits_ | b.bits_); }
  constexpr friend TypeSet operator&(TypeSet a, TypeSet b) { return TypeSet(a.bits_ & b.bits_); }
  constexpr friend bool operator==(TypeSet a, TypeSet b) { return a.bits_ == b.bits_; }
  std::string ToString() const;  // "{half, float, double}"

 private:
  constexpr explicit TypeSet(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t Bit(DType t) { return uint64_t{1} << static_cast<int>(t); }
  uint64_t bits_ = 0;
};

inline constexpr TypeSet kFloatingTypes = {DType::kHalf, DType::kBFloat16, DType::kFloat,
                                           DType::kDouble};
inline constexpr TypeSet kComplexTypes = {DType::kComplex64, DType::kComplex128};
inline constexpr TypeSet kSignedTypes = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
inline constexpr TypeSet kUnsignedTypes = {DType::kUInt8, DType::kUInt16, DType::kUInt32,
                                           DType::kUInt64};
inline constexpr TypeSet kIntegerTypes = kSignedTypes | kUnsignedTypes;
inline constexpr TypeSet kRealTypes = kFloatingTypes | kIntegerTypes;
inline constexpr TypeSet kQuantizedTypes = {DType::kQInt8, DType::kQUInt8, DType::kQInt16,
                                            DType::kQUInt16, DType::kQInt32};
inline constexpr TypeSet kNumberTypes = kRealTypes | kComplexTypes;
inline constexpr TypeSet kIndexTypes = {DType::kInt32, DType::kInt64};

// The DType of a C++ type, and whether there is one.
struct ResourceHandle;
class Variant;
template <typename T>
struct DTypeOf;
#define WB_DTYPE_OF(Cpp, Enum)                  \
  template <>                                   \
  struct DTypeOf<Cpp> {                         \
    static constexpr DType value = DType::Enum; \
  };
WB_DTYPE_OF(float, kFloat)
WB_DTYPE_OF(double, kDouble)
WB_DTYPE_OF(int32_t, kInt32)
WB_DTYPE_OF(uint8_t, kUInt8)
WB_DTYPE_OF(int16_t, kInt16)
WB_DTYPE_OF(int8_t, kInt8)
WB_DTYPE_OF(std::string, kString)
WB_DTYPE_OF(std::complex<float>, kComplex64)
WB_DTYPE_OF(int64_t, kInt64)
WB_DTYPE_OF(bool, kBool)
WB_DTYPE_OF(QInt8, kQInt8)
WB_DTYPE_OF(QUInt8, kQUInt8)
WB_DTYPE_OF(QInt32, kQInt32)
WB_DTYPE_OF(BFloat16, kBFloat16)
WB_DTYPE_OF(QInt16, kQInt16)
WB_DTYPE_OF(QUInt16, kQUInt16)
WB_DTYPE_OF(uint16_t, kUInt16)
WB_DTYPE_OF(std::complex<double>, kComplex128)
WB_DTYPE_OF(Half, kHalf)
WB_DTYPE_OF(ResourceHandle, kResource)
WB_DTYPE_OF(Variant, kVariant)
WB_DTYPE_OF(uint32_t, kUInt32)
WB_DTYPE_OF(uint64_t, kUInt64)
#undef WB_DTYPE_OF

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_DTYPE_H_
