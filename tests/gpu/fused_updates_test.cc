// Updates of variables on a GPU, in one launch with what computes their gradients, leave the values
// that the nodes leave alone.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "graph/op/op_registry.h"
#include "tests/gpu/fused_fixture.h"

namespace warpbeam {
namespace {

const char* const kRules[] = {"GradientDescent",
                              "Momentum",
                              "KerasMomentum",
                              "Adam",
                              "AdamWithAmsgrad",
                              "AdaMax",
                              "RMSProp",
                              "CenteredRMSProp",
                              "Adadelta",
                              "Adagrad",
                              "AdagradV2",
                              "ProximalAdagrad",
                              "Ftrl",
                              "FtrlV2",
                              "AddSign",
                              "PowerSign"};

// Between 0.5 and 2.1 times `scale`.
Tensor Values(const Shape& shape, DType dtype, int seed, float scale) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = scale * (0.5f + static_cast<float>((i * 37 + seed * 29) % 101) / 64);
  }
  return Cast(Tensor::FromValues<float>(shape, values), dtype);
}

class FusedUpdatesTest : public FusedTest {
 protected:
  // "update" of variables "v0", "v1", …: the first one goes along "gradient", which is computed of
  // what is fed as "x" and, where there is a decay, of the variable as it was.
  void Build(const std::string& rule, bool by_handle, bool flag, bool decays, const Tensor& value) {
    Clear();
    const DType dtype = value.dtype();
    const std::string op = (by_handle ? "ResourceApply" : "Apply") + rule;
    const auto schema = OpRegistry::Global().Get(op);
    ASSERT_TRUE(schema.ok()) << schema.status();
    std::vector<OutputRef> inputs;
    NodeAttrs attrs = {{"T", dtype}};
    OutputRef read;
    for (const ArgSpec& argument : (*schema)->inputs) {
      const int i = static_cast<int>(inputs.size());
      if (argument.is_ref || argument.type == DType::kResource) {
        const std::string name = "v" + std::to_string(i);
        const Tensor first = Values(value.shape(), dtype, i, i == 1 ? 0.25f : 1);
        inputs.push_back(Variable(name, by_handle, first));
        if (i == 0) read = Read("before", by_handle, inputs[0], dtype);
      } else if (argument.name == "grad" || argument.name == "delta") {
        OutputRef gradient = Typed(
            "Mul", "scaled", {Fed("x", dtype, value.shape()), Scalar("half", dtype, 0.5f)}, dtype);
        if (decays) {
          const OutputRef decay =
              Typed("Mul", "decay", {read, Scalar("rate", dtype, 0.01f)}, dtype);
          gradient = Typed("AddV2", "gradient", {gradient, decay}, dtype);
        } else {
          gradient = Typed("Neg", "gradient", {gradient}, dtype);
        }
        inputs.push_back(gradient);
      } else {
        const float scalar = argument.name == "lr_power" ? -0.625f
                             : argument.name == "lr"     ? 0.125f
                                                         : 0.0625f + 0.11f * static_cast<float>(i);
        inputs.push_back(Scalar(argument.name, dtype, scalar));
      }
    }
    for (const AttrSpec& attr : (*schema)->attrs) {
      if (attr.type == "bool" && attr.name != "use_locking") attrs.emplace_back(attr.name, flag);
    }
    Add(op, "update", inputs, attrs);
    // Read by a step of its own.
    for (int i = 0; i < num_variables_of(**schema); ++i) {
      Read("after" + std::to_string(i), by_handle, inputs[i], dtype);
    }
  }
  static int num_variables_of(const OpSchema& schema) {
    int variables = 0;
    for (const ArgSpec& argument : schema.inputs) {
      variables += argument.is_ref || argument.type == DType::kResource ? 1 : 0;
    }
    return variables;
  }

  // What the variables hold after each of some steps, and the nodes of a step.
  FusedOutcome Train(const SessionOptions& options, const NamedTensors& feeds,
                     const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets,
                     const std::vector<std::string>& reads) {
    auto session = Session::Create(options, graph_);
    FusedOutcome outcome;
    outcome.status = session.status();
    if (outcome.status.ok()) {
      outcome.status = (*session)->Run({}, {}, {}, initializers_, nullptr);
    }
    for (int step = 0; step < 4 && outcome.status.ok(); ++step) {
      RunMetadata metadata;
      std::vector<Tensor> fetched, read;
      outcome.status = (*session)->Run({}, feeds, fetches, targets, &fetched, &metadata);
      outcome.nodes = metadata.nodes_executed;
      if (outcome.status.ok()) outcome.status = (*session)->Run({}, {}, reads, {}, &read);
      // What was fetched is what it was, whatever was written since.
      outcome.fetched.insert(outcome.fetched.end(), fetched.begin(), fetched.end());
      outcome.fetched.insert(outcome.fetched.end(), read.begin(), read.end());
    }
    return outcome;
  }
  int64_t SavedInTraining(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets,
                          const std::vector<std::string>& reads) {
    int64_t saved = -1;
    for (const bool enqueues : {false, true}) {
      const FusedOutcome plain = Train(Options("none", enqueues), feeds, fetches, targets, reads);
      const FusedOutcome fused = Train(Options("fuse", enqueues), feeds, fetches, targets, reads);
      EXPECT_TRUE(plain.status.ok()) << plain.status;
      EXPECT_TRUE(fused.status.ok()) << fused.status;
      if (!plain.status.ok() || !fused.status.ok()) return -1;
      for (size_t i = 0; i < plain.fetched.size(); ++i)
        ExpectSameBits(fused.fetched[i], plain.fetched[i]);
      saved = plain.nodes - fused.nodes;
    }
    return saved;
  }
};

