// Orders of effects: whatever the graph, no two effects that meet are left in free order, and
// nothing that is there is contradicted.
#include "runtime/effects/order_effects.h"

#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/passes/loop_frames.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OrderEffectsTest : public PassesTest {
 protected:
  OutputRef Handle(const std::string& name) {
    return Add("VarHandleOp", name, {},
               {{"dtype", DType::kFloat}, {"shape", PartialShape(Shape())}});
  }
  OutputRef Read(const std::string& name, OutputRef handle, std::vector<NodeId> controls = {}) {
    return Add("ReadVariableOp", name, {handle}, {{"dtype", DType::kFloat}}, std::move(controls));
  }
  OutputRef Write(const std::string& name, OutputRef handle, OutputRef value,
                  std::vector<NodeId> controls = {}) {
    return Add("AssignAddVariableOp", name, {handle, value}, {{"dtype", DType::kFloat}},
               std::move(controls));
  }
  OutputRef Queue(const std::string& name) {
    return Add("FIFOQueueV2", name, {}, {{"component_types", kFloats}});
  }
  OutputRef Put(const std::string& name, OutputRef queue, OutputRef value) {
    return Add("QueueEnqueueV2", name, {queue, value}, {{"Tcomponents", kFloats}});
  }
  OutputRef Take(const std::string& name, OutputRef queue) {
    return Add("QueueDequeueV2", name, {queue}, {{"component_types", kFloats}});
  }
  OutputRef Size(const std::string& name, OutputRef queue) {
    return Add("QueueSizeV2", name, {queue});
  }
  // A loop that goes round three times, with `body` in it, which gets what hangs on the iteration.
  OutputRef Loop(const std::string& name, OutputRef start,
                 const std::function<void(OutputRef pivot)>& body) {
    const std::vector<std::pair<std::string, AttrValue>> variable = {
        {"T", DType::kFloat}, {"frame_name", name}, {"parallel_iterations", int64_t{10}}};
    auto constant = variable;
    constant.emplace_back("is_constant", true);
    const OutputRef in = Add("Enter", name + "/in", {start}, variable);
    const OutputRef limit =
        Add("Enter", name + "/limit", {Const(name + "/three", Tensor::Scalar(3.0f))}, constant);
    const OutputRef one =
        Add("Enter", name + "/one", {Const(name + "/1", Tensor::Scalar(1.0f))}, constant);
    const OutputRef merge =
        Add("Merge", name + "/merge", {in, in}, {{"T", DType::kFloat}, {"N", int64_t{2}}});
    const OutputRef cond =
        Add("LoopCond", name + "/cond", {Float("Less", name + "/less", {merge, limit})});
    const OutputRef branch = Float("Switch", name + "/switch", {merge, cond});
    const OutputRef pivot = Float("Identity", name + "/pivot", {{branch.node, 1}});
    body(pivot);
    const OutputRef next =
        Float("NextIteration", name + "/next", {Float("AddV2", name + "/add", {pivot, one})});
    EXPECT_TRUE(graph_->SetInput(merge.node, 1, next).ok());
    return Float("Exit", name + "/exit", {branch});
  }
  // A handle inside of a loop.
  OutputRef Inside(const std::string& name, OutputRef handle, const std::string& frame) {
    return Add("Enter", name, {handle},
               {{"T", DType::kResource},
                {"frame_name", frame},
                {"is_constant", true},
                {"parallel_iterations", int64_t{10}}});
  }

  Status Order() {
    part_ = GraphPart();
    part_.graph = graph_;
    for (NodeId id = 0; id < graph_->num_nodes(); ++id) part_.nodes.push_back(id);
    part_.targets = part_.nodes;
    effects_.clear();
    return OrderEffects(&part_, &effects_);
  }
  // Whether a path leads from one node to the other; what enters a loop leads to what leaves it.
  bool Precedes(NodeId before, NodeId after) const {
    if (reaches_.empty()) FindReaches();
    return reaches_.at(after).count(before) != 0;
  }
  bool Precedes(const std::string& before, const std::string& after) const {
    return Precedes(part_.graph->Find(before)->id(), part_.graph->Find(after)->id());
  }
  // Of each pair of nodes whose effects meet, one comes before the other.
  void ExpectAllOrdered() {
    reaches_.clear();
    const Graph& graph = *part_.graph;
    std::map<std::string, std::vector<std::pair<NodeId, StateEffect>>> by_state;
    for (const NodeId id : part_.nodes) {
      for (const Effect& e : EffectsOf(graph, graph.node(id))) {
        by_state[e.state].emplace_back(id, e.kind);
      }
    }
    for (const auto& [state, effects] : by_state) {
      for (size_t i = 0; i < effects.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
          const auto [a, a_kind] = effects[i];
          const auto [b, b_kind] = effects[k];
          if (a == b || !OrderMatters(a_kind, b_kind)) continue;
          const std::string names =
              absl::StrCat(graph.node(a).name(), " and ", graph.node(b).name());
          EXPECT_TRUE(Precedes(a, b) || Precedes(b, a)) << names << " are in no order";
        }
      }
    }
    EXPECT_TRUE(part_.Ordered().ok()) << part_.Ordered().status();
  }
  std::vector<std::string> ControlsOf(const std::string& node) const {
    std::vector<std::string> names;
    for (const NodeId id : part_.graph->Find(node)->control_inputs()) {
      names.push_back(part_.graph->node(id).name());
    }
    return names;
  }

  const std::vector<DType> kFloats = {DType::kFloat};
  GraphPart part_;
  std::vector<StepEffect> effects_;

 private:
  void FindReaches() const {
    const Graph& graph = *part_.graph;
    const auto order = part_.Ordered();
    ASSERT_TRUE(order.ok()) << order.status();
    std::map<std::string, std::vector<NodeId>> enters;  // by frame name, which tests keep apart
    for (const NodeId id : part_.nodes) {
      if (IsEnter(graph.node(id))) {
        enters[graph.node(id).attrs().GetOr<std::string>("frame_name", "")].push_back(id);
      }
    }
    const auto frames = FindLoopFrames(graph, part_.nodes, part_.feeds);
    ASSERT_TRUE(frames.ok()) << frames.status();
    // What follows a loop's Exit follows all that entered it and all that ran in it: iterations do
    // not overlap, and the Exit comes out of the last one.
    for (bool changed = true; changed;) {
      changed = false;
      for (const NodeId id : **order) {
        std::set<NodeId>& before = reaches_[id];
        const size_t size = before.size();
        const auto add = [&](NodeId other) {
          before.insert(other);
          const auto found = reaches_.find(other);
          if (found != reaches_.end()) before.insert(found->second.begin(), found->second.end());
        };
        const Node& node = graph.node(id);
        for (const OutputRef in : node.inputs()) {
          if (!IsLoopBackEdge(graph.node(in.node), node)) add(in.node);
        }
        for (const NodeId control : node.control_inputs()) add(control);
        const int32_t frame = IsExit(node) ? frames->frame_of[node.input(0).node] : -1;
        for (const NodeId other : part_.nodes) {
          for (int32_t f = frames->frame_of[other]; f != 0; f = frames->frames[f].parent) {
            if (f == frame && !IsExit(graph.node(other))) add(other);
          }
        }
        changed |= before.size() != size;
      }
    }
  }

  mutable std::map<NodeId, std::set<NodeId>> reaches_;
};

