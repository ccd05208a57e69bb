#include "tests/fuzz/case_mutator.h"

#include "absl/strings/str_cat.h"
#include "proto/graph.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/graph_mutator.h"
#include "tests/fuzz/tensor_mutator.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using conformance::Case;
using conformance::Step;
using tensorflow::GraphDef;

bool Parse(absl::string_view bytes, google::protobuf::MessageLite* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

std::string AnyNode(RandomSource& random, const GraphDef& graph) {
  return graph.node().empty() ? "x" : graph.node(random.IntBelow(graph.node_size())).name();
}

void MutateFeed(RandomSource& random, conformance::NamedTensor* feed) {
  tensorflow::TensorProto tensor;
  if (random.OneIn(8) || !tensor.ParseFromString(feed->tensor())) {
    return MutateBytes(random, 1 << 16, feed->mutable_tensor());
  }
  MutateTensor(random, &tensor);
  feed->set_tensor(WireForm(tensor));
}

void MutateStep(RandomSource& random, const GraphDef& graph, Step* step) {
  const size_t choice = random.Below(8);
  if (choice < 4 && step->feeds_size() > 0) {
    MutateFeed(random, step->mutable_feeds(random.IntBelow(step->feeds_size())));
  } else if (choice == 4 && step->feeds_size() > 0) {
    step->mutable_feeds()->RemoveLast();
  } else if (choice == 5) {
    step->add_targets(AnyNode(random, graph));
  } else if (choice == 6 && step->expected_size() > 1) {
    step->mutable_expected()->RemoveLast();
  } else {
    step->add_expected()->set_name(
        absl::StrCat(AnyNode(random, graph), ":", random.OneIn(4) ? 1 : 0));
  }
}

// What is around the graph.
void MutateRun(RandomSource& random, const GraphDef& graph, Case* c) {
  const size_t choice = random.Below(8);
  if (choice == 0) {
    c->set_cpu_devices(random.IntBelow(5));
  } else if (choice == 1) {
    c->set_allow_soft_placement(!c->allow_soft_placement());
  } else if (choice == 2 && c->steps_size() > 1) {
    c->mutable_steps()->SwapElements(0, random.IntBelow(c->steps_size()));
  } else if (choice == 3) {
    c->mutable_gradients()->add_ys(AnyNode(random, graph));
    c->mutable_gradients()->add_xs(AnyNode(random, graph));
    c->mutable_steps()->Mutable(0)->add_expected()->set_name("gradient:0");
  } else {
    MutateStep(random, graph, c->mutable_steps(random.IntBelow(c->steps_size())));
  }
}

std::string OfAtMost(size_t max_size, std::string made, absl::string_view otherwise) {
  return made.size() <= max_size ? made : std::string(otherwise);
}

}  // namespace

std::string MutateCase(RandomSource& random, absl::string_view input, size_t max_size) {
  std::string bytes(input);
  Case c;
  if (random.OneIn(48) || !Parse(input, &c)) {
    MutateBytes(random, max_size, &bytes);
    return bytes;
  }
  // What a seed expects is of no interest here, and long.
  for (Step& step : *c.mutable_steps()) {
    for (auto& expected : *step.mutable_expected()) expected.clear_tensor();
  }
  if (c.steps_size() == 0) c.add_steps();
  GraphDef graph;
  if (random.OneIn(48) || !graph.ParseFromString(c.graph())) {
    MutateBytes(random, max_size, c.mutable_graph());
  } else if (random.OneIn(4)) {
    MutateRun(random, graph, &c);
  } else {
    MutateGraph(random, &graph);
    c.set_graph(WireForm(graph));
  }
  return OfAtMost(max_size, WireForm(c), input);
}

std::string CrossCases(RandomSource& random, absl::string_view input, absl::string_view donor,
                       size_t max_size) {
  Case into;
  Case from;
  GraphDef graph;
  GraphDef donated;
  if (!Parse(input, &into) || !Parse(donor, &from) || !graph.ParseFromString(into.graph()) ||
      !donated.ParseFromString(from.graph())) {
    return CrossBytes(random, std::string(input), std::string(donor), max_size);
  }
  const int own = graph.node_size();
  SpliceGraph(random, donated, &graph);
  if (graph.node_size() > own && into.steps_size() > 0 && random.OneIn(2)) {
    into.mutable_steps(0)->add_targets(graph.node(graph.node_size() - 1).name());
  }
  into.set_graph(WireForm(graph));
  return OfAtMost(max_size, WireForm(into), input);
}

}  // namespace fuzz
}  // namespace warpbeam
