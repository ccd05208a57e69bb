// Memory that runs out in the middle of a step: the status says who asked for how much, what the
// limit is and which nodes hold the rest, and the session goes on.
#include <cstring>
#include <vector>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = StatusCode;

constexpr int64_t kMiB = int64_t{1} << 20;

class OutOfMemory : public ::testing::Test {
 protected:
  void SetUp() override { options_.passes = "none"; }
  void TearDown() override {
    session_ = nullptr;
    PoolAllocator::Process().set_limit(0);
  }

  NodeBuilder Op(const char* op, const char* name) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device_);
    return builder;
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Unary(const char* op, const char* name, OutputRef x) {
    return Built(Op(op, name).Input(x));
  }
  OutputRef Binary(const char* op, const char* name, OutputRef x, OutputRef y) {
    return Built(Op(op, name).Input(x).Input(y));
  }
  template <typename T>
  OutputRef Constant(T value) {
    return {(*AddConstant(graph_.get(), "const", Tensor::Scalar<T>(value), device_))->id(), 0};
  }
  OutputRef Placeholder(const char* name, DType dtype) {
    return Built(
        NodeBuilder(graph_.get(), "Placeholder").Name(name).Device("/cpu:0").Attr("dtype", dtype));
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  // So many MiB more than the process holds now.
  void LimitHostMemoryTo(int64_t mib) {
    options_.host_memory_limit = PoolAllocator::Process().stats().bytes_in_use + mib * kMiB;
  }
  Status Run(const std::string& fetch, int64_t floats) {
    const NamedTensors feeds = {{"n", Tensor::Vector<int32_t>({static_cast<int32_t>(floats)})}};
    return session_->Run(RunOptions(), feeds, {fetch}, {}, &out_);
  }
  // Runs out of memory with `large` floats, says `what` of it, and goes on with a few.
  void ExpectRunsOut(const std::string& fetch, int64_t large,
                     const ::testing::Matcher<std::string>& what) {
    for (int i = 0; i < 2; ++i) {
      const Status s = Run(fetch, large);
      EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
      EXPECT_THAT(std::string(s.message()), what);
      const Status next = Run(fetch, 10);
      EXPECT_TRUE(next.ok()) << next;
    }
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  const char* device_ = "/cpu:0";
};

// The sum needs all three, so a and b are alive when c asks for more.
TEST_F(OutOfMemory, OnTheCpu) {
  const OutputRef n = Placeholder("n", DType::kInt32);
  const OutputRef a = Binary("Fill", "a", n, Constant(1.0f));
  const OutputRef b = Unary("Square", "b", a);
  const OutputRef c = Unary("Neg", "c", b);
  Built(Op("AddN", "sum").Input(std::vector<OutputRef>{a, b, c}));
  LimitHostMemoryTo(10);
  Open();
  ExpectRunsOut("sum", kMiB,
                AllOf(HasSubstr("(Neg) on /job:localhost/replica:0/task:0/device:CPU:0"),
                      HasSubstr("float[1048576] (4194304 bytes)"),
                      HasSubstr(absl::StrCat("at most ", options_.host_memory_limit)),
                      HasSubstr("'a' (Fill) float[1048576] 4194304 bytes"),
                      HasSubstr("'b' (Square) float[1048576] 4194304 bytes")));
}

TEST_F(OutOfMemory, VariablesAndFeedsCount) {
  const OutputRef v = Built(
      Op("VariableV2", "v").Attr("shape", PartialShape({2 * kMiB})).Attr("dtype", DType::kFloat));
  const OutputRef w = Built(
      Op("VarHandleOp", "w").Attr("shape", PartialShape({kMiB})).Attr("dtype", DType::kFloat));
  const OutputRef one = Constant(1.0f);
  const auto dims = [&](int64_t n) {
    return OutputRef{(*AddConstant(graph_.get(), "dims",
                                   Tensor::Vector<int32_t>({static_cast<int32_t>(n)}), device_))
                         ->id(),
                     0};
  };
  Built(Op("Assign", "init_v").Input(v).Input(Binary("Fill", "ones_v", dims(2 * kMiB), one)));
  auto init_w = Op("AssignVariableOp", "init_w")
                    .Input(w)
                    .Input(Binary("Fill", "ones_w", dims(kMiB), one))
                    .Build();
  ASSERT_TRUE(init_w.ok()) << init_w.status();
  const OutputRef n = Placeholder("n", DType::kInt32);
  const OutputRef x = Placeholder("x", DType::kFloat);
  const OutputRef max_v = Binary("Max", "max_v", v, Constant<int32_t>(0));
  const OutputRef read_w =
      Built(Op("ReadVariableOp", "read_w").Input(w).Attr("dtype", DType::kFloat));
  const OutputRef max_w = Binary("Max", "max_w", read_w, Constant<int32_t>(0));
  const OutputRef max_x = Binary("Max", "max_x", x, Constant<int32_t>(0));
  const OutputRef value = Binary("AddV2", "value", Binary("AddV2", "max_vw", max_v, max_w), max_x);
  Binary("Fill", "out", n, value);
  LimitHostMemoryTo(17);
  Open();
  ASSERT_TRUE(session_->Run(RunOptions(), {}, {}, {"init_v", "init_w"}, nullptr).ok());
  const Tensor fed = *Tensor::Allocate(DType::kFloat, {kMiB / 2});
  memset(const_cast<void*>(fed.raw_data()), 0, fed.bytes());
  const NamedTensors feeds = {{"n", Tensor::Vector<int32_t>({static_cast<int32_t>(3 * kMiB)})},
                              {"x", fed}};
  const Status s = session_->Run(RunOptions(), feeds, {"out"}, {}, &out_);
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  EXPECT_THAT(
      std::string(s.message()),
      AllOf(HasSubstr("'out' (Fill)"), HasSubstr("'v' (VariableV2) float[2097152]"),
            HasSubstr("'w' (VarHandleOp) float[1048576]"), HasSubstr("feed 'x:0' float[524288]")));
}

TEST_F(OutOfMemory, OnASimulatedGpu) {
  options_.simulated_gpus = 1;
  options_.simulated_gpu_memory = 10 * kMiB;
  const OutputRef n = Placeholder("n", DType::kInt32);
  const OutputRef start = Binary("Fill", "start", n, Constant(1.0f));
  device_ = "/gpu:0";
  const OutputRef a = Unary("Square", "a", start);  // in the memory of the copy of start
  const OutputRef b = Unary("Square", "b", a);
  const OutputRef c = Unary("Neg", "c", b);
  Built(Op("AddN", "sum").Input(std::vector<OutputRef>{a, b, c}));
  Open();
  ExpectRunsOut("sum", kMiB,
                AllOf(HasSubstr("(Neg) on /job:localhost/replica:0/task:0/device:GPU:0"),
                      HasSubstr("out of memory in 'gpu:0' for a tensor of float[1048576]"),
                      HasSubstr("device:GPU:0 has 10485760 bytes"),
                      HasSubstr("'a' (Square) float[1048576] 4194304 bytes"),
                      HasSubstr("'b' (Square) float[1048576] 4194304 bytes")));
  // The copy into the device may be what finds no memory.
  ExpectRunsOut("sum", 3 * kMiB,
                AllOf(HasSubstr("copy of 'start' on /job:localhost/replica:0/task:0/device:GPU:0"),
                      HasSubstr("(12582912 bytes)"), HasSubstr("0 tensors of the step are alive")));
}

// while true: x = concat(x, x)
TEST_F(OutOfMemory, InALoop) {
  const OutputRef n = Placeholder("n", DType::kInt32);
  const auto enter = [&](OutputRef x, bool is_constant) {
    return Built(Op("Enter", "enter")
                     .Input(x)
                     .Attr("frame_name", std::string("loop"))
                     .Attr("is_constant", is_constant));
  };
  const OutputRef in = enter(Binary("Fill", "start", n, Constant(1.0f)), false);
  const OutputRef merge = Built(Op("Merge", "merge").Input(std::vector<OutputRef>{in, in}));
  const OutputRef size = Unary("Size", "size", merge);
  const OutputRef less = Binary("Less", "less", size, enter(Constant<int32_t>(100), true));
  const OutputRef large = Binary("Greater", "large", size, enter(Constant<int32_t>(200), true));
  const OutputRef cond = Unary("LoopCond", "cond", Binary("LogicalOr", "or", less, large));
  const OutputRef sw = Binary("Switch", "switch", merge, cond);
  const OutputRef body = Unary("Identity", "body", {sw.node, 1});
  const OutputRef twice = Built(Op("ConcatV2", "twice")
                                    .Input(std::vector<OutputRef>{body, body})
                                    .Input(enter(Constant<int32_t>(0), true)));
  const OutputRef back = Unary("NextIteration", "back", twice);
  ASSERT_TRUE(graph_->SetInput(merge.node, 1, back).ok());
  Unary("Exit", "out", sw);
  LimitHostMemoryTo(16);
  Open();
  ExpectRunsOut("out", 1000,
                AllOf(HasSubstr("'twice' (ConcatV2)"), HasSubstr("the largest: '"),
                      HasSubstr("float[2048000] 8192000 bytes")));
}

// Integers of a GPU's kernels lie in host memory.
TEST_F(OutOfMemory, HostMemoryOfGpuKernelsCounts) {
  options_.simulated_gpus = 1;
  const OutputRef n = Placeholder("n", DType::kInt32);
  const OutputRef seven = Constant<int32_t>(7);
  device_ = "/gpu:0";
  Binary("Fill", "sevens", n, seven);
  LimitHostMemoryTo(3);
  Open();
  ExpectRunsOut("sevens", kMiB,
                AllOf(HasSubstr("'sevens' (Fill) on /job:localhost/replica:0/task:0/device:GPU:0"),
                      HasSubstr("int32[1048576] (4194304 bytes)")));
}

// A loop that counts to 3 and has `value` go round beside; the Exits of both.
struct Counted {
  OutputRef count, value;
};

class UnreadOutputs : public OutOfMemory {
 protected:
  Counted AddLoop(const std::string& frame, OutputRef value) {
    const auto enter = [&](OutputRef x, bool is_constant) {
      return Built(
          Op("Enter", "enter").Input(x).Attr("frame_name", frame).Attr("is_constant", is_constant));
    };
    std::vector<OutputRef> merges;
    for (const OutputRef x : {Constant(int32_t{0}), value}) {
      const OutputRef in = enter(x, false);
      merges.push_back(Built(Op("Merge", "merge").Input(std::vector<OutputRef>{in, in})));
    }
    const OutputRef limit = enter(Constant(int32_t{3}), true);
    const OutputRef cond = Unary("LoopCond", "cond", Binary("Less", "less", merges[0], limit));
    std::vector<OutputRef> exits;
    for (size_t i = 0; i < 2; ++i) {
      const OutputRef branch = Binary("Switch", "switch", merges[i], cond);
      OutputRef next = {branch.node, 1};
      if (i == 0) {
        auto one = NodeBuilder(graph_.get(), "Const");
        one.Attr("value", Tensor::Scalar<int32_t>(1)).Attr("dtype", DType::kInt32);
        next = Binary("Add", "add", next, Built(one.Device(device_).ControlInput(cond.node)));
      }
      const OutputRef back = Unary("NextIteration", "next", next);
      EXPECT_TRUE(graph_->SetInput(merges[i].node, 1, back).ok());
      exits.push_back(Unary("Exit", "exit", branch));
    }
    return {exits[0], exits[1]};
  }
};

// Whether there is a loop in a step or not, what nobody reads is gone at once.
TEST_F(UnreadOutputs, AreGoneBesideALoop) {
  constexpr int64_t kFloats = kMiB / 4;
  const OutputRef n = Placeholder("n", DType::kInt32);
  OutputRef x = Binary("Fill", "x", n, Constant(1.0f));
  for (int i = 0; i < 24; ++i) {
    // The indices, a mebibyte each time, are not read.
    x = Built(Op("TopKV2", "top").Input(x).Input(Constant(static_cast<int32_t>(kFloats))));
  }
  AddLoop("loop", Constant(1.0f));
  Unary("Neg", "last", x);
  LimitHostMemoryTo(12);
  Open();
  std::vector<Tensor> out;
  const NamedTensors feeds = {{"n", Tensor::Vector<int32_t>({static_cast<int32_t>(kFloats)})}};
  const Status ran = session_->Run(RunOptions(), feeds, {"last", "exit"}, {}, &out);
  EXPECT_TRUE(ran.ok()) << ran;
}

// What leaves a loop for nobody does not stay either.
TEST_F(UnreadOutputs, OfExitsAreGone) {
  constexpr int64_t kFloats = kMiB / 4;
  const OutputRef n = Placeholder("n", DType::kInt32);
  OutputRef count = Constant(int32_t{0});
  for (int i = 0; i < 24; ++i) {
    const OutputRef one = Constant(1.0f);
    const OutputRef x = Built(Op("Fill", "x").Input(n).Input(one).ControlInput(count.node));
    count = AddLoop(absl::StrCat("loop", i), x).count;
  }
  Unary("Neg", "last", count);
  LimitHostMemoryTo(12);
  Open();
  const Status ran = Run("last", kFloats);
  EXPECT_TRUE(ran.ok()) << ran;
}

// Forty doublings of a string tensor would be 1 TB.
TEST_F(OutOfMemory, StringsCountByWhatTheyHold) {
  const OutputRef x = Placeholder("x", DType::kString);
  OutputRef joined = x, joined_more = x;
  const OutputRef axis = Constant<int32_t>(0);
  for (int i = 0; i < 40; ++i) {
    joined = Built(Op("StringJoin", "join").Input(std::vector<OutputRef>{joined, joined}));
    joined_more = Built(Op("ConcatV2", "concat")
                            .Input(std::vector<OutputRef>{joined_more, joined_more})
                            .Input(axis));
    if (i == 4) {
      Unary("Identity", "few_joined", joined);
      Unary("Identity", "few_more", joined_more);
    }
  }
  Unary("Identity", "all_joined", joined);
  Unary("Identity", "all_more", joined_more);
  LimitHostMemoryTo(24);
  Open();
  for (const char* text : {"abc", "a text that is too long to lie within its object"}) {
    const NamedTensors feeds = {{"x", Tensor::Vector<std::string>({text, text})}};
    for (const char* fetch : {"few_joined", "few_more"}) {
      EXPECT_TRUE(session_->Run(RunOptions(), feeds, {fetch}, {}, &out_).ok());
    }
    out_.clear();  // what is fed is counted from here on
    for (const auto& [fetch, what] :
         {std::pair("all_joined", "(StringJoin)"), std::pair("all_more", "(ConcatV2)")}) {
      const int64_t before = PoolAllocator::Process().stats().bytes_in_use;
      const Status s = session_->Run(RunOptions(), feeds, {fetch}, {}, &out_);
      EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
      EXPECT_THAT(std::string(s.message()), AllOf(HasSubstr(what), HasSubstr("string["),
                                                  HasSubstr("bytes are in use of at")));
      EXPECT_EQ(PoolAllocator::Process().stats().bytes_in_use, before);
    }
  }
}

TEST_F(OutOfMemory, StringsOfFillsFeedsAndQueuesCount) {
  const OutputRef n = Placeholder("n", DType::kInt32);
  const OutputRef x = Placeholder("x", DType::kString);
  Unary("Identity", "as_fed", x);
  Binary("Fill", "filled", n, x);
  const OutputRef queue =
      Built(Op("FIFOQueueV2", "queue").Attr("component_types", std::vector<DType>{DType::kString}));
  auto put = Op("QueueEnqueueV2", "put")
                 .Input(queue)
                 .Input(std::vector<OutputRef>{Binary("Fill", "one", n, x)})
                 .Build();
  ASSERT_TRUE(put.ok()) << put.status();
  LimitHostMemoryTo(20);
  Open();
  const auto feeds = [](int32_t count, int64_t size) {
    return NamedTensors{{"n", Tensor::Vector<int32_t>({count})},
                        {"x", Tensor::Scalar(std::string(static_cast<size_t>(size), 'x'))}};
  };
  // Many short ones, a few long ones, and one that is too long itself.
  for (const auto& [count, size] :
       {std::pair<int32_t, int64_t>(kMiB, 3), {100, kMiB}, {1, 30 * kMiB}}) {
    const Status s = session_->Run(RunOptions(), feeds(count, size), {"filled"}, {}, &out_);
    EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr("a tensor of string["));
  }
  EXPECT_TRUE(session_->Run(RunOptions(), feeds(10, kMiB / 2), {"filled"}, {}, &out_).ok());
  out_.clear();
  int puts = 0;
  Status s;
  for (; s.ok() && puts < 100; ++puts) {
    s = session_->Run(RunOptions(), feeds(1, kMiB), {}, {"put"}, &out_);
  }
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  EXPECT_GT(puts, 10);
  EXPECT_LT(puts, 21);
}

