// A step that waits for what its GPU has computed, in which each call of CUDA fails once: the step
// ends with a status, and the session goes on.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

StatusOr<std::unique_ptr<Session>> Open() {
  const auto graph = std::make_shared<Graph>();
  const auto op = [&](const std::string& name) {
    return NodeBuilder(graph.get(), name).Name(name).Device("/gpu:0");
  };
  WB_ASSIGN_OR_RETURN(OutputRef x, op("Placeholder").Attr("dtype", DType::kFloat).BuildOutput());
  WB_ASSIGN_OR_RETURN(x, op("Square").Input(x).BuildOutput());
  WB_RETURN_IF_ERROR(op("Where").Input(x).BuildOutput().status());
  SessionOptions options;
  options.gpus = 1;
  options.operation_timeout_ms = 30000;
  return Session::Create(options, graph);
}

Status FindPlaces(Session& session, std::vector<int64_t>* found) {
  std::vector<Tensor> out;
  const Tensor x = Tensor::Vector<float>({0, 2, 0, -3});
  WB_RETURN_IF_ERROR(session.Run(RunOptions(), {{"Placeholder:0", x}}, {"Where:0"}, {}, &out));
  const auto* const values = out[0].data<int64_t>();
  found->assign(values, values + out[0].num_elements());
  return OkStatus();
}

TEST(FailingReadBack, TheStepEndsAndTheSessionGoesOn) {
  auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  Session& session = **opened;
  const std::vector<int64_t> want = {1, 3};
  std::vector<int64_t> found;
  ASSERT_EQ(FindPlaces(session, &found), OkStatus());
  const std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
  ASSERT_EQ(FindPlaces(session, &found), OkStatus());
  EXPECT_EQ(found, want);
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kWaiting, kCurrentGpu});
  int failures = 0;
  for (const auto& [function, count] : cuda_stand_in::CallsByFunction()) {
    const auto known = before.find(function);
    const int64_t calls = count - (known == before.end() ? 0 : known->second);
    for (int64_t call = 1; call <= calls; ++call) {
      SCOPED_TRACE(function + std::to_string(call));
      cuda_stand_in::FailCallOf(function, call);
      const Status status = FindPlaces(session, &found);
      const bool has_failed = cuda_stand_in::failed_call() == function;
      cuda_stand_in::FailCall(0);
      if (status.ok()) {
        EXPECT_EQ(found, want);
        EXPECT_TRUE(!has_failed || may_pass.count(function) > 0);
      } else {
        ++failures;
        EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
        EXPECT_TRUE(absl::StrContains(status.message(), "made to fail")) << status;
      }
      ASSERT_EQ(FindPlaces(session, &found), OkStatus());
      EXPECT_EQ(found, want);
    }
  }
  EXPECT_GT(failures, 5);
  EXPECT_EQ(session.Close(), OkStatus());
  opened->reset();
  EXPECT_EQ(cuda_stand_in::Left().ToString(), "");
}

}  // namespace
}  // namespace warpbeam
