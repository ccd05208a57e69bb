// PassesTest: graphs that are run with each pass on and off and must give the same.
//
//   TEST_F(PassesTest, Sums) {
//     const OutputRef x = Placeholder("x", {4});
//     Float("AddV2", "y", {x, x});
//     ExpectSame({{"x", Ramp({4}, 1)}}, {"y"});
//   }
//
// Every run has a session of its own. Ownership: the fixture owns the graph. Thread safety: none.
// Errors: gtest failures.
#ifndef WARPBEAM_TESTS_PASSES_PASSES_FIXTURE_H_
#define WARPBEAM_TESTS_PASSES_PASSES_FIXTURE_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {

inline constexpr const char* kPassSelections[] = {
    "none",       "fold",   "branches", "unread", "simplify",      "cse",           "slice_first",
    "mask_first", "narrow", "products", "fuse",   "simplify,fuse", "products,fuse", "default"};

struct Outcome {
  Status status;
  std::vector<Tensor> fetched;
  int64_t nodes = 0;
};

class PassesTest : public ::testing::Test {
 protected:
  PassesTest() : graph_(std::make_shared<Graph>()) {}

  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                std::vector<std::pair<std::string, AttrValue>> attrs = {},
                std::vector<NodeId> controls = {}, const std::string& device = "") {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = device;
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return {node.ok() ? (*node)->id() : 0, 0};
  }
  OutputRef Float(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                  std::vector<NodeId> controls = {}) {
    return Add(op, name, std::move(inputs), {{"T", DType::kFloat}}, std::move(controls));
  }
  OutputRef Const(const std::string& name, Tensor value, std::vector<NodeId> controls = {}) {
    const DType dtype = value.dtype();
    return Add("Const", name, {}, {{"value", std::move(value)}, {"dtype", dtype}},
               std::move(controls));
  }
  OutputRef Placeholder(const std::string& name, std::vector<int64_t> dims) {
    return Add("Placeholder", name, {}, {{"dtype", DType::kFloat}, {"shape", PartialShape(dims)}});
  }
  OutputRef Variable(const std::string& name, const Tensor& initial) {
    const OutputRef v = Add("VariableV2", name, {},
                            {{"shape", PartialShape(initial.shape())}, {"dtype", DType::kFloat}});
    Float("Assign", name + "/Assign", {v, Const(name + "/initial", initial)});
    initializers_.push_back(name + "/Assign");
    return v;
  }
  static Tensor Ramp(std::vector<int64_t> dims, float scale) {
    const Shape shape = *Shape::Make(dims);
    std::vector<float> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      values.push_back(scale * static_cast<float>(i % 97) - 1.5f);
    }
    return Tensor::FromValues<float>(shape, values);
  }

  // A session of its own: initialisers, then `steps` runs; the last one's outcome.
  Outcome Run(const std::string& passes, const NamedTensors& feeds,
              const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {},
              int steps = 1) {
    SessionOptions options;
    options.passes = passes;
    options.cpu_devices = 2;
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    Outcome outcome;
    if (!initializers_.empty()) {
      EXPECT_TRUE((*session)->Run({}, {}, {}, initializers_, nullptr, nullptr).ok());
    }
    for (int i = 0; i < steps && outcome.status.ok(); ++i) {
      RunMetadata metadata;
      outcome.status = (*session)->Run({}, feeds, fetches, targets, &outcome.fetched, &metadata);
      outcome.nodes = metadata.nodes_executed;
    }
    return outcome;
  }

  // Runs with every selection and compares with no pass at all; returns the outcome by default.
  Outcome ExpectSame(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets = {}, int steps = 1) {
    const Outcome plain = Run("none", feeds, fetches, targets, steps);
    Outcome outcome;
    for (const char* passes : kPassSelections) {
      outcome = Run(passes, feeds, fetches, targets, steps);
      EXPECT_EQ(outcome.status.code(), plain.status.code())
          << passes << ": " << outcome.status << " instead of " << plain.status;
      if (!outcome.status.ok() || !plain.status.ok()) continue;
      for (size_t i = 0; i < fetches.size(); ++i) {
        const Tensor &a = outcome.fetched[i], &b = plain.fetched[i];
        EXPECT_EQ(a.shape(), b.shape()) << passes << ", " << fetches[i];
        if (a.shape() != b.shape()) continue;
        EXPECT_EQ(memcmp(a.raw_data(), b.raw_data(), b.bytes()), 0) << passes << ", " << fetches[i];
      }
    }
    plain_nodes_ = plain.nodes;
    return outcome;
  }

  std::shared_ptr<Graph> graph_;
  std::vector<std::string> initializers_;
  int64_t plain_nodes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_PASSES_PASSES_FIXTURE_H_
