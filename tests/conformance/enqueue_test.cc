// Public cases on a simulated GPU whose kernels are those of real ones and only enqueue: the values
// are those of other devices.
//
// A failure names its case; `runner --simulated_gpus=1 --gpus_enqueue
// --simulated_gpu_kernels=gpu CASE` runs it again.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/conformance/expectations.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/conformance/";
// Some say where nodes are placed when there is no GPU. In others an index is out of range, which a
// GPU cannot refuse: as in TensorFlow, it gathers zeros and scatters nothing there. Nor does it see
// in which order the indices of a sparse tensor are. Values of the truncated normal distributions
// are drawn on a GPU from other places of the stream.
constexpr const char* kLeftOut[] = {"placement/",
                                    "errors/device_missing_gpu",
                                    "errors/gather_nd_range",
                                    "errors/gather_negative",
                                    "errors/gather_range",
                                    "errors/scatter_nd_range",
                                    "errors/scatter_range",
                                    "errors/sparse_to_dense_order",
                                    "found/parameterized_truncated_normal"};
constexpr size_t kCases = 2200;

void ExpectPasses(const CaseOptions& options) {
  const auto is_wanted = [](absl::string_view name) {
    return std::none_of(std::begin(kLeftOut), std::end(kLeftOut),
                        [&](const char* family) { return absl::StartsWith(name, family); });
  };
  const auto results = RunPassingCases(kFolder, is_wanted, options);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_GE(results->size(), kCases);
  for (const CaseResult& result : *results) {
    EXPECT_TRUE(result.passed()) << result.name << ": " << result.difference;
  }
}

TEST(EnqueueTest, CasesPassWhereKernelsOnlyEnqueue) {
  CaseOptions options;
  options.simulated_gpus = 1;
  options.gpus_enqueue = true;
  options.gpu_kernels = true;
  ExpectPasses(options);
}

TEST(EnqueueTest, CasesPassUnderPerturbedSchedules) {
  CaseOptions options;
  options.simulated_gpus = 2;
  options.gpus_enqueue = true;
  options.gpu_kernels = true;
  options.stress_seed = 8;
  ExpectPasses(options);
}

}  // namespace
}  // namespace warpbeam
