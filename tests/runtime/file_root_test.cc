// Graphs that name files outside of the process's file root, and graphs that save, restore and read
// below it.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileRootOps : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = (fs::path(::testing::TempDir()) / "root_ops").lexically_normal().string();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/held");
    std::ofstream(folder_ + "/outside.txt") << "secret words\n";
    fs::create_symlink("../outside.txt", folder_ + "/held/link");
  }
  void SetUp() override {
    graph_ = std::make_shared<Graph>();
    options_.file_root = folder_ + "/held";
  }
  StatusOr<Tensor> Run(NodeBuilder fetch) {
    WB_ASSIGN_OR_RETURN(const Node* const node, fetch.Build());
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(options_, graph_));
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session->Run({}, {}, {node->name()}, {}, &out));
    return out[0];
  }
  Status RunTarget(NodeBuilder target) {
    WB_ASSIGN_OR_RETURN(const Node* const node, target.Build());
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(options_, graph_));
    return session->Run({}, {}, {}, {node->name()}, nullptr);
  }
  Node* Text(const std::string& value) { return Constant(Tensor::Scalar<std::string>(value)); }
  Node* Texts(const std::vector<std::string>& value) {
    return Constant(Tensor::Vector<std::string>(MakeConstSpan(value)));
  }
  Node* Constant(Tensor value) { return *AddConstant(graph_.get(), "c", std::move(value)); }
  NodeBuilder Op(const std::string& op) { return NodeBuilder(graph_.get(), op); }
  static std::string Root(const std::string& name) { return folder_ + "/held/" + name; }
  static std::string Contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string folder_;
  SessionOptions options_;
  std::shared_ptr<Graph> graph_;
};

std::string FileRootOps::folder_;

TEST_F(FileRootOps, WholeFiles) {
  ASSERT_TRUE(RunTarget(Op("WriteFile").Input(Text("/made/in/root.txt")).Input(Text("r"))).ok());
  EXPECT_EQ(Contents(Root("made/in/root.txt")), "r");
  EXPECT_EQ(Run(Op("ReadFile").Input(Text(Root("made/in/root.txt"))))->scalar<std::string>(), "r");
  for (const std::string& name : {std::string("../outside.txt"), std::string("link"),
                                  folder_ + "/outside.txt", std::string("/etc/hostname")}) {
    const Status refused = Run(Op("ReadFile").Input(Text(name))).status();
    EXPECT_EQ(refused.code(), StatusCode::kNotFound) << name << refused;
    EXPECT_THAT(refused.message(), HasSubstr("below the file root"));
  }
  ASSERT_TRUE(RunTarget(Op("WriteFile").Input(Text("../outside.txt")).Input(Text("w"))).ok());
  EXPECT_EQ(Contents(folder_ + "/outside.txt"), "secret words\n");
  EXPECT_EQ(Contents(Root("outside.txt")), "w");
  fs::remove(Root("outside.txt"));
  const auto found = Run(Op("MatchingFiles").Input(Texts({"/../*", folder_ + "/*", "/made/in/*"})));
  ASSERT_TRUE(found.ok()) << found.status();
  const auto names = found->flat<std::string>();
  EXPECT_THAT(names, ::testing::ElementsAre("/../link", "/../made", "/made/in/root.txt"));
}

TEST_F(FileRootOps, EventFiles) {
  const auto writer = Op("SummaryWriter").Attr("shared_name", std::string("w")).BuildOutput();
  ASSERT_TRUE(writer.ok()) << writer.status();
  const Status made = RunTarget(Op("CreateSummaryFileWriter")
                                    .Input(*writer)
                                    .Input(Text("../logs"))
                                    .Input(Constant(Tensor::Scalar<int32_t>(1)))
                                    .Input(Constant(Tensor::Scalar<int32_t>(1)))
                                    .Input(Text("")));
  ASSERT_TRUE(made.ok()) << made;
  EXPECT_FALSE(fs::exists(folder_ + "/logs"));
  EXPECT_FALSE(fs::is_empty(Root("logs")));
}

