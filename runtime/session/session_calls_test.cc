// Callables, partial runs, limits that always return, checks before a run, and stress.
#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/local/device_set.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/session.h"
#include "runtime/session/testing/session_fixture.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = StatusCode;

TEST_F(SessionTest, AKernelThatNeverEndsCostsItsWorkerOnly) {
  OutputRef c = Const("c", 1.0f);
  Add("AddOne", "after", {Add("Stuck", "stuck_one", {c})});
  Add("AddOne", "good", {c});
  options_.intra_op_threads = 2;
  Open();
  for (int i = 0; i < 3; ++i) {
    const Status s = Run({}, {"after"}, {}, /*timeout_ms=*/20);
    EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(std::string(s.message()), HasSubstr("left behind"));
  }
  // A deadline makes a step run on workers, all of which would be stuck by now.
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Run({}, {"good"}, {}, 20000).ok());
  const Status closed = session_->Close(20);
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

TEST_F(SessionTest, SessionsShareThreadsUnlessTheyWantTheirOwn) {
  const auto pool_of = [](const SessionOptions& options) {
    auto devices = CreateDevices(options);
    EXPECT_TRUE(devices.ok()) << devices.status();
    return std::make_pair((*devices)->lanes()[0].pool, *devices);
  };
  const auto first = pool_of(options_), second = pool_of(options_);
  EXPECT_EQ(first.first, second.first);
  SessionOptions other = options_;
  other.use_per_session_threads = true;
  EXPECT_NE(pool_of(other).first, first.first);
  other = options_;
  other.intra_op_threads = 7;
  EXPECT_NE(pool_of(other).first, first.first);
  other = options_;
  other.simulated_gpus = 1;
  EXPECT_EQ(pool_of(other).first, first.first);
}

TEST_F(SessionTest, CpuDevicesLendEachOtherThreadsUnlessToldNotTo) {
  options_.cpu_devices = options_.intra_op_threads = 2;
  for (const bool lends : {true, false}) {
    options_.lend_idle_threads = lends;
    auto devices = CreateDevices(options_);
    ASSERT_TRUE(devices.ok()) << devices.status();
    WorkerPool* const pool = (*devices)->lanes()[0].pool;
    WorkerPool::Participant self(pool);
    EXPECT_EQ(pool->loop_width(), lends ? 2 : 1);
  }
}

TEST_F(SessionTest, LaunchesAreWaitedForWhereThatIsWanted) {
  options_.simulated_gpus = 1;
  options_.simulated_gpus_enqueue = true;
  for (const bool waits : {true, false}) {
    options_.cuda_blocking = waits;
    auto devices = CreateDevices(options_);
    ASSERT_TRUE(devices.ok()) << devices.status();
    for (const Lane& lane : (*devices)->lanes()) {
      EXPECT_EQ(lane.is_blocking, waits && lane.enqueues());
    }
  }
}

