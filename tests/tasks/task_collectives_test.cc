// Collectives whose members are on several tasks, over sockets: the tasks are of this process, and
// say to each other what those of a real cluster say.
#include <atomic>
#include <functional>
#include <thread>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/collective_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "gmock/gmock.h"
#include "tests/tasks/collectives_fixture.h"
#include "tests/tasks/replicated_model.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(TaskCollectivesTest, TwoTasksGetTheSum) {
  StartTasks(2);
  const Scope root = Scope::NewRoot();
  for (int i = 0; i < 2; ++i) {
    const Scope at = root.Device(WorkerName(i));
    const Output x = Placeholder(at.Named(absl::StrCat("x", i)), DType::kFloat, PartialShape({3}));
    Sum(at, absl::StrCat("sum", i), x, 2, 1);
  }
  const auto session = Open(root);
  for (int step = 0; step < 20; ++step) {
    const auto s = static_cast<float>(step);
    const auto sums = Fetch(
        *session, {"sum0:0", "sum1:0"},
        {{"x0:0", Tensor::Vector({1.0f, 2.0f, s})}, {"x1:0", Tensor::Vector({10.0f, s, 30.0f})}});
    ASSERT_TRUE(sums.ok()) << sums.status();
    for (const Tensor& sum : *sums) {
      EXPECT_THAT(MakeConstSpan(sum.data<float>(), 3), ElementsAre(11, 2 + s, 30 + s));
    }
  }
  // The group formed once.
  EXPECT_EQ(cluster_->calls("/job:worker/replica:0/task:0", "CompleteGroup"), 1);
}

// A graph of a member on each task, which feeds x0, x1, … and fetches y0, y1, ….
Scope Members(int tasks, const std::function<void(const Scope&, int, const Output&)>& member,
              const PartialShape& shape = PartialShape({2})) {
  const Scope root = Scope::NewRoot();
  for (int i = 0; i < tasks; ++i) {
    const Scope at = root.Device(WorkerName(i));
    member(at, i, Placeholder(at.Named(absl::StrCat("x", i)), DType::kFloat, shape));
  }
  return root;
}

TEST_F(TaskCollectivesTest, MembersOfATaskComeTogetherFirst) {
  StartTasks(2, /*cpu_devices=*/2);
  const Scope root = Scope::NewRoot();
  std::vector<std::string> fetches;
  for (int i = 0; i < 4; ++i) {
    const Scope at = root.Device(absl::StrCat(WorkerName(i / 2), "/device:CPU:", i % 2));
    fetches.push_back(absl::StrCat("mean", i, ":0"));
    Sum(at, absl::StrCat("mean", i), Constant(at, static_cast<float>(i)), 4, 1, "Div");
  }
  const auto session = Open(root);
  for (int step = 0; step < 3; ++step) {
    const auto means = Fetch(*session, fetches);
    ASSERT_TRUE(means.ok()) << means.status();
    for (const Tensor& mean : *means) EXPECT_EQ(mean.scalar<float>(), 1.5f);
  }
}

TEST_F(TaskCollectivesTest, MembersOfOneTaskNeedNoOther) {
  StartTasks(2, /*cpu_devices=*/2);
  const Scope root = Scope::NewRoot();
  std::vector<std::string> fetches;
  for (int i = 0; i < 2; ++i) {
    const Scope at = root.Device(absl::StrCat(WorkerName(1), "/device:CPU:", i));
    fetches.push_back(absl::StrCat("sum", i, ":0"));
    Sum(at, absl::StrCat("sum", i), Constant(at, 2.0f), 2, 1);
  }
  const auto session = Open(root);
  const auto sums = Fetch(*session, fetches);
  ASSERT_TRUE(sums.ok()) << sums.status();
  for (const Tensor& sum : *sums) EXPECT_EQ(sum.scalar<float>(), 4);
  EXPECT_EQ(cluster_->calls("/job:worker/replica:0/task:1", "RecvBuf"), 0);
}

