#include "runtime/session/session.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

// A handful of ops, enough to see the executor work; the real ones are not linked into this test.
WB_OP("Const")
    .Output("output: dtype")
    .Attr("value: tensor")
    .Attr("dtype: type")
    .Shape(shapes::Scalar);
WB_OP("Input").Output("output: float").Shape(shapes::Scalar);
WB_OP("AddOne").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Add").Input("a: float").Input("b: float").Output("y: float").Shape(shapes::MergeInputs);
WB_OP("Big").Input("x: float").Output("y: float").Shape(shapes::Unknown);
WB_OP("Fail").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Stuck").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Waits").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("Identity").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("NoOp");
WB_OP("Switch").Input("data: float").Input("pred: bool").Output("f: float").Output("t: float");
WB_OP("Merge").Input("inputs: N * float").Output("y: float").Attr("N: int >= 1");
WB_OP("VariableV2").Output("ref: Ref(float)").Stateful();
WB_OP("Assign")
    .Input("ref: Ref(float)")
    .Input("value: float")
    .Output("out: Ref(float)")
    .AllowsUninitializedInput();
WB_OP("AssignAdd").Input("ref: Ref(float)").Input("value: float").Output("out: Ref(float)");
WB_OP("IsInitialized").Input("ref: Ref(float)").Output("y: bool").AllowsUninitializedInput();

std::atomic<bool> release_stuck{false};
std::atomic<int> stuck_begun{0};
std::atomic<int> ran{0};

template <absl::Status (*F)(KernelContext&)>
class FnKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FnKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override { return F(ctx); }
};

absl::Status AddOne(KernelContext& ctx) {
  ++ran;
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, ctx.input(0).shape()));
  const float* x = ctx.input(0).data<float>();
  for (int64_t i = 0; i < y->num_elements(); ++i) y->data<float>()[i] = x[i] + 1;
  return absl::OkStatus();
}
absl::Status Add(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, ctx.input(0).shape()));
  *y->data<float>() = ctx.input(0).scalar<float>() + ctx.input(1).scalar<float>();
  return absl::OkStatus();
}
absl::Status Fail(KernelContext&) { return InvalidArgument("made to fail"); }
absl::Status Stuck(KernelContext& ctx) {
  ++stuck_begun;
  while (!release_stuck) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return AddOne(ctx);
}
absl::Status PassOn(KernelContext& ctx) {
  ctx.set_output(0, ctx.input(0));
  return absl::OkStatus();
}
absl::Status DoNothing(KernelContext&) { return absl::OkStatus(); }
absl::Status Switch(KernelContext& ctx) {
  ctx.set_output(ctx.input(1).scalar<bool>() ? 1 : 0, ctx.input(0));
  return absl::OkStatus();
}
absl::Status Merge(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.input_is_dead(i)) ctx.set_output(0, ctx.input(i));
  }
  return absl::OkStatus();
}
absl::Status Assign(KernelContext& ctx) {
  ctx.input_ref(0)->Assign(ctx.input(1));
  ctx.set_output_ref(0, ctx.input_ref(0));
  return absl::OkStatus();
}
absl::Status AssignAdd(KernelContext& ctx) {
  WB_RETURN_IF_ERROR(ctx.input_ref(0)->Update([&](Tensor& v) -> absl::Status {
    WB_RETURN_IF_ERROR(ctx.MakeWritable(v));
    *v.data<float>() += ctx.input(1).scalar<float>();
    return absl::OkStatus();
  }));
  ctx.set_output_ref(0, ctx.input_ref(0));
  return absl::OkStatus();
}
absl::Status IsInitialized(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
  *y->data<bool>() = ctx.input_ref(0)->IsInitialized();
  return absl::OkStatus();
}

class VariableKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<VariableKernel>();
    WB_ASSIGN_OR_RETURN(kernel->variable_,
                        init.resources->LookupOrCreate<RefVariable>("", init.node_name, [&] {
                          return absl::StatusOr<std::shared_ptr<RefVariable>>(
                              std::make_shared<RefVariable>(init.node_name, DType::kFloat));
                        }));
    return kernel;
  }
  absl::Status Compute(KernelContext& ctx) override {
    ctx.set_output_ref(0, variable_.get());
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<RefVariable> variable_;
};

