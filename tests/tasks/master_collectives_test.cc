// Collectives whose members are in steps of several masters, each of which has a session of its
// own: what ties them, and what they are told when one of them fails or is of another program.
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "tests/tasks/collectives_fixture.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// Each task has a session of its own, and the keys alone tie them.
class BetweenGraphTest : public TaskCollectivesTest {
 protected:
  void OpenAll(int tasks) {
    StartTasks(tasks);
    for (int i = 0; i < tasks; ++i) {
      const Scope root = Scope::NewRoot().Device(WorkerName(i));
      const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
      Sum(root, "y", ops::CheckNumerics(root, x, "not finite"), tasks, 1);
      sessions_.push_back(Open(root, /*master=*/i));
    }
  }
  // A step of each, at the same time.
  std::vector<StatusOr<float>> RunAll(const std::vector<float>& x) {
    std::vector<StatusOr<float>> y(x.size(), 0.0f);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < x.size(); ++i) {
      threads.emplace_back([&, i] {
        const auto out = Fetch(*sessions_[i], {"y:0"}, {{"x:0", Tensor::Scalar(x[i])}});
        if (out.ok()) {
          y[i] = (*out)[0].scalar<float>();
        } else {
          y[i] = out.status();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return y;
  }

  std::vector<std::unique_ptr<Session>> sessions_;
};

TEST_F(BetweenGraphTest, StepsOfSeveralMastersMeet) {
  OpenAll(3);
  for (int step = 0; step < 10; ++step) {
    for (const auto& y : RunAll({1, 10, static_cast<float>(step)})) {
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(*y, 11 + static_cast<float>(step));
    }
  }
}

TEST_F(BetweenGraphTest, AStepThatFailsEndsTheOthersAndAllBeginAgain) {
  OpenAll(2);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(RunAll({1, 2})[0].ok());
    constexpr char kFirst[] = "/job:worker/replica:0/task:0";
    const int arrived = cluster_->calls(kFirst, "CompleteInstance");
    Status told;
    std::thread waiting([&] {
      told = Fetch(*sessions_[1], {"y:0"}, {{"x:0", Tensor::Scalar(1.0f)}}).status();
    });
    while (cluster_->calls(kFirst, "CompleteInstance") == arrived) std::this_thread::yield();
    const float infinite = std::numeric_limits<float>::infinity();
    const auto failed = Fetch(*sessions_[0], {"y:0"}, {{"x:0", Tensor::Scalar(infinite)}});
    waiting.join();
    EXPECT_EQ(failed.status().code(), StatusCode::kInvalidArgument) << failed.status();
    EXPECT_EQ(told.code(), StatusCode::kInvalidArgument) << told;
    EXPECT_THAT(std::string(told.message()),
                AllOf(HasSubstr("From /job:worker/replica:0/task:0"), HasSubstr("not finite")));
    const auto again = RunAll({3, 4});
    for (const auto& y : again) {
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(*y, 7);
    }
  }
}

// The group's key is computed, so that only the graph key says that other masters are in it.
class GraphKeyTest : public TaskCollectivesTest {
 protected:
  void SetUp() override {
    StartTasks(2);
    for (int i = 0; i < 2; ++i) {
      const Scope root = Scope::NewRoot().Device(WorkerName(i));
      const auto group = ops::CollectiveAssignGroupV2(
          root, Constant(root, Tensor::FromValues<int32_t>(Shape({1, 2}), {0, 1})),
          Constant(root, i), Constant(root, 3));
      const Output x = Constant(root, static_cast<float>(i + 1));
      ops::CollectiveReduceV2(root.Named("computed"), x, group.group_size, group.group_key,
                              Constant(root, 1), {}, "Add", "Id");
      Sum(root, "constant", x, 2, 1);
      sessions_.push_back(Open(root, /*master=*/i));
    }
  }
  std::vector<StatusOr<std::vector<Tensor>>> RunBoth(const std::string& fetch,
                                                     const std::vector<int64_t>& keys) {
    std::vector<StatusOr<std::vector<Tensor>>> out(2, std::vector<Tensor>());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        RunOptions options;
        options.timeout_ms = 30000;
        options.collective_graph_key = keys[i];
        std::vector<Tensor> fetched;
        const Status ran = sessions_[i]->Run(options, {}, {fetch}, {}, &fetched);
        if (ran.ok()) {
          out[i] = fetched;
        } else {
          out[i] = ran;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return out;
  }

  std::vector<std::unique_ptr<Session>> sessions_;
};

TEST_F(GraphKeyTest, StepsOfOneKeyMeetUnderComputedKeysOfGroups) {
  for (int step = 0; step < 3; ++step) {
    for (const char* fetch : {"computed:0", "constant:0"}) {
      for (const auto& out : RunBoth(fetch, {6, 6})) {
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<float>(), 3);
      }
    }
  }
}

TEST_F(GraphKeyTest, StepsOfDifferentKeysAreToldSo) {
  for (const std::vector<int64_t>& keys : {std::vector<int64_t>{6, 7}, {6, 0}}) {
    // Either task may be the one that joins.
    const auto told = [&](int task, int other) {
      return HasSubstr(absl::StrCat("collective_graph_key ", keys[task],
                                    ", /job:worker/replica:0/task:", other, " in one of ",
                                    keys[other], ";"));
    };
    for (const auto& out : RunBoth("constant:0", keys)) {
      EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument) << out.status();
      EXPECT_THAT(std::string(out.status().message()),
                  AllOf(AnyOf(told(0, 1), told(1, 0)), HasSubstr("/job:worker/replica:0/task:"),
                        HasSubstr("have the same collective_graph_key")));
    }
  }
  for (const auto& out : RunBoth("constant:0", {0, 0})) EXPECT_TRUE(out.ok()) << out.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
