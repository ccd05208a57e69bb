#include "tools/cli/path_check.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kCheckedModels[] = "frontend/model/testdata/";

class PathCheck : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("TEST_TMPDIR");
    folder_ = fs::path(root == nullptr ? "." : root) / "paths";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string File(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  static std::string Says(const fs::path& path, Wanted wanted = Wanted::kGraph) {
    return std::string(CheckPath(path.string(), wanted).message());
  }

  fs::path folder_;
};

TEST_F(PathCheck, ModelsPass) {
  for (const char* model : {"tf1", "tf2", "saver/model.ckpt-3.meta"}) {
    EXPECT_EQ(Says(std::string(kCheckedModels) + model), "");
  }
  EXPECT_EQ(Says(std::string(kCheckedModels) + "saver/model.ckpt-3", Wanted::kGraphOrCheckpoint),
            "");
  EXPECT_EQ(Says(File("g.pbtxt", "node { name: 'a' }")), "");
  EXPECT_EQ(Says(File("g.pb", "\x0a\x03")), "");
}

TEST_F(PathCheck, FilesOfOtherKinds) {
  const auto says = [&](const std::string& name, const std::string& bytes) {
    return Says(File(name, bytes));
  };
  EXPECT_THAT(says("lfs.pb", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
              HasSubstr("lfs.pb is a Git LFS pointer"));
  EXPECT_THAT(says("m.h5", "\x89HDF\r\n\x1a\n…"), HasSubstr("HDF5"));
  EXPECT_THAT(says("m.keras", "PK\x03\x04…"), AllOf(HasSubstr("zip"), HasSubstr("model.export")));
  EXPECT_THAT(says("m.tflite", std::string("\x1c\0\0\0TFL3", 8)), HasSubstr("TensorFlow Lite"));
  EXPECT_THAT(says("empty.pb", ""), HasSubstr("is empty"));
  EXPECT_THAT(says("page.pb", "<!DOCTYPE html>"), HasSubstr("the download went wrong"));
  EXPECT_THAT(says("m.tar.gz", "\x1f\x8b…"), HasSubstr("gzip"));
}

TEST_F(PathCheck, CheckpointsSayWhatToGive) {
  const std::string prefix = std::string(kCheckedModels) + "saver/model.ckpt-3";
  EXPECT_THAT(Says(prefix), HasSubstr("is a checkpoint: give its graph, " + prefix + ".meta"));
  EXPECT_THAT(Says(prefix + ".index"), HasSubstr("is the index of a checkpoint: give its graph"));
  EXPECT_THAT(Says(prefix + ".index", Wanted::kGraphOrCheckpoint),
              HasSubstr("give its name, " + prefix));
  EXPECT_THAT(Says(prefix + ".data-00000-of-00001"), HasSubstr("a part of a checkpoint"));
  EXPECT_THAT(Says(std::string(kCheckedModels) + "saver"),
              AllOf(HasSubstr("a folder of checkpoints"), HasSubstr(prefix + ".meta")));
  fs::copy(std::string(kCheckedModels) + "saver", folder_ / "train", fs::copy_options::recursive);
  const std::string state = File("train/checkpoint", "model_checkpoint_path: \"model.ckpt-3\"\n");
  EXPECT_THAT(Says(state), HasSubstr("train/model.ckpt-3.meta"));
  const std::string renamed = (folder_ / "weights").string();
  fs::copy(prefix + ".index", renamed);
  EXPECT_THAT(Says(renamed), HasSubstr("name it .index"));
}

TEST_F(PathCheck, FoldersSayWhatLiesInThem) {
  File("served/3/saved_model.pb", "…");
  File("served/20/saved_model.pb", "…");
  EXPECT_THAT(Says(folder_ / "served"),
              AllOf(HasSubstr("a folder of versions of a model (3, 20)"), HasSubstr("served/20")));
  File("served/20/variables/variables.index", "…");
  EXPECT_THAT(Says(folder_ / "served" / "20" / "variables"), HasSubstr("of a SavedModel: give "));
  EXPECT_THAT(Says(folder_ / "served" / "20" / "saved_model.pb"), HasSubstr("give its folder"));
  EXPECT_THAT(Says(folder_), HasSubstr("in it lie: served"));
  fs::create_directories(folder_ / "nothing");
  EXPECT_THAT(Says(folder_ / "nothing"), HasSubstr("it is empty"));
  File("lfs/saved_model.pb", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(Says(folder_ / "lfs"), HasSubstr("saved_model.pb is a Git LFS pointer"));
}

TEST_F(PathCheck, PathsThatAreNotThere) {
  File("frozen.pb", "…");
  EXPECT_TRUE(IsNotFound(CheckPath((folder_ / "frzen.pb").string(), Wanted::kGraph)));
  EXPECT_THAT(Says(folder_ / "frzen.pb"), HasSubstr("did you mean 'frozen.pb'?"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
