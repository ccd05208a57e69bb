// Workers with graphs and threads of their own, on the tasks of one process.
#include "frontend/training/sync_replicas_optimizer.h"

#include <memory>
#include <thread>

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/adam.h"
#include "frontend/training/coordinator.h"
#include "frontend/training/global_step.h"
#include "gtest/gtest.h"
#include "runtime/dist/cluster/testing/local_cluster.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr float kRate = 0.5f;

Tensor Matrix(const std::vector<float>& values, int64_t rows) {
  const int64_t columns = static_cast<int64_t>(values.size()) / rows;
  return *Tensor::Vector<float>(values).Reshaped(Shape({rows, columns}));
}

// loss = mean over rows of (x w - y)^2.
struct Regression {
  Regression(const Scope& scope, bool use_resource)
      : step(scope.Named("global_step"), 0,
             VariableOptions().trainable(false).use_resource(use_resource)),
        w(scope.Named("w"), Constant(scope, Matrix({1, -2}, 2)),
          VariableOptions().use_resource(use_resource)),
        x(Placeholder(scope.Named("x"), DType::kFloat, {-1, 2})),
        y(Placeholder(scope.Named("y"), DType::kFloat, {-1, 1})) {
    const Output error = Subtract(scope, MatMul(scope, x, w), y);
    loss = ReduceMean(scope, Multiply(scope, error, error));
  }

  Variable step, w;
  Output x, y, loss;
};

// Variables on the ps, everything else on the worker's task.
DeviceFunction Replica(int worker) {
  return [worker](const Operation& operation) -> StatusOr<std::string> {
    if (operation.type() == "VariableV2" || operation.type() == "VarHandleOp") {
      return std::string("/job:ps/task:0");
    }
    return absl::StrCat("/job:worker/task:", worker);
  };
}

// A worker: its graph, and its session on the cluster.
class Worker {
 public:
  Worker(int index, int aggregate, int total, const std::function<Operation(Worker&)>& build,
         std::unique_ptr<Optimizer> by = std::make_unique<GradientDescentOptimizer>(kRate))
      : scope(root.Device(Replica(index))),
        optimizer(std::move(by)),
        sync(optimizer.get(), aggregate, SyncReplicasOptions().total_num_replicas(total)),
        is_chief_(index == 0) {
    train = build(*this);
    tokens = sync.InitTokensOp(scope, std::max(0, aggregate - total));
    leave = sync.LeaveOp(scope);
    init = GlobalVariablesInitializer(scope);
  }

  Status Open(LocalCluster& cluster) {
    WB_RETURN_IF_ERROR(root.status());
    WB_ASSIGN_OR_RETURN(session, cluster.NewSession(root.graph()));
    if (is_chief_) {
      WB_RETURN_IF_ERROR(Run({init}));
      WB_RETURN_IF_ERROR(Run({sync.chief_init_op()}));
      return Run({tokens});
    }
    return Run({sync.local_step_init_op()});
  }
  Status Run(const std::vector<Operation>& targets, const NamedTensors& feeds = {}) {
    std::vector<std::string> names;
    for (const Operation& target : targets) names.push_back(target.name());
    std::vector<Tensor> none;
    return session->Run({}, feeds, {}, names, &none, nullptr);
  }
  Tensor Value(const Output& output) {
    std::vector<Tensor> values;
    const Status status = session->Run({}, {}, {output.name()}, {}, &values, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    return status.ok() ? values[0] : Tensor();
  }
  // What the chief's thread does, once.
  Status Synchronize() {
    std::vector<Tensor> none;
    return session->Run({}, {}, {}, {sync.chief_queue_runner().enqueue_op_names[0]}, &none,
                        nullptr);
  }

  const Scope root = Scope::NewRoot();
  const Scope scope;
  const std::unique_ptr<Optimizer> optimizer;
  SyncReplicasOptimizer sync;
  Operation train, tokens, leave, init;
  std::unique_ptr<Session> session;
  Variable w, step;
  Output g;

 private:
  const bool is_chief_;
};

class SyncReplicasTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto cluster = LocalCluster::Create({{"ps", 0}, {"worker", 0}, {"worker", 1}}, {});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *std::move(cluster);
  }

  // A model whose gradient is what is fed to "g".
  static Operation FedGradient(Worker& worker) {
    const Scope& s = worker.scope;
    worker.step = GetOrCreateGlobalStep(s);
    worker.w = Variable(s.Named("w"), Constant(s, {1.0f, 2.0f}));
    worker.g = Placeholder(s.Named("g"), DType::kFloat, {2});
    return worker.sync.ApplyGradients(s, {{worker.g, worker.w}}, worker.step);
  }
  static NamedTensors Fed(float a, float b) { return {{"g:0", Tensor::Vector<float>({a, b})}}; }

  std::unique_ptr<LocalCluster> cluster_;
};

