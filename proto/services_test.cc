// Checks the names that method calls have on the wire.

#include <set>
#include <string>

#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "proto/master_service.grpc.pb.h"
#include "proto/worker_service.grpc.pb.h"

namespace warpbeam {
namespace {

// Keeps the descriptors linked in, which no code refers to.
[[gnu::used]] const void* const kDescriptors[] = {
    &descriptor_table_proto_2fmaster_5fservice_2eproto,
    &descriptor_table_proto_2fworker_5fservice_2eproto,
};

// The methods of a service, each with the messages that TensorFlow's naming gives it.
std::set<std::string> Methods(const std::string& service) {
  std::set<std::string> methods;
  const google::protobuf::ServiceDescriptor* type =
      google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service);
  EXPECT_NE(type, nullptr);
  if (type == nullptr) return methods;
  for (int i = 0; i < type->method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *type->method(i);
    EXPECT_EQ(method.input_type()->full_name(), "tensorflow." + method.name() + "Request");
    EXPECT_EQ(method.output_type()->full_name(), "tensorflow." + method.name() + "Response");
    EXPECT_FALSE(method.client_streaming() || method.server_streaming()) << method.name();
    methods.insert(method.name());
  }
  return methods;
}

TEST(ServicesTest, Master) {
  EXPECT_STREQ(tensorflow::MasterService::service_full_name(), "tensorflow.MasterService");
  EXPECT_EQ(Methods("tensorflow.MasterService"),
            std::set<std::string>({"CreateSession", "ExtendSession", "PartialRunSetup", "RunStep",
                                   "CloseSession", "ListDevices", "Reset", "MakeCallable",
                                   "RunCallable", "ReleaseCallable"}));
}

TEST(ServicesTest, Worker) {
  EXPECT_STREQ(tensorflow::WorkerService::service_full_name(), "tensorflow.WorkerService");
  EXPECT_EQ(Methods("tensorflow.WorkerService"),
            std::set<std::string>({"GetStatus", "CreateWorkerSession", "DeleteWorkerSession",
                                   "RegisterGraph", "DeregisterGraph", "RunGraph", "CleanupGraph",
                                   "CleanupAll", "RecvTensor", "RecvBuf", "Logging", "Tracing",
                                   "CompleteGroup", "CompleteInstance", "GetStepSequence",
                                   "MarkRecvFinished"}));
}

}  // namespace
}  // namespace warpbeam
