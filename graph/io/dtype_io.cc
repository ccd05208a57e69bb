#include "graph/io/dtype_io.h"

#include "proto/types.pb.h"

namespace warpbeam {
namespace {

// The in-memory numbers are the wire's: conversions are casts because this holds.
#define WB_SAME_NUMBER(Ours, Wire)                                           \
  static_assert(static_cast<int>(DType::Ours) == ::tensorflow::Wire, #Wire); \
  static_assert(static_cast<int>(RefType(DType::Ours)) == ::tensorflow::Wire##_REF, #Wire "_REF")
static_assert(static_cast<int>(DType::kInvalid) == ::tensorflow::DT_INVALID, "DT_INVALID");
WB_SAME_NUMBER(kFloat, DT_FLOAT);
WB_SAME_NUMBER(kDouble, DT_DOUBLE);
WB_SAME_NUMBER(kInt32, DT_INT32);
WB_SAME_NUMBER(kUInt8, DT_UINT8);
WB_SAME_NUMBER(kInt16, DT_INT16);
WB_SAME_NUMBER(kInt8, DT_INT8);
WB_SAME_NUMBER(kString, DT_STRING);
WB_SAME_NUMBER(kComplex64, DT_COMPLEX64);
WB_SAME_NUMBER(kInt64, DT_INT64);
WB_SAME_NUMBER(kBool, DT_BOOL);
WB_SAME_NUMBER(kQInt8, DT_QINT8);
WB_SAME_NUMBER(kQUInt8, DT_QUINT8);
WB_SAME_NUMBER(kQInt32, DT_QINT32);
WB_SAME_NUMBER(kBFloat16, DT_BFLOAT16);
WB_SAME_NUMBER(kQInt16, DT_QINT16);
WB_SAME_NUMBER(kQUInt16, DT_QUINT16);
WB_SAME_NUMBER(kUInt16, DT_UINT16);
WB_SAME_NUMBER(kComplex128, DT_COMPLEX128);
WB_SAME_NUMBER(kHalf, DT_HALF);
WB_SAME_NUMBER(kResource, DT_RESOURCE);
WB_SAME_NUMBER(kVariant, DT_VARIANT);
WB_SAME_NUMBER(kUInt32, DT_UINT32);
WB_SAME_NUMBER(kUInt64, DT_UINT64);
WB_SAME_NUMBER(kFloat8E5M2, DT_FLOAT8_E5M2);
WB_SAME_NUMBER(kFloat8E4M3FN, DT_FLOAT8_E4M3FN);
WB_SAME_NUMBER(kFloat8E4M3FNUZ, DT_FLOAT8_E4M3FNUZ);
WB_SAME_NUMBER(kFloat8E4M3B11FNUZ, DT_FLOAT8_E4M3B11FNUZ);
WB_SAME_NUMBER(kFloat8E5M2FNUZ, DT_FLOAT8_E5M2FNUZ);
WB_SAME_NUMBER(kInt4, DT_INT4);
WB_SAME_NUMBER(kUInt4, DT_UINT4);
WB_SAME_NUMBER(kInt2, DT_INT2);
WB_SAME_NUMBER(kUInt2, DT_UINT2);
WB_SAME_NUMBER(kFloat4E2M1FN, DT_FLOAT4_E2M1FN);
#undef WB_SAME_NUMBER
static_assert(kNumDTypes == ::tensorflow::DT_FLOAT4_E2M1FN + 1, "a wire type is missing here");

}  // namespace

StatusOr<DType> DTypeFromNumber(int number) {
  if (!::tensorflow::DataType_IsValid(number)) {
    return InvalidArgument("no element type has the number ", number);
  }
  return static_cast<DType>(number);
}

}  // namespace warpbeam