// Both sessions work at once, and either goes on when the other has gone.
TEST_F(SessionTest, TwoSessionsOnTheSameThreads) {
  OutputRef x = Const("c", 1.0f);
  for (int i = 0; i < 30; ++i) x = Add("Big", absl::StrCat("n", i), {x});
  Open();
  auto other = Session::Create(options_, graph_);
  ASSERT_TRUE(other.ok()) << other.status();
  std::atomic<int> wrong{0};
  std::thread thread([&] {
    for (int i = 0; i < 100; ++i) {
      std::vector<Tensor> out;
      const Status s = (*other)->Run({}, {}, {"n29"}, {}, &out);
      if (!s.ok() || out[0].scalar<float>() != 31) ++wrong;
    }
    if (!(*other)->Close().ok()) ++wrong;
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Value("n29"), 31);
  thread.join();
  EXPECT_EQ(wrong, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Value("n29"), 31);
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

TEST_F(SessionTest, CallablesConnectTensors) {
  const OutputRef x = Add("Input", "x", {}), other = Add("Input", "other", {});
  const OutputRef y = Add("AddOne", "y", {x});
  Add("AddOne", "z", {Add("AddOne", "more", {y})});
  Add("AddOne", "apart", {other});
  Open();
  CallableOptions step;
  step.feeds = {"x"};
  step.fetches = {"z", "apart", "other"};
  step.connections = {{"y:0", "other:0"}};
  const auto handle = session_->MakeCallable(step);
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_TRUE(session_->RunCallable(*handle, {Tensor::Scalar(5.0f)}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 8);
  EXPECT_EQ(out_[1].scalar<float>(), 7);
  EXPECT_EQ(out_[2].scalar<float>(), 6);
  // The graph itself is as it was.
  EXPECT_FALSE(Run({{"x", Tensor::Scalar(5.0f)}}, {"apart"}).ok());
  const auto refused = [&](std::vector<std::pair<std::string, std::string>> connections) {
    step.connections = std::move(connections);
    return session_->MakeCallable(step).status().code();
  };
  EXPECT_EQ(refused({{"y", "nowhere"}}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"nowhere", "other"}}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"y", "x"}}), Code::kInvalidArgument);  // fed
  EXPECT_EQ(refused({{"y", "other"}, {"z", "other"}}), Code::kInvalidArgument);
  EXPECT_EQ(refused({{"z", "y"}}), Code::kInvalidArgument);  // a cycle
}

TEST_P(GpuSessionTest, CallablesLeaveTensorsOnDevices) {
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
  // Programs match these words of TensorFlow's.
  const auto refused = [](const Status& s, const char* text) {
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr(text));
  };
  refused(part(one("a"), {}), "The feed a:0 has already been fed.");
  refused(part({}, {"sum"}), "The fetch sum:0 has already been fetched.");
  refused(part({}, {"once"}), "The fetch once was not specified in partial_run_setup.");
  refused(part(one("once"), {}), "The feed once was not specified in partial_run_setup.");
  refused(part({}, {"more"}), "Fetch more:0 can't be computed from the feeds");
  EXPECT_EQ(part({{"c", Tensor::Scalar(1)}}, {}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(part({{"c", Tensor::Scalar(10.0f)}}, {"more"}).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 13);
  EXPECT_EQ(ran, 1);
  refused(part({}, {}), "Must run PartialRunSetup before performing partial runs");  // it has ended
  refused(session_->PartialRunSetup({"a"}, {}, {}).status(),
          "Must specify at least one target to fetch or execute.");
  EXPECT_EQ(session_->PartialRunSetup({"a"}, {"a"}, {}).status().code(), Code::kInvalidArgument);
}

TEST_P(GpuSessionTest, PartialRunsOnSimulatedGpus) {
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
  const Status s = session_->PartialRun(*run, {{"a", Tensor::Scalar(1.0f)}}, {"bad"}, &out_);
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
    const Status s = session_->PartialRun(*run, {{"x", Tensor::Scalar(1.0f)}}, {fetch}, &out_);
    EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(std::string(s.message()), HasSubstr(absl::StrCat("node '", fetch, "'")));
  }
  const auto idle = session_->PartialRunSetup({"x"}, {"w"}, {});  // never fed
  ASSERT_TRUE(idle.ok()) << idle.status();
  release_stuck = true;
  EXPECT_TRUE(session_->Close().ok());
  EXPECT_EQ(session_->PartialRun(*idle, {}, {"w"}, &out_).code(), Code::kCancelled);
}

