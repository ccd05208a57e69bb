#include "examples/cifar10_data.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

using ::testing::HasSubstr;

std::string NewFolder(const std::string& name) {
  const std::string path = testing::TempDir() + "/cifar10_" + name;
  std::filesystem::remove_all(path);
  return path;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Cifar10DataTest, MakesTheSameImagesEachTime) {
  const auto files = FindOrMakeCifar10(NewFolder("made"));
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->made);
  ASSERT_EQ(files->paths.size(), 5u);
  EXPECT_EQ(files->examples, 2000);
  const std::string first = Contents(files->paths[0]);
  EXPECT_EQ(first.size(), 400u * kCifar10RecordBytes);
  std::set<int> labels;
  for (int i = 0; i < 400; ++i) labels.insert(first[i * kCifar10RecordBytes]);
  EXPECT_EQ(labels.size(), 10u);
  EXPECT_NE(first, Contents(files->paths[1]));
  const auto others = FindOrMakeCifar10(NewFolder("again"));
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_EQ(first, Contents(others->paths[0]));
}

TEST(Cifar10DataTest, TakesTheFilesOfTheArchive) {
  const std::string folder = NewFolder("archive");
  std::filesystem::create_directories(folder + "/cifar-10-batches-bin");
  const std::string path = folder + "/cifar-10-batches-bin/data_batch_1.bin";
  std::ofstream(path, std::ios::binary) << std::string(1, 7) + std::string(kCifar10ImageBytes, 'x');
  const auto files = FindOrMakeCifar10(folder);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_FALSE(files->made);
  EXPECT_EQ(files->examples, 1);
  EXPECT_EQ(files->paths, std::vector<std::string>{path});
}

TEST(Cifar10DataTest, RefusesWhatIsNotCifar10) {
  const std::string folder = NewFolder("bad");
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/data_batch_1.bin";
  std::ofstream(path, std::ios::binary) << "short";
  Status status = FindOrMakeCifar10(folder).status();
  EXPECT_TRUE(IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(path + " has 5 bytes"));
  std::ofstream(path, std::ios::binary) << std::string(kCifar10RecordBytes, 'x');
  status = FindOrMakeCifar10(folder).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("record 0 has the label 120"));
}

TEST(Cifar10DataTest, SaysWhereItCannotWrite) {
  const Status status = FindOrMakeCifar10("/proc/no/such/folder").status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/no/such/folder"));
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
