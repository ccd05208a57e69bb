#include "tests/fuzz/op_call_mutator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/io/dtype_io.h"
#include "graph/op/op_registry.h"
#include "proto/graph.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/graph_mutator.h"
#include "tests/fuzz/node_mutator.h"
#include "tests/fuzz/op_call.h"
#include "tests/fuzz/tensor_mutator.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using conformance::Case;
using tensorflow::AttrValue;
using tensorflow::GraphDef;
using tensorflow::NodeDef;
using tensorflow::TensorProto;

constexpr int kMostInputs = 8;  // that a list is lengthened to
constexpr int kFarthest = 4;    // a constant from the call

// One call of the op that a case is about.
class Call {
 public:
  // Null `node`: the graph has none.
  Call(RandomSource& random, Case* c, GraphDef* graph) : random_(random), case_(c), graph_(graph) {
    std::vector<NodeDef*> all;
    for (NodeDef& node : *graph->mutable_node()) {
      if (c->ops_size() > 0 && node.op() == c->ops(0)) all.push_back(&node);
    }
    if (!all.empty()) node_ = random.Pick(all);
    if (node_ != nullptr) schema_ = OpRegistry::Global().Find(node_->op());
  }
  bool exists() const { return schema_ != nullptr; }

  void Mutate() {
    const size_t choice = random_.Below(16);
    if (choice < 9) {
      ChangeInput();
    } else if (choice < 13) {
      ChangeAttr();
    } else if (choice == 13) {
      ChangeType();
    } else if (choice == 14) {
      ChangeLength();
    } else {
      SwapInputs();
    }
  }
  void ChangeType() {
    const AttrSpec* const spec = PickSpec([](const AttrSpec& attr) { return attr.type == "type"; });
    AttrValue* const attr = spec == nullptr ? nullptr : FindAttr(*spec, node_);
    if (attr == nullptr) return;
    const int from = attr->type();
    const int to = AnyTypeOf(*spec);
    // Whoever gave the inputs gives them as the other type.
    for (NodeDef& node : *graph_->mutable_node()) ReplaceType(from, to, &node);
    for (auto& step : *case_->mutable_steps()) {
      for (auto& feed : *step.mutable_feeds()) {
        TensorProto tensor;
        if (!tensor.ParseFromString(feed.tensor()) || tensor.dtype() != from) continue;
        ConvertTensor(to, &tensor);
        feed.set_tensor(WireForm(tensor));
      }
    }
    attr->set_type(static_cast<tensorflow::DataType>(to));
  }
  void ChangeLength() {
    const AttrSpec* const spec =
        PickSpec([&](const AttrSpec& attr) { return IsLength(*schema_, attr); });
    AttrValue* const attr = spec == nullptr ? nullptr : FindAttr(*spec, node_);
    if (attr == nullptr || !HasFewInputs()) return;
    const NodeDef before = *node_;
    SetLength(*spec, random_.IntBelow(kMostInputs), attr);
    FitInputs(*schema_, before, random_.IntBelow(3), graph_, node_);
  }

 private:
  template <class Wanted>
  const AttrSpec* PickSpec(Wanted wanted) {
    std::vector<const AttrSpec*> found;
    for (const AttrSpec& attr : schema_->attrs) {
      if (wanted(attr)) found.push_back(&attr);
    }
    return found.empty() ? nullptr : random_.Pick(found);
  }
  int AnyTypeOf(const AttrSpec& spec) {
    const std::vector<DType>& allowed = spec.allowed_values.list<DType>();
    return allowed.empty() ? RandomType(random_) : NumberOf(random_.Pick(allowed));
  }
  // As its attributes say: one that was changed may say any number.
  bool HasFewInputs() {
    for (const AttrSpec& spec : schema_->attrs) {
      const AttrValue* const attr = IsLength(*schema_, spec) ? FindAttr(spec, node_) : nullptr;
      if (attr == nullptr) continue;
      if (const int length = LengthOf(spec, *attr); length < 0 || length > 1000) return false;
    }
    return true;
  }
  NodeDef* Find(const std::string& input) {
    const std::string name = input.substr(0, input.find(':'));
    for (NodeDef& node : *graph_->mutable_node()) {
      if (node.name() == name) return &node;
    }
    return nullptr;
  }
  conformance::NamedTensor* FeedOf(const std::string& node) {
    for (auto& step : *case_->mutable_steps()) {
      for (auto& feed : *step.mutable_feeds()) {
        if (feed.name().substr(0, feed.name().find(':')) == node) return &feed;
      }
    }
    return nullptr;
  }

