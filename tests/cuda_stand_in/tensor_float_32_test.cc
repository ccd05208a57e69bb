// The plan of a step says which of its products a GPU may compute in TF32: those of float on a GPU,
// and none where sessions have turned it off.
#include "runtime/kernel/product/tensor_float_32.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TensorFloat32InPlans : public ::testing::Test {
 protected:
  // It is the process's.
  void TearDown() override { SetTensorFloat32(true); }

  // A product and a convolution, each with its name.
  void Add(const char* device, const std::string& name, DType dtype) {
    const Scope scope = root_.Device(device).NameScope(name);
    const Output x = Placeholder(scope, dtype, PartialShape({4, 4}));
    const Output product = MatMul(scope.Named("product"), x, x);
    const Output images = Placeholder(scope, dtype, PartialShape({1, 4, 4, 1}));
    const Output filter = Placeholder(scope, dtype, PartialShape({1, 1, 1, 1}));
    const Output conv =
        nn::Conv2D(scope.Named("convolution"), images, filter, {1, 1, 1, 1}, "SAME");
    for (const Output& fed : {x, images, filter}) feeds_.push_back(fed.name());
    for (const Output& y : {product, conv}) fetches_.push_back(Square(scope, y).name());
  }

  // The lines about TF32 in all that was dumped of a step's plan.
  std::vector<std::string> Notes(bool tensor_float_32) {
    namespace fs = std::filesystem;
    EXPECT_TRUE(root_.ok()) << root_.status();
    const fs::path dumps = fs::path(::testing::TempDir()) / "tensor_float_32";
    fs::remove_all(dumps);
    fs::create_directories(dumps);
    SessionOptions options;
    options.gpus = 1;
    options.tensor_float_32 = tensor_float_32;
    options.dump_directory = dumps.string();
    auto session = Session::Create(options, root_.graph());
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return {};
    const Status prepared = (*session)->Prepare(feeds_, fetches_, {});
    EXPECT_TRUE(prepared.ok()) << prepared;
    std::vector<std::string> lines;
    bool has_products = false;
    for (const auto& dump : fs::recursive_directory_iterator(dumps)) {
      std::ifstream file(dump.path());
      for (std::string line; std::getline(file, line);) {
        has_products |= line.find("/product") != std::string::npos;
        if (line.find("TF32") != std::string::npos) lines.push_back(line);
      }
    }
    EXPECT_TRUE(has_products);
    return lines;
  }

  const Scope root_ = Scope::NewRoot();
  std::vector<std::string> feeds_, fetches_;
};

TEST_F(TensorFloat32InPlans, ThoseOfFloatOnAGpuAreNamed) {
  Add("/gpu:0", "floats", DType::kFloat);
  Add("/gpu:0", "halves", DType::kHalf);
  Add("/cpu:0", "on_cpu", DType::kFloat);
  EXPECT_THAT(Notes(true), ElementsAre("# in TF32, where the libraries choose it: floats/product, "
                                       "floats/convolution"));
  EXPECT_THAT(Notes(false), IsEmpty());
}

TEST_F(TensorFloat32InPlans, NoneWithoutProductsOfFloatOnAGpu) {
  Add("/gpu:0", "doubles", DType::kDouble);
  Add("/cpu:0", "on_cpu", DType::kFloat);
  EXPECT_THAT(Notes(true), IsEmpty());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