TEST_F(OrderEffectsTest, APartWithoutEffectsStaysAsItIs) {
  Float("Neg", "y", {Placeholder("x", {4})});
  Read("read", Handle("v"));
  Read("again", Handle("w"));
  ASSERT_TRUE(Order().ok());
  EXPECT_EQ(part_.graph, graph_);
  EXPECT_THAT(part_.notes, IsEmpty());
  EXPECT_EQ(effects_.size(), 2u);
}

TEST_F(OrderEffectsTest, ReadsComeBeforeWritesWhereTheyMay) {
  const OutputRef v = Handle("v"), one = Const("one", Tensor::Scalar(1.0f));
  Write("write", v, one);
  Read("read", v);
  ASSERT_TRUE(Order().ok());
  EXPECT_THAT(ControlsOf("write"), ElementsAre("read"));
  EXPECT_THAT(ControlsOf("read"), IsEmpty());
  EXPECT_THAT(part_.notes, HasSubstr("# read before write"));
  ASSERT_EQ(effects_.size(), 2u);
  EXPECT_EQ(effects_[0].node, "read");
  EXPECT_EQ(effects_[1].node, "write");
  // The given graph belongs to others.
  EXPECT_THAT(graph_->Find("write")->control_inputs(), IsEmpty());
}

TEST_F(OrderEffectsTest, WhatIsOrderedStaysSo) {
  const OutputRef v = Handle("v"), one = Const("one", Tensor::Scalar(1.0f));
  const OutputRef first = Write("first", v, one);
  const OutputRef read = Read("read", v, {first.node});
  Write("second", v, read);
  ASSERT_TRUE(Order().ok());
  EXPECT_EQ(part_.graph, graph_) << part_.notes;
  EXPECT_TRUE(Precedes("first", "second"));
}

