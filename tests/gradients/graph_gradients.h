// GraphGradients: a fixture that differentiates graphs which TensorFlow wrote (testdata) and runs
// them, on the CPU and once more on a simulated GPU with the kernels of real ones, which must give
// the same.
//
//   Load("nested_loops");
//   const std::string dx = Differentiate("y", {"x"})[0];
//   ExpectNear(Run(dx), Doubles(Shape({2}), {1, 2}), 1e-12);
//
// Ownership: the fixture owns the graph and the sessions, which the first Run makes. Thread safety:
// none. Errors: failed expectations.
#ifndef WARPBEAM_TESTS_GRADIENTS_GRAPH_GRADIENTS_H_
#define WARPBEAM_TESTS_GRADIENTS_GRAPH_GRADIENTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/gradients/gradients.h"
#include "graph/io/graph_file.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {

inline Tensor Doubles(const Shape& shape, std::vector<double> values) {
  return Tensor::FromValues<double>(shape, values);
}

class GraphGradients : public ::testing::Test {
 protected:
  void Load(const std::string& name) {
    const Status s = ImportGraphFile(absl::StrCat("tests/gradients/testdata/", name, ".pbtxt"),
                                     ImportOptions(), graph_.get());
    ASSERT_TRUE(s.ok()) << s;
  }
  void LoadText(const std::string& text) {
    const Status s = ImportGraphText(text, ImportOptions(), graph_.get());
    ASSERT_TRUE(s.ok()) << s;
  }
  // "node" or "node:output".
  OutputRef Out(const std::string& name) {
    const size_t colon = name.find(':');
    const Node* node = graph_->Find(name.substr(0, colon));
    EXPECT_NE(node, nullptr) << name;
    if (node == nullptr) return OutputRef();
    return {node->id(), colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1))};
  }
  // Names of the dense gradients of y; "" where there is none.
  std::vector<std::string> Differentiate(const std::string& y, const std::vector<std::string>& xs,
                                         GradientOptions options = {}) {
    std::vector<OutputRef> refs;
    for (const std::string& x : xs) refs.push_back(Out(x));
    auto made = AddGradients(*graph_, {Out(y)}, refs, options);
    EXPECT_TRUE(made.ok()) << made.status();
    std::vector<std::string> names(xs.size());
    for (size_t i = 0; made.ok() && i < xs.size(); ++i) {
      if ((*made)[i].is_none()) continue;
      auto dense = ToDense(*graph_, (*made)[i]);
      EXPECT_TRUE(dense.ok()) << dense.status();
      if (dense.ok()) names[i] = absl::StrCat(graph_->node(dense->node).name(), ":", dense->index);
    }
    return names;
  }
  Status Refusal(const std::string& y, const std::string& x) {
    return AddGradients(*graph_, {Out(y)}, {Out(x)}).status();
  }
  using Feeds = std::vector<std::pair<std::string, Tensor>>;
  Tensor Run(const std::string& fetch, const Feeds& feeds = {}) {
    return RunAll({fetch}, feeds)[0];
  }
  std::vector<Tensor> RunAll(const std::vector<std::string>& fetches, const Feeds& feeds = {},
                             RunMetadata* metadata = nullptr) {
    Status s = StartSession();
    EXPECT_TRUE(s.ok()) << s;
    if (!s.ok()) return std::vector<Tensor>(fetches.size());
    const std::vector<Tensor> out = RunOn(*session_, fetches, feeds, metadata);
    if (is_random_) return out;
    const std::vector<Tensor> of_gpu = RunOn(*on_gpu_, fetches, feeds);
    for (size_t i = 0; i < out.size() && !HasFailure(); ++i) ExpectNear(of_gpu[i], out[i], 1e-9);
    return out;
  }
  std::vector<Tensor> RunOn(Session& session, const std::vector<std::string>& fetches,
                            const Feeds& feeds = {}, RunMetadata* metadata = nullptr) {
    std::vector<Tensor> out;
    const Status s = session.Run({}, feeds, fetches, {}, &out, metadata);
    EXPECT_TRUE(s.ok()) << s;
    out.resize(fetches.size());
    return out;
  }
  void ExpectNear(const Tensor& got, const Tensor& want, double tolerance) {
    const Status s = CompareTensors(got, want, {tolerance, tolerance});
    EXPECT_TRUE(s.ok()) << s;
  }
  // dy/dx by changing each element of x a little, on the CPU.
  Tensor Differences(const std::string& y, const std::string& x) {
    const Tensor at = Run(absl::StrCat(x, ":0"));
    auto slope = Tensor::Allocate(DType::kDouble, at.shape());
    EXPECT_TRUE(slope.ok());
    for (int64_t i = 0; i < at.num_elements(); ++i) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        auto moved = at.Clone();
        EXPECT_TRUE(moved.ok());
        moved->data<double>()[i] += side == 0 ? -kStep : kStep;
        const Feeds feeds = {{absl::StrCat(x, ":0"), *moved}};
        value[side] = RunOn(*session_, {absl::StrCat(y, ":0")}, feeds)[0].scalar<double>();
      }
      slope->data<double>()[i] = (value[1] - value[0]) / (2 * kStep);
    }
    return *slope;
  }

  Status StartSession() {
    if (session_ != nullptr) return OkStatus();
    WB_ASSIGN_OR_RETURN(session_, Session::Create({}, graph_));
    WB_ASSIGN_OR_RETURN(on_gpu_, Session::Create(WithGpu(), graph_));
    if (graph_->Find(initializer_) == nullptr) return OkStatus();
    WB_RETURN_IF_ERROR(session_->Run({}, {}, {}, {initializer_}, nullptr));
    return on_gpu_->Run({}, {}, {}, {initializer_}, nullptr);
  }
  // The next run begins in new sessions.
  void EndSession() {
    session_.reset();
    on_gpu_.reset();
  }
  // No pass computes constants on the CPU before.
  static SessionOptions WithGpu() {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    options.passes = "none";
    return options;
  }

  static constexpr double kStep = 1e-5;
  std::string initializer_ = "w/Assign";  // runs first, where the graph has it
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  bool is_random_ = false;  // each session draws its own numbers: they are not compared
  std::unique_ptr<Session> session_, on_gpu_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GRADIENTS_GRAPH_GRADIENTS_H_