std::vector<float> ValuesOf(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.num_elements()};
}

constexpr int kSyncedSteps = 20;

Tensor BatchOf(int step, int part) {
  const float s = static_cast<float>(step % 5), p = static_cast<float>(part);
  return Matrix({s - 2, p, 0.5f * s, 1, -p, s - 1}, 3);
}
Tensor LabelsOf(int step, int part) {
  return Matrix({0.1f * static_cast<float>(step), static_cast<float>(part), -1}, 3);
}

Tensor Joined(const Tensor& a, const Tensor& b) {
  std::vector<float> all = ValuesOf(a);
  const std::vector<float> rest = ValuesOf(b);
  all.insert(all.end(), rest.begin(), rest.end());
  return Matrix(all, a.dim(0) + b.dim(0));
}

// Trained by Adam in one session, with the batches of both workers in one.
std::vector<float> TrainedAlone() {
  const Scope root = Scope::NewRoot();
  const Regression model(root, /*use_resource=*/false);
  AdamOptimizer adam(0.1);
  const Operation train = adam.Minimize(root, model.loss, model.step);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  const auto initialized = session.Run({init});
  EXPECT_TRUE(initialized.ok()) << initialized.status();
  for (int i = 0; i < kSyncedSteps; ++i) {
    const auto run = session.Run({{model.x, Joined(BatchOf(i, 0), BatchOf(i, 1))},
                                  {model.y, Joined(LabelsOf(i, 0), LabelsOf(i, 1))}},
                                 {train});
    EXPECT_TRUE(run.ok()) << run.status();
  }
  const auto w = session.Run({model.w});
  EXPECT_TRUE(w.ok()) << w.status();
  return w.ok() ? ValuesOf((*w)[0]) : std::vector<float>();
}

class SyncReplicasVariablesTest : public SyncReplicasTest,
                                  public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(ResourceVariables, SyncReplicasVariablesTest, ::testing::Bool());

