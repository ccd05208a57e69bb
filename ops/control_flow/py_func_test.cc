// Graphs with Python functions in them; the message is TensorFlow 2.21's.
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(PyFuncTest, RefusedWhereItRuns) {
  for (const char* op : {"PyFunc", "PyFuncStateless"}) {
    OpTest(op)
        .Attr("token", "pyfunc_7")
        .Attr("Tout", std::vector<DType>{DType::kFloat})
        .InputList({Tensor::Scalar(1.0f)})
        .ExpectError(StatusCode::kInvalidArgument, "callback pyfunc_7 is not found");
  }
}

}  // namespace
}  // namespace warpbeam
