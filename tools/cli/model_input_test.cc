#include "tools/cli/model_input.h"

#include <cstdlib>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/npy.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TempFile(const std::string& name, const std::string& bytes) {
  const char* root = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(root == nullptr ? "." : root, "/", name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Two pixels side by side: red and (1, 2, 3).
std::string TwoPixels() {
  std::string bmp(54, '\0');
  const auto put = [&](size_t at, int value) { bmp[at] = static_cast<char>(value); };
  bmp[0] = 'B';
  bmp[1] = 'M';
  put(2, 62);   // bytes of the file
  put(10, 54);  // where the pixels begin
  put(14, 40);  // bytes of this header
  put(18, 2);   // width
  put(22, 1);   // height
  put(26, 1);   // planes
  put(28, 24);  // bits a pixel
  return bmp + std::string("\0\0\xff\3\2\1\0\0", 8);
}

TensorPort Port(DType dtype, PartialShape shape) {
  TensorPort port;
  port.dtype = dtype;
  port.shape = std::move(shape);
  return port;
}

Tensor Read(const std::string& text, const TensorPort& port) {
  auto tensor = ReadInput(text, port);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

TEST(ModelInput, LiteralsAndArrays) {
  const TensorPort port = Port(DType::kFloat, {-1});
  EXPECT_THAT(Read("[1,2.5]", port).flat<float>(), ElementsAre(1, 2.5));
  const std::string npy = TempFile("x.npy", "");
  ASSERT_TRUE(WriteNpy(Tensor::Vector<int32_t>({4, 5}), npy).ok());
  EXPECT_THAT(Read(npy, port).flat<int32_t>(), ElementsAre(4, 5));
}

TEST(ModelInput, PicturesAreDecodedAndConverted) {
  const std::string bmp = TempFile("two.bmp", TwoPixels());
  const Tensor bytes = Read(bmp, Port(DType::kUInt8, PartialShape()));
  EXPECT_EQ(bytes.shape(), Shape({1, 2, 3}));
  EXPECT_THAT(bytes.flat<uint8_t>(), ElementsAre(255, 0, 0, 1, 2, 3));
  const Tensor batch = Read(bmp, Port(DType::kFloat, {-1, 1, 2, 3}));
  EXPECT_EQ(batch.shape(), Shape({1, 1, 2, 3}));
  EXPECT_THAT(batch.flat<float>(), ElementsAre(255, 0, 0, 1, 2, 3));
}

TEST(ModelInput, PicturesAreFedAsBytesToInputsOfStrings) {
  const std::string bmp = TempFile("two.bmp", TwoPixels());
  EXPECT_EQ(Read(bmp, Port(DType::kString, PartialShape({}))).scalar<std::string>(), TwoPixels());
  EXPECT_EQ(Read(bmp, Port(DType::kString, {-1})).shape(), Shape({1}));
}

TEST(ModelInput, ProblemsNameTheInput) {
  Signature signature;
  signature.inputs["x"] = Port(DType::kFloat, {-1});
  const auto problem = [&](const std::string& input) {
    return std::string(ReadInputs({input}, signature).status().message());
  };
  EXPECT_THAT(problem("x"), HasSubstr("an input is NAME=FILE or NAME=VALUE"));
  EXPECT_THAT(problem("x=[1,"), HasSubstr("input 'x': a value is missing"));
  EXPECT_THAT(problem("x=/no/such.npy"), HasSubstr("/no/such.npy"));
  EXPECT_THAT(problem("x=/no/such.png"), HasSubstr("/no/such.png"));
  const std::string broken = TempFile("broken.png", "no picture");
  EXPECT_THAT(problem("x=" + broken), HasSubstr("broken.png"));
  EXPECT_EQ(ReadInputs({"y=1"}, signature)->at(0).first, "y");
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
