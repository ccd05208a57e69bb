// Temporary variables on simulated GPUs.
#include <memory>
#include <vector>

#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

TEST(TemporaryVariableOnGpu, BeginsWithZerosAndGivesWhatWasAdded) {
  const auto graph = std::make_shared<Graph>();
  const auto built = [](NodeBuilder& builder) {
    auto made = builder.Device("/gpu:0").BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  };
  const OutputRef variable = built(NodeBuilder(graph.get(), "TemporaryVariable")
                                       .Attr("dtype", DType::kFloat)
                                       .Attr("shape", PartialShape({2}))
                                       .Attr("var_name", "sum"));
  const OutputRef delta = {
      (*AddConstant(graph.get(), "c", Tensor::Vector<float>({1, 2}), "/gpu:0"))->id(), 0};
  const OutputRef sum = built(NodeBuilder(graph.get(), "AssignAdd").Input(variable).Input(delta));
  built(NodeBuilder(graph.get(), "DestroyTemporaryVariable")
            .Name("all")
            .Attr("var_name", "sum")
            .Input(sum));
  for (const bool enqueues : {false, true}) {
    SessionOptions options;
    options.simulated_gpus = 1;
    options.simulated_gpus_enqueue = enqueues;
    options.simulated_gpu_kernels = true;
    options.allow_soft_placement = false;
    auto session = Session::Create(options, graph);
    ASSERT_TRUE(session.ok()) << session.status();
    for (int step = 0; step < 2; ++step) {
      std::vector<Tensor> out;
      ASSERT_EQ((*session)->Run({}, {}, {"all"}, {}, &out), OkStatus());
      EXPECT_EQ(out[0].ToString(), Tensor::Vector<float>({1, 2}).ToString());
    }
  }
}

}  // namespace
}  // namespace warpbeam
