// How many launches a step has whose elementwise nodes are fused, and whose are not; and what
// becomes of it when one of its calls fails. Kernels are host functions here.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"
#include "tests/gpu/fused_fixture.h"

namespace warpbeam {
namespace {

class FusedLaunches : public FusedTest {
 protected:
  // A step along a gradient that is computed in four nodes.
  void Build() {
    const DType dtype = DType::kFloat;
    const Shape shape({300});
    const OutputRef w = Variable("w", true, Numbers(shape, dtype, 1));
    const OutputRef slot = Variable("slot", true, Numbers(shape, dtype, 2));
    const OutputRef x = Fed("x", dtype, shape), y = Fed("y", dtype, shape);
    const OutputRef difference = Float("Sub", "difference", {x, y});
    const OutputRef squashed = Float("Tanh", "squashed", {difference});
    const OutputRef product = Float("Mul", "product", {squashed, y});
    const OutputRef rate = Scalar("rate", dtype, 0.1f), inertia = Scalar("inertia", dtype, 0.9f);
    Add("ResourceApplyMomentum", "update",
        {w, slot, rate, Float("Relu", "gradient", {product}), inertia}, {{"T", dtype}});
    feeds_ = {{"x", Numbers(shape, dtype, 3)}, {"y", Numbers(shape, dtype, 4)}};
  }
  std::unique_ptr<Session> Open(const std::string& passes) {
    auto session = Session::Create(Options(passes, true), graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    const Status status = (*session)->Run({}, {}, {}, initializers_, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    return *std::move(session);
  }
  Status Step(Session& session) const {
    std::vector<Tensor> fetched;
    return session.Run({}, feeds_, {}, {"update"}, &fetched);
  }
  int64_t LaunchesOf(const std::string& passes) {
    const std::unique_ptr<Session> session = Open(passes);
    const int64_t before = cuda_stand_in::CallsByFunction()["cudaLaunchHostFunc"];
    const Status status = Step(*session);
    EXPECT_TRUE(status.ok()) << status;
    return cuda_stand_in::CallsByFunction()["cudaLaunchHostFunc"] - before;
  }

  NamedTensors feeds_;
};

TEST_F(FusedLaunches, OfAStep) {
  Build();
  EXPECT_EQ(LaunchesOf("none") - LaunchesOf("fuse"), 4);
}

// The step that is planned, the one that is recorded, and one that is played.
TEST_F(FusedLaunches, EachCallFailsOnce) {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kWaiting, kClosing, kGrowth, kRecording});
  Build();
  for (int steps_before = 0; steps_before < 3; ++steps_before) {
    for (int64_t call = 1; call < 1000; ++call) {
      const std::unique_ptr<Session> session = Open("fuse");
      for (int step = 0; step < steps_before; ++step) ASSERT_TRUE(Step(*session).ok());
      cuda_stand_in::FailCall(call);
      const Status status = Step(*session);
      const std::string failed = cuda_stand_in::failed_call();
      cuda_stand_in::FailCall(0);
      if (failed.empty()) break;
      SCOPED_TRACE(testing::Message() << failed << ", call " << call);
      if (status.ok()) {
        EXPECT_EQ(may_pass.count(failed), 1u);
      } else {
        EXPECT_TRUE(absl::StrContains(status.message(), failed)) << status;
        EXPECT_TRUE(absl::StrContains(status.message(), "made to fail")) << status;
      }
      const Status after = Step(*session);
      EXPECT_TRUE(after.ok()) << after;
      EXPECT_EQ(session->Close(), OkStatus());
    }
    EXPECT_EQ(cuda_stand_in::Left().ToString(), "");
  }
}

}  // namespace
}  // namespace warpbeam
