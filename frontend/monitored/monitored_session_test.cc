// Sessions with hooks, and Supervisors.
#include "frontend/monitored/monitored_session.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/monitored/checkpoint_saver_hook.h"
#include "frontend/monitored/control_hooks.h"
#include "frontend/monitored/nan_tensor_hook.h"
#include "frontend/monitored/profiler_hook.h"
#include "frontend/monitored/report_hooks.h"
#include "frontend/monitored/supervisor.h"
#include "frontend/summary/summary.h"
#include "frontend/training/global_step.h"
#include "frontend/training/input_pipeline.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/monitored_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// All bytes of the directory's event files: tags and names can be looked for.
std::string EventsOf(const std::string& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().find("tfevents") == std::string::npos) continue;
    auto reader = RecordReader::Open(entry.path().string());
    EXPECT_TRUE(reader.ok()) << reader.status();
    absl::string_view record;
    while (reader.ok() && *(*reader)->Next(&record)) absl::StrAppend(&all, record, "\n");
  }
  return all;
}

// loss = (w - 4)^2, from w = 0.
struct Model {
  Model() : step(GetOrCreateGlobalStep(root)) {
    w = GetVariable(root, "w", {}, ConstantInitializer(0));
    loss = Square(root.Named("loss"), Subtract(root, w, 4.0f));
    summary::Scalar(root, "loss_summary", loss);
    GradientDescentOptimizer optimizer(0.1);
    train = optimizer.Minimize(root, loss, step);
  }
  const Scope root = Scope::NewRoot();
  Variable step, w;
  Output loss;
  Operation train;
};

int64_t StepOf(MonitoredSession& session, const Model& model) {
  const auto out = session.raw_session()->Run({model.step});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<int64_t>() : -1;
}

// Runs until it should stop; how many steps that were.
int Drain(MonitoredSession& session, const std::vector<Fetch>& fetches, Status* last = nullptr) {
  int steps = 0;
  while (!session.ShouldStop()) {
    const auto out = session.Run(fetches);
    if (last != nullptr) *last = out.status();
    if (!out.ok()) break;
    ++steps;
  }
  return steps;
}

