// Generated messages and a generated service link and work: a call goes over gRPC and comes back.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tools/bazel/testdata/echo/echo.grpc.pb.h"
#include "tools/bazel/testdata/echo/text.pb.h"

namespace warpbeam {
namespace {

class EchoService : public testdata::Echo::Service {
  grpc::Status Say(grpc::ServerContext*, const testdata::Text* request,
                   testdata::Text* reply) override {
    reply->set_value(request->value() + request->value());
    return grpc::Status::OK;
  }
};

TEST(EchoTest, ACallComesBack) {
  EchoService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);

  auto stub = testdata::Echo::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  testdata::Text request, reply;
  request.set_value("warp");
  grpc::ClientContext context;
  const grpc::Status status = stub->Say(&context, request, &reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.value(), "warpwarp");
}

}  // namespace
}  // namespace warpbeam
