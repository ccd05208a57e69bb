// Queue runners that fail, as the commands that time graphs report them.
#include "tools/cli/step/input_runners.h"

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The contents of a file that is not there, through a queue.
constexpr char kGraph[] = R"(
node { name: "queue" op: "FIFOQueueV2"
       attr { key: "component_types" value { list { type: DT_STRING } } } }
node { name: "file" op: "Const"
       attr { key: "dtype" value { type: DT_STRING } }
       attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {}
                                            string_val: "no/such/file" } } } }
node { name: "read" op: "ReadFile" input: "file" }
node { name: "put" op: "QueueEnqueueV2" input: "queue" input: "read"
       attr { key: "Tcomponents" value { list { type: DT_STRING } } } }
node { name: "take" op: "QueueDequeueV2" input: "queue"
       attr { key: "component_types" value { list { type: DT_STRING } } } }
)";

std::string WriteSpec() {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "." : folder) + "/runner_fails";
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kGraph, &graph));
  std::ofstream(path + ".pb", std::ios::binary) << graph.SerializeAsString();
  std::ofstream(path + ".json")
      << R"({"graph": "runner_fails.pb", "fetches": ["take"], "queue_runners": ["put"]})";
  return path + ".json";
}

TEST(InputRunners, TheErrorOfARunnerEndsTheStepsThatWaitForIt) {
  const std::string spec = WriteSpec();
  for (const char* command : {"bench", "profile"}) {
    std::ostringstream out, err;
    Console console{out, err, /*is_terminal=*/false};
    EXPECT_EQ(RunProgram({command, spec}, console), 1) << command;
    EXPECT_THAT(err.str(), AllOf(HasSubstr("NOT_FOUND"), HasSubstr("no/such/file"),
                                 HasSubstr("the queue runner 'put' ended")))
        << command;
  }
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
