// One line for a unary op: kernel, schema and shape function. The element types differ from op to
// op, as TensorFlow's do.
//
//   WB_UNARY_OP("Exp", ExpFn, "{bfloat16, half, float, double}", FloatTypeList, FloatTypeList);
//
// The arguments: op, functor, the allowed types of T in the schema's spelling, the CPU's and the
// GPU's element types. WB_RESULT_GRAD_OP is for gradients in terms of the result, (y, dy) -> z, and
// WB_BROADCAST_OP for ops of two inputs that broadcast; its last argument is appended to the
// schema: .Commutative(), or nothing.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_TABLE_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_TABLE_H_

#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"

#define WB_UNARY_OP(op, Fn, types, CpuTypes, GpuTypes)                                           \
  WB_OP(op).Input("x: T").Output("y: T").Attr("T: " types).Shape(::warpbeam::shapes::Unchanged); \
  WB_UNARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)
#define WB_RESULT_GRAD_OP(op, Fn, types, CpuTypes, GpuTypes) \
  WB_OP(op)                                                  \
      .Input("y: T")                                         \
      .Input("dy: T")                                        \
      .Output("z: T")                                        \
      .Attr("T: " types)                                     \
      .Shape(::warpbeam::shapes::MergeInputs);               \
  WB_BINARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)
#define WB_BROADCAST_OP(op, Fn, types, CpuTypes, GpuTypes, ...)          \
  WB_OP(op).Input("x: T").Input("y: T").Output("z: T").Attr("T: " types) \
      __VA_ARGS__.Shape(::warpbeam::shapes::BroadcastBinary);            \
  WB_BINARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)

#else

#define WB_BROADCAST_OP(op, Fn, types, CpuTypes, GpuTypes, ...) \
  WB_BINARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)
#define WB_UNARY_OP(op, Fn, types, CpuTypes, GpuTypes) \
  WB_UNARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)
#define WB_RESULT_GRAD_OP(op, Fn, types, CpuTypes, GpuTypes) \
  WB_BINARY_KERNEL(op, Fn, SameType, CpuTypes, GpuTypes)

#endif

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_TABLE_H_
