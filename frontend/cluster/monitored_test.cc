// Sessions that last, on servers: what they share, and what becomes of them when a server goes.
#include <chrono>
#include <filesystem>
#include <thread>

#include "frontend/cluster/server.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/cluster_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// Counts its steps in the global step, and their number in `w`.
struct Model {
  Model() : step(GetOrCreateGlobalStep(root)) {
    w = GetVariable(root, "w", {}, ConstantInitializer(0));
    const Output loss = Negative(root, w.read());
    GradientDescentOptimizer optimizer(1);
    train = optimizer.Minimize(root, loss, step);
  }
  const Scope root = Scope::NewRoot();
  Variable step, w;
  Operation train;
};

class MonitoredClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Start();
    options_.config.target = server_->target();
    options_.recovery_wait_secs = 0.01;
    options_.max_wait_secs = 30;
    options_.log_step_count_steps = 0;
  }
  // The first time on any port, then on the same one again.
  void Start() {
    auto server = cluster_.num_tasks() == 0 ? Server::CreateLocal()
                                            : Server::Create(cluster_, "localhost", 0);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const std::string address = server_->target().substr(std::string("grpc://").size());
    const auto cluster = ClusterSpec::Create({{"localhost", {address}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *cluster;
  }
  static float Value(ClientSession& session, const Variable& variable) {
    const auto out = session.Run({variable});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<float>() : -1;
  }

  ClusterSpec cluster_;
  std::unique_ptr<Server> server_;
  MonitoredTrainingOptions options_;
};

TEST_F(MonitoredClusterTest, OthersTrainWhatTheChiefHasMade) {
  Model of_chief, of_other;
  MonitoredTrainingOptions other_options = options_;
  other_options.is_chief = false;
  StatusOr<std::unique_ptr<MonitoredSession>> other;
  std::thread waits([&] { other = MonitoredTrainingSession(of_other.root, other_options); });
  auto chief = MonitoredTrainingSession(of_chief.root, options_);
  ASSERT_TRUE(chief.ok()) << chief.status();
  waits.join();
  ASSERT_TRUE(other.ok()) << other.status();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*chief)->Run({of_chief.train}).ok());
  ASSERT_TRUE((*other)->Run({of_other.train}).ok());
  EXPECT_EQ(Value(*(*chief)->raw_session(), of_chief.w), 4);
  // Who closes leaves the variables to the others.
  EXPECT_TRUE((*chief)->Close().ok());
  const auto ran = (*other)->Run({of_other.train});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(Value(*(*other)->raw_session(), of_other.w), 5);
  EXPECT_TRUE((*other)->Close().ok());
}

TEST_F(MonitoredClusterTest, TrainingGoesOnAtTheCheckpointWhenTheServerComesBack) {
  Model model;
  options_.checkpoint_dir = NewFolder("restart");
  options_.save_checkpoint_steps = 2;
  options_.save_in_background = false;
  auto session = MonitoredTrainingSession(model.root, options_);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE((*session)->Run({model.train}).ok());
  EXPECT_TRUE(server_->Stop().ok());
  // It is away for a while.
  std::thread starts([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Start();
  });
  const auto ran = (*session)->Run({model.train});
  starts.join();
  ASSERT_TRUE(ran.ok()) << ran.status();
  // The fifth step was not saved.
  const float value = Value(*(*session)->raw_session(), model.w);
  EXPECT_EQ(value, 6 - 1);
  EXPECT_TRUE((*session)->Close().ok());
}

// One that waits for others to initialise the model waits for them again.
TEST_F(MonitoredClusterTest, OthersWaitForTheChiefAgainWhenTheServerComesBack) {
  Model of_chief, of_other;
  MonitoredTrainingOptions other_options = options_;
  other_options.is_chief = false;
  auto chief = MonitoredTrainingSession(of_chief.root, options_);
  ASSERT_TRUE(chief.ok()) << chief.status();
  auto other = MonitoredTrainingSession(of_other.root, other_options);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(server_->Stop().ok());
  Start();
  StatusOr<std::vector<Tensor>> ran;
  std::thread waits([&] { ran = (*other)->Run({of_other.train}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE((*chief)->Run({of_chief.train}).ok());
  waits.join();
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(Value(*(*chief)->raw_session(), of_chief.w), 2);
}

TEST_F(MonitoredClusterTest, TheEndOfTheInputIsACleanEnd) {
  const Scope root = Scope::NewRoot();
  const Variable step = GetOrCreateGlobalStep(root);
  const Output names = StringInputProducer(root, {"a", "b", "c"},
                                           InputProducerOptions().num_epochs(1).shuffle(false));
  const Output name =
      BuildOutput(root, "QueueDequeueV2", {names},
                  OpAttrs().Set("component_types", std::vector<DType>{DType::kString}));
  auto session = MonitoredTrainingSession(root, options_);
  ASSERT_TRUE(session.ok()) << session.status();
  for (const char* expected : {"a", "b", "c"}) {
    const auto out = (*session)->Run({name});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<std::string>(), expected);
  }
  const Status end = (*session)->Run({name}).status();
  EXPECT_TRUE(IsOutOfRange(end)) << end;
  EXPECT_TRUE((*session)->ShouldStop());
  const Status closed = (*session)->Close();
  EXPECT_TRUE(closed.ok()) << closed;
}

TEST_F(MonitoredClusterTest, SupervisorsManageSessionsOnServers) {
  Model model;
  SupervisorOptions supervise;
  supervise.logdir = NewFolder("supervisor");
  Supervisor supervisor(model.root, supervise);
  const Status managed =
      supervisor.ManagedSession(options_.config, [&](ClientSession& session) -> Status {
        for (int i = 0; i < 3; ++i) WB_RETURN_IF_ERROR(session.Run({model.train}).status());
        return OkStatus();
      });
  EXPECT_TRUE(managed.ok()) << managed;
  ClientSession after(model.root, options_.config);
  EXPECT_EQ(Value(after, model.w), 3);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