TEST_F(TaskCollectivesTest, ThreeTasksGatherAndBroadcast) {
  StartTasks(3);
  const Scope root = Members(3, [](const Scope& at, int i, const Output& x) {
    ops::CollectiveGatherV2(at.Named(absl::StrCat("all", i)), x, Constant(at, 3), Constant(at, 1),
                            Constant(at, 1), {});
    const Scope named = at.Named(absl::StrCat("from_one", i));
    if (i == 1) {
      ops::CollectiveBcastSendV2(named, x, Constant(at, 3), Constant(at, 1), Constant(at, 2));
    } else {
      ops::CollectiveBcastRecvV2(named, Constant(at, 3), Constant(at, 1), Constant(at, 2),
                                 Constant(at, {2}), DType::kFloat);
    }
  });
  const auto session = Open(root);
  const auto out =
      Fetch(*session, {"all0:0", "all1:0", "all2:0", "from_one0:0", "from_one1:0", "from_one2:0"},
            {{"x0:0", Tensor::Vector({1.0f, 2.0f})},
             {"x1:0", Tensor::Vector({3.0f, 4.0f})},
             {"x2:0", Tensor::Vector({5.0f, 6.0f})}});
  ASSERT_TRUE(out.ok()) << out.status();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(MakeConstSpan((*out)[i].data<float>(), 6), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(MakeConstSpan((*out)[3 + i].data<float>(), 2), ElementsAre(3, 4));
  }
}

// Two members on the first task and one on each other: pieces for a task come from several members.
TEST_F(TaskCollectivesTest, PiecesGoFromEachMemberToEach) {
  StartTasks(3, /*cpu_devices=*/2);
  const char* const devices[] = {"/job:worker/task:0/cpu:0", "/job:worker/task:0/cpu:1",
                                 "/job:worker/task:1/cpu:0", "/job:worker/task:2/cpu:1"};
  const Scope root = Scope::NewRoot();
  std::vector<std::string> pieces, shares;
  for (int i = 0; i < 4; ++i) {
    const Scope at = root.Device(devices[i]);
    std::vector<float> rows;
    for (int row = 0; row < 8; ++row) rows.push_back(static_cast<float>(100 * i + row));
    const Output x = Constant(at, Tensor::FromValues<float>(Shape({4, 2}), rows));
    pieces.push_back(absl::StrCat("pieces", i, ":0"));
    ops::CollectiveAllToAllV2(at.Named(absl::StrCat("pieces", i)), x, Constant(at, 4),
                              Constant(at, 1), Constant(at, 1), {});
    shares.push_back(absl::StrCat("share", i, ":0"));
    ops::CollectiveReduceScatterV2(at.Named(absl::StrCat("share", i)), x, Constant(at, 4),
                                   Constant(at, 1), Constant(at, 2), {}, "Add", "Div");
  }
  const auto session = Open(root);
  for (int step = 0; step < 3; ++step) {
    const auto out = Fetch(*session, pieces);
    ASSERT_TRUE(out.ok()) << out.status();
    for (int to = 0; to < 4; ++to) {
      for (int from = 0; from < 4; ++from) {
        const float* const row = (*out)[static_cast<size_t>(to)].data<float>() + 2 * from;
        EXPECT_EQ(row[0], 100 * from + 2 * to) << from << " to " << to;
        EXPECT_EQ(row[1], 100 * from + 2 * to + 1) << from << " to " << to;
      }
    }
    const auto means = Fetch(*session, shares);
    ASSERT_TRUE(means.ok()) << means.status();
    for (int i = 0; i < 4; ++i) {
      const Tensor& mean = (*means)[static_cast<size_t>(i)];
      ASSERT_EQ(mean.shape(), Shape({1, 2}));
      EXPECT_EQ(mean.data<float>()[1], 150 + 2 * i + 1);
    }
  }
}