TEST_F(SessionTest, ADequeueThatNothingCanServeIsRefused) {
  OutputRef q = Add("FIFOQueueV2", "q", {});
  Add("QueueSizeV2", "size", {q});
  Add("AddOne", "after", {Add("QueueDequeueV2", "take", {q})});
  Add("QueueDequeueV2", "take_filled", {Add("FIFOQueueV2", "filled", {})});
  Add("QueueEnqueueV2", "put", {{graph_->Find("filled")->id(), 0}, Const("c", 1.0f)});
  Add("QueueDequeueV2", "take_closed", {Add("FIFOQueueV2", "closed", {})});
  Add("QueueCloseV2", "close", {{graph_->Find("closed")->id(), 0}});
  Open();
  const Status s = Run({}, {"after"});
  EXPECT_EQ(s.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("'take'"), HasSubstr("'q'")));
  const auto is_refused = [&](const std::string& fetch) {
    return std::string(Run({}, {fetch}).message()).find("never end") != std::string::npos;
  };
  EXPECT_FALSE(is_refused("size"));
  EXPECT_FALSE(is_refused("take_filled"));
  EXPECT_FALSE(is_refused("take_closed"));
  EXPECT_TRUE(is_refused("take"));
  EXPECT_EQ(Value("after", {{"take", Tensor::Scalar(1.0f)}}), 2);  // the dequeue is not run
  ASSERT_TRUE(session_
                  ->Extend([&](Graph&) {
                    Add("QueueEnqueueV2", "late", {q, {graph_->Find("c")->id(), 0}});
                    return OkStatus();
                  })
                  .ok());
  EXPECT_FALSE(is_refused("take"));
}

TEST_F(SessionTest, AQueueWithASharedNameMayBeFilledFromElsewhere) {
  NodeSpec spec;
  spec.name = "q";
  spec.op = "FIFOQueueV2";
  spec.attrs.Set("shared_name", std::string("everyones"));
  const auto q = graph_->AddNode(std::move(spec), {}, {});
  ASSERT_TRUE(q.ok()) << q.status();
  Add("QueueDequeueV2", "take", {{(*q)->id(), 0}});
  Open();
  EXPECT_EQ(std::string(Run({}, {"take"}).message()).find("never end"), std::string::npos);
}

// The toy ops' kernels fail; what counts is that they are reached.
TEST_F(SessionTest, ADequeueThatSomebodyEndsOrServesIsNotRefused) {
  Add("QueueDequeueV2", "take", {Add("FIFOQueueV2", "q", {})});
  Open();
  const auto is_refused = [](const Status& s) {
    return IsFailedPrecondition(s) &&
           std::string(s.message()).find("never end") != std::string::npos;
  };
  EXPECT_FALSE(is_refused(Run({}, {"take"}, {}, /*timeout_ms=*/1000)));
  EXPECT_TRUE(is_refused(Run({}, {"take"})));  // the same plan
  EXPECT_FALSE(is_refused(Run({}, {"take"}, {}, 1000)));
  Cancellation cancellation;
  RunOptions cancelled;
  cancelled.cancellation = &cancellation;
  EXPECT_FALSE(is_refused(session_->Run(cancelled, {}, {"take"}, {}, &out_)));
  CallableOptions call;
  call.fetches = {"take"};
  const auto handle = session_->MakeCallable(call);
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_TRUE(is_refused(session_->RunCallable(*handle, {}, &out_)));
  EXPECT_FALSE(is_refused(session_->RunCallable(*handle, {}, &out_, nullptr, &cancellation)));
  EXPECT_TRUE(is_refused(session_->PartialRunSetup({}, {"take"}, {}).status()));
  // Sessions of a server: another one, or the client's next extension of the graph, may fill it.
  options_.resources = std::make_shared<ResourceStore>();
  Open();
  EXPECT_FALSE(is_refused(Run({}, {"take"})));
}

TEST_P(GpuSessionTest, DevicesThatWaitForEachOtherAreRefused) {
  OutputRef c = Const("c", 1.0f);
  OutputRef a = Add("Add", "a", {c, c}, "/cpu:0");
  OutputRef b = Add("AddOne", "b", {a}, "/gpu:0");
  ASSERT_TRUE(graph_->SetInput(a.node, 1, b).ok());
  const auto session = Session::Create(options_, graph_);
  const Status s = session.ok() ? (*session)->Run({}, {}, {"b"}, {}, &out_) : session.status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("cycle"), HasSubstr("a"), HasSubstr("b")));
}