TEST(MonitoredSessions, TrainSaveAndGoOn) {
  const std::string folder = NewFolder("train");
  MonitoredTrainingOptions options;
  options.checkpoint_dir = folder;
  options.save_checkpoint_steps = 4;
  options.save_summaries_steps = 2;
  options.log_step_count_steps = 0;
  for (const int64_t last : {10, 15}) {
    Model model;
    options.scaffold = nullptr;
    std::vector<std::string> lines;
    options.hooks = {StopAtStepHook::AtLastStep(last),
                     std::make_shared<LoggingTensorHook>(
                         LoggingTensorHook::Tensors{{"w", model.w.read()}}, Every::Steps(5), false,
                         [&](const std::string& line) { lines.push_back(line); })};
    auto session = MonitoredTrainingSession(model.root, options);
    ASSERT_TRUE(session.ok()) << session.status();
    // The second run goes on where the first one ended.
    EXPECT_EQ(Drain(**session, {model.train, model.loss}), last == 10 ? 10 : 5);
    EXPECT_EQ(StepOf(**session, model), last);
    ASSERT_TRUE((*session)->Close().ok());
    EXPECT_TRUE((*session)->Close().ok());
    EXPECT_TRUE((*session)->ShouldStop());
    EXPECT_EQ(*LatestCheckpoint(folder), folder + "/model.ckpt-" + std::to_string(last));
    ASSERT_EQ(lines.size(), last == 10 ? 2u : 1u);
    EXPECT_THAT(lines[0], HasSubstr("w = "));
  }
  EXPECT_TRUE(std::filesystem::exists(folder + "/graph.pbtxt"));
  EXPECT_TRUE(CheckpointExists(folder + "/model.ckpt-4"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/model.ckpt.lock"));
  const std::string events = EventsOf(folder);
  EXPECT_THAT(events, HasSubstr("loss_summary"));
  EXPECT_THAT(events, HasSubstr(folder + "/model.ckpt-4"));
}

TEST(MonitoredSessions, HooksStandAroundSteps) {
  struct Recorder : SessionRunHook {
    explicit Recorder(std::vector<std::string>* calls, const Model& model)
        : calls_(calls), model_(model) {}
    Status Begin(const Scope&) override { return Note("begin"); }
    Status AfterCreateSession(ClientSession&, Coordinator&) override { return Note("created"); }
    StatusOr<RunArgs> BeforeRun(RunContext& context) override {
      Note(absl::StrCat("before ", context.fetches().size())).IgnoreError();
      return RunArgs{{model_.loss, model_.train}, {{model_.w.read(), Tensor::Scalar(6.0f)}}, false};
    }
    Status AfterRun(RunContext& context, const RunValues& values) override {
      EXPECT_EQ(values.feeds->size(), 1u);
      EXPECT_FALSE(values.results[1].has_value());
      context.RequestStop();
      return Note(absl::StrCat("after ", values.results[0].scalar<float>()));
    }
    Status End(ClientSession&) override { return Note("end"); }
    Status Note(const std::string& call) {
      calls_->push_back(call);
      return OkStatus();
    }
    std::vector<std::string>* const calls_;
    const Model& model_;
  };
  Model model;
  std::vector<std::string> calls;
  MonitoredTrainingOptions options;
  auto final_ops = std::make_shared<FinalOpsHook>(std::vector<Fetch>{model.step});
  options.hooks = {std::make_shared<Recorder>(&calls, model), final_ops};
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto out = (*session)->Run({model.loss});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ((*out)[0].scalar<float>(), 4);
  EXPECT_TRUE((*session)->ShouldStop());
  EXPECT_TRUE(IsFailedPrecondition((*session)->Run({model.loss}).status()));
  ASSERT_TRUE((*session)->Close().ok());
  EXPECT_THAT(calls, ElementsAre("begin", "created", "before 1", "after 4", "end"));
  ASSERT_EQ(final_ops->final_values().size(), 1u);
  EXPECT_EQ(final_ops->final_values()[0].scalar<int64_t>(), 1);
}

TEST(MonitoredSessions, FeedsOfHooksMustNotClash) {
  Model model;
  const Output x = Placeholder(model.root.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Output y = Multiply(model.root, x, 2.0f);
  MonitoredTrainingOptions options;
  float next = 0;
  options.hooks = {std::make_shared<FeedFnHook>([&] {
    return FeedFnHook::Feeds{{x, Tensor::Scalar(++next)}};
  })};
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*(*session)->Run({y}))[0].scalar<float>(), 2);
  EXPECT_EQ((*(*session)->Run({y}))[0].scalar<float>(), 4);
  const Status s = (*session)->Run({{x, Tensor::Scalar(1.0f)}}, {y}).status();
  EXPECT_THAT(std::string(s.message()), HasSubstr("a hook feeds 'x:0'"));
  EXPECT_EQ((*session)->Close(), s);
}

TEST(MonitoredSessions, TheEndOfTheInputIsACleanEnd) {
  const Scope root = Scope::NewRoot();
  const Variable step = GetOrCreateGlobalStep(root);
  const Output names = StringInputProducer(root, {"a", "b", "c"},
                                           InputProducerOptions().num_epochs(1).shuffle(false));
  const Output name =
      BuildOutput(root, "QueueDequeueV2", {names},
                  OpAttrs().Set("component_types", std::vector<DType>{DType::kString}));
  const Operation count =
      BuildOp(root.ControlDependencies({name.op()}), "AssignAdd", {step, int64_t{1}});
  MonitoredTrainingOptions options;
  options.checkpoint_dir = NewFolder("input");
  options.save_checkpoint_steps = 100;
  options.log_step_count_steps = 0;
  auto session = MonitoredTrainingSession(root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  Status last;
  EXPECT_EQ(Drain(**session, {count}, &last), 3);
  EXPECT_TRUE(IsOutOfRange(last)) << last;
  const Status closed = (*session)->Close();
  EXPECT_TRUE(closed.ok()) << closed;
  EXPECT_TRUE(CheckpointExists(options.checkpoint_dir + "/model.ckpt-3"));
}

TEST(MonitoredSessions, AnErrorOfAQueueIsTheOneReported) {
  const Scope root = Scope::NewRoot();
  GetOrCreateGlobalStep(root);
  const Output files = StringInputProducer(root, {"/no/such/file"});
  const Output contents = BuildOutput(
      root, "ReadFile",
      {BuildOutput(root, "QueueDequeueV2", {files},
                   OpAttrs().Set("component_types", std::vector<DType>{DType::kString}))});
  const std::vector<Output> batch = Batch(root, {contents}, 2);
  auto session = MonitoredTrainingSession(root);
  ASSERT_TRUE(session.ok()) << session.status();
  Drain(**session, {batch[0]});
  const Status s = (*session)->Close();
  EXPECT_TRUE(IsNotFound(s)) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("/no/such/file"));
}

TEST(MonitoredSessions, ALostMachineMakesANewSession) {
  struct Flaky : SessionRunHook {
    StatusOr<RunArgs> BeforeRun(RunContext&) override {
      if (++runs_ == 6) return Unavailable("the machine went away");
      return RunArgs();
    }
    int runs_ = 0;
  };
  Model model;
  MonitoredTrainingOptions options;
  options.checkpoint_dir = NewFolder("lost");
  options.save_checkpoint_steps = 3;
  options.log_step_count_steps = 0;
  options.hooks = {std::make_shared<Flaky>(), StopAtStepHook::AtLastStep(8)};
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  // Five steps, lost, back to the checkpoint of step 3, and five more.
  EXPECT_EQ(Drain(**session, {model.train}), 10);
  EXPECT_EQ(StepOf(**session, model), 8);
  const Status s = (*session)->Close();
  EXPECT_TRUE(s.ok()) << s;
}

TEST(MonitoredSessions, AStepFunctionRunsSeveralThings) {
  Model model;
  MonitoredTrainingOptions options;
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->graph(), model.root.graph());
  int calls = 0;
  const Status s = (*session)->RunStepFn([&](StepContext& context) {
    WB_RETURN_IF_ERROR(context.session().Run({model.train}).status());
    // Once more from the beginning, in a session whose variables begin anew.
    if (++calls == 1) return Unavailable("the machine went away");
    WB_RETURN_IF_ERROR(context.RunWithHooks({}, {model.train}).status());
    context.RequestStop();
    return OkStatus();
  });
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(StepOf(**session, model), 2);
  EXPECT_TRUE((*session)->ShouldStop());
  EXPECT_TRUE(IsFailedPrecondition((*session)->RunStepFn([](StepContext&) { return Status(); })));
  EXPECT_TRUE((*session)->Close().ok());
}