// Finishes on another thread, unless the step is cancelled first.
class WaitsKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<WaitsKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    std::thread([&ctx, done] {
      while (!release_stuck && !ctx.IsCancelled()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      done(ctx.IsCancelled() ? Cancelled("told to stop") : AddOne(ctx));
    }).detach();
  }
};

WB_KERNEL("Const", FnKernel<DoNothing>).Cpu().Gpu();
WB_KERNEL("Input", FnKernel<Fail>).Cpu();
WB_KERNEL("AddOne", FnKernel<AddOne>).Cpu().Gpu();
WB_KERNEL("Big", FnKernel<AddOne>).Cpu().Gpu();
WB_KERNEL("Add", FnKernel<Add>).Cpu().Gpu();
WB_KERNEL("Fail", FnKernel<Fail>).Cpu();
WB_KERNEL("Stuck", FnKernel<Stuck>).Cpu();
WB_KERNEL("Waits", WaitsKernel).Cpu().Async().Unbounded();
WB_KERNEL("Identity", FnKernel<PassOn>).Cpu().Gpu();
WB_KERNEL("NoOp", FnKernel<DoNothing>).Cpu().Gpu();
WB_KERNEL("Switch", FnKernel<Switch>).Cpu();
WB_KERNEL("Merge", FnKernel<Merge>).Cpu();
WB_KERNEL("VariableV2", VariableKernel).Cpu().Gpu();
WB_KERNEL("Assign", FnKernel<Assign>).Cpu().Gpu();
WB_KERNEL("AssignAdd", FnKernel<AssignAdd>).Cpu().Gpu();
WB_KERNEL("IsInitialized", FnKernel<IsInitialized>).Cpu();

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override { release_stuck = false; }
  void TearDown() override { release_stuck = true; }

  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                const std::string& device = "", std::vector<NodeId> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = device;
    if (op == "Merge") spec.attrs.Set("N", static_cast<int64_t>(inputs.size()));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  template <typename T>
  OutputRef Const(const std::string& name, T value, const std::string& device = "") {
    NodeSpec spec;
    spec.name = name;
    spec.op = "Const";
    spec.device = device;
    spec.attrs.Set("value", Tensor::Scalar(value));
    spec.attrs.Set("dtype", DTypeOf<T>::value);
    auto node = graph_->AddNode(std::move(spec), {}, {});
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  absl::Status Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets = {}, int64_t timeout_ms = 0) {
    RunOptions run;
    run.timeout_ms = timeout_ms;
    return session_->Run(run, feeds, fetches, targets, &out_, &metadata_);
  }
  float Value(const std::string& fetch, const NamedTensors& feeds = {}) {
    const absl::Status s = Run(feeds, {fetch});
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out_[0].scalar<float>() : -1;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  RunMetadata metadata_;
};

TEST_F(SessionTest, RunsAChain) {
  OutputRef x = Const("c", 1.0f);
  for (int i = 0; i < 100; ++i) x = Add("AddOne", absl::StrCat("n", i), {x});
  Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Value("n99"), 101);
  EXPECT_EQ(metadata_.nodes_executed, 100);
  EXPECT_EQ(Value("n0:0"), 2);  // the constant was not written into
  EXPECT_EQ(Value("c"), 1);
}

TEST_F(SessionTest, RunsParallelTasks) {
  OutputRef c = Const("c", 1.0f);
  OutputRef sum = Add("Big", "b", {c});
  for (int i = 0; i < 20; ++i) {
    OutputRef a = Add("Big", absl::StrCat("left", i), {sum});
    OutputRef b = Add("Big", absl::StrCat("right", i), {sum});
    sum = Add("Add", absl::StrCat("sum", i), {a, b});
  }
  options_.intra_op_threads = 3;
  Open();
  const float expected = Value("sum19");
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Value("sum19"), expected);
}