TEST_F(FileRootOps, CheckpointsAreSavedMergedAndRestored) {
  fs::create_directories(Root("train"));
  const auto save = [this](const std::string& prefix, const std::string& name, float value) {
    return RunTarget(Op("SaveV2")
                         .Input(Text(prefix))
                         .Input(Texts({name}))
                         .Input(Texts({""}))
                         .Input(NodeInput({OutputRef{Constant(Tensor::Scalar(value))->id(), 0}})));
  };
  for (const auto& [prefix, name] :
       {std::pair("/train/part-0/m", "x"), std::pair("../train/part-1/m", "y")}) {
    const Status saved = save(prefix, name, 3);
    ASSERT_TRUE(saved.ok()) << saved;
  }
  const Status merged = RunTarget(Op("MergeV2Checkpoints")
                                      .Input(Texts({"/train/part-0/m", "train/part-1/m"}))
                                      .Input(Text(Root("train/model"))));
  ASSERT_TRUE(merged.ok()) << merged;
  EXPECT_TRUE(fs::exists(Root("train/model.index")));
  EXPECT_FALSE(fs::exists(Root("train/part-0")));
  const auto restore = [this](const std::string& prefix) {
    return Run(Op("RestoreV2")
                   .Input(Text(prefix))
                   .Input(Texts({"y"}))
                   .Input(Texts({""}))
                   .Attr("dtypes", std::vector<DType>{DType::kFloat}));
  };
  const auto y = restore("/train/model");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->scalar<float>(), 3);
  // One that lies outside is not there.
  for (const char* end : {".index", ".data-00000-of-00002", ".data-00001-of-00002"}) {
    fs::copy(Root("train/model") + end, folder_ + "/away" + end);
  }
  EXPECT_FALSE(restore("../away").ok());
  EXPECT_FALSE(restore(folder_ + "/away").ok());
  EXPECT_FALSE(save(folder_ + "/no/m", "x", 1).ok());
  EXPECT_FALSE(fs::exists(folder_ + "/no"));
}

TEST_F(FileRootOps, DatasetsTablesAndConstants) {
  std::ofstream(Root("words.txt")) << "warp";
  const auto line = [this](const std::string& name) -> StatusOr<Tensor> {
    WB_ASSIGN_OR_RETURN(const Node* const lines, Op("TextLineDataset")
                                                     .Input(Text(name))
                                                     .Input(Text(""))
                                                     .Input(Constant(Tensor::Scalar<int64_t>(0)))
                                                     .Build());
    return Run(Op("DatasetToSingleElement")
                   .Input(lines)
                   .Attr("output_types", std::vector<DType>{DType::kString})
                   .Attr("output_shapes", std::vector<PartialShape>{PartialShape()}));
  };
  EXPECT_EQ(line("/words.txt")->scalar<std::string>(), "warp");
  EXPECT_EQ(line("link").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(line(folder_ + "/outside.txt").status().code(), StatusCode::kNotFound);
  const auto constant = [this](const std::string& name) {
    return Run(Op("ImmutableConst")
                   .Attr("dtype", DType::kUInt8)
                   .Attr("shape", PartialShape({4}))
                   .Attr("memory_region_name", name));
  };
  EXPECT_EQ(constant("/words.txt")->flat<uint8_t>()[0], 'w');
  EXPECT_EQ(constant("link").status().code(), StatusCode::kNotFound);
  const auto table = [this](const std::string& name) -> Status {
    WB_ASSIGN_OR_RETURN(const Node* const words, Op("HashTableV2")
                                                     .Attr("key_dtype", DType::kString)
                                                     .Attr("value_dtype", DType::kInt64)
                                                     .Build());
    return RunTarget(Op("InitializeTableFromTextFileV2")
                         .Input(words)
                         .Input(Text(name))
                         .Attr("key_index", int64_t{-2})
                         .Attr("value_index", int64_t{-1}));
  };
  const Status made = table("words.txt");
  EXPECT_TRUE(made.ok()) << made;
  EXPECT_EQ(table("/../../outside.txt").code(), StatusCode::kNotFound);
}

TEST_F(FileRootOps, ASessionCannotAskForAnotherRoot) {
  ASSERT_TRUE(Session::Create(options_, graph_).ok());
  options_.file_root = folder_;
  EXPECT_EQ(Session::Create(options_, graph_).status().code(), StatusCode::kFailedPrecondition);
  // One that asks for none has it all the same.
  options_.file_root = "";
  EXPECT_FALSE(Run(Op("ReadFile").Input(Text(folder_ + "/outside.txt"))).ok());
}

}  // namespace
}  // namespace warpbeam
