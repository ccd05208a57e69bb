// Ops that read or write files run only in sessions that allow it, wherever in the graph they are.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Writes what it reads, directly and through a function.
constexpr char kGraph[] = R"(
node { name: "from" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "to" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "read" op: "ReadFile" input: "from" }
node { name: "write" op: "WriteFile" input: "to" input: "read" }
node { name: "call" op: "StatefulPartitionedCall" input: "to" input: "read"
       attr { key: "Tin" value { list { type: DT_STRING type: DT_STRING } } }
       attr { key: "Tout" value { list { type: DT_STRING } } }
       attr { key: "f" value { func { name: "keep" } } } }
node { name: "start" op: "Const" attr { key: "dtype" value { type: DT_INT64 } }
       attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 1 } } } }
node { name: "range" op: "RangeDataset" input: "start" input: "start" input: "start"
       attr { key: "output_types" value { list { type: DT_INT64 } } }
       attr { key: "output_shapes" value { list { shape {} } } } }
node { name: "cache" op: "CacheDataset" input: "range" input: "to"
       attr { key: "output_types" value { list { type: DT_INT64 } } }
       attr { key: "output_shapes" value { list { shape {} } } } }
library { function {
  signature { name: "keep" is_stateful: true
              input_arg { name: "path" type: DT_STRING } input_arg { name: "text" type: DT_STRING }
              output_arg { name: "same" type: DT_STRING } }
  node_def { name: "inner" op: "WriteFile" input: "path" input: "text" }
  node_def { name: "again" op: "Identity" input: "text" input: "^inner"
             attr { key: "T" value { type: DT_STRING } } }
  ret { key: "same" value: "again:output:0" }
} }
)";

class Capabilities : public ::testing::Test {
 protected:
  void Open(const char* allow) {
    const std::string file = ::testing::TempDir() + "graph.pbtxt";
    std::ofstream(file) << kGraph;
    auto graph = std::make_shared<Graph>();
    const Status imported = ImportGraphFile(file, ImportOptions(), graph.get());
    ASSERT_TRUE(imported.ok()) << imported;
    SessionOptions options;
    if (allow != nullptr) options.allow = *CapabilitySet::Parse(allow);
    auto session = Session::Create(options, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    from_ = ::testing::TempDir() + "from.txt";
    std::ofstream(from_) << "words";
  }
  Status Run(const std::string& node, const std::string& to) {
    const NamedTensors feeds = {{"from", Tensor::Scalar(from_)}, {"to", Tensor::Scalar(to)}};
    return session_->Run(RunOptions(), feeds, {}, {node}, nullptr);
  }
  static bool Exists(const std::string& path) { return std::ifstream(path).good(); }
  static std::string NewFile(const std::string& name) {
    std::string path = ::testing::TempDir() + name;
    remove(path.c_str());
    return path;
  }

  std::unique_ptr<Session> session_;
  std::string from_;
};

TEST_F(Capabilities, EverythingUnlessSaid) {
  Open(nullptr);
  for (const char* node : {"write", "call"}) {
    const std::string to = NewFile(absl::StrCat("by_", node));
    const Status ran = Run(node, to);
    EXPECT_TRUE(ran.ok()) << ran;
    EXPECT_TRUE(Exists(to)) << node;
  }
}

TEST_F(Capabilities, ReadingOnly) {
  Open("read");
  const Status read = Run("read", "");
  EXPECT_TRUE(read.ok()) << read;
  const std::string to = NewFile("unwritten");
  const Status write = Run("write", to);
  EXPECT_EQ(write.code(), StatusCode::kPermissionDenied) << write;
  EXPECT_THAT(std::string(write.message()),
              AllOf(HasSubstr("'write' (WriteFile)"), HasSubstr("needs 'write'"),
                    HasSubstr("allows: read")));
  const Status call = Run("call", to);
  EXPECT_EQ(call.code(), StatusCode::kPermissionDenied) << call;
  EXPECT_THAT(std::string(call.message()), HasSubstr("inner' (WriteFile)"));
  EXPECT_FALSE(Exists(to));
  EXPECT_TRUE(Run("read", "").ok());
}

// Whether it reaches files depends on a value.
TEST_F(Capabilities, CachesInFiles) {
  const std::string to = NewFile("cache");
  for (const char* allow : {"none", "read", "write"}) {
    Open(allow);
    const Status in_file = Run("cache", to);
    EXPECT_EQ(in_file.code(), StatusCode::kPermissionDenied) << in_file;
    EXPECT_THAT(std::string(in_file.message()), HasSubstr("'cache' (CacheDataset)"));
    const Status in_memory = Run("cache", "");
    EXPECT_TRUE(in_memory.ok()) << in_memory;
  }
  Open("file");
  const Status allowed = Run("cache", to);
  EXPECT_TRUE(allowed.ok()) << allowed;
}

TEST_F(Capabilities, NothingAtAll) {
  Open("none");
  const Status read = Run("read", "");
  EXPECT_EQ(read.code(), StatusCode::kPermissionDenied) << read;
  EXPECT_THAT(std::string(read.message()),
              AllOf(HasSubstr("'read' (ReadFile)"), HasSubstr("needs 'read'")));
}

}  // namespace
}  // namespace warpbeam