TEST(MonitoredSessions, ASingularOneDoesNotRecover) {
  Model model;
  MonitoredTrainingOptions options;
  options.checkpoint_dir = NewFolder("singular");
  auto session = SingularMonitoredSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  int calls = 0;
  const Status s = (*session)->RunStepFn([&](StepContext&) {
    ++calls;
    return Unavailable("the machine went away");
  });
  EXPECT_TRUE(IsUnavailable(s)) << s;
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE((*session)->ShouldStop());
  EXPECT_TRUE(IsUnavailable((*session)->Close()));
  EXPECT_TRUE(IsNotFound(LatestCheckpoint(options.checkpoint_dir).status()));
}

TEST(MonitoredSessions, OthersThanTheChiefWait) {
  Model model;
  MonitoredTrainingOptions options;
  options.is_chief = false;
  options.recovery_wait_secs = 0.01;
  options.max_wait_secs = 0.03;
  const Status s = MonitoredTrainingSession(model.root, options).status();
  EXPECT_TRUE(IsDeadlineExceeded(s)) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("global_step, w"));
}

TEST(MonitoredSessions, WaitForTheGlobalStepEnds) {
  Model model;
  MonitoredTrainingOptions options;
  options.hooks = {std::make_shared<GlobalStepWaiterHook>(5, 0.05)};
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  const Status s = (*session)->Run({model.train}).status();
  EXPECT_TRUE(IsDeadlineExceeded(s));
  EXPECT_THAT(std::string(s.message()), HasSubstr("the global step is 0"));
}

TEST(MonitoredSessions, NeedAGlobalStepToSave) {
  const Scope root = Scope::NewRoot();
  GetVariable(root, "w", {}, ConstantInitializer(0));
  MonitoredTrainingOptions options;
  options.checkpoint_dir = NewFolder("nostep");
  const Status s = MonitoredTrainingSession(root, options).status();
  EXPECT_TRUE(IsFailedPrecondition(s));
  EXPECT_THAT(std::string(s.message()), HasSubstr("needs the global step"));
}

TEST(MonitoredSessions, ASignalEndsThemCleanly) {
  Model model;
  MonitoredTrainingOptions options;
  options.checkpoint_dir = NewFolder("signal");
  options.log_step_count_steps = 0;
  options.stop_on_signals = true;
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*session)->Run({model.train}).ok());
  std::raise(SIGTERM);
  EXPECT_TRUE((*session)->ShouldStop());
  EXPECT_EQ(StopOnSignals::Received(), SIGTERM);
  ASSERT_TRUE((*session)->Close().ok());
  EXPECT_TRUE(CheckpointExists(options.checkpoint_dir + "/model.ckpt-3"));
  EXPECT_EQ(StopOnSignals::Received(), 0);
}

