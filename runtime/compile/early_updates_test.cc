#include "runtime/compile/early_updates.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

// A plan of one task: each node is an item, in the order in which they are added.
class OneTask {
 public:
  OneTask() {
    toy_.UsualOps();
    Register(OpSchemaBuilder("Read2")
                 .Input("handle: resource")
                 .Output("value: float")
                 .Effect(StateEffect::kRead));
    Register(
        OpSchemaBuilder("View").Input("x: float").Output("y: float").PassesOn(PassOn::kReshaped));
    Register(OpSchemaBuilder("Named").Attr("shared_name: string").Output("handle: resource"));
    Register(OpSchemaBuilder("Fed").Output("handle: resource").Role(OpRole::kPlaceholder));
    Register(
        OpSchemaBuilder("Swap").Input("handle: resource").Input("x: float").Output("y: float"));
    plan_.facts.graph = std::shared_ptr<const Graph>(std::shared_ptr<void>(), &toy_.graph);
  }

  // Variables, handles and what else is no item.
  void Fixed(const std::string& name, const std::string& op, AttrMap attrs = {}) {
    Slots(toy_.Node(name, op, {}, "", {}, std::move(attrs)));
  }
  void Item(const std::string& name, const std::string& op,
            const std::vector<std::string>& inputs) {
    const NodeId id = toy_.Node(name, op, inputs);
    const Node& node = toy_.graph.node(id);
    PlanItem item;
    item.node = id;
    item.input_begin = static_cast<int32_t>(plan_.program.input_slots.size());
    item.info.num_inputs = node.num_inputs();
    item.info.num_outputs = node.num_outputs();
    item.info.output_start = Slots(id);
    std::vector<int32_t> before;
    for (const OutputRef in : node.inputs()) {
      plan_.program.input_slots.push_back(slots_[in.node] + in.index);
      if (item_of_.count(in.node) != 0) before.push_back(item_of_[in.node]);
    }
    for (const NodeId control : node.control_inputs()) before.push_back(item_of_[control]);
    plan_.facts.edges.Append(before);
    item_of_[id] = static_cast<int32_t>(plan_.program.items.size());
    plan_.program.items.push_back(item);
  }

  std::vector<std::string> Order() const {
    std::vector<std::string> names;
    for (const int32_t i : Moved()) names.push_back(NodeOf(i).name());
    return names;
  }
  std::vector<int32_t> Moved() const {
    std::vector<int32_t> items(plan_.program.items.size());
    std::iota(items.begin(), items.end(), 0);
    PutUpdatesForward(plan_, &items);
    return items;
  }
  const Node& NodeOf(int32_t item) const { return toy_.graph.node(plan_.program.items[item].node); }
  const Plan& plan() const { return plan_; }

 private:
  void Register(const OpSchemaBuilder& builder) {
    ASSERT_TRUE(toy_.registry.Register(builder).ok());
  }
  int32_t Slots(NodeId id) {
    slots_[id] = plan_.program.num_slots;
    plan_.program.num_slots += toy_.graph.node(id).num_outputs();
    return slots_[id];
  }

  ToyGraph toy_;
  Plan plan_;
  std::map<NodeId, int32_t> slots_;
  std::map<NodeId, int32_t> item_of_;
};

TEST(EarlyUpdatesTest, UpdatesGoBehindTheirGradients) {
  OneTask task;
  task.Fixed("v", "Var");
  task.Fixed("w", "Handle");
  task.Item("loss", "Source", {});
  task.Item("dw", "Unary", {"loss"});
  task.Item("dv", "Unary", {"dw"});
  task.Item("dx", "Unary", {"dv"});
  task.Item("update_v", "Assign", {"v", "dv"});
  task.Item("update_w", "Update", {"w", "dw"});
  task.Item("step", "NoOp", {"^update_v", "^update_w"});
  EXPECT_THAT(task.Order(), ElementsAre("loss", "dw", "update_w", "dv", "update_v", "dx", "step"));
}

TEST(EarlyUpdatesTest, AnUpdateWaitsForWhoReadsWhatWasReadOfItsVariable) {
  OneTask task;
  task.Fixed("w", "Handle");
  task.Item("read", "Read2", {"w"});
  task.Item("rows", "View", {"read"});
  task.Item("dw", "Unary", {"read"});
  task.Item("dx", "Binary", {"dw", "rows"});
  task.Item("dy", "Unary", {"dx"});
  task.Item("update", "Update", {"w", "dw"});
  EXPECT_THAT(task.Order(), ElementsAre("read", "rows", "dw", "dx", "update", "dy"));
}