// Whatever keeps values from step to step counts: each step puts 10,000 more.
class FilledMemory : public OutOfMemory {
 protected:
  // Runs "put" of "k" (numbers or texts of them) until there is no room, which is soon.
  void ExpectFills(DType keys) {
    LimitHostMemoryTo(48);
    Open();
    Status s;
    int steps = 0;
    for (; s.ok() && steps < 400; ++steps) {
      Tensor k = *Tensor::Allocate(keys, Shape({10'000}));
      for (int64_t i = 0; i < k.num_elements(); ++i) {
        const int64_t number = 10'000 * steps + i;
        if (keys == DType::kString) {
          k.data<std::string>()[i] = absl::StrCat("a key that is long enough: ", number);
        } else {
          k.data<int64_t>()[i] = number;
        }
      }
      s = session_->Run(RunOptions(), {{"k", k}}, {}, {"put"}, &out_);
    }
    EXPECT_EQ(s.code(), Code::kResourceExhausted) << s << " after " << steps;
    EXPECT_GT(steps, 5);
    EXPECT_LT(PoolAllocator::Process().stats().bytes_in_use,
              PoolAllocator::Process().limit() + kMiB);
  }
  OutputRef Table(const char* op, DType keys, DType values) {
    return Built(Op(op, "table").Attr("key_dtype", keys).Attr("value_dtype", values));
  }
  void Put(const char* op, OutputRef to, OutputRef keys, OutputRef values) {
    ASSERT_TRUE(Op(op, "put").Input(to).Input(keys).Input(values).Build().ok());
  }
};

TEST_F(FilledMemory, MutableTables) {
  for (const DType keys : {DType::kInt64, DType::kString}) {
    for (const bool dense : {false, true}) {
      graph_ = std::make_shared<Graph>();
      const OutputRef k = Placeholder("k", keys);
      OutputRef table;
      if (!dense) {
        table = Table("MutableHashTableV2", keys, keys == DType::kString ? DType::kInt64 : keys);
      } else {
        const bool strings = keys == DType::kString;
        const OutputRef empty = strings ? Constant(std::string()) : Constant(int64_t{-1});
        const OutputRef deleted = strings ? Constant(std::string("-")) : Constant(int64_t{-2});
        table = Built(Op("MutableDenseHashTableV2", "table")
                          .Input(empty)
                          .Input(deleted)
                          .Attr("value_dtype", DType::kInt64));
      }
      const OutputRef values =
          keys == DType::kInt64
              ? k
              : Built(
                    Op("StringToHashBucketFast", "v").Input(k).Attr("num_buckets", int64_t{1000}));
      Put("LookupTableInsertV2", table, k, values);
      ExpectFills(keys);
      TearDown();
    }
  }
}

TEST_F(FilledMemory, TablesOfStrings) {
  const OutputRef k = Placeholder("k", DType::kInt64);
  const OutputRef text = Unary("AsString", "text", k);
  const OutputRef long_text =
      Built(Op("StringJoin", "long").Input(std::vector<OutputRef>{text, text, text, text, text}));
  Put("LookupTableInsertV2", Table("MutableHashTableV2", DType::kInt64, DType::kString), k,
      long_text);
  ExpectFills(DType::kInt64);
}

TEST_F(FilledMemory, Queues) {
  const OutputRef k = Placeholder("k", DType::kString);
  const OutputRef queue =
      Built(Op("FIFOQueueV2", "queue").Attr("component_types", std::vector<DType>{DType::kString}));
  ASSERT_TRUE(
      Op("QueueEnqueueV2", "put").Input(queue).Input(std::vector<OutputRef>{k}).Build().ok());
  ExpectFills(DType::kString);
}

TEST_F(FilledMemory, Stages) {
  const OutputRef k = Placeholder("k", DType::kString);
  ASSERT_TRUE(Op("Stage", "put").Input(std::vector<OutputRef>{k}).Build().ok());
  ExpectFills(DType::kString);
}

TEST_F(FilledMemory, Barriers) {
  const OutputRef k = Placeholder("k", DType::kString);
  const OutputRef barrier =
      Built(Op("Barrier", "barrier")
                .Attr("component_types", std::vector<DType>{DType::kString})
                .Attr("shapes", std::vector<PartialShape>{PartialShape(std::vector<int64_t>{})}));
  ASSERT_TRUE(Op("BarrierInsertMany", "put")
                  .Input(barrier)
                  .Input(k)
                  .Input(k)
                  .Attr("component_index", int64_t{0})
                  .Build()
                  .ok());
  ExpectFills(DType::kString);
}

}  // namespace
}  // namespace warpbeam