TEST_F(SessionTest, FeedsReplaceOutputs) {
  OutputRef x = Add("Input", "x", {});
  Add("AddOne", "y", {x});
  Open();
  EXPECT_EQ(Value("y", {{"x:0", Tensor::Scalar(4.0f)}}), 5);
  EXPECT_EQ(Run({{"x", Tensor::Scalar(4.0f)}}, {"x"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run({}, {"y"}).code(), Code::kInvalidArgument);
}

TEST_F(SessionTest, WrongFeedsAndFetchesAreRefused) {
  Add("AddOne", "y", {Const("c", 1.0f)});
  Open();
  EXPECT_EQ(Run({{"c", Tensor::Scalar(1)}}, {"y"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run({{"nowhere", Tensor::Scalar(1.0f)}}, {"y"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run({}, {"nowhere"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run({}, {"y:3"}).code(), Code::kOutOfRange);
  EXPECT_EQ(Run({}, {}, {"nowhere"}).code(), Code::kNotFound);
  EXPECT_EQ(Run({}, {}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run({{"c", Tensor::Scalar(1.0f)}, {"c:0", Tensor::Scalar(1.0f)}}, {"y"}).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Value("y"), 2);
}

TEST_F(SessionTest, AnErrorNamesItsNodeAndTheSessionGoesOn) {
  OutputRef c = Const("c", 1.0f);
  Add("AddOne", "after", {Add("Fail", "bad", {c})});
  Add("AddOne", "good", {c});
  Open();
  const absl::Status s = Run({}, {"after"});
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("'bad'"), HasSubstr("(Fail)"), HasSubstr("made to fail")));
  EXPECT_EQ(Value("good"), 2);
}

TEST_F(SessionTest, BranchesNotTakenAreDead) {
  OutputRef pred = Add("IsInitialized", "pred", {Add("VariableV2", "v", {})});
  OutputRef sw = Add("Switch", "sw", {Const("c", 1.0f), pred});
  OutputRef on_false = Add("AddOne", "on_false", {sw});
  OutputRef on_true = Add("AddOne", "on_true2", {Add("AddOne", "on_true", {{sw.node, 1}})});
  Add("Merge", "merged", {on_false, on_true});
  Add("Assign", "init",
      {graph_->Find("v") ? OutputRef{graph_->Find("v")->id(), 0} : OutputRef(),
       Const("zero", 0.0f)});
  Open();
  EXPECT_EQ(Value("merged"), 2);
  EXPECT_EQ(Run({}, {"on_true"}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Value("merged"), 3);
  EXPECT_EQ(Run({}, {"on_false"}).code(), Code::kInvalidArgument);
}

TEST_F(SessionTest, VariablesKeepTheirValueAndReadersTheirs) {
  OutputRef v = Add("VariableV2", "v", {});
  Add("Assign", "init", {v, Const("c", 5.0f)});
  Add("AssignAdd", "add", {v, Const("d", 1.0f)});
  Add("AddOne", "read", {v});
  Open();
  EXPECT_EQ(Run({}, {"read"}).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Run({}, {}, {"add"}).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  ASSERT_TRUE(Run({}, {"v"}).ok());
  const Tensor before = out_[0];
  EXPECT_EQ(Value("add"), 6);
  EXPECT_EQ(Value("add"), 7);
  EXPECT_EQ(before.scalar<float>(), 5);
  EXPECT_EQ(Value("read"), 8);
  EXPECT_EQ(Value("c"), 5);  // the constant was not written into
}

TEST_F(SessionTest, AReaderOrderedAfterAnUpdateSeesIt) {
  for (const char* device : {"/cpu:0", "/gpu:0"}) {
    graph_ = std::make_shared<Graph>();
    options_.simulated_gpus = 1;
    OutputRef v = Add("VariableV2", "v", {}, device);
    Add("Assign", "init", {v, Const("c", 5.0f, device)}, device);
    OutputRef read = Add("Identity", "read", {v}, device);
    OutputRef before = Add("AddOne", "before", {read}, device);
    OutputRef add = Add("AssignAdd", "add", {v, before}, device);
    Add("AddOne", "after", {read}, device, {add.node});
    Open();
    ASSERT_TRUE(Run({}, {}, {"init"}).ok());
    ASSERT_TRUE(Run({}, {"before", "after"}).ok());
    EXPECT_EQ(out_[0].scalar<float>(), 6) << device;
    EXPECT_EQ(out_[1].scalar<float>(), 12) << device;
  }
}

TEST_F(SessionTest, CopiesBetweenSimulatedGpus) {
  options_.simulated_gpus = 2;
  OutputRef c = Const("c", 1.0f, "/cpu:0");
  OutputRef a = Add("AddOne", "a", {c}, "/gpu:0");
  OutputRef b = Add("AddOne", "b", {a}, "/gpu:1");
  OutputRef b2 = Add("AddOne", "b2", {a}, "/gpu:1");
  OutputRef s = Add("Add", "s", {b, b2}, "/gpu:1");
  Add("AddOne", "end", {s}, "/cpu:0");
  Open();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Value("end"), 7);
  EXPECT_EQ(metadata_.host_to_device_copies, 1);
  EXPECT_EQ(metadata_.peer_copies, 1);  // one for both consumers
  EXPECT_EQ(metadata_.device_to_host_copies, 1);
  EXPECT_EQ(metadata_.bytes_copied, 12);
  EXPECT_EQ(Value("b"), 3);
}

TEST_F(SessionTest, VariablesOnSimulatedGpus) {
  options_.simulated_gpus = 1;
  OutputRef v = Add("VariableV2", "v", {}, "/gpu:0");
  Add("Assign", "init", {v, Const("c", 5.0f, "/gpu:0")}, "/gpu:0");
  Add("AssignAdd", "add", {v, Const("d", 1.0f, "/gpu:0")}, "/gpu:0");
  Open();
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Value("v"), 5);
  EXPECT_EQ(Value("add"), 6);
}

TEST_F(SessionTest, ADeadlineNamesTheStuckNodeAndTheSessionGoesOn) {
  OutputRef c = Const("c", 1.0f);
  Add("Stuck", "stuck_one", {c});
  Add("AddOne", "good", {c});
  Open();
  const absl::Status s = Run({}, {"stuck_one"}, {}, /*timeout_ms=*/30);
  EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
  EXPECT_THAT(std::string(s.message()), HasSubstr("stuck_one"));
  EXPECT_EQ(Value("good"), 2);
  EXPECT_EQ(session_->Close(50).code(), Code::kDeadlineExceeded);
  release_stuck = true;
}

TEST_F(SessionTest, AsynchronousKernelsAreCancelledByTheDeadline) {
  Add("AddOne", "after", {Add("Waits", "w", {Const("c", 1.0f)})});
  Open();
  EXPECT_EQ(Run({}, {"after"}, {}, 30).code(), Code::kDeadlineExceeded);
  release_stuck = true;
  EXPECT_EQ(Value("after"), 3);
  EXPECT_TRUE(session_->Close().ok());
  EXPECT_EQ(Run({}, {"after"}).code(), Code::kCancelled);
}

TEST_F(SessionTest, CloseCancelsRunningSteps) {
  Add("Waits", "w", {Const("c", 1.0f)});
  Open();
  absl::Status ended;
  std::thread other([&] {
    std::vector<Tensor> out;
    ended = session_->Run({}, {}, {"w"}, {}, &out);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(session_->Close().ok());
  other.join();
  EXPECT_EQ(ended.code(), Code::kCancelled);
}

TEST_F(SessionTest, ManyThreadsRunOneSession) {
  OutputRef x = Const("c", 1.0f);
  for (int i = 0; i < 30; ++i) x = Add("Big", absl::StrCat("n", i), {x});
  Open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        std::vector<Tensor> out;
        const absl::Status s = session_->Run({}, {}, {"n29"}, {}, &out);
        if (!s.ok() || out[0].scalar<float>() != 31) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SessionTest, GrowsByExtend) {
  OutputRef c = Const("c", 1.0f);
  Open();
  EXPECT_EQ(Value("c"), 1);
  ASSERT_TRUE(session_
                  ->Extend([&](Graph&) {
                    Add("AddOne", "late", {c});
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(Value("late"), 2);
}

TEST_F(SessionTest, TracesWhatRan) {
  Add("AddOne", "y", {Const("c", 1.0f)});
  Open();
  RunOptions run;
  run.trace = TraceLevel::kFull;
  ASSERT_TRUE(session_->Run(run, {}, {"y"}, {}, &out_, &metadata_).ok());
  ASSERT_EQ(metadata_.step_stats.nodes.size(), 1u);
  EXPECT_EQ(metadata_.step_stats.nodes[0].node, "y");
  EXPECT_THAT(ChromeTrace(metadata_.step_stats), HasSubstr("\"AddOne\""));
}

TEST_F(SessionTest, AKernelThatNeverEndsCostsItsWorkerOnly) {
  OutputRef c = Const("c", 1.0f);
  Add("AddOne", "after", {Add("Stuck", "stuck_one", {c})});
  Add("AddOne", "good", {c});
  options_.intra_op_threads = 2;
  Open();
  for (int i = 0; i < 3; ++i) {
    const absl::Status s = Run({}, {"after"}, {}, /*timeout_ms=*/20);
    EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(std::string(s.message()), HasSubstr("left behind"));
  }
  // A deadline makes a step run on workers, all of which would be stuck by now.
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Run({}, {"good"}, {}, 20000).ok());
  const absl::Status closed = session_->Close(20);
  EXPECT_EQ(closed.code(), Code::kDeadlineExceeded);
  EXPECT_THAT(std::string(closed.message()), HasSubstr("'stuck_one' (Stuck)"));
  release_stuck = true;
  EXPECT_TRUE(session_->Close(20000).ok());
}

TEST_F(SessionTest, CloseNamesAStepWithoutADeadline) {
  Add("Stuck", "stuck_one", {Const("c", 1.0f)});
  Add("Big", "other", {Const("d", 1.0f)});
  options_.intra_op_threads = 2;
  Open();
  stuck_begun = 0;
  std::thread run([&] {
    std::vector<Tensor> out;
    session_->Run({}, {}, {"stuck_one", "other"}, {}, &out).IgnoreError();
  });
  while (stuck_begun == 0) std::this_thread::yield();
  EXPECT_THAT(std::string(session_->Close(1).message()), HasSubstr("stuck_one"));
  release_stuck = true;
  run.join();
}

TEST_F(SessionTest, TheSessionsLimitHoldsWhereACallHasNone) {
  options_.operation_timeout_ms = 30;
  Add("Waits", "w", {Const("c", 1.0f)});
  Open();
  EXPECT_EQ(Run({}, {}, {"w"}).code(), Code::kDeadlineExceeded);
}

TEST_F(SessionTest, TheCallersThreadMayRunAStep) {
  OutputRef x = Const("c", 1.0f);
  for (int i = 0; i < 10; ++i) x = Add("Big", absl::StrCat("n", i), {x});
  Open();
  RunOptions run;
  run.inter_op_thread_pool = -1;
  ASSERT_TRUE(session_->Run(run, {}, {"n9"}, {}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 11);
  for (int pool : {1, -2}) {
    run.inter_op_thread_pool = pool;
    EXPECT_EQ(session_->Run(run, {}, {"n9"}, {}, &out_).code(), Code::kInvalidArgument);
  }
}

TEST_F(SessionTest, Callables) {
  OutputRef x = Add("Input", "x", {});
  Add("AddOne", "y", {x});
  Open();
  CallableOptions step;
  step.feeds = {"x"};
  step.fetches = {"y:0", "y"};
  const auto handle = session_->MakeCallable(step);
  ASSERT_TRUE(handle.ok()) << handle.status();
  for (float v : {1.0f, 5.0f}) {
    ASSERT_TRUE(session_->RunCallable(*handle, {Tensor::Scalar(v)}, &out_, &metadata_).ok());
    ASSERT_EQ(out_.size(), 2u);
    EXPECT_EQ(out_[1].scalar<float>(), v + 1);
    EXPECT_EQ(metadata_.nodes_executed, 1);
  }
  EXPECT_EQ(session_->RunCallable(*handle, {}, &out_).code(), Code::kInvalidArgument);
  EXPECT_EQ(session_->RunCallable(*handle, {Tensor::Scalar(1)}, &out_).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(session_->RunCallable(77, {Tensor::Scalar(1.0f)}, &out_).code(),
            Code::kInvalidArgument);
  EXPECT_TRUE(session_->ReleaseCallable(*handle).ok());
  EXPECT_EQ(session_->RunCallable(*handle, {Tensor::Scalar(1.0f)}, &out_).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(session_->ReleaseCallable(77).code(), Code::kInvalidArgument);
  const auto refused = [&](CallableOptions options) {
    return session_->MakeCallable(options).status().code();
  };
  EXPECT_EQ(refused({}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"nowhere"}, {"y"}, {}, {}, {}, {}}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"x"}, {"y"}, {"nowhere"}, {}, {}, {}}), Code::kNotFound);
  EXPECT_EQ(refused({{"x"}, {"y"}, {}, {{"x", "/gpu:7"}}, {}, {}}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"x"}, {"y"}, {}, {{"z", "/cpu:0"}}, {}, {}}), Code::kInvalidArgument);
}

TEST_F(SessionTest, CallablesLeaveTensorsOnDevices) {
  options_.simulated_gpus = 2;
  OutputRef x = Add("Input", "x", {}, "/cpu:0");
  Add("AddOne", "y", {x}, "/gpu:0");
  Add("VariableV2", "v", {}, "/gpu:0");
  Add("Assign", "init", {{graph_->Find("v")->id(), 0}, Const("five", 5.0f, "/gpu:0")}, "/gpu:0");
  Open();
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  CallableOptions first;
  first.feeds = {"x"};
  first.fetches = {"y", "v"};
  first.fetch_devices = {{"y", "/gpu:0"}, {"v", "/gpu:0"}};
  const auto start = session_->MakeCallable(first);
  ASSERT_TRUE(start.ok()) << start.status();
  CallableOptions next = first;
  next.fetches = {"y"};
  next.fetch_devices = {{"y", "/gpu:0"}};
  next.feed_devices = {{"x", "/gpu:0"}};
  const auto loop = session_->MakeCallable(next);
  ASSERT_TRUE(loop.ok()) << loop.status();
  CallableOptions last = next;
  last.fetch_devices.clear();
  const auto end = session_->MakeCallable(last);

  std::vector<Tensor> kept;
  ASSERT_TRUE(session_->RunCallable(*start, {Tensor::Scalar(1.0f)}, &kept, &metadata_).ok());
  EXPECT_EQ(metadata_.device_to_host_copies, 0);
  const Tensor variable = kept[1];
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(session_->RunCallable(*loop, {kept[0]}, &kept, &metadata_).ok());
    EXPECT_EQ(metadata_.bytes_copied, 0);
  }
  ASSERT_TRUE(session_->RunCallable(*end, {kept[0]}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 8);
  ASSERT_TRUE(session_->RunCallable(*end, {variable}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 6);

  EXPECT_EQ(Run({{"x", variable}}, {"y"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(session_->RunCallable(*end, {Tensor::Scalar(1.0f)}, &out_).code(),
            Code::kInvalidArgument);
  EXPECT_TRUE(session_->Close().ok());
  session_.reset();
  kept.clear();  // the devices outlive the session as long as their tensors
}

TEST_F(SessionTest, PartialRuns) {
  OutputRef a = Add("Input", "a", {}), b = Add("Input", "b", {}), c = Add("Input", "c", {});
  OutputRef sum = Add("Add", "sum", {a, b});
  Add("Add", "more", {Add("AddOne", "once", {sum}), c});
  Open();
  const auto run = session_->PartialRunSetup({"a", "b", "c"}, {"sum", "more"}, {});
  ASSERT_TRUE(run.ok()) << run.status();
  const auto part = [&](const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    return session_->PartialRun(*run, feeds, fetches, &out_);
  };
  const auto one = [](const char* name) { return NamedTensors{{name, Tensor::Scalar(1.0f)}}; };
  ran = 0;
  EXPECT_EQ(part(one("a"), {"sum"}).code(), Code::kInvalidArgument);  // b is missing
  ASSERT_TRUE(part(one("a"), {}).ok());
  ASSERT_TRUE(part(one("b"), {"sum:0"}).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 2);
  EXPECT_EQ(part(one("a"), {}).code(), Code::kInvalidArgument);
  EXPECT_EQ(part({}, {"sum"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(part({}, {"once"}).code(), Code::kInvalidArgument);  // was not set up
  EXPECT_EQ(part({{"c", Tensor::Scalar(1)}}, {}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(part({{"c", Tensor::Scalar(10.0f)}}, {"more"}).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 13);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(part({}, {}).code(), Code::kInvalidArgument);  // it has ended
  EXPECT_EQ(session_->PartialRunSetup({"a"}, {}, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(session_->PartialRunSetup({"a"}, {"a"}, {}).status().code(), Code::kInvalidArgument);
}

TEST_F(SessionTest, PartialRunsOnSimulatedGpus) {
  options_.simulated_gpus = 1;
  OutputRef a = Add("Input", "a", {}, "/cpu:0"), b = Add("Input", "b", {}, "/cpu:0");
  OutputRef v = Add("VariableV2", "v", {}, "/gpu:0");
  Add("Assign", "init", {v, a}, "/gpu:0");
  Add("Add", "sum", {Add("AddOne", "next", {a}, "/gpu:0"), b}, "/gpu:0");
  Open();
  for (int i = 0; i < 20; ++i) {
    const auto run = session_->PartialRunSetup({"a", "b"}, {"next", "sum"}, {"init"});
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE(session_->PartialRun(*run, {{"a", Tensor::Scalar(3.0f)}}, {"next"}, &out_).ok());
    EXPECT_EQ(out_[0].scalar<float>(), 4);
    ASSERT_TRUE(session_->PartialRun(*run, {{"b", Tensor::Scalar(2.0f)}}, {"sum"}, &out_).ok());
    EXPECT_EQ(out_[0].scalar<float>(), 6);
    EXPECT_EQ(Value("v"), 3);
  }
}

TEST_F(SessionTest, AnErrorEndsAPartialRun) {
  OutputRef a = Add("Input", "a", {}), b = Add("Input", "b", {});
  Add("Fail", "bad", {a});
  Add("AddOne", "good", {b});
  Open();
  const auto run = session_->PartialRunSetup({"a", "b"}, {"bad", "good"}, {});
  ASSERT_TRUE(run.ok()) << run.status();
  const absl::Status s = session_->PartialRun(*run, {{"a", Tensor::Scalar(1.0f)}}, {"bad"}, &out_);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("'bad'"), HasSubstr("made to fail")));
  EXPECT_EQ(session_->PartialRun(*run, {{"b", Tensor::Scalar(1.0f)}}, {"good"}, &out_).code(),
            Code::kInvalidArgument);
}

TEST_F(SessionTest, APartialRunTellsOfBranchesThatWereNotTaken) {
  OutputRef pred = Add("IsInitialized", "pred", {Add("VariableV2", "v", {})});
  OutputRef x = Add("Input", "x", {});
  OutputRef sw = Add("Switch", "sw", {x, pred});
  Add("AddOne", "on_false", {sw});
  Add("AddOne", "on_true", {{sw.node, 1}});
  Open();
  const auto run = session_->PartialRunSetup({"x"}, {"on_false", "on_true"}, {});
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE(session_->PartialRun(*run, {{"x", Tensor::Scalar(1.0f)}}, {"on_false"}, &out_).ok());
  EXPECT_EQ(session_->PartialRun(*run, {}, {"on_true"}, &out_).code(), Code::kInvalidArgument);
}

TEST_F(SessionTest, PartialRunsKeepToLimitsAndClose) {
  options_.operation_timeout_ms = 30;
  OutputRef x = Add("Input", "x", {});
  Add("Waits", "w", {x});
  Add("Stuck", "s", {x});
  Open();
  for (const char* fetch : {"w", "s"}) {
    const auto run = session_->PartialRunSetup({"x"}, {fetch}, {});
    ASSERT_TRUE(run.ok()) << run.status();
    const absl::Status s =
        session_->PartialRun(*run, {{"x", Tensor::Scalar(1.0f)}}, {fetch}, &out_);
    EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(std::string(s.message()), HasSubstr(absl::StrCat("node '", fetch, "'")));
  }
  const auto idle = session_->PartialRunSetup({"x"}, {"w"}, {});  // never fed
  ASSERT_TRUE(idle.ok()) << idle.status();
  release_stuck = true;
  EXPECT_TRUE(session_->Close().ok());
  EXPECT_EQ(session_->PartialRun(*idle, {}, {"w"}, &out_).code(), Code::kCancelled);
}

}  // namespace
}  // namespace warpbeam
