#include "runtime/dist/requests/ran_graphs.h"

#include <atomic>
#include <future>
#include <thread>

#include "gtest/gtest.h"
#include "proto/worker.pb.h"
#include "runtime/kernel/cancellation.h"

namespace warpbeam {
namespace {

tensorflow::RunGraphRequest Numbered(int64_t request_id, int64_t step_id = 1) {
  tensorflow::RunGraphRequest request;
  request.set_request_id(request_id);
  request.set_step_id(step_id);
  return request;
}

class RanGraphsTest : public ::testing::Test {
 protected:
  // Answers with how often it was run, and so many bytes.
  Status Run(int64_t request_id, tensorflow::RunGraphResponse* response, size_t size = 10,
             int64_t step_id = 1) {
    return ran_.Once(Numbered(request_id, step_id), nullptr, response, [&] {
      response->add_recv()->set_name(std::string(size, 'x'));
      response->set_status_error_message(std::to_string(++times_));
      return OkStatus();
    });
  }
  RanGraphs ran_;
  std::atomic<int> times_{0};
};

TEST_F(RanGraphsTest, ARequestRunsOnceAndIsAnsweredTwice) {
  tensorflow::RunGraphResponse first, again;
  EXPECT_TRUE(Run(7, &first).ok());
  EXPECT_TRUE(Run(7, &again).ok());
  EXPECT_EQ(times_, 1);
  EXPECT_EQ(first.SerializeAsString(), again.SerializeAsString());
  EXPECT_TRUE(Run(8, &again).ok());
  EXPECT_EQ(times_, 2);
}

TEST_F(RanGraphsTest, WithoutANumberNothingIsRemembered) {
  tensorflow::RunGraphResponse response;
  EXPECT_TRUE(Run(0, &response).ok());
  EXPECT_TRUE(Run(0, &response).ok());
  EXPECT_EQ(times_, 2);
  EXPECT_EQ(ran_.bytes(), 0u);
}

TEST_F(RanGraphsTest, AnErrorIsToldAgain) {
  tensorflow::RunGraphResponse response;
  const auto fail = [&] {
    ++times_;
    return InvalidArgument("not finite");
  };
  const Status first = ran_.Once(Numbered(7), nullptr, &response, fail);
  EXPECT_EQ(ran_.Once(Numbered(7), nullptr, &response, fail), first);
  EXPECT_EQ(times_, 1);
}

TEST_F(RanGraphsTest, OneThatComesWhileTheFirstRunsWaitsForIt) {
  std::promise<void> may_end, has_begun;
  tensorflow::RunGraphResponse first, again;
  std::thread runs([&] {
    ran_.Once(Numbered(7), nullptr, &first,
              [&] {
                has_begun.set_value();
                may_end.get_future().wait();
                first.set_status_error_message("the answer");
                return OkStatus();
              })
        .IgnoreError();
  });
  has_begun.get_future().wait();
  Cancellation cancellation;
  std::future<Status> waits = std::async(std::launch::async, [&] {
    return ran_.Once(Numbered(7), nullptr, &again, [] { return Internal("run again"); });
  });
  // One whose caller goes does not wait.
  std::future<Status> leaves = std::async(std::launch::async, [&] {
    tensorflow::RunGraphResponse nothing;
    return ran_.Once(Numbered(7), &cancellation, &nothing, [] { return Internal("run again"); });
  });
  cancellation.Cancel(Cancelled("the client has gone"));
  EXPECT_TRUE(IsCancelled(leaves.get()));
  may_end.set_value();
  runs.join();
  EXPECT_TRUE(waits.get().ok());
  EXPECT_EQ(again.status_error_message(), "the answer");
}

TEST_F(RanGraphsTest, AnAnswerGoesWithItsStepAndIsThenRefused) {
  tensorflow::RunGraphResponse response;
  EXPECT_TRUE(Run(7, &response, 10, /*step_id=*/3).ok());
  ran_.EndStep(4);
  EXPECT_TRUE(Run(7, &response).ok());
  ran_.EndStep(3);
  EXPECT_EQ(ran_.bytes(), 0u);
  EXPECT_TRUE(IsAborted(Run(7, &response)));
  EXPECT_EQ(times_, 1);
}

TEST_F(RanGraphsTest, MemoryIsBounded) {
  tensorflow::RunGraphResponse large;
  EXPECT_TRUE(Run(1, &large, RanGraphs::kMostBytes).ok());
  EXPECT_EQ(ran_.bytes(), 0u);
  EXPECT_TRUE(IsAborted(Run(1, &large)));
  for (int64_t request = 2; request < 600; ++request) {
    tensorflow::RunGraphResponse response;
    EXPECT_TRUE(Run(request, &response, RanGraphs::kMostBytes - 1000, request).ok());
    ASSERT_LE(ran_.bytes(), RanGraphs::kMostTotal);
  }
  tensorflow::RunGraphResponse response;
  EXPECT_TRUE(IsAborted(Run(2, &response)));
  EXPECT_TRUE(Run(599, &response).ok());
  EXPECT_EQ(times_, 599);
}

}  // namespace
}  // namespace warpbeam
