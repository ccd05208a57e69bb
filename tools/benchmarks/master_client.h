// What clients of a server that speaks TensorFlow's MasterService have in common: graphs of floats,
// a session, and the end of a program whose server has failed.
//
//   GraphOfFloats graph;
//   graph.Constant("c", {}, 1);
//   Client client("localhost:2222");
//   Check(client.Open(graph.graph()), "CreateSession");
//   auto request = client.Request("c:0");
//   Check(client.Run(request, &response), "RunStep");
//
// Ownership: a client owns its connection. Thread safety: a client is one thread's. Errors: gRPC's
// statuses; Check and Die end the program with status 1.
#ifndef WARPBEAM_TOOLS_BENCHMARKS_MASTER_CLIENT_H_
#define WARPBEAM_TOOLS_BENCHMARKS_MASTER_CLIENT_H_

#include <grpcpp/support/status.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tensorflow {
class GraphDef;
class NodeDef;
class RunStepRequest;
class RunStepResponse;
class TensorProto;
}  // namespace tensorflow

namespace warpbeam {
namespace benchmarks {

[[noreturn]] void Die(const std::string& what);
void Check(const grpc::Status& status, const char* what);
// "--name=value" words over the defaults.
std::map<std::string, std::string> ParseFlags(int argc, char** argv,
                                              std::map<std::string, std::string> flags);

void SetFloats(const std::vector<int64_t>& shape, const std::vector<float>& values,
               tensorflow::TensorProto* tensor);
// The first value of a tensor of floats; NaN where there is none.
float FirstFloat(const tensorflow::TensorProto& tensor);

// A graph under construction; all values are float. Nodes are on the device that was named last.
class GraphOfFloats {
 public:
  GraphOfFloats();
  ~GraphOfFloats();
  GraphOfFloats& On(const std::string& device) {
    device_ = device;
    return *this;
  }
  void Constant(const std::string& name, const std::vector<int64_t>& shape, float value);
  void Placeholder(const std::string& name) { Node(name, "Placeholder", {}, "dtype"); }
  void Variable(const std::string& name, const std::vector<int64_t>& shape);
  tensorflow::NodeDef& Node(const std::string& name, const std::string& op,
                            const std::vector<std::string>& inputs,
                            const std::string& type_attr = "T");
  // The node that was added last; there must be one.
  tensorflow::NodeDef& Last();
  const tensorflow::GraphDef& graph() const { return *graph_; }

 private:
  std::string device_;
  const std::unique_ptr<tensorflow::GraphDef> graph_;
};

// A session on the server, over a connection of its own.
class Client {
 public:
  explicit Client(const std::string& target);
  ~Client();
  grpc::Status Open(const tensorflow::GraphDef& graph);
  tensorflow::RunStepRequest Request(const std::string& fetch, const std::string& target = "");
  grpc::Status Run(tensorflow::RunStepRequest& request, tensorflow::RunStepResponse* response);
  grpc::Status Close();

 private:
  struct Connection;

  const std::unique_ptr<Connection> connection_;
  std::string session_;
};

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_MASTER_CLIENT_H_
