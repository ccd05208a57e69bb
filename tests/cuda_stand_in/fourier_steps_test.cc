// Sessions that transform on a GPU: steps are recorded and played, and each call of one fails once.
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/step/replay.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

// From a spectrum to real numbers and back, and to its own spectrum and back.
StatusOr<std::unique_ptr<Session>> Open() {
  const auto graph = std::make_shared<Graph>();
  const auto op = [&](const std::string& name) {
    return NodeBuilder(graph.get(), name).Name(name).Device("/gpu:0");
  };
  WB_ASSIGN_OR_RETURN(OutputRef x,
                      op("Placeholder").Attr("dtype", DType::kComplex64).BuildOutput());
  WB_ASSIGN_OR_RETURN(const OutputRef n, NodeBuilder(graph.get(), "Placeholder")
                                             .Name("n")
                                             .Device("/cpu:0")
                                             .Attr("dtype", DType::kInt32)
                                             .BuildOutput());
  WB_ASSIGN_OR_RETURN(x, op("IRFFT").Input(x).Input(n).BuildOutput());
  WB_ASSIGN_OR_RETURN(x, op("RFFT").Input(x).Input(n).BuildOutput());
  WB_ASSIGN_OR_RETURN(x, op("FFT").Input(x).BuildOutput());
  WB_RETURN_IF_ERROR(op("IFFT").Input(x).BuildOutput().status());
  SessionOptions options;
  options.gpus = 1;
  options.operation_timeout_ms = 30000;
  return Session::Create(options, graph);
}

// What comes back is what was given: half of the spectrum of so many real numbers.
Status Step(Session& session, int32_t length) {
  using Complex = std::complex<float>;
  std::vector<Complex> values;
  for (int32_t k = 0; k < length / 2 + 1; ++k) {
    const bool is_real = k == 0 || 2 * k == length;
    values.emplace_back(static_cast<float>(k % 7) - 2, is_real ? 0.0f : 1.0f);
  }
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session.Run(RunOptions(),
                                 {{"Placeholder:0", Tensor::Vector<Complex>(values)},
                                  {"n:0", Tensor::Vector<int32_t>({length})}},
                                 {"IFFT:0"}, {}, &out));
  const Tensor want = Tensor::Vector<Complex>(values);
  EXPECT_EQ(CompareTensors(out[0], want, {1e-4, 1e-4}), OkStatus());
  return OkStatus();
}

TEST(FourierSteps, AreRecordedAndPlayed) {
  const auto session = Open();
  ASSERT_TRUE(session.ok()) << session.status();
  const int64_t before = Replay::played();
  const int64_t transforms = cuda_stand_in::CallsByFunction()["cufftXtExec"];
  for (int i = 0; i < 6; ++i) ASSERT_EQ(Step(**session, 22), OkStatus());
  EXPECT_GT(Replay::played(), before);
  const int64_t of_steps = cuda_stand_in::CallsByFunction()["cufftXtExec"] - transforms;
  EXPECT_GE(of_steps, 2 * 4);
  EXPECT_LT(of_steps, 6 * 4);
}

// The step that is planned, of a new length each time, the one that is recorded, and one that is
// played.
TEST(FourierSteps, EachCallFailsOnce) {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kWaiting, kClosing, kGrowth, kRecording});
  for (int steps_before = 0; steps_before < 3; ++steps_before) {
    int failures = 0;
    for (int call = 1; call < 1000; ++call) {
      const int32_t length = steps_before == 0 ? 30 + call : 22;
      const auto session = Open();
      ASSERT_TRUE(session.ok()) << session.status();
      for (int i = 0; i < steps_before; ++i) ASSERT_EQ(Step(**session, length), OkStatus());
      cuda_stand_in::FailCall(call);
      const Status status = Step(**session, length);
      const std::string failed = cuda_stand_in::failed_call();
      cuda_stand_in::FailCall(0);
      if (failed.empty()) break;
      SCOPED_TRACE(testing::Message() << failed << ", call " << call);
      if (status.ok()) {
        EXPECT_EQ(may_pass.count(failed), 1u);
      } else {
        ++failures;
        EXPECT_TRUE(absl::StrContains(status.message(), failed)) << status;
      }
      EXPECT_EQ(Step(**session, length), OkStatus());
      EXPECT_EQ((*session)->Close(), OkStatus());
    }
    cuda_stand_in::Leftovers left = cuda_stand_in::Left();
    left.descriptors = 0;  // plans are kept for the whole process
    EXPECT_EQ(left.ToString(), "");
    EXPECT_GT(failures, 0);
  }
}

}  // namespace
}  // namespace warpbeam