  void ChangeInput() {
    if (node_->input_size() == 0) return ChangeAttr();
    const int i = random_.IntBelow(node_->input_size());
    NodeDef* producer = Find(node_->input(i));
    if (random_.OneIn(8)) return ReplaceInput(i);
    // Back to a value that can be changed, over whatever computes with it.
    for (int far = 0; producer != nullptr && far < kFarthest; ++far) {
      const auto value = producer->mutable_attr()->find("value");
      if (producer->op() == "Const" && value != producer->mutable_attr()->end()) {
        return ChangeTensor(value->second.mutable_tensor());
      }
      if (auto* const feed = FeedOf(producer->name()); feed != nullptr) return ChangeFeed(feed);
      if (producer->input_size() == 0) break;
      producer = Find(producer->input(random_.IntBelow(producer->input_size())));
    }
    ReplaceInput(i);
  }
  void ChangeTensor(TensorProto* tensor) {
    if (random_.OneIn(3)) return MutateTensor(random_, tensor);
    random_.OneIn(3) ? MakeTensor(random_, tensor->dtype(), tensor) : FillTensor(random_, tensor);
  }
  void ChangeFeed(conformance::NamedTensor* feed) {
    TensorProto tensor;
    if (!tensor.ParseFromString(feed->tensor())) return;
    ChangeTensor(&tensor);
    feed->set_tensor(WireForm(tensor));
  }
  void ReplaceInput(int i) {
    const int type = InputType(*schema_, i, node_);
    if (type <= 0 || type >= kRefOffset) return;
    NodeDef* const made = graph_->add_node();
    made->set_op("Const");
    made->set_name(absl::StrCat("made_", graph_->node_size()));
    MakeTensor(random_, type, (*made->mutable_attr())["value"].mutable_tensor());
    (*made->mutable_attr())["dtype"].set_type(static_cast<tensorflow::DataType>(type));
    node_->set_input(i, made->name());
  }
  void SwapInputs() {
    if (node_->input_size() < 2) return ChangeAttr();
    node_->mutable_input()->SwapElements(random_.IntBelow(node_->input_size()),
                                         random_.IntBelow(node_->input_size()));
  }
  void ChangeAttr() {
    const AttrSpec* const spec = PickSpec([&](const AttrSpec& attr) {
      // Another type or length alone fits seldom.
      return !(attr.type == "type" || IsLength(*schema_, attr)) || random_.OneIn(4);
    });
    AttrValue* const attr = spec == nullptr ? nullptr : FindAttr(*spec, node_);
    if (attr == nullptr) return;
    const std::vector<std::string>& words = spec->allowed_values.list<std::string>();
    if (spec->type == "string" && !words.empty()) return attr->set_s(random_.Pick(words));
    GraphNames names;
    for (const auto& function : graph_->library().function()) {
      names.functions.push_back(function.signature().name());
    }
    MutateAttr(random_, names, attr);
  }

  RandomSource& random_;
  Case* const case_;
  GraphDef* const graph_;
  NodeDef* node_ = nullptr;
  const OpSchema* schema_ = nullptr;
};

}  // namespace

void MutateCall(RandomSource& random, Case* c) {
  GraphDef graph;
  if (!graph.ParseFromString(c->graph())) return;
  Call call(random, c, &graph);
  call.exists() ? call.Mutate() : MutateGraph(random, &graph);
  c->set_graph(WireForm(graph));
}

Case MakeCall(RandomSource& random, const OpSchema& schema) {
  Case c;
  c.add_ops(schema.name);
  c.add_steps()->add_targets("node");
  GraphDef graph;
  NodeDef* const node = graph.add_node();
  *node = CallWithoutInputs(schema);
  FitInputs(schema, *node, random.IntBelow(4), &graph, node);
  Call call(random, &c, &graph);
  if (random.OneIn(2)) call.ChangeType();
  if (random.OneIn(2)) call.ChangeLength();
  c.set_graph(WireForm(graph));
  return c;
}

}  // namespace fuzz
}  // namespace warpbeam