TEST_P(SyncReplicasVariablesTest, TrainAsOneWorkerWithALargeBatch) {
  const auto regression = [](Worker& worker) {
    const Regression model(worker.scope, GetParam());
    worker.w = model.w;
    worker.step = model.step;
    return worker.sync.Minimize(worker.scope, model.loss, model.step);
  };
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < 2; ++i) {
    workers.push_back(
        std::make_unique<Worker>(i, 2, 2, regression, std::make_unique<AdamOptimizer>(0.1)));
    const Status opened = workers[i]->Open(*cluster_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  Coordinator coordinator;
  workers[0]->sync.chief_queue_runner().Start(workers[0]->session.get(), coordinator);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      for (int step = 0; step < kSyncedSteps; ++step) {
        const Status ran = workers[i]->Run({workers[i]->train},
                                           {{"x:0", BatchOf(step, i)}, {"y:0", LabelsOf(step, i)}});
        ASSERT_TRUE(ran.ok()) << ran;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(workers[1]->Value(workers[1]->step).scalar<int32_t>(), kSyncedSteps);
  const std::vector<float> together = ValuesOf(workers[1]->Value(workers[1]->w));
  const std::vector<float> alone = TrainedAlone();
  ASSERT_EQ(together.size(), alone.size());
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(together[i], alone[i], 1e-5);
  EXPECT_GT(std::abs(alone[0] - 1), 0.1);
  // Its thread waits for gradients that do not come, and ends all the same.
  coordinator.RequestStop();
  const Status ended = coordinator.Join();
  EXPECT_TRUE(ended.ok()) << ended;
}

TEST_F(SyncReplicasTest, StaleGradientsAreDropped) {
  Worker chief(0, 1, 2, FedGradient), other(1, 1, 2, FedGradient);
  for (Worker* worker : {&chief, &other}) {
    const Status opened = worker->Open(*cluster_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  const auto step_of = [](Worker& worker, float a, float b) {
    return std::thread([&worker, a, b] {
      const Status ran = worker.Run({worker.train}, Fed(a, b));
      EXPECT_TRUE(ran.ok()) << ran;
    });
  };
  std::thread first = step_of(chief, 1, 0);
  EXPECT_TRUE(chief.Synchronize().ok());
  first.join();
  // Of step 0, which is over; the token that is left brings the worker to step 1.
  step_of(other, 100, 100).join();
  std::thread second = step_of(other, 0, 1);
  EXPECT_TRUE(chief.Synchronize().ok());
  second.join();
  EXPECT_EQ(chief.Value(chief.step).scalar<int64_t>(), 2);
  EXPECT_EQ(ValuesOf(chief.Value(chief.w)), (std::vector<float>{1 - kRate, 2 - kRate}));
}

TEST_F(SyncReplicasTest, BackupWorkersAreNotWaitedFor) {
  Worker chief(0, /*aggregate=*/1, /*total=*/2, FedGradient);
  const Status opened = chief.Open(*cluster_);
  ASSERT_TRUE(opened.ok()) << opened;
  Coordinator coordinator;
  chief.sync.chief_queue_runner().Start(chief.session.get(), coordinator);
  // A gradient may be that of the step before, for there are tokens for two workers.
  while (chief.Value(chief.step).scalar<int64_t>() < 5) {
    const Status ran = chief.Run({chief.train}, Fed(1, 0));
    ASSERT_TRUE(ran.ok()) << ran;
  }
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.Join().ok());
}

TEST_F(SyncReplicasTest, OneWorkerBringsSeveralGradients) {
  Worker chief(0, /*aggregate=*/2, /*total=*/1, FedGradient);
  const Status opened = chief.Open(*cluster_);
  ASSERT_TRUE(opened.ok()) << opened;
  Coordinator coordinator;
  chief.sync.chief_queue_runner().Start(chief.session.get(), coordinator);
  for (int i = 0; i < 6; ++i) {
    const Status ran = chief.Run({chief.train}, Fed(i % 2 == 0 ? 4 : 0, 2));
    ASSERT_TRUE(ran.ok()) << ran;
  }
  EXPECT_EQ(chief.Value(chief.step).scalar<int64_t>(), 3);
  EXPECT_EQ(ValuesOf(chief.Value(chief.w)),
            (std::vector<float>{1 - 3 * 2 * kRate, 2 - 3 * 2 * kRate}));
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.Join().ok());
}

TEST_F(SyncReplicasTest, RowsAreAggregatedRowByRow) {
  const auto rows = [](Worker& worker) {
    const Scope& s = worker.scope;
    worker.step = GetOrCreateGlobalStep(s);
    worker.w = Variable(s.Named("w"), Zeros(s, {3, 1}));
    const Output values = Placeholder(s.Named("values"), DType::kFloat, {-1, 1});
    const Output ids = Placeholder(s.Named("ids"), DType::kInt32, {-1});
    return worker.sync.ApplyGradients(
        s, {{Gradient(IndexedSlices{values, ids, Output()}), worker.w}}, worker.step);
  };
  Worker chief(0, 2, 2, rows), other(1, 2, 2, rows);
  for (Worker* worker : {&chief, &other}) {
    const Status opened = worker->Open(*cluster_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  std::thread first([&] {
    const Status ran = chief.Run({chief.train}, {{"values:0", Matrix({2, 4}, 2)},
                                                 {"ids:0", Tensor::Vector<int32_t>({0, 2})}});
    EXPECT_TRUE(ran.ok()) << ran;
  });
  std::thread second([&] {
    const Status ran = other.Run(
        {other.train}, {{"values:0", Matrix({8}, 1)}, {"ids:0", Tensor::Vector<int32_t>({2})}});
    EXPECT_TRUE(ran.ok()) << ran;
  });
  const Status synchronized = chief.Synchronize();
  EXPECT_TRUE(synchronized.ok()) << synchronized;
  first.join();
  second.join();
  EXPECT_EQ(ValuesOf(chief.Value(chief.w)), (std::vector<float>{-2 * kRate, 0, -6 * kRate}));
}

TEST_F(SyncReplicasTest, WhoWaitsForATokenIsToldOfTheEnd) {
  Worker chief(0, 2, 2, FedGradient), other(1, 2, 2, FedGradient);
  for (Worker* worker : {&chief, &other}) {
    const Status opened = worker->Open(*cluster_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  Coordinator coordinator;
  chief.sync.chief_queue_runner().Start(chief.session.get(), coordinator);
  Status waited;
  std::thread thread([&] { waited = other.Run({other.train}, Fed(1, 1)); });
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.Join().ok());
  thread.join();
  EXPECT_EQ(waited.code(), StatusCode::kOutOfRange) << waited;
}

TEST_F(SyncReplicasTest, WhoLeavesLetsOthersGo) {
  Worker chief(0, 2, 2, FedGradient), other(1, 2, 2, FedGradient);
  for (Worker* worker : {&chief, &other}) {
    const Status opened = worker->Open(*cluster_);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  Coordinator coordinator;
  chief.sync.chief_queue_runner().Start(chief.session.get(), coordinator);
  Status waited;
  std::thread thread([&] { waited = chief.Run({chief.train}, Fed(1, 1)); });
  const Status left = other.Run({other.leave});
  EXPECT_TRUE(left.ok()) << left;
  thread.join();
  EXPECT_TRUE(waited.ok()) << waited;
  EXPECT_EQ(chief.Value(chief.step).scalar<int64_t>(), 0);
  coordinator.RequestStop();
  EXPECT_TRUE(coordinator.Join().ok());
}

TEST(SyncReplicasErrorsTest, AreThoseOfBuilding) {
  const auto code = [](const std::function<void(const Scope&, Optimizer&, const Variable& w,
                                                const Variable& step)>& build) {
    const Scope root = Scope::NewRoot();
    const Variable w(root.Named("w"), 1.0f), step = GetOrCreateGlobalStep(root);
    GradientDescentOptimizer descent(0.1);
    build(root, descent, w, step);
    return root.status().code();
  };
  const auto apply = [](const Scope& s, SyncReplicasOptimizer& sync, const Variable& w,
                        const Variable& step) {
    sync.ApplyGradients(s, {{Constant(s, 1.0f), w}}, step);
  };
  using Code = StatusCode;
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable& w, const Variable& step) {
              SyncReplicasOptimizer sync(&o, 2);
              apply(s, sync, w, step);
            }),
            Code::kOk);
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable& w, const Variable&) {
              SyncReplicasOptimizer sync(&o, 2);
              apply(s, sync, w, Variable());
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable& w, const Variable& step) {
              SyncReplicasOptimizer sync(&o, 0);
              apply(s, sync, w, step);
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable& w, const Variable& step) {
              SyncReplicasOptimizer sync(&o, 2);
              apply(s, sync, w, step);
              apply(s, sync, w, step);
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable&, const Variable&) {
              SyncReplicasOptimizer(&o, 2).InitTokensOp(s);
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(code([&](const Scope& s, Optimizer& o, const Variable& w, const Variable& step) {
              SyncReplicasOptimizer sync(&o, 3, SyncReplicasOptions().total_num_replicas(1));
              apply(s, sync, w, step);
              EXPECT_TRUE(s.ok());
              sync.InitTokensOp(s, 1);
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