// A communicator's ranks need not be in the order of the tasks.
TEST_F(TaskCollectivesTest, CommunicatorsOverTasks) {
  StartTasks(3);
  const int ranks[] = {1, 2, 0};
  const Scope root = Scope::NewRoot();
  std::vector<std::string> sums(3), pieces(3), of_rows(3);
  for (int task = 0; task < 3; ++task) {
    const Scope at = root.Device(WorkerName(task));
    const int rank = ranks[task];
    const auto in_order = static_cast<size_t>(rank);
    const Output communicator = ops::CollectiveInitializeCommunicator(
        at, Constant(at, 7), Constant(at, rank), Constant(at, 3));
    const Output x =
        Constant(at, {10.0f * static_cast<float>(rank) + 1, 10.0f * static_cast<float>(rank) + 2,
                      10.0f * static_cast<float>(rank) + 3});
    const Output one_group = Constant(at, Tensor::FromValues<int32_t>(Shape({0, 0}), {}));
    const Output rows = Constant(at, Tensor::FromValues<int32_t>(Shape({3, 1}), {0, 1, 2}));
    const Output sum = ops::CollectiveReduceV3(at, x, communicator, one_group, "Add");
    const Scope then = at.ControlDependencies({sum});
    const Output exchanged = ops::CollectiveAllToAllV3(then, x, communicator, one_group);
    const Scope last = at.ControlDependencies({exchanged});
    const Output own = ops::CollectiveReduceV3(last, x, communicator, rows, "Max");
    sums[in_order] = sum.name();
    pieces[in_order] = exchanged.name();
    of_rows[in_order] = own.name();
  }
  std::vector<std::string> fetches = sums;
  fetches.insert(fetches.end(), pieces.begin(), pieces.end());
  fetches.insert(fetches.end(), of_rows.begin(), of_rows.end());
  const auto session = Open(root);
  for (int step = 0; step < 3; ++step) {
    const auto out = Fetch(*session, fetches);
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t rank = 0; rank < 3; ++rank) {
      const auto r = static_cast<float>(rank);
      const auto values = [&](size_t i) {
        return MakeConstSpan((*out)[3 * i + rank].data<float>(), 3);
      };
      EXPECT_THAT(values(0), ElementsAre(33, 36, 39));
      EXPECT_THAT(values(1), ElementsAre(r + 1, r + 11, r + 21));
      EXPECT_THAT(values(2), ElementsAre(10 * r + 1, 10 * r + 2, 10 * r + 3));
    }
  }
}

