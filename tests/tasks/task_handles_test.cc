// Handles of resources that leave their task: as values that are fetched, fed, and come back.
#include "frontend/ops/lookup_ops.h"
#include "frontend/ops/resource_variable_ops.h"
#include "gmock/gmock.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr DType kFloat = DType::kFloat;
constexpr DType kResource = DType::kResource;

// A variable on the ps, whose handle is fetched and fed to what reads it.
class TaskHandlesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Variable v(ps_.Named("v"), 3.0f, VariableOptions().use_resource(true));
    handle_ = v.ref().name();
    GlobalVariablesInitializer(root_.Named("init"));
    ReadFed(ps_.WithPrefix("there"));
    ReadFed(worker_.WithPrefix("here"));
    ASSERT_TRUE(root_.status().ok()) << root_.status();
  }

  // PREFIX/fed is a handle, PREFIX/value what it stands for, PREFIX/added adds one to that.
  static void ReadFed(const Scope& scope) {
    const Output fed = Placeholder(scope.Named("fed"), kResource, PartialShape(Shape()));
    ops::ReadVariableOp(scope.Named("value"), fed, kFloat);
    ops::AssignAddVariableOp(scope.Named("added"), fed, 1.0f);
  }

  static StatusOr<Tensor> Fetch(Session& session, const std::string& name,
                                const NamedTensors& feeds = {}) {
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session.Run({}, feeds, {name}, {}, &out));
    return out[0];
  }

  void Try(Session& session) {
    ASSERT_TRUE(session.Run({}, {}, {}, {"init"}, nullptr).ok());
    const StatusOr<Tensor> handle = Fetch(session, handle_);
    ASSERT_TRUE(handle.ok()) << handle.status();
    ASSERT_EQ(handle->dtype(), kResource);
    EXPECT_EQ(handle->data<ResourceHandle>()->device, "/job:ps/replica:0/task:0/device:CPU:0");

    // At home it is what it was.
    const Status added = session.Run({}, {{"there/fed:0", *handle}}, {}, {"there/added"}, nullptr);
    EXPECT_TRUE(added.ok()) << added;
    const StatusOr<Tensor> value = Fetch(session, "there/value:0", {{"there/fed:0", *handle}});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value->data<float>(), 4.0f);

    // Elsewhere it is of no use, whatever has its name there.
    const StatusOr<Tensor> refused = Fetch(session, "here/value:0", {{"here/fed:0", *handle}});
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument) << refused.status();
    EXPECT_THAT(std::string(refused.status().message()),
                AllOf(HasSubstr("located in device /job:ps/replica:0/task:0"),
                      HasSubstr("from /job:worker/replica:0/task:0")));
  }

  const Scope root_ = Scope::NewRoot();
  const Scope worker_ = root_.Device(kWorker);
  const Scope ps_ = root_.Device(kPs);
  std::string handle_;
};

TEST_F(TaskHandlesTest, OfTasksInOneProcess) {
  const auto session = NewTaskGroupSession(WorkerAndPs(), root_.graph());
  ASSERT_TRUE(session.ok()) << session.status();
  Try(**session);
}

TEST_F(TaskHandlesTest, ByMessages) {
  const auto cluster = LocalCluster::Create(WorkerAndPs().tasks, SessionOptions());
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const auto session = (*cluster)->NewSession(root_.graph());
  ASSERT_TRUE(session.ok()) << session.status();
  Try(**session);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