TEST(EarlyUpdatesTest, AnUpdateGoesBehindReadersThatStoodBehindIt) {
  OneTask task;
  task.Fixed("w", "Handle");
  task.Fixed("mean", "Handle");
  task.Item("read", "Read2", {"w"});
  task.Item("dw", "Unary", {"read"});
  task.Item("update", "Update", {"w", "dw"});
  task.Item("other", "Unary", {"dw"});
  task.Item("average", "Update", {"mean", "read"});
  task.Item("last", "Unary", {"dw"});
  EXPECT_THAT(task.Order(), ElementsAre("read", "average", "dw", "update", "other", "last"));
}

TEST(EarlyUpdatesTest, AReaderThatWaitsForTheUpdateIsNotWaitedFor) {
  OneTask task;
  task.Fixed("w", "Handle");
  task.Item("read", "Read2", {"w"});
  task.Item("dw", "Unary", {"read"});
  task.Item("other", "Unary", {"dw"});
  task.Item("update", "Update", {"w", "dw"});
  task.Item("after", "Binary", {"read", "other", "^update"});
  EXPECT_THAT(task.Order(), ElementsAre("read", "dw", "other", "update", "after"));
}

TEST(EarlyUpdatesTest, WhatReadsAVariableByItselfReadsWhatItWouldHaveRead) {
  OneTask task;
  task.Fixed("v", "Var");
  task.Item("dv", "Source", {});
  task.Item("before", "Unary", {"v"});
  task.Item("other", "Unary", {"dv"});
  task.Item("update", "Assign", {"v", "dv"});
  task.Item("after", "Unary", {"v"});
  task.Item("again", "Assign", {"v", "dv"});
  EXPECT_THAT(task.Order(), ElementsAre("dv", "before", "update", "other", "after", "again"));
}

TEST(EarlyUpdatesTest, HandlesOfOneNameAreOfOneVariable) {
  AttrMap named;
  named.Set("shared_name", std::string("w"));
  OneTask task;
  task.Fixed("w", "Handle");
  task.Fixed("also_w", "Named", named);
  task.Item("dw", "Source", {});
  task.Item("read", "Read2", {"also_w"});
  task.Item("other", "Unary", {"dw"});
  task.Item("update", "Update", {"w", "dw"});
  EXPECT_THAT(task.Order(), ElementsAre("dw", "read", "update", "other"));
}

TEST(EarlyUpdatesTest, NothingGoesPastWhatMayTouchAnyVariable) {
  OneTask task;
  task.Fixed("w", "Handle");
  task.Fixed("fed", "Fed");
  task.Item("dw", "Source", {});
  task.Item("other", "Unary", {"dw"});
  task.Item("any", "Update", {"fed", "dw"});
  task.Item("last", "Unary", {"dw"});
  task.Item("update", "Update", {"w", "dw"});
  EXPECT_THAT(task.Order(), ElementsAre("dw", "other", "any", "update", "last"));
}

TEST(EarlyUpdatesTest, WhatMakesMemoryOfItsOwnStays) {
  OneTask task;
  task.Fixed("w", "Handle");
  task.Item("dw", "Source", {});
  task.Item("other", "Unary", {"dw"});
  task.Item("swap", "Swap", {"w", "dw"});
  EXPECT_THAT(task.Order(), ElementsAre("dw", "other", "swap"));
}

// In tasks of any nodes nobody overtakes what it waits for, nor what has to do with its variable.
TEST(EarlyUpdatesTest, OrderThatMattersStays) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
    OneTask task;
    std::vector<std::string> values = {"first"};
    std::map<std::string, std::string> variable;  // by item
    task.Fixed("w0", "Handle");
    task.Fixed("w1", "Handle");
    task.Item("first", "Source", {});
    for (int i = 0; i < 30; ++i) {
      const std::string name = absl::StrCat("n", i), w = absl::StrCat("w", pick(2));
      const std::string& value = values[pick(values.size())];
      const size_t kind = pick(4);
      if (kind == 0) {
        task.Item(name, "Update", {w, value});
      } else if (kind == 1) {
        task.Item(name, "Read2", {w});
      } else {
        task.Item(name, "Unary", {value});
      }
      if (kind < 2) variable[name] = w;
      if (kind != 0) values.push_back(name);
    }
    std::vector<int32_t> place(task.plan().program.items.size());
    const std::vector<int32_t> moved = task.Moved();
    for (size_t k = 0; k < moved.size(); ++k) place[moved[k]] = static_cast<int32_t>(k);
    for (size_t i = 0; i < place.size(); ++i) {
      for (const int32_t before : task.plan().facts.edges.of(static_cast<int32_t>(i))) {
        EXPECT_LT(place[before], place[i]);
      }
      for (size_t j = 0; j < i; ++j) {
        const auto own = variable.find(task.NodeOf(static_cast<int32_t>(i)).name());
        const auto other = variable.find(task.NodeOf(static_cast<int32_t>(j)).name());
        if (own == variable.end() || other == variable.end()) continue;
        if (own->second == other->second) {
          EXPECT_LT(place[j], place[i]);
        }
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