// An old path that runs through other nodes counts, however long.
TEST_F(OrderEffectsTest, APathIsAsGoodAsAnEdge) {
  const OutputRef v = Handle("v");
  OutputRef x = Write("first", v, Const("one", Tensor::Scalar(1.0f)));
  x = Const("value", Tensor::Scalar(2.0f), {x.node});
  for (int i = 0; i < 50; ++i) x = Float("Neg", absl::StrCat("neg", i), {x});
  Write("second", v, x);
  ASSERT_TRUE(Order().ok());
  EXPECT_EQ(part_.graph, graph_) << part_.notes;
}

TEST_F(OrderEffectsTest, AQueueIsFilledAndDrainedIndependently) {
  const OutputRef q = Queue("q"), x = Const("x", Tensor::Scalar(1.0f));
  Put("put1", q, x);
  Put("put2", q, x);
  Take("take1", q);
  Take("take2", q);
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
  EXPECT_THAT(ControlsOf("put1"), IsEmpty());
  EXPECT_THAT(ControlsOf("put2"), ElementsAre("put1"));
  EXPECT_THAT(ControlsOf("take1"), IsEmpty());
  EXPECT_THAT(ControlsOf("take2"), ElementsAre("take1"));
}

TEST_F(OrderEffectsTest, HowFullAQueueIsDependsOnBothSides) {
  const OutputRef q = Queue("q"), x = Const("x", Tensor::Scalar(1.0f));
  Put("put", q, x);
  Take("take", q);
  Size("size", q);
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
  EXPECT_TRUE(Precedes("size", "put"));
  EXPECT_TRUE(Precedes("size", "take"));
}

// A dead node ends no wait of others: what stands between runs whatever is dead.
TEST_F(OrderEffectsTest, BranchesMeetThroughATrigger) {
  const OutputRef v = Handle("v"), x = Placeholder("x", {});
  const OutputRef predicate = Add("Placeholder", "p", {}, {{"dtype", DType::kBool}});
  const OutputRef branch = Float("Switch", "branch", {x, predicate});
  Write("left", v, branch);
  Write("right", v, {branch.node, 1});
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
  EXPECT_THAT(ControlsOf("right"), ElementsAre("right/turn"));
  EXPECT_THAT(ControlsOf("right/turn"), ElementsAre("left"));
  EXPECT_EQ(part_.graph->Find("right/turn")->op_name(), "ControlTrigger");
}

