// What nodes do to state, as their ops declare it.
#include "runtime/effects/node_effects.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* Word(StateEffect effect) {
  constexpr const char* kWords[] = {"none", "read", "look", "write", "fill", "drain", "end", "sum"};
  return kWords[static_cast<int>(effect)];
}

class NodeEffectsTest : public PassesTest {
 protected:
  std::vector<std::string> Of(OutputRef node) const {
    std::vector<std::string> all;
    for (const Effect& effect : EffectsOf(*graph_, graph_->node(node.node))) {
      all.push_back(absl::StrCat(Word(effect.kind), " ", effect.state));
    }
    return all;
  }
  OutputRef Queue(const std::string& name, const std::string& shared_name = "") {
    return Add(
        "FIFOQueueV2", name, {},
        {{"component_types", std::vector<DType>{DType::kString}}, {"shared_name", shared_name}});
  }
  OutputRef Array(const std::string& name) {
    return Add("TensorArrayV3", name, {Const(name + "/size", Tensor::Scalar<int32_t>(2))},
               {{"dtype", DType::kFloat}});
  }
  OutputRef Write(const std::string& name, OutputRef array, OutputRef flow) {
    return Add("TensorArrayWriteV3", name,
               {array, Const(name + "/at", Tensor::Scalar<int32_t>(0)),
                Const(name + "/value", Tensor::Scalar(1.0f)), flow},
               {{"T", DType::kFloat}});
  }
};

TEST_F(NodeEffectsTest, QueuesAreFilledDrainedAndEnded) {
  const OutputRef queue = Queue("q", "shared");
  const std::vector<DType> types = {DType::kString};
  EXPECT_THAT(Of(queue), IsEmpty());
  const OutputRef row = Const("row", Tensor::Scalar(std::string("a")));
  EXPECT_THAT(Of(Add("QueueEnqueueV2", "put", {queue, row}, {{"Tcomponents", types}})),
              ElementsAre("fill shared"));
  EXPECT_THAT(Of(Add("QueueDequeueV2", "take", {queue}, {{"component_types", types}})),
              ElementsAre("drain shared"));
  EXPECT_THAT(Of(Add("QueueCloseV2", "close", {queue})), ElementsAre("end shared"));
  EXPECT_THAT(Of(Add("QueueSizeV2", "size", {queue})), ElementsAre("read shared"));
}

TEST_F(NodeEffectsTest, AReaderDrainsTheQueueOfItsFiles) {
  const OutputRef reader = Add("TFRecordReaderV2", "reader", {});
  EXPECT_THAT(Of(Add("ReaderReadV2", "read", {reader, Queue("files")})),
              ElementsAre("write reader", "drain files"));
  EXPECT_THAT(Of(Add("ReaderNumRecordsProducedV2", "count", {reader})), ElementsAre("read reader"));
}

TEST_F(NodeEffectsTest, AHandleIsFollowedToWhatMadeIt) {
  const OutputRef v =
      Add("VarHandleOp", "v", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape(Shape())}});
  const OutputRef passed = Add("Identity", "passed", {v}, {{"T", DType::kResource}});
  EXPECT_THAT(Of(passed), IsEmpty());
  EXPECT_THAT(Of(Add("ReadVariableOp", "read", {passed}, {{"dtype", DType::kFloat}})),
              ElementsAre("read v"));
  const OutputRef value = Const("value", Tensor::Scalar(1.0f));
  EXPECT_THAT(Of(Add("AssignVariableOp", "set", {passed, value}, {{"dtype", DType::kFloat}})),
              ElementsAre("write v"));
  EXPECT_THAT(Of(Add("VariableShape", "shape", {passed})), IsEmpty());
}

TEST_F(NodeEffectsTest, AnIteratorIsKnownByItsStringAsWell) {
  const std::vector<std::pair<std::string, AttrValue>> elements = {
      {"output_types", std::vector<DType>{DType::kFloat}},
      {"output_shapes", std::vector<PartialShape>{PartialShape(Shape())}}};
  auto named = elements;
  named.emplace_back("shared_name", std::string("it"));
  named.emplace_back("container", std::string(""));
  const OutputRef iterator = Add("IteratorV2", "iterator", {}, named);
  const OutputRef text = Add("IteratorToStringHandle", "text", {iterator});
  EXPECT_THAT(Of(text), IsEmpty());
  const OutputRef again = Add("IteratorFromStringHandleV2", "again", {text});
  EXPECT_THAT(Of(Add("IteratorGetNext", "next", {again}, elements)), ElementsAre("write it"));
  // What a client feeds is not known.
  const OutputRef fed = Add("Placeholder", "fed", {}, {{"dtype", DType::kString}});
  const OutputRef other = Add("IteratorFromStringHandleV2", "other", {fed});
  EXPECT_THAT(Of(Add("IteratorGetNext", "next2", {other}, elements)),
              ElementsAre(absl::StrCat("write ", kAnyState)));
}

TEST_F(NodeEffectsTest, OnlyArraysOfGradientsDependOnWhoWroteFirst) {
  const OutputRef array = Array("a");
  EXPECT_THAT(Of(Write("w", array, {array.node, 1})), IsEmpty());
  const OutputRef gradients = Add("TensorArrayGradV3", "g", {array, {array.node, 1}},
                                  {{"source", std::string("gradients")}});
  EXPECT_THAT(Of(gradients), IsEmpty());
  EXPECT_THAT(Of(Write("gw", gradients, {gradients.node, 1})),
              ElementsAre("write a gradient gradients"));
}

}  // namespace
}  // namespace warpbeam