TEST(StopSignals, WhatCannotBeCaughtIsSaid) {
  StopOnSignals signals({SIGKILL});
  EXPECT_TRUE(IsInvalidArgument(signals.status()));
}

TEST(StopSignalsDeathTest, TheSecondSignalEndsAtOnce) {
  const auto twice = [] {
    StopOnSignals signals;
    std::raise(SIGINT);
    std::raise(SIGINT);
    std::_Exit(0);
  };
  EXPECT_EXIT(twice(), ::testing::KilledBySignal(SIGINT), "");
}

TEST(ReportHooks, CountStepsAndTrace) {
  Model model;
  const std::string folder = NewFolder("report");
  std::vector<std::string> lines;
  MonitoredTrainingOptions options;
  options.hooks = {
      std::make_shared<StepCounterHook>(Every::Steps(5), folder,
                                        [&](const std::string& line) { lines.push_back(line); }),
      std::make_shared<ProfilerHook>(Every::Steps(4), folder), StopAtStepHook::AfterSteps(11)};
  auto session = MonitoredTrainingSession(model.root, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(Drain(**session, {model.train}), 11);
  ASSERT_TRUE((*session)->Close().ok());
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], HasSubstr("global_step/sec: "));
  // Which steps are traced depends on whether the step was read before or after its update.
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream trace(entry.path());
    const std::string text((std::istreambuf_iterator<char>(trace)), {});
    EXPECT_THAT(text, HasSubstr("ApplyGradientDescent"));
    ++traces;
  }
  EXPECT_GE(traces, 2);
  const std::string events = EventsOf(folder);
  EXPECT_THAT(events, HasSubstr("global_step/sec"));
  EXPECT_THAT(events, HasSubstr("step_"));
}

TEST(ReportHooks, IntervalsMustBeSome) {
  Model model;
  MonitoredTrainingOptions options;
  options.hooks = {std::make_shared<StepCounterHook>(Every())};
  EXPECT_TRUE(IsInvalidArgument(MonitoredTrainingSession(model.root, options).status()));
}

// loss = mean(x * log(x)): NaN for x = 0, where log gives -inf.
struct NanModel {
  NanModel() : step(GetOrCreateGlobalStep(root)) {
    x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(*Shape::Make({2})));
    w = GetVariable(root, "w", {2}, ConstantInitializer(1));
    const Output log = Log(root.Named("log"), x);
    const Output entropy = Multiply(root.Named("entropy"), x, log);
    loss = ReduceMean(root.Named("loss"), Multiply(root, w, entropy), 0);
    GradientDescentOptimizer optimizer(0.1);
    train = optimizer.Minimize(root, loss, step);
  }
  Status RunWith(const NanTensorOptions& nan, float bad) {
    MonitoredTrainingOptions options;
    options.hooks = {std::make_shared<NanTensorHook>(loss, nan)};
    auto session = MonitoredTrainingSession(root, options);
    if (!session.ok()) return session.status();
    EXPECT_TRUE((*session)->Run({{x, Tensor::Vector<float>({1, 2})}}, {train}).ok());
    return (*session)->Run({{x, Tensor::Vector<float>({1, bad})}}, {train}).status();
  }
  const Scope root = Scope::NewRoot();
  Variable step, w;
  Output x, loss;
  Operation train;
};

TEST(NanTensorHooks, NameTheStepAndTheNode) {
  for (const auto search :
       {NanTensorOptions::Search::kEveryStep, NanTensorOptions::Search::kRunAgain}) {
    NanModel model;
    NanTensorOptions options;
    options.search = search;
    const std::string text(model.RunWith(options, 0).message());
    EXPECT_THAT(text, HasSubstr("the loss 'loss:0' is NaN at step 2"));
    if (search == NanTensorOptions::Search::kEveryStep) {
      EXPECT_THAT(text, HasSubstr("NaN first appeared in 'entropy:0' (Mul)"));
      EXPECT_THAT(text, HasSubstr("infinite before it: 'log:0'"));
    } else {
      // The update has run with the NaN gradient: w is what is first NaN now, or the same node.
      EXPECT_THAT(text, HasSubstr("NaN first appeared in '"));
    }
  }
}

