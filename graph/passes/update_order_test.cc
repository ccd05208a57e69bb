// UpdateOrder against a search from every update, on random graphs with and without loops.
#include "graph/passes/update_order.h"

#include <memory>
#include <random>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

class UpdateOrderTest : public ::testing::Test {
 protected:
  UpdateOrderTest() {
    EXPECT_TRUE(ops_.Register(OpSchemaBuilder("Step")).ok());
    EXPECT_TRUE(ops_.Register(OpSchemaBuilder("Merge")
                                  .Role(OpRole::kMerge)
                                  .Input("a: float")
                                  .Input("b: float")
                                  .Output("y: float"))
                    .ok());
    EXPECT_TRUE(
        ops_.Register(
                OpSchemaBuilder("NextIteration").Role(OpRole::kNextIteration).Output("y: float"))
            .ok());
    Start();
  }
  void Start() { owned_ = std::make_unique<Graph>(ops_); }
  NodeId Add(const char* op, std::vector<OutputRef> inputs, std::vector<NodeId> controls) {
    NodeSpec spec;
    spec.name = absl::StrCat("n", owned_->num_nodes());
    spec.op = op;
    auto node = owned_->AddNode(std::move(spec), std::move(inputs), std::move(controls), false);
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? (*node)->id() : kNoNode;
  }
  NodeId Step(std::vector<NodeId> controls) { return Add("Step", {}, std::move(controls)); }

  // By node: whether a path of at least one edge leads to it.
  std::vector<bool> After(NodeId from) const {
    std::vector<bool> after(owned_->num_nodes(), false);
    std::vector<NodeId> todo = {from};
    while (!todo.empty()) {
      const NodeId at = todo.back();
      todo.pop_back();
      for (const Node& node : owned_->nodes()) {
        bool follows = false;
        for (const NodeId c : node.control_inputs()) follows |= c == at;
        for (const OutputRef in : node.inputs()) follows |= in.node == at;
        if (!follows || after[node.id()]) continue;
        after[node.id()] = true;
        todo.push_back(node.id());
      }
    }
    return after;
  }

  void Compare(const std::vector<ReferenceViews::Update>& updates, int variables) {
    std::vector<NodeId> nodes(owned_->num_nodes());
    for (NodeId id = 0; id < owned_->num_nodes(); ++id) nodes[id] = id;
    const FedOutputs fed(*owned_, {});
    const Components components(*owned_, nodes, fed);
    std::vector<std::vector<bool>> after;
    for (const auto& u : updates) after.push_back(After(u.node));
    UpdateOrder order(components, updates);
    std::vector<bool> want;
    for (NodeId reader = 0; reader < owned_->num_nodes(); ++reader) {
      for (NodeId in = 0; in < owned_->num_nodes(); in += 3) {
        const int32_t variable = (reader + in) % variables;
        const bool read_at_in = (reader ^ in) % 5 != 0;
        order.Ask(reader, in, variable, read_at_in);
        bool late = false;
        for (size_t u = 0; u < updates.size(); ++u) {
          const NodeId node = updates[u].node;
          if (updates[u].variable != variable || !after[u][reader]) continue;
          // What a loop repeats comes again after anything was read.
          const bool on_ring = node == in || After(node)[node];
          late |= !read_at_in || !after[u][in] || on_ring;
        }
        want.push_back(late);
      }
    }
    EXPECT_EQ(order.Answer(), want);
  }

  OpRegistry ops_;
  std::unique_ptr<Graph> owned_;
};

TEST_F(UpdateOrderTest, AReaderAfterAnUpdateIsLate) {
  const NodeId read = Step({}), update = Step({}), reader = Step({read, update}),
               before = Step({read}), other = Step({before});
  const FedOutputs fed(*owned_, {});
  const Components components(*owned_, {read, update, reader, before, other}, fed);
  const std::vector<ReferenceViews::Update> updates = {{update, 0}};
  UpdateOrder order(components, updates);
  order.Ask(reader, read, 0, true);
  order.Ask(before, read, 0, true);
  order.Ask(other, before, 0, true);
  order.Ask(reader, read, 1, true);    // another variable
  order.Ask(reader, update, 0, true);  // read by the update itself
  EXPECT_EQ(order.Answer(), (std::vector<bool>{true, false, false, false, true}));
}

TEST_F(UpdateOrderTest, AgreesWithSearchesInRandomGraphs) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 40; ++i) {
      std::vector<NodeId> controls;
      for (int c = below(4); c > 0 && i > 0; --c) controls.push_back(below(i));
      Step(std::move(controls));
    }
    std::vector<ReferenceViews::Update> updates;
    for (int32_t v = 0; v < 3; ++v) {
      for (int u = below(4); u >= 0; --u) updates.push_back({below(40), v});
    }
    Compare(updates, 3);
    Start();
  }
}

TEST_F(UpdateOrderTest, AgreesWithSearchesInRandomLoops) {
  std::mt19937 random(2);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 30; ++round) {
    std::vector<NodeId> merges;
    for (int i = 0; i < 40; ++i) {
      std::vector<NodeId> controls;
      for (int c = below(4); c > 0 && i > 0; --c) controls.push_back(below(i));
      if (below(8) == 0) {
        merges.push_back(Add("Merge", {OutputRef(), OutputRef()}, std::move(controls)));
      } else if (below(8) == 0) {
        const NodeId back = Add("NextIteration", {}, std::move(controls));
        if (!merges.empty()) {
          EXPECT_TRUE(
              owned_->SetInput(merges[below(static_cast<int>(merges.size()))], 1, {back, 0}).ok());
        }
      } else {
        Step(std::move(controls));
      }
    }
    std::vector<ReferenceViews::Update> updates;
    for (int32_t v = 0; v < 3; ++v) {
      for (int u = below(4); u >= 0; --u) updates.push_back({below(40), v});
    }
    Compare(updates, 3);
    Start();
  }
}

// More than flow through the graph at once.
TEST_F(UpdateOrderTest, ManyVariablesAfterOneBarrier) {
  constexpr int kVariables = 2000;
  std::vector<NodeId> reads, updates;
  std::vector<ReferenceViews::Update> all;
  for (int32_t v = 0; v < kVariables; ++v) {
    reads.push_back(Step({}));
    updates.push_back(Step({reads.back()}));
    all.push_back({updates.back(), v});
  }
  const NodeId barrier = Step(updates);
  std::vector<NodeId> readers;
  for (int32_t v = 0; v < kVariables; ++v) readers.push_back(Step({reads[v], barrier}));
  std::vector<NodeId> nodes(owned_->num_nodes());
  for (NodeId id = 0; id < owned_->num_nodes(); ++id) nodes[id] = id;
  const FedOutputs fed(*owned_, {});
  const Components components(*owned_, nodes, fed);
  UpdateOrder order(components, all);
  for (int32_t v = 0; v < kVariables; ++v) {
    order.Ask(readers[v], reads[v], v, true);
    order.Ask(updates[v], reads[v], v, true);
  }
  const std::vector<bool> late = order.Answer();
  for (size_t i = 0; i < late.size(); ++i) EXPECT_EQ(late[i], i % 2 == 0) << i;
}

}  // namespace
}  // namespace warpbeam
