// GraphMaker: small graphs for tests of plans.
//
//   GraphMaker g;
//   g.Add("Neg", "end", {g.Unknown("x", 4)}, "/gpu:0");
//
// Ownership: shares the graph. Thread safety: none. Errors: test failures.
#ifndef WARPBEAM_TESTS_PLAN_GRAPH_MAKER_H_
#define WARPBEAM_TESTS_PLAN_GRAPH_MAKER_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"

namespace warpbeam {

class GraphMaker {
 public:
  std::shared_ptr<Graph> graph() const { return graph_; }
  OutputRef Add(const char* op, const char* name, const std::vector<OutputRef>& inputs,
                const char* device = "") {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device);
    for (const OutputRef in : inputs) builder.Input(in);
    return Built(builder);
  }
  OutputRef List(const char* op, const char* name, std::vector<OutputRef> inputs,
                 const char* device = "") {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device).Input(std::move(inputs));
    return Built(builder);
  }
  OutputRef Constant(const char* name, Tensor value, const char* device = "") {
    NodeBuilder builder(graph_.get(), "Const");
    builder.Name(name).Device(device).Attr("dtype", value.dtype()).Attr("value", value);
    return Built(builder);
  }
  // A value of so many elements that no pass knows.
  OutputRef Unknown(const char* name, int64_t elements, const char* device = "") {
    const OutputRef shape =
        Constant(absl::StrCat(name, "/shape").c_str(), Tensor::Vector<int64_t>({elements}), device);
    NodeBuilder builder(graph_.get(), "RandomUniform");
    builder.Name(name).Device(device).Attr("dtype", DType::kFloat).Input(shape);
    return Built(builder);
  }
  OutputRef Enter(OutputRef x, bool is_constant, const char* frame = "loop") {
    NodeBuilder builder(graph_.get(), "Enter");
    builder.Input(x).Attr("frame_name", frame).Attr("is_constant", is_constant);
    return Built(builder);
  }
  void Close(OutputRef merge, OutputRef next) {
    const OutputRef back = Add("NextIteration", "next", {next});
    ASSERT_TRUE(graph_->SetInput(merge.node, 1, back).ok());
  }

 private:
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_PLAN_GRAPH_MAKER_H_
