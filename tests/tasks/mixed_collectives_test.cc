// Collectives of tasks that take each other for TensorFlow's: the same program as with those, all
// of it in this process. With TensorFlow's own tasks: tests/clients/collectives_test.py.
#include <atomic>
#include <chrono>
#include <functional>
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFirst[] = "/job:worker/replica:0/task:0";
constexpr char kSecond[] = "/job:worker/replica:0/task:1";

class MixedCollectivesTest : public TaskCollectivesTest {
 protected:
  void StartPlain(int count, int cpu_devices = 1) {
    StartTasks(count, cpu_devices);
    cluster_->SpeakPlainly();
  }
  // Runs two at once, which wait for each other.
  static std::vector<StatusOr<Tensor>> FetchAll(
      const std::vector<std::unique_ptr<Session>>& sessions, const std::string& name,
      const std::vector<float>& x = {}) {
    std::vector<StatusOr<Tensor>> all(sessions.size(), Tensor());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < sessions.size(); ++i) {
      threads.emplace_back([&, i] {
        NamedTensors feeds;
        if (!x.empty()) feeds = {{"x:0", Tensor::Scalar(x[i])}};
        const auto out = Fetch(*sessions[i], {name}, feeds);
        all[i] = out.ok() ? StatusOr<Tensor>((*out)[0]) : out.status();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return all;
  }
};

TEST_F(MixedCollectivesTest, TasksSumPieceByPiece) {
  StartPlain(2);
  for (const int64_t elements : {0, 1, 7, 1000, 100003}) {
    const Scope root = Scope::NewRoot();
    for (int i = 0; i < 2; ++i) {
      const Scope at = root.Device(WorkerName(i));
      std::vector<float> values(static_cast<size_t>(elements));
      for (size_t j = 0; j < values.size(); ++j) values[j] = static_cast<float>((i + 1) * j);
      Sum(at, absl::StrCat("sum", i),
          Constant(at, Tensor::FromValues<float>(Shape({elements}), values)), 2,
          static_cast<int>(elements) + 1, i == 0 ? "Id" : "Id");
    }
    const auto session = Open(root);
    for (int step = 0; step < 3; ++step) {
      const auto sums = Fetch(*session, {"sum0:0", "sum1:0"});
      ASSERT_TRUE(sums.ok()) << sums.status();
      for (const Tensor& sum : *sums) {
        ASSERT_EQ(sum.num_elements(), elements);
        for (int64_t j = 0; j < elements; ++j) {
          ASSERT_EQ(sum.data<float>()[j], static_cast<float>(3 * j));
        }
      }
    }
  }
  EXPECT_GT(cluster_->calls(kSecond, "RecvBuf"), 0);
  // Each instance once: what it is does not change from step to step.
  EXPECT_EQ(cluster_->calls(kFirst, "CompleteInstance"), 5);
}

TEST_F(MixedCollectivesTest, SeveralMembersOfEachTaskMeanGatherAndBroadcast) {
  StartPlain(3, /*cpu_devices=*/2);
  const Scope root = Scope::NewRoot();
  std::vector<std::string> means, gathered, from_one;
  for (int i = 0; i < 6; ++i) {
    const Scope at = root.Device(absl::StrCat(WorkerName(i / 2), "/device:CPU:", i % 2));
    const auto value = static_cast<float>(i);
    const Output x = Constant(at, Tensor::Vector({value, value + 10}));
    means.push_back(absl::StrCat("mean", i, ":0"));
    Sum(at, absl::StrCat("mean", i), x, 6, 1, "Div");
    gathered.push_back(absl::StrCat("all", i, ":0"));
    ops::CollectiveGatherV2(at.Named(absl::StrCat("all", i)), x, Constant(at, 6), Constant(at, 1),
                            Constant(at, 2), {});
    from_one.push_back(absl::StrCat("from_one", i, ":0"));
    const Scope named = at.Named(absl::StrCat("from_one", i));
    if (i == 3) {
      ops::CollectiveBcastSendV2(named, x, Constant(at, 6), Constant(at, 1), Constant(at, 3));
    } else {
      ops::CollectiveBcastRecvV2(named, Constant(at, 6), Constant(at, 1), Constant(at, 3),
                                 Constant(at, {2}), DType::kFloat);
    }
  }
  std::vector<std::string> fetches = means;
  fetches.insert(fetches.end(), gathered.begin(), gathered.end());
  fetches.insert(fetches.end(), from_one.begin(), from_one.end());
  const auto session = Open(root);
  for (int step = 0; step < 3; ++step) {
    const auto out = Fetch(*session, fetches);
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_THAT(MakeConstSpan((*out)[i].data<float>(), 2), ElementsAre(2.5f, 12.5f));
      EXPECT_THAT(MakeConstSpan((*out)[6 + i].data<float>(), 12),
                  ElementsAre(0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15));
      EXPECT_THAT(MakeConstSpan((*out)[12 + i].data<float>(), 2), ElementsAre(3, 13));
    }
  }
}

TEST_F(MixedCollectivesTest, StepsOfSeveralMastersHaveOneNumber) {
  StartPlain(2);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 2; ++i) {
    const Scope root = Scope::NewRoot().Device(WorkerName(i));
    const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
    Sum(root, "y", ops::CheckNumerics(root, x, "not finite"), 2, 1);
    sessions.push_back(Open(root, /*master=*/i));
  }
  for (int step = 0; step < 4; ++step) {
    for (const auto& y : FetchAll(sessions, "y:0", {1, static_cast<float>(step)})) {
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->scalar<float>(), 1 + static_cast<float>(step));
    }
  }
  EXPECT_EQ(cluster_->calls(kFirst, "GetStepSequence"), 1);
  // One that fails tells the other; then both begin again under the same number.
  const int asked = cluster_->calls(kFirst, "RecvBuf");
  Status told;
  std::thread waits([&] {
    told = Fetch(*sessions[1], {"y:0"}, {{"x:0", Tensor::Scalar(2.0f)}}).status();
  });
  while (cluster_->calls(kFirst, "RecvBuf") == asked) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const auto failed = Fetch(*sessions[0], {"y:0"}, {{"x:0", Tensor::Scalar(kInfinite)}});
  waits.join();
  for (const Status& status : {failed.status(), told}) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("not finite"));
  }
  for (const auto& y : FetchAll(sessions, "y:0", {3, 4})) {
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(y->scalar<float>(), 7);
  }
}

