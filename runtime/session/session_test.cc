#include "runtime/session/session.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/session/testing/session_fixture.h"
#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = StatusCode;

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
  const Status s = Run({}, {"after"});
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("'bad'"), HasSubstr("(Fail)"), HasSubstr("made to fail")));
  EXPECT_EQ(Value("good"), 2);
}

TEST_F(SessionTest, WhatCannotBeMadeIsRefused) {
  options_.cpu_devices = 0;
  EXPECT_EQ(Session::Create(options_, graph_).status().code(), Code::kInvalidArgument);
  options_.cpu_devices = 1;
  options_.simulated_gpus = 1;
  options_.simulated_gpu_memory = int64_t{1} << 60;
  EXPECT_EQ(Session::Create(options_, graph_).status().code(), Code::kResourceExhausted);
}

TEST_F(SessionTest, AnErrorThatHoldsATensorIsCut) {
  Add("FailAtLength", "bad", {Const("c", 1.0f)});
  Open();
  const Status s = Run({}, {"bad"});
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr("'bad'"), HasSubstr("xxx…")));
  EXPECT_LT(s.message().size(), 5000u);
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

TEST_P(GpuSessionTest, AReaderOrderedAfterAnUpdateSeesIt) {
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

TEST_P(GpuSessionTest, CopiesBetweenSimulatedGpus) {
  options_.simulated_gpus = 2;
  OutputRef c = Const("c", 1.0f, "/cpu:0");
  OutputRef a = Add("AddOne", "a", {c}, "/gpu:0");
  OutputRef b = Add("AddOne", "b", {a}, "/gpu:1");
  OutputRef b2 = Add("AddOne", "b2", {a}, "/gpu:1");
  OutputRef s = Add("Add", "s", {b, b2}, "/gpu:1");
  Add("AddOne", "end", {s}, "/cpu:0");
  Open();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Value("end"), 7);
  EXPECT_EQ(metadata_.host_to_device_copies, 0);  // a constant's was made with the plan
  EXPECT_EQ(metadata_.peer_copies, 1);            // one for both consumers
  EXPECT_EQ(metadata_.device_to_host_copies, 1);
  EXPECT_EQ(metadata_.bytes_copied, 8);
  EXPECT_EQ(Value("b"), 3);
}

TEST_P(GpuSessionTest, VariablesOnSimulatedGpus) {
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
  const Status s = Run({}, {"stuck_one"}, {}, /*timeout_ms=*/30);
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
  Status ended;
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
        const Status s = session_->Run({}, {}, {"n29"}, {}, &out);
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
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(Value("late"), 2);
}