TEST_F(SessionTest, WhatAConstantWaitsForItsReadersWaitFor) {
  OutputRef v = Add("VariableV2", "v", {});
  Add("Assign", "init", {v, Const("zero", 0.0f)});
  OutputRef x = Add("AddOne", "x", {v});
  for (int i = 0; i < 5; ++i) x = Add("AddOne", absl::StrCat("x", i), {x});
  NodeSpec spec;
  spec.name = "one";
  spec.op = "Const";
  spec.attrs.Set("value", Tensor::Scalar(1.0f));
  spec.attrs.Set("dtype", DType::kFloat);
  const auto one = graph_->AddNode(std::move(spec), {}, {x.node});
  ASSERT_TRUE(one.ok()) << one.status();
  Add("AssignAdd", "add", {v, {(*one)->id(), 0}});
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    options_.stress_seed = seed;
    Open();
    ASSERT_TRUE(Run({}, {}, {"init"}).ok());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(Run({}, {"x4"}, {"add"}).ok());
      ASSERT_EQ(out_[0].scalar<float>(), i + 6) << "seed " << seed;
    }
  }
}

TEST_P(GpuSessionTest, StressChangesNothingButTheOrder) {
  OutputRef c = Const("c", 1.0f, "/cpu:0");
  OutputRef sum = Add("AddOne", "first", {c}, "/cpu:0");
  for (int i = 0; i < 8; ++i) {
    OutputRef a = Add("AddOne", absl::StrCat("left", i), {sum}, "/cpu:0");
    OutputRef b = Add("AddOne", absl::StrCat("right", i), {sum}, i % 2 == 0 ? "/gpu:0" : "/cpu:0");
    sum = Add("Add", absl::StrCat("sum", i), {a, b}, "/cpu:0");
  }
  Open();
  const float expected = Value("sum7");
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    options_.stress_seed = seed;
    Open();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(Value("sum7"), expected);
    EXPECT_EQ(Run({}, {"sum7"}, {}, 20000).code(), Code::kOk);
  }
}

TEST_F(SessionTest, WhatWasPreparedIsNotCompiledAgain) {
  Add("AddOne", "y", {Add("Input", "x", {})});
  const fs::path dumps = fs::path(::testing::TempDir()) / "prepared";
  fs::remove_all(dumps);
  fs::create_directories(dumps);
  options_.dump_directory = dumps.string();
  const auto count = [&] {
    return std::distance(fs::directory_iterator(dumps), fs::directory_iterator());
  };
  Open();
  ran = 0;
  ASSERT_TRUE(session_->Prepare({"x:0"}, {"y"}, {}).ok());
  EXPECT_EQ(ran, 0);
  const auto of_one = count();
  EXPECT_GT(of_one, 0);
  EXPECT_EQ(Value("y", {{"x:0", Tensor::Scalar(4.0f)}}), 5);
  EXPECT_EQ(count(), of_one);
  EXPECT_EQ(Value("y", {{"x", Tensor::Scalar(4.0f)}}), 5);  // other names, another plan
  EXPECT_GT(count(), of_one);
}

TEST_F(SessionTest, PreparingSaysWhatRunWouldSay) {
  Add("AddOne", "y", {Const("c", 1.0f)});
  Open();
  EXPECT_EQ(session_->Prepare({}, {"nowhere"}, {}).code(), Code::kInvalidArgument);
  EXPECT_EQ(session_->Prepare({}, {}, {"nowhere"}).code(), Code::kNotFound);
  EXPECT_EQ(session_->Prepare({}, {}, {}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Value("y"), 2);
}

}  // namespace
}  // namespace warpbeam