// Each task gets to them in another order, and steps run side by side.
TEST_F(TaskCollectivesTest, AnyNumberOfCollectivesIsUnderWay) {
  StartTasks(2);
  constexpr int kInstances = 30;
  const Scope root = Members(2, [](const Scope& at, int i, const Output& x) {
    std::vector<Output> sums;
    for (int k = 0; k < kInstances; ++k) {
      const int instance = i == 0 ? k : kInstances - 1 - k;
      sums.push_back(Sum(at, absl::StrCat("sum", i, "_", instance),
                         Multiply(at, x, static_cast<float>(instance)), 2, instance));
    }
    AddN(at.Named(absl::StrCat("y", i)), sums);
  });
  const auto session = Open(root);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int step = 0; step < 5; ++step) {
        const auto x = static_cast<float>(t + 1);
        const auto y = Fetch(*session, {"y0:0", "y1:0"},
                             {{"x0:0", Tensor::Vector({x, x})}, {"x1:0", Tensor::Vector({x, x})}});
        EXPECT_TRUE(y.ok()) << y.status();
        if (!y.ok()) return;
        const float expected = 2 * x * (kInstances * (kInstances - 1) / 2);
        for (const Tensor& one : *y) right += one.data<float>()[1] == expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

TEST_F(TaskCollectivesTest, DifferencesEndTheStep) {
  StartTasks(2);
  const Scope root = Members(
      2,
      [](const Scope& at, int i, const Output& x) {
        Sum(at, absl::StrCat("shape", i), x, 2, 1);
        Sum(at, absl::StrCat("size", i), x, 2 + i, 1, "Id", /*group=*/2);
        const std::string dtype = absl::StrCat("dtype", i);
        if (i == 0) {
          Sum(at, dtype, x, 2, 2);
          Sum(at, "kind0", x, 2, 3);
        } else {
          Sum(at, dtype, Cast(at, x, DType::kDouble), 2, 2);
          ops::CollectiveGatherV2(at.Named("kind1"), x, Constant(at, 2), Constant(at, 1),
                                  Constant(at, 3), {});
        }
      },
      PartialShape({-1}));
  const auto session = Open(root);
  const NamedTensors same = {{"x0:0", Tensor::Vector({1.0f})}, {"x1:0", Tensor::Vector({2.0f})}};
  const NamedTensors other = {{"x0:0", Tensor::Vector({1.0f})},
                              {"x1:0", Tensor::Vector({2.0f, 3.0f})}};
  const auto error = [&](const std::string& of, const NamedTensors& feeds) {
    return std::string(Fetch(*session, {of + "0:0", of + "1:0"}, feeds).status().message());
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(error("shape", other), HasSubstr("Shape mismatch in the collective instance 1"));
    EXPECT_THAT(error("size", same), HasSubstr("but that group has size"));
    EXPECT_THAT(error("dtype", same), HasSubstr("Collective instance 2 expected type 0"));
    EXPECT_THAT(error("kind", same), HasSubstr("Collective instance 3 expected type"));
    // The session goes on, and so does the group.
    const auto sums = Fetch(*session, {"shape0:0", "shape1:0"}, same);
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_EQ((*sums)[0].data<float>()[0], 3);
  }
}

// One member's input never comes.
TEST_F(TaskCollectivesTest, ACancelledStepLeavesAndTheNextOneMeets) {
  StartTasks(2);
  const Scope root = Members(2, [](const Scope& at, int i, const Output& x) {
    if (i == 0) {
      Sum(at, "y0", x, 2, 1);
      Sum(at, "late0", x, 2, 2);
      return;
    }
    Sum(at, "y1", x, 2, 1);
    const Output queue = ops::FIFOQueueV2(at.Named("queue"), {DType::kFloat});
    Sum(at, "late1", ops::QueueDequeueV2(at, queue, {DType::kFloat})[0], 2, 2);
  });
  const auto session = Open(root);
  const NamedTensors feeds = {{"x0:0", Tensor::Vector({1.0f, 1.0f})},
                              {"x1:0", Tensor::Vector({2.0f, 2.0f})}};
  for (int i = 0; i < 3; ++i) {
    const Status late = Fetch(*session, {"late0:0", "late1:0"}, feeds, 100).status();
    EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
    const auto y = Fetch(*session, {"y0:0", "y1:0"}, feeds);
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[1].data<float>()[1], 3);
  }
  EXPECT_EQ(cluster_->worker(0).steps().size(), 0);
  EXPECT_EQ(cluster_->worker(1).steps().size(), 0);
}

TEST_F(TaskCollectivesTest, WhoeverDoesNotComeInTimeEndsIt) {
  StartTasks(2);
  const Scope root = Members(1, [](const Scope& at, int, const Output& x) {
    ops::CollectiveReduceV2(at.Named("y0"), x, Constant(at, 2), Constant(at, 1), Constant(at, 1),
                            {}, "Add", "Id", ops::CollectiveReduceV2Attrs().timeout_seconds(0.1f));
  });
  const auto session = Open(root);
  const Status late = Fetch(*session, {"y0:0"}, {{"x0:0", Tensor::Vector({1.0f, 1.0f})}}).status();
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(
      std::string(late.message()),
      AllOf(HasSubstr("timed out waiting for other workers"),
            HasSubstr("Of the 2 members of group_key=1, instance 1, 1 have come here: 'y0'"),
            HasSubstr("/job:worker/replica:0/task:0/device:CPU:0")));
}

