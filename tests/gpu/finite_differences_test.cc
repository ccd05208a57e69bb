// Gradients by the kernels for GPUs, on a simulated GPU, against central differences
// (tests/gpu/finite_differences.h).
#include "tests/gpu/finite_differences.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace finite_differences {
namespace {

void CheckRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) CheckRow(row);
}

TEST(FiniteDifferencesOnGpu, OfNeuralOps) { CheckRows(RowsOfNeuralOps()); }
TEST(FiniteDifferencesOnGpu, OfMath) { CheckRows(RowsOfMath()); }
TEST(FiniteDifferencesOnGpu, OfArrays) { CheckRows(RowsOfArrays()); }

// A row whose gradient is not that of what it computes fails.
TEST(FiniteDifferencesOnGpu, SeeAWrongGradient) {
  const Row row = {"Softmax", {{{2, 3}}}, [](Maker& m, const Refs& x) {
                     const OutputRef stopped = m.Op("StopGradient", {x[0]});
                     return m.Op("Mul", {m.Op("Softmax", {x[0]}), stopped});
                   }};
  EXPECT_NONFATAL_FAILURE(CheckRow(row), "by x0: element");
}

// What no row can be about, and why.
constexpr struct {
  const char *ops, *why;
} kWithoutRows[] = {
    {"ArgMax ArgMin", "they give places: nothing flows back"},
    {"FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel "
     "QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 "
     "QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad",
     "they go in steps, and their gradients are those of a line through them"},
    {"StatelessRandomGammaV2 StatelessRandomGammaV3",
     "their gradient is that of the distribution, not of how a number is drawn"},
    {"NcclAllReduce NcclBroadcast NcclReduce", "they are of several GPUs"},
    {"ReadVariableOp ResourceGather ResourceGatherNd",
     "they read variables, and gradients of those are by handle"},
    {"TensorArrayConcat TensorArrayConcatV2 TensorArrayGather TensorArrayGatherV2 "
     "TensorArrayRead TensorArrayReadV2 TensorArrayScatter TensorArrayScatterV2 "
     "TensorArraySplit TensorArraySplitV2 TensorArrayWrite TensorArrayWriteV2",
     "they are the kernels of V3, which have rows"},
};

TEST(FiniteDifferencesOnGpu, OfEveryOp) {
  std::set<std::string> left;
  for (const auto& entry : kWithoutRows) {
    for (const auto op : absl::StrSplit(entry.ops, ' ')) left.emplace(op);
  }
  std::vector<std::string> missing;
  for (const std::string& op :
       OpsWithout(Together({RowsOfNeuralOps(), RowsOfMath(), RowsOfArrays()}))) {
    if (left.erase(op) == 0) missing.push_back(op);
  }
  EXPECT_EQ(absl::StrJoin(missing, " "), "") << "have a gradient, a kernel for GPUs and no row";
  EXPECT_EQ(absl::StrJoin(left, " "), "") << "have a row, or no gradient or kernel for GPUs";
}

}  // namespace
}  // namespace finite_differences
}  // namespace warpbeam