// What steps name in messages, traces and graphs of devices is read while the graph grows.
// The names are free again, and the session goes on.
TEST_F(SessionTest, WhatCannotBeAddedLeavesNothingBehind) {
  const OutputRef c = Const("c", 1.0f);
  Add("AddOne", "y", {c});
  options_.allow_soft_placement = false;
  Open();
  const Status elsewhere = session_->Extend([&](Graph&) {
    Add("AddOne", "z", {c}, "/gpu:7");
    return OkStatus();
  });
  EXPECT_EQ(elsewhere.code(), Code::kInvalidArgument) << elsewhere;
  const Status failed = session_->Extend([&](Graph&) {
    Add("AddOne", "z", {c});
    return InvalidArgument("on second thoughts");
  });
  EXPECT_EQ(failed.message(), "on second thoughts");
  EXPECT_EQ(Value("y"), 2);
  EXPECT_EQ(Run({}, {"z"}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(session_
                  ->Extend([&](Graph&) {
                    Add("AddOne", "z", {c});
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(Value("z"), 2);
}

TEST_F(SessionTest, GrowsBesideStepsThatReadIt) {
  const OutputRef c = Const("c", 1.0f);
  Add("AddOne", "y", {c});
  Add("Fail", "fails", {c});
  Open();
  std::atomic<bool> grown{false};
  std::atomic<int> wrong{0};
  std::thread steps([&] {
    RunOptions run;
    run.trace = TraceLevel::kFull;
    run.cost_graph = run.partition_graphs = true;
    while (!grown) {
      std::vector<Tensor> out;
      RunMetadata metadata;
      const Status s = session_->Run(run, {}, {"y"}, {}, &out, &metadata);
      if (!s.ok() || metadata.cost_graph.nodes.empty()) ++wrong;
      const Status failed = session_->Run({}, {}, {"fails"}, {}, &out);
      if (std::string(failed.message()).find("'fails'") == std::string::npos) ++wrong;
    }
  });
  for (int i = 0; i < 300; ++i) {
    const Status s = session_->Extend([&](Graph&) {
      Add("AddOne", absl::StrCat("late", i), {c});
      return OkStatus();
    });
    ASSERT_TRUE(s.ok()) << s;
  }
  grown = true;
  steps.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(Value("late299"), 2);
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

// Where no kernel runs, what is given out still has a place in the trace.
TEST_F(SessionTest, TracesNameConstantsThatAreFetched) {
  const OutputRef c = Const("c", 1.0f);
  Open();
  RunOptions run;
  run.trace = TraceLevel::kFull;
  const std::string name = graph_->node(c.node).name();
  ASSERT_TRUE(session_->Run(run, {}, {name}, {}, &out_, &metadata_).ok());
  ASSERT_EQ(metadata_.step_stats.nodes.size(), 1u);
  EXPECT_EQ(metadata_.step_stats.nodes[0].node, name);
  EXPECT_THAT(std::string(metadata_.step_stats.nodes[0].device), HasSubstr("CPU:0"));
}

TEST_F(SessionTest, TracesTellWhatWaitedForWhatAndWhatItAllocated) {
  options_.simulated_gpus = 1;
  OutputRef a = Add("AddOne", "a", {Const("c", 1.0f, "/cpu:0")}, "/cpu:0");
  OutputRef b = Add("AddOne", "b", {a}, "/gpu:0");
  Add("AddOne", "d", {b}, "/cpu:0");
  Open();
  RunOptions run;
  run.trace = TraceLevel::kSoftware;
  ASSERT_TRUE(session_->Run(run, {}, {"d", "a"}, {}, &out_, &metadata_).ok());
  const StepStats& stats = metadata_.step_stats;
  ASSERT_EQ(stats.nodes.size(), 5u);
  std::vector<std::string> path;
  for (int32_t i : CriticalPath(stats)) {
    path.emplace_back(stats.nodes[i].is_copy ? "copy" : stats.nodes[i].node);
  }
  EXPECT_THAT(path, ::testing::ElementsAre("a", "copy", "b", "copy", "d"));
  for (const NodeStats& n : stats.nodes) {
    EXPECT_GE(n.start_ns, n.scheduled_ns) << n.node;
    EXPECT_GE(n.scheduled_ns, stats.start_ns) << n.node;
    EXPECT_LE(n.end_ns, stats.end_ns) << n.node;
    EXPECT_EQ(n.output_bytes, 4) << n.node;
    ASSERT_EQ(n.outputs.size(), 1u) << n.node;
    EXPECT_EQ(n.outputs[0].dtype, DType::kFloat);
    EXPECT_GE(n.outputs[0].allocated_bytes, 4);
    // b and d write where their input was, which nobody else reads.
    EXPECT_EQ(n.outputs[0].alias_input, n.is_copy || n.node == "a" ? -1 : 0) << n.node;
    EXPECT_EQ(n.is_copy, n.copy_from.empty() != n.copy_to.empty()) << n.node;
  }
}

TEST_F(SessionTest, CostAndPartitionGraphs) {
  options_.simulated_gpus = 1;
  OutputRef x = Add("Input", "x", {}, "/cpu:0");
  OutputRef a = Add("AddOne", "a", {x}, "/cpu:0");
  OutputRef b = Add("Add", "b", {a, Const("c", 1.0f, "/gpu:0")}, "/gpu:0");
  Add("Add", "d", {b, b}, "/cpu:0");
  Open();
  RunOptions run;
  run.cost_graph = run.partition_graphs = true;
  ASSERT_TRUE(session_->Run(run, {{"x", Tensor::Scalar(1.0f)}}, {"d"}, {}, &out_, &metadata_).ok());
  const auto& cost = metadata_.cost_graph.nodes;
  ASSERT_EQ(cost.size(), 5u);  // three nodes and two copies
  for (const CostNode& n : cost) {
    EXPECT_EQ(n.is_final, n.name == "d");
    EXPECT_EQ(n.inputs.size(), n.name == "a" ? 0u : 1u) << n.name;
    EXPECT_TRUE(n.control_inputs.empty()) << n.name;
  }
  const auto& graphs = metadata_.partition_graphs;
  ASSERT_EQ(graphs.size(), 2u);
  const auto names = [](const DeviceGraph& graph) {
    std::vector<std::string> list;
    for (const NodeSpec& n : graph.nodes) {
      list.push_back(absl::StrCat(n.name, "=", n.op, "(", absl::StrJoin(n.inputs, ","), ")"));
    }
    return list;
  };
  EXPECT_THAT(names(graphs[0]),
              ::testing::UnorderedElementsAre(
                  "_arg_x_0=_Arg()", "a=AddOne(_arg_x_0)", "a/_0_to_GPU_0/send=_Send(a)",
                  "b/_0_to_CPU_0/recv=_Recv()", "d=Add(b/_0_to_CPU_0/recv,b/_0_to_CPU_0/recv)",
                  "_retval_d_0_0=_Retval(d)"));
  EXPECT_THAT(names(graphs[1]), ::testing::UnorderedElementsAre(
                                    "a/_0_to_GPU_0/recv=_Recv()", "c=Const()",
                                    "b=Add(a/_0_to_GPU_0/recv,c)", "b/_0_to_CPU_0/send=_Send(b)"));
  const auto wire =
      SerializeRunMetadata(metadata_.step_stats, metadata_.cost_graph, metadata_.partition_graphs);
  EXPECT_TRUE(wire.ok()) << wire.status();
}

WB_ON_BOTH_KINDS_OF_GPUS;

}  // namespace
}  // namespace warpbeam
