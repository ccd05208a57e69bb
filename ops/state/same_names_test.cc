#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

// Clients of one server whose graphs use one name for different things.
class SameNames : public ::testing::Test {
 protected:
  struct Client {
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    std::shared_ptr<Session> session;
  };
  void TearDown() override { resources_->Clear(); }
  static OutputRef Build(NodeBuilder& builder) {
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? OutputRef{(*made)->id(), 0} : OutputRef();
  }
  static OutputRef Const(Client& client, const std::string& name, float value) {
    return {(*AddConstant(client.graph.get(), name, Tensor::Scalar<float>(value)))->id(), 0};
  }
  void Open(Client& client) {
    SessionOptions options;
    options.resources = resources_;
    auto session = Session::Create(options, client.graph);
    ASSERT_TRUE(session.ok()) << session.status();
    client.session = *std::move(session);
  }
  static Status Run(Client& client, const std::string& target) {
    return client.session->Run({}, {}, {}, {target}, nullptr);
  }
  static float Value(Client& client, const std::string& fetch) {
    std::vector<Tensor> out;
    const Status s = client.session->Run({}, {}, {fetch}, {}, &out);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0].scalar<float>() : -1;
  }

  const std::shared_ptr<ResourceStore> resources_ = std::make_shared<ResourceStore>();
};

TEST_F(SameNames, AReferenceVariableAndAResourceVariableAndAQueue) {
  Client reference, resource, queue;
  Graph* graph = reference.graph.get();
  const PartialShape scalar = PartialShape(Shape());
  const OutputRef v = Build(NodeBuilder(graph, "VariableV2")
                                .Name("v")
                                .Attr("shape", scalar)
                                .Attr("dtype", DType::kFloat));
  Build(NodeBuilder(graph, "Assign").Name("init").Input(v).Input(Const(reference, "c", 1)));
  Open(reference);

  graph = resource.graph.get();
  const OutputRef handle = Build(NodeBuilder(graph, "VarHandleOp")
                                     .Attr("shape", scalar)
                                     .Attr("dtype", DType::kFloat)
                                     .Attr("shared_name", "v"));
  const OutputRef two = Const(resource, "c", 2);
  Build(NodeBuilder(graph, "AssignVariableOp").Name("init").Input(handle).Input(two));
  Build(
      NodeBuilder(graph, "ReadVariableOp").Name("read").Attr("dtype", DType::kFloat).Input(handle));
  Build(NodeBuilder(graph, "DestroyResourceOp").Name("destroy").Input(handle));
  Open(resource);

  graph = queue.graph.get();
  const OutputRef fifo = Build(NodeBuilder(graph, "FIFOQueueV2")
                                   .Attr("component_types", std::vector<DType>{DType::kFloat})
                                   .Attr("shared_name", "v"));
  const OutputRef three = Const(queue, "c", 3);
  Build(NodeBuilder(graph, "QueueEnqueueV2").Name("init").Input(fifo).Input({three}));
  Build(NodeBuilder(graph, "AssignVariableOp").Name("wrong").Input(fifo).Input(three));
  Open(queue);

  for (Client* client : {&reference, &resource, &queue}) {
    const Status s = Run(*client, "init");
    EXPECT_TRUE(s.ok()) << s;
  }
  EXPECT_EQ(Value(reference, "v"), 1);
  EXPECT_EQ(Value(resource, "read"), 2);
  EXPECT_EQ(Run(queue, "wrong").code(), Code::kInvalidArgument);
  EXPECT_TRUE(Run(resource, "destroy").ok());
  EXPECT_EQ(Run(resource, "read").code(), Code::kFailedPrecondition);
  EXPECT_EQ(Value(reference, "v"), 1);
}

}  // namespace
}  // namespace warpbeam