// The group is there, and one of its tasks does not come to this collective.
TEST_F(TaskCollectivesTest, ATaskThatDoesNotComeInTimeIsNamed) {
  StartTasks(2);
  const Scope root = Members(2, [](const Scope& at, int i, const Output& x) {
    const Output queue = ops::FIFOQueueV2(at, {DType::kFloat});
    const Output late = i == 0 ? x : ops::QueueDequeueV2(at, queue, {DType::kFloat})[0];
    Sum(at, absl::StrCat("all", i), x, 2, 1);
    ops::CollectiveReduceV2(at.Named(absl::StrCat("late", i)), late, Constant(at, 2),
                            Constant(at, 1), Constant(at, 2), {}, "Add", "Id",
                            ops::CollectiveReduceV2Attrs().timeout_seconds(0.2f));
  });
  const auto session = Open(root);
  const NamedTensors feeds = {{"x0:0", Tensor::Vector({1.0f, 1.0f})},
                              {"x1:0", Tensor::Vector({2.0f, 2.0f})}};
  ASSERT_TRUE(Fetch(*session, {"all0:0", "all1:0"}, feeds).ok());
  const Status late = Fetch(*session, {"late0:0", "late1:0"}, feeds).status();
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()),
              AllOf(HasSubstr("group_key=1, instance 2"),
                    HasSubstr("not there yet: /job:worker/replica:0/task:1")));
}

TEST_F(TaskCollectivesTest, ReplicasHaveTheLossesOfOneProcess) {
  StartTasks(2);
  const auto over_tasks = Open(ReplicatedModel({WorkerName(0), WorkerName(1)}));
  const std::vector<float> losses = LossesOf(*over_tasks);
  EXPECT_GT(cluster_->calls("/job:worker/replica:0/task:0", "CompleteInstance"), 10);
  SessionOptions options;
  options.cpu_devices = 2;
  const Scope here = ReplicatedModel({"/device:CPU:0", "/device:CPU:1"});
  ASSERT_TRUE(here.status().ok()) << here.status();
  auto alone = Session::Create(options, here.graph());
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(losses, LossesOf(**alone));  // all bits
  EXPECT_LT(losses.back(), losses.front());
}

TEST_F(TaskCollectivesTest, ALeaderThatIsGoneIsNamed) {
  StartTasks(2);
  const Scope root = Members(
      2, [](const Scope& at, int i, const Output& x) { Sum(at, absl::StrCat("y", i), x, 2, 1); });
  const auto session = Open(root);
  bool is_gone = true;
  cluster_->Script("/job:worker/replica:0/task:0", [&is_gone](absl::string_view call) {
    return call == "CompleteGroup" && is_gone
               ? Unavailable("/job:worker/replica:0/task:0 does not answer")
               : OkStatus();
  });
  const NamedTensors feeds = {{"x0:0", Tensor::Vector({1.0f, 1.0f})},
                              {"x1:0", Tensor::Vector({2.0f, 2.0f})}};
  const Status failed = Fetch(*session, {"y0:0", "y1:0"}, feeds).status();
  EXPECT_EQ(failed.code(), StatusCode::kUnavailable) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr("task:0 does not answer"));
  is_gone = false;
  EXPECT_TRUE(Fetch(*session, {"y0:0", "y1:0"}, feeds).ok());
}

TEST_F(TaskCollectivesTest, WithoutCommunicatorsItSaysSo) {
  auto cluster = LocalCluster::Create({{"worker", 0}, {"worker", 1}}, SessionOptions());
  ASSERT_TRUE(cluster.ok());
  cluster_ = *std::move(cluster);
  const Scope root = Members(
      2, [](const Scope& at, int i, const Output& x) { Sum(at, absl::StrCat("y", i), x, 2, 1); });
  const auto session = Open(root);
  const Status failed =
      Fetch(*session, {"y0:0", "y1:0"},
            {{"x0:0", Tensor::Vector({1.0f, 1.0f})}, {"x1:0", Tensor::Vector({2.0f, 2.0f})}})
          .status();
  EXPECT_EQ(failed.code(), StatusCode::kUnimplemented) << failed;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
