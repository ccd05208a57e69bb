#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

class StubResources : public ::testing::Test {
 protected:
  Tensor Handle(const char* op, const char* name) {
    OpRunner runner(op);
    runner.Attr("container", std::string("a")).Attr("shared_name", std::string(name));
    if (std::string(op) == "VarHandleOp") {
      runner.Attr("dtype", DType::kFloat).Attr("shape", PartialShape(Shape()));
    }
    const auto handle = runner.Resources(&store_).RunOne();
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : Tensor();
  }
  Status Run(const char* op, const Tensor& handle) {
    return OpRunner(op).Resources(&store_).Input(handle).Run().status();
  }
  bool IsInitialized(const Tensor& handle) {
    const auto out = OpRunner("ResourceInitializedOp").Resources(&store_).Input(handle).RunOne();
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() && out->scalar<bool>();
  }

  ResourceStore store_;
};

TEST_F(StubResources, AreMadeOnceUsedAndDestroyed) {
  const Tensor b = Handle("StubResourceHandleOp", "b");
  EXPECT_FALSE(IsInitialized(b));
  const Status missing = Run("ResourceUsingOp", b);
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("Resource a/b"));
  ASSERT_TRUE(Run("ResourceCreateOp", b).ok());
  EXPECT_TRUE(IsInitialized(b));
  EXPECT_TRUE(IsInitialized(Handle("StubResourceHandleOp", "b")));
  EXPECT_FALSE(IsInitialized(Handle("StubResourceHandleOp", "c")));
  EXPECT_TRUE(Run("ResourceUsingOp", b).ok());
  EXPECT_EQ(Run("ResourceCreateOp", b).code(), Code::kAlreadyExists);
  ASSERT_TRUE(Run("DestroyResourceOp", b).ok());
  EXPECT_FALSE(IsInitialized(b));
}

TEST_F(StubResources, AVariableIsNone) {
  const Tensor variable = Handle("VarHandleOp", "b");
  EXPECT_FALSE(IsInitialized(variable));
  EXPECT_EQ(Run("ResourceUsingOp", variable).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("ResourceCreateOp", variable).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