TEST_F(OrderEffectsTest, ALoopWithEffectsRunsOneIterationAtATime) {
  const OutputRef v = Handle("v"), zero = Const("zero", Tensor::Scalar(0.0f));
  Loop("writes", zero, [&](OutputRef pivot) { Write("write", Inside("v1", v, "writes"), pivot); });
  Loop("reads", zero,
       [&](OutputRef pivot) { Read("read", Inside("v2", v, "reads"), {pivot.node}); });
  Loop("computes", zero, [&](OutputRef pivot) { Float("Neg", "neg", {pivot}); });
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
  const auto parallel = [&](const std::string& enter) {
    return part_.graph->Find(enter)->attrs().GetOr<int64_t>("parallel_iterations", 0);
  };
  EXPECT_EQ(parallel("writes/in"), 1);
  EXPECT_EQ(parallel("writes/limit"), 1);
  EXPECT_EQ(parallel("reads/in"), 10);
  EXPECT_EQ(parallel("computes/in"), 10);
}

TEST_F(OrderEffectsTest, LoopsComeOneAfterTheOther) {
  const OutputRef v = Handle("v"), zero = Const("zero", Tensor::Scalar(0.0f));
  Write("outside", v, zero);
  for (const char* name : {"first", "second", "third"}) {
    Loop(name, zero, [&](OutputRef pivot) {
      Write(absl::StrCat(name, "/write"), Inside(absl::StrCat(name, "/v"), v, name), pivot);
    });
  }
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
}

// However many there are.
TEST_F(OrderEffectsTest, ManyLoopsComeOneAfterTheOther) {
  constexpr int kLoops = 40;
  const OutputRef v = Handle("v"), zero = Const("zero", Tensor::Scalar(0.0f));
  for (int i = 0; i < kLoops; ++i) {
    const std::string name = absl::StrCat("loop", i);
    Loop(name, zero,
         [&](OutputRef pivot) { Write(name + "/write", Inside(name + "/v", v, name), pivot); });
  }
  ASSERT_TRUE(Order().ok());
  ExpectAllOrdered();
  EXPECT_EQ(effects_.size(), static_cast<size_t>(kLoops));
}

TEST_F(OrderEffectsTest, ALoopThatNothingLeavesIsRefused) {
  const OutputRef v = Handle("v"), zero = Const("zero", Tensor::Scalar(0.0f));
  const OutputRef in =
      Add("Enter", "in", {zero}, {{"T", DType::kFloat}, {"frame_name", std::string("f")}});
  const OutputRef merge =
      Add("Merge", "merge", {in, in}, {{"T", DType::kFloat}, {"N", int64_t{2}}});
  const OutputRef condition = Float("Less", "less", {merge, merge});
  const OutputRef branch = Float("Switch", "switch", {merge, Add("LoopCond", "cond", {condition})});
  const OutputRef next = Float("NextIteration", "next", {{branch.node, 1}});
  ASSERT_TRUE(graph_->SetInput(merge.node, 1, next).ok());
  Write("inside", Inside("v_inside", v, "f"), merge);
  Write("outside", v, zero);
  const Status s = Order();
  EXPECT_EQ(s.code(), StatusCode::kFailedPrecondition);
  for (const char* word : {"'inside'", "'outside'", "has no end", "control dependency"}) {
    EXPECT_THAT(std::string(s.message()), HasSubstr(word));
  }
}

TEST_F(OrderEffectsTest, DrawsAreReported) {
  Add("RandomUniform", "noise", {Const("shape", Tensor::Vector<int32_t>({3}))},
      {{"dtype", DType::kFloat}, {"T", DType::kInt32}, {"seed", int64_t{7}}});
  ASSERT_TRUE(Order().ok());
  ASSERT_EQ(effects_.size(), 1u);
  EXPECT_EQ(effects_[0].node, "noise");
  EXPECT_EQ(effects_[0].effect.state, "(numbers of noise)");
  EXPECT_EQ(effects_[0].effect.kind, StateEffect::kWrite);
}