TEST_F(FusedUpdatesTest, EveryRule) {
  const Shape shape({3, 347});
  for (const std::string rule : kRules) {
    for (const bool by_handle : {false, true}) {
      if (!by_handle && (rule == "KerasMomentum" || rule == "AdamWithAmsgrad")) continue;
      for (const DType dtype : {DType::kFloat, DType::kHalf}) {
        if (rule == "AdaMax" && dtype == DType::kHalf && by_handle) continue;
        for (const bool flag : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << rule << DTypeName(dtype) << ", by handle: " << by_handle << flag);
          Build(rule, by_handle, flag, /*decays=*/false, Values(shape, dtype, 0, 1));
          const auto schema = OpRegistry::Global().Get("ResourceApply" + rule);
          std::vector<std::string> reads;
          for (int i = 0; i < num_variables_of(**schema); ++i) {
            reads.push_back("after" + std::to_string(i));
          }
          const NamedTensors feeds = {{"x", Values(shape, dtype, 5, 0.5f)}};
          EXPECT_EQ(SavedInTraining(feeds, {}, {"update"}, reads), 2);
        }
      }
    }
  }
}

// The variable as it was is read by the group itself, and by others who hold it meanwhile.
TEST_F(FusedUpdatesTest, DecayAndValuesThatSomebodyHolds) {
  for (const int64_t size : {2, 5, 1024, 5003}) {
    for (const bool by_handle : {false, true}) {
      SCOPED_TRACE(testing::Message() << size << ", by handle: " << by_handle);
      const Shape shape({size});
      Build("Momentum", by_handle, false, /*decays=*/true, Values(shape, DType::kFloat, 0, 1));
      const NamedTensors feeds = {{"x", Values(shape, DType::kFloat, 5, 0.5f)}};
      EXPECT_GE(SavedInTraining(feeds, {}, {"update"}, {"after0", "after1"}), 3);
      EXPECT_GE(SavedInTraining(feeds, {"before"}, {"update"}, {"after0", "after1"}), 3);
    }
  }
}

// A moving average and the step of the same variable; sums.
TEST_F(FusedUpdatesTest, SumsAndDifferences) {
  for (const bool by_handle : {false, true}) {
    SCOPED_TRACE(testing::Message() << "by handle: " << by_handle);
    Clear();
    const DType dtype = DType::kFloat;
    const Shape shape({1025});
    const OutputRef x = Fed("x", dtype, shape);
    const OutputRef average = Variable("average", by_handle, Values(shape, dtype, 1, 1));
    const OutputRef total = Variable("total", by_handle, Values(shape, dtype, 2, 1));
    const OutputRef away = Float("Sub", "away", {Read("now", by_handle, average, dtype), x});
    const OutputRef step = Float("Mul", "step", {away, Scalar("rate", dtype, 0.1f)});
    const std::string form = by_handle ? "VariableOp" : "";
    const NodeAttrs attrs = {{by_handle ? "dtype" : "T", dtype}};
    Add("AssignSub" + form, "move", {average, step}, attrs);
    Add("AssignAdd" + form, "add", {total, Float("Square", "square", {x})}, attrs);
    Read("after0", by_handle, average, dtype);
    Read("after1", by_handle, total, dtype);
    const NamedTensors feeds = {{"x", Values(shape, dtype, 5, 0.5f)}};
    EXPECT_GE(SavedInTraining(feeds, {}, {"move", "add"}, {"after0", "after1"}), 3);
  }
}

// What was read before an update is not what a second update finds behind the first.
TEST_F(FusedUpdatesTest, AReadingThatTwoUpdatesTake) {
  const DType dtype = DType::kFloat;
  const Shape shape({1025});
  const OutputRef first = Variable("first", false, Values(shape, dtype, 1, 1));
  const OutputRef second = Variable("second", false, Values(shape, dtype, 2, 1));
  const OutputRef read = Read("read", false, first, dtype);
  Float("AssignAdd", "add", {first, read});
  Float("AssignSub", "subtract", {second, read});
  Read("after0", false, first, dtype);
  Read("after1", false, second, dtype);
  EXPECT_EQ(SavedInTraining({}, {}, {"add", "subtract"}, {"after0", "after1"}), 0);
}

TEST_F(FusedUpdatesTest, AVariableWithoutAValueIsNamed) {
  for (const bool by_handle : {false, true}) {
    Build("Adam", by_handle, false, false, Values(Shape({64}), DType::kFloat, 0, 1));
    initializers_ = {"init_v0", "init_v1"};
    const NamedTensors feeds = {{"x", Values(Shape({64}), DType::kFloat, 5, 0.5f)}};
    const Status plain = Train(Options("none", true), feeds, {}, {"update"}, {}).status;
    const Status fused = Train(Options("fuse", true), feeds, {}, {"update"}, {}).status;
    EXPECT_FALSE(plain.ok());
    EXPECT_EQ(fused.code(), plain.code()) << fused << plain;
    EXPECT_TRUE(absl::StrContains(fused.message(), "node 'update'")) << fused;
  }
}

}  // namespace
}  // namespace warpbeam
