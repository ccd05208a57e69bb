#include "tools/cli/simulation/calibration.h"

namespace warpbeam {
namespace cli {
namespace {

using Ints = std::vector<int64_t>;
using Attrs = std::vector<std::pair<const char*, AttrValue>>;

// Operands that fit a core's cache, and such as a convolutional net's layers have.
constexpr char kSmall[] = "16,1024";
constexpr char kLarge[] = "64,65536";
constexpr char kSmallImages[] = "2,16,16,32";
constexpr char kLargeImages[] = "32,32,32,64";

class OpTable {
 public:
  std::vector<CalibratedOp> Make() {
    AddProducts();
    AddElementwise();
    AddImages();
    AddUpdates();
    AddMoves();
    return std::move(ops_);
  }

 private:
  void Add(const char* op, std::vector<std::string> small, std::vector<std::string> large,
           const Attrs& attrs = {}) {
    ops_.push_back({op, std::move(small), attrs});
    ops_.push_back({op, std::move(large), attrs});
  }

  void AddProducts() {
    Add("MatMul", {"64,64", "64,64"}, {"512,512", "512,512"});
    Add("BatchMatMulV2", {"8,32,32", "8,32,32"}, {"16,128,256", "16,256,128"});
    const Attrs same = {{"strides", Ints{1, 1, 1, 1}}, {"padding", "SAME"}};
    Add("Conv2D", {"2,16,16,32", "3,3,32,32"}, {"16,32,32,64", "3,3,64,64"}, same);
    Add("Conv2DBackpropInput", {"i:2,16,16,32", "3,3,32,32", "2,16,16,32"},
        {"i:16,32,32,64", "3,3,64,64", "16,32,32,64"}, same);
    Add("Conv2DBackpropFilter", {"2,16,16,32", "i:3,3,32,32", "2,16,16,32"},
        {"16,32,32,64", "i:3,3,64,64", "16,32,32,64"}, same);
  }

  void AddElementwise() {
    for (const char* op : {"AddV2", "Mul", "Sub", "RealDiv", "ReluGrad", "TanhGrad",
                           "SquaredDifference", "Maximum"}) {
      Add(op, {kSmall, kSmall}, {kLarge, kLarge});
    }
    for (const char* op : {"Relu", "Tanh", "Sigmoid", "Exp", "Square", "Sqrt", "Rsqrt", "Neg",
                           "L2Loss", "Softmax"}) {
      Add(op, {kSmall}, {kLarge});
    }
    Add("AddN", {kSmall, kSmall}, {kLarge, kLarge});
    Add("SparseSoftmaxCrossEntropyWithLogits", {"64,10", "n:64,10"}, {"4096,1000", "n:4096,1000"},
        {{"Tlabels", DType::kInt32}});
    for (const char* op : {"Sum", "Mean"}) {
      Add(op, {kSmall, "i:0"}, {kLarge, "i:0"}, {{"keep_dims", false}});
    }
  }

  void AddImages() {
    Add("BiasAdd", {kSmallImages, "32"}, {kLargeImages, "64"});
    Add("BiasAddGrad", {kSmallImages}, {kLargeImages});
    const Attrs window = {
        {"ksize", Ints{1, 3, 3, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}};
    Add("MaxPool", {kSmallImages}, {kLargeImages}, window);
    Add("AvgPool", {kSmallImages}, {kLargeImages}, window);
    Add("MaxPoolGrad", {kSmallImages, "2,8,8,32", "2,8,8,32"},
        {kLargeImages, "32,16,16,64", "32,16,16,64"}, window);
    Add("LRN", {kSmallImages}, {kLargeImages}, {{"depth_radius", 4}});
    Add("LRNGrad", {kSmallImages, kSmallImages, kSmallImages},
        {kLargeImages, kLargeImages, kLargeImages}, {{"depth_radius", 4}});
    Add("FusedBatchNormV3", {kSmallImages, "32", "32", "0", "0"},
        {kLargeImages, "64", "64", "0", "0"});
    Add("FusedBatchNormGradV3", {kSmallImages, kSmallImages, "32", "32", "32", "0"},
        {kLargeImages, kLargeImages, "64", "64", "64", "0"});
  }

  void AddUpdates() {
    Add("ApplyGradientDescent", {"v:16,1024", "", kSmall}, {"v:64,65536", "", kLarge});
    Add("ApplyMomentum", {"v:16,1024", "v:16,1024", "", kSmall, ""},
        {"v:64,65536", "v:64,65536", "", kLarge, ""});
    Add("ApplyAdam", {"v:16,1024", "v:16,1024", "v:16,1024", "", "", "", "", "", "", kSmall},
        {"v:64,65536", "v:64,65536", "v:64,65536", "", "", "", "", "", "", kLarge});
    Add("AssignSub", {"v:16,1024", kSmall}, {"v:64,65536", kLarge});
  }

  void AddMoves() {
    Add("Transpose", {kSmall, "i:1,0"}, {"2048,2048", "i:1,0"});
    Add("ConcatV2", {kSmall, kSmall, "i:1"}, {kLarge, kLarge, "i:1"});
    // Sizes and axes are int32.
    Add("Tile", {"16,512", "i:1,2"}, {"64,32768", "i:1,2"});
    Add("GatherV2", {"1024,16", "n:1024,1024", "i:0"}, {"65536,64", "n:65536,65536", "i:0"});
    for (const char* op : {"RandomUniform", "TruncatedNormal"}) {
      Add(op, {"i:16,1024"}, {"i:64,65536"}, {{"dtype", DType::kFloat}, {"seed", 1}});
    }
  }

  std::vector<CalibratedOp> ops_;
};

}  // namespace

const std::vector<CalibratedOp>& CalibratedOps() {
  static const auto* const ops = new std::vector<CalibratedOp>(OpTable().Make());
  return *ops;
}

}  // namespace cli
}  // namespace warpbeam
