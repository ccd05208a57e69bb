// The ops that stand for a function's arguments and results, and lists of them.
#include "graph/functions/instantiate.h"
#include "graph/op/op_registry.h"

namespace warpbeam {
namespace {

// An argument's shape and what its resource refers to are written into its attributes by whoever
// instantiates the function.
Status ArgShape(ShapeContext& c) {
  const auto shapes = c.attrs().GetOr<std::vector<PartialShape>>("_output_shapes", {});
  if (shapes.size() == 1) c.set_output(0, shapes[0]);
  const auto dtypes = c.attrs().GetOr<std::vector<DType>>("_handle_dtypes", {});
  const auto handle_shapes = c.attrs().GetOr<std::vector<PartialShape>>("_handle_shapes", {});
  if (dtypes.empty() || dtypes.size() != handle_shapes.size()) return OkStatus();
  HandleShapes handles;
  for (size_t i = 0; i < dtypes.size(); ++i) handles.push_back({dtypes[i], handle_shapes[i]});
  c.set_output_handle(0, std::move(handles));
  return OkStatus();
}

Status SameShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs() && i < c.num_inputs(); ++i) {
    c.set_output(i, c.input(i));
    if (!c.input_handle(i).empty()) c.set_output_handle(i, c.input_handle(i));
  }
  return OkStatus();
}

OpSchemaBuilder ArgOp(const char* name) {
  return OpSchemaBuilder(name)
      .Role(OpRole::kArgument)
      .Output("output: T")
      .Attr("T: type")
      .Attr("index: int >= 0")
      .Stateful()
      .Shape(ArgShape);
}

OpSchemaBuilder RetvalOp(const char* name) {
  return OpSchemaBuilder(name)
      .Role(OpRole::kResult)
      .Input("input: T")
      .Attr("T: type")
      .Attr("index: int >= 0")
      .Stateful()
      .Shape(shapes::NoOutputs);
}

OpSchemaBuilder ListToArrayOp() {
  return OpSchemaBuilder("_ListToArray")
      .Input("input: Tin")
      .Output("output: N * T")
      .Attr("Tin: list(type)")
      .Attr("T: type")
      .Attr("N: int >= 1")
      .Shape(SameShapes);
}

OpSchemaBuilder ArrayToListOp() {
  return OpSchemaBuilder("_ArrayToList")
      .Input("input: N * T")
      .Output("output: out_types")
      .Attr("T: type")
      .Attr("N: int >= 1")
      .Attr("out_types: list(type)")
      .Shape(SameShapes);
}

const OpRegistration kRegistrations[] = {ArgOp("_Arg"),       ArgOp("_DeviceArg"),
                                         RetvalOp("_Retval"), RetvalOp("_DeviceRetval"),
                                         ListToArrayOp(),     ArrayToListOp()};

}  // namespace

Status RegisterFunctionOps(OpRegistry* ops) {
  for (const OpSchemaBuilder& builder :
       {ArgOp("_Arg"), ArgOp("_DeviceArg"), RetvalOp("_Retval"), RetvalOp("_DeviceRetval"),
        ListToArrayOp(), ArrayToListOp()}) {
    WB_RETURN_IF_ERROR(ops->Register(builder));
  }
  return OkStatus();
}

}  // namespace warpbeam