// Graphs of variables, queues, branches and loops, made up at random.
class AnyGraphTest : public OrderEffectsTest {
 protected:
  void Make(uint64_t seed) {
    random_.seed(seed);
    graph_ = std::make_shared<Graph>();
    predicate_ = Add("Placeholder", "p", {}, {{"dtype", DType::kBool}});
    variables_ = {Handle("v0"), Handle("v1")};
    queue_ = Queue("q");
    values_ = {Const("start", Tensor::Scalar(1.0f)), Placeholder("x", {})};
    has_branches_ = Pick(2) == 0;
    has_loops_ = Pick(2) == 0;
    // Where a handle came from elsewhere, it may be of any state.
    if (Pick(3) == 0) {
      variables_.push_back(Add("Placeholder", "any", {}, {{"dtype", DType::kResource}}));
    }
    std::vector<NodeId> waitable;
    for (int i = 0; i < 30; ++i) {
      std::vector<NodeId> controls;
      if (Pick(4) == 0 && !waitable.empty()) controls.push_back(waitable[Pick(waitable.size())]);
      waitable.push_back(AddOne(absl::StrCat("n", i), controls).node);
    }
  }
  // What there was is still there.
  void ExpectAllKept() const {
    for (NodeId id = 0; id < graph_->num_nodes(); ++id) {
      const Node &before = graph_->node(id), &now = part_.graph->node(id);
      EXPECT_EQ(before.inputs(), now.inputs());
      const std::vector<NodeId> all(now.control_inputs().begin(), now.control_inputs().end());
      for (const NodeId control : before.control_inputs()) {
        EXPECT_THAT(all, ::testing::Contains(control));
      }
    }
  }
  // What is ordered already gets no more edges, and comes in the same order.
  void ExpectStays() const {
    GraphPart again;
    again.graph = part_.graph;
    for (NodeId id = 0; id < again.graph->num_nodes(); ++id) again.nodes.push_back(id);
    std::vector<StepEffect> effects;
    ASSERT_TRUE(OrderEffects(&again, &effects).ok());
    EXPECT_THAT(again.notes, IsEmpty());
    ASSERT_EQ(effects.size(), effects_.size());
    if (has_branches_ || has_loops_) return;
    for (size_t i = 0; i < effects.size(); ++i) EXPECT_EQ(effects[i].node, effects_[i].node);
  }

 private:
  size_t Pick(size_t count) { return random_() % count; }
  OutputRef AddOne(const std::string& name, const std::vector<NodeId>& controls) {
    const OutputRef x = values_[Pick(values_.size())], v = variables_[Pick(variables_.size())];
    OutputRef made;
    switch (Pick(has_loops_ ? 9 : 8)) {
      case 0:
      case 1:
        return Write(name, v, x, controls);
      case 2:
        return Put(name, queue_, x);
      case 3:
        made = Take(name, queue_);
        break;
      case 4:
      case 5:
        made = Read(name, v, controls);
        break;
      case 6:
        made = has_branches_ ? Float("Switch", name, {x, predicate_}, controls)
                             : Float("Neg", name, {x}, controls);
        if (has_branches_) values_.push_back({made.node, 1});
        break;
      case 7:
        made = Float("AddV2", name, {x, values_[Pick(values_.size())]}, controls);
        break;
      default:
        made = Loop(name, x, [&](OutputRef pivot) {
          const OutputRef inside = Inside(name + "/v", v, name);
          if (Pick(2) == 0) Write(name + "/write", inside, pivot);
          if (Pick(2) == 0) Read(name + "/read", inside, {pivot.node});
        });
    }
    values_.push_back(made);
    return made;
  }

  std::mt19937_64 random_;
  bool has_branches_ = false, has_loops_ = false;
  OutputRef predicate_, queue_;
  std::vector<OutputRef> variables_, values_;
};

TEST_F(AnyGraphTest, IsOrdered) {
  for (uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    Make(seed);
    const Status s = Order();
    ASSERT_TRUE(s.ok()) << s;
    ExpectAllOrdered();
    ExpectAllKept();
    ExpectStays();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