TEST(NanTensorHooks, MayStopInPeace) {
  NanModel model;
  NanTensorOptions options;
  options.fail_on_nan_loss = false;
  options.search = NanTensorOptions::Search::kNone;
  std::string warning;
  options.lines = [&](const std::string& line) { warning = line; };
  EXPECT_TRUE(model.RunWith(options, 0).ok());
  EXPECT_EQ(warning, "warning: the loss 'loss:0' is NaN at step 2; training stops");
  NanModel other;
  EXPECT_TRUE(other.RunWith(NanTensorOptions(), 3).ok());
  MonitoredTrainingOptions monitored;
  NanModel third;
  monitored.hooks = {std::make_shared<NanTensorHook>(third.x)};
  EXPECT_TRUE(IsInvalidArgument(MonitoredTrainingSession(third.root, monitored).status()));
}

TEST(Supervisors, TrainSaveAndGoOn) {
  const std::string folder = NewFolder("supervisor");
  int64_t expected = 0;
  for (int run = 0; run < 2; ++run) {
    Model model;
    SupervisorOptions options;
    options.logdir = folder;
    options.save_model_secs = 0.001;
    options.save_summaries_secs = 0.001;
    Supervisor supervisor(model.root, options);
    ASSERT_TRUE(supervisor.status().ok()) << supervisor.status();
    EXPECT_EQ(supervisor.save_path(), folder + "/model.ckpt");
    const Status s = supervisor.ManagedSession(SessionConfig(), [&](ClientSession& session) {
      const auto begin = session.Run({model.step});
      WB_RETURN_IF_ERROR(begin.status());
      EXPECT_EQ((*begin)[0].scalar<int64_t>(), expected);
      for (int i = 0; i < 5 && !supervisor.ShouldStop(); ++i) {
        WB_RETURN_IF_ERROR(session.Run({model.train}).status());
      }
      // The thread saves what is there now.
      expected += 5;
      const std::string last = absl::StrCat(folder, "/model.ckpt-", expected);
      while (!supervisor.ShouldStop()) {
        const auto latest = LatestCheckpoint(folder);
        if (latest.ok() && *latest == last) break;
        std::this_thread::yield();
      }
      return Status();
    });
    ASSERT_TRUE(s.ok()) << s;
  }
  const std::string events = EventsOf(folder);
  EXPECT_THAT(events, HasSubstr("loss_summary"));
  EXPECT_THAT(events, HasSubstr("global_step/sec"));
}

TEST(Supervisors, ABasicLoopGoesOnAfterALostMachine) {
  Model model;
  Supervisor supervisor(model.root, SupervisorOptions());
  int calls = 0;
  const auto step = [&](ClientSession& session) {
    if (++calls == 2) return Status(Aborted("the machine went away"));
    WB_RETURN_IF_ERROR(session.Run({model.train}).status());
    if (calls == 4) supervisor.RequestStop();
    return Status();
  };
  const Status s = BasicTrainLoop(supervisor, step);
  EXPECT_TRUE(s.ok()) << s;
  EXPECT_EQ(calls, 4);
  const auto fails = [](ClientSession&) { return Status(Internal("broken")); };
  EXPECT_TRUE(IsInternal(BasicTrainLoop(supervisor, fails)));
}

TEST(Supervisors, StopOnErrorsAndSignals) {
  Model model;
  SupervisorOptions options;
  options.logdir = NewFolder("supervisor_stops");
  options.save_model_secs = 0;
  options.stop_on_signals = true;
  Supervisor supervisor(model.root, options);
  int calls = 0;
  Status s = supervisor.ManagedSession(SessionConfig(), [&](ClientSession&) {
    supervisor.Loop(0, "mine", [&] { return ++calls == 3 ? DataLoss("the third") : OkStatus(); });
    supervisor.coordinator().WaitForStop();
    return Internal("what follows");
  });
  EXPECT_TRUE(IsDataLoss(s)) << s;
  EXPECT_EQ(calls, 3);
  s = supervisor.ManagedSession(SessionConfig(), [&](ClientSession& session) {
    while (!supervisor.ShouldStop()) {
      WB_RETURN_IF_ERROR(session.Run({model.train}).status());
      std::raise(SIGINT);
    }
    return Status();
  });
  EXPECT_TRUE(s.ok()) << s;
  EXPECT_TRUE(CheckpointExists(options.logdir + "/model.ckpt-1"));
  SupervisorOptions waits;
  waits.is_chief = false;
  waits.recovery_wait_secs = 0.01;
  Model other;
  Supervisor worker(other.root, waits);
  EXPECT_TRUE(IsDeadlineExceeded(worker.PrepareOrWaitForSession(SessionConfig(), 0.03).status()));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