TEST_F(MixedCollectivesTest, DifferencesEndTheStep) {
  StartPlain(2);
  const auto run = [&](const std::function<void(const Scope&, int)>& member) {
    const Scope root = Scope::NewRoot();
    for (int i = 0; i < 2; ++i) member(root.Device(WorkerName(i)), i);
    return Fetch(*Open(root), {"y0:0", "y1:0"}).status();
  };
  const Status shapes = run([](const Scope& at, int i) {
    const Output x = i == 0 ? Constant(at, {1.0f, 2.0f}) : Constant(at, {1.0f, 2.0f, 3.0f});
    Sum(at, absl::StrCat("y", i), x, 2, 1);
  });
  EXPECT_EQ(shapes.code(), StatusCode::kInvalidArgument) << shapes;
  EXPECT_THAT(std::string(shapes.message()), HasSubstr("Shape mismatch"));
  const Status types = run([](const Scope& at, int i) {
    const Output x = i == 0 ? Constant(at, {1.0f, 2.0f}) : Constant(at, {1, 2});
    Sum(at, absl::StrCat("y", i), x, 2, 2);
  });
  EXPECT_EQ(types.code(), StatusCode::kInternal) << types;
  const Status kinds = run([](const Scope& at, int i) {
    const Output x = Constant(at, {1.0f, 2.0f});
    ops::CollectiveAllToAllV2(at.Named(absl::StrCat("y", i)), x, Constant(at, 2), Constant(at, 1),
                              Constant(at, 3), {});
  });
  EXPECT_EQ(kinds.code(), StatusCode::kUnimplemented) << kinds;
  const Status sizes = run([](const Scope& at, int i) {
    Sum(at, absl::StrCat("y", i), Constant(at, 1.0f), 2 + i, 1, "Id", /*group=*/2);
  });
  EXPECT_EQ(sizes.code(), StatusCode::kInternal) << sizes;
  EXPECT_THAT(std::string(sizes.message()), HasSubstr("joining a group with size"));
  const Status none = run([](const Scope& at, int i) {
    ops::CollectiveBcastRecvV2(at.Named(absl::StrCat("y", i)), Constant(at, 2), Constant(at, 1),
                               Constant(at, 4), Constant(at, {2}), DType::kFloat);
  });
  EXPECT_EQ(none.code(), StatusCode::kInternal) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("found no source"));
}

TEST_F(MixedCollectivesTest, ATaskThatIsGoneEndsTheStep) {
  StartPlain(2);
  const Scope root = Scope::NewRoot();
  for (int i = 0; i < 2; ++i) {
    const Scope at = root.Device(WorkerName(i));
    Sum(at, absl::StrCat("y", i), Constant(at, 1.0f), 2, 1);
  }
  const auto session = Open(root);
  ASSERT_TRUE(Fetch(*session, {"y0:0", "y1:0"}).ok());
  std::atomic<bool> is_gone{true};
  cluster_->Script(kSecond, [&is_gone](absl::string_view call) {
    return is_gone && call == "RecvBuf" ? Unavailable("gone") : OkStatus();
  });
  const Status gone = Fetch(*session, {"y0:0", "y1:0"}).status();
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr(kSecond));
  is_gone = false;
  const auto back = Fetch(*session, {"y0:0", "y1:0"});
  EXPECT_TRUE(back.ok()) << back.status();
}

TEST_F(MixedCollectivesTest, ATimeoutEndsTheStep) {
  StartPlain(2);
  const Scope root = Scope::NewRoot().Device(WorkerName(0));
  ops::CollectiveReduceV2(root.Named("y"), Constant(root, 1.0f), Constant(root, 2),
                          Constant(root, 1), Constant(root, 1), {}, "Add", "Id",
                          ops::CollectiveReduceV2Attrs().timeout_seconds(0.2f));
  const Status late = Fetch(*Open(root), {"y:0"}).status();
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
