// The toolkit's cuFFT has what we call, and every Fourier transform has code for real GPUs.
#include <string>

#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "ops/signal/cufft_plan.h"
#include "runtime/kernel/gpu_catalog.h"

namespace warpbeam {
namespace {

TEST(CufftPlan, TheLibraryIsOpened) { EXPECT_EQ(OpenCufft(), OkStatus()); }

void ExpectCode(const std::string& op, const AttrMap& attrs) {
  const OpSchema* const schema = OpRegistry::Global().Find(op);
  ASSERT_NE(schema, nullptr) << op;
  EXPECT_TRUE(GpuCatalog::Global().Supports(*schema, attrs, DeviceType::kGpu)) << op;
}

TEST(CufftPlan, EveryOpHasCode) {
  for (const std::string rank : {"", "2D", "3D"}) {
    for (const bool is_double : {false, true}) {
      AttrMap attrs;
      attrs.Set("Tcomplex", is_double ? DType::kComplex128 : DType::kComplex64);
      ExpectCode("FFT" + rank, attrs);
      ExpectCode("IFFT" + rank, attrs);
      attrs.Set("Treal", is_double ? DType::kDouble : DType::kFloat);
      ExpectCode("RFFT" + rank, attrs);
      ExpectCode("IRFFT" + rank, attrs);
    }
    ExpectCode("BatchFFT" + rank, {});
    ExpectCode("BatchIFFT" + rank, {});
  }
}

}  // namespace
}  // namespace warpbeam
