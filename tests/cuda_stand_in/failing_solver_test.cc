// Each call of cuSOLVER and cuBLAS that a factorisation or a triangular system makes fails once:
// what comes is a status that names the call, and the next try succeeds.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ops/linalg/gpu_solver.h"
#include "runtime/device/gpu_platform.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

using Kind = GpuFactorisation::Kind;

// A device, memory at addresses that kernels use, and what is to be done with both.
class FailingSolver : public ::testing::Test {
 protected:
  void SetUp() override {
    cuda_stand_in::SetGpus(2);
    auto made = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, 1), 1, {0.25});
    ASSERT_TRUE(made.ok()) << made.status();
    gpu_ = *std::move(made);
  }
  void TearDown() override { EXPECT_TRUE(gpu_->Synchronize().ok()); }

  void* Numbers(const std::vector<double>& values) {
    const size_t bytes = values.size() * sizeof(double);
    held_.push_back(gpu_->allocator().Allocate(bytes));
    EXPECT_TRUE(gpu_->compute_stream()->Copy(held_.back()->data(), values.data(), bytes).ok());
    return gpu_->ToKernelAddress(held_.back()->data());
  }
  double First(void* at) {
    double value = 0;
    EXPECT_TRUE(gpu_->compute_stream()->Copy(&value, gpu_->ToTensorAddress(at), 8).ok());
    EXPECT_TRUE(gpu_->Synchronize().ok());
    return value;
  }
  Status Factor(Kind kind) {
    GpuFactorisation f;
    f.kind = kind;
    f.dtype = DType::kDouble;
    f.m = f.n = f.columns = 1;
    f.a = Numbers({4});
    f.b = Numbers({4});
    f.info = static_cast<int32_t*>(Numbers({0}));
    f.pivots = static_cast<int64_t*>(Numbers({0}));
    f.values = Numbers({0});
    if (kind == Kind::kLuSolve) {
      const int64_t first = 1;
      EXPECT_TRUE(gpu_->compute_stream()->Copy(gpu_->ToTensorAddress(f.pivots), &first, 8).ok());
    }
    GpuStream stream(*gpu_);
    WB_ASSIGN_OR_RETURN(GpuSolver * solver, GpuSolverOf(stream));
    WB_ASSIGN_OR_RETURN(const int64_t bytes, solver->WorkspaceBytes(stream, f));
    void* const workspace = Numbers(std::vector<double>(static_cast<size_t>(bytes / 8 + 1)));
    WB_RETURN_IF_ERROR(solver->Enqueue(stream, f, workspace, bytes));
    const bool has_values = kind == Kind::kEigen || kind == Kind::kSingularValues;
    const double want = kind == Kind::kCholesky ? 2 : kind == Kind::kLuSolve ? 1 : 4;
    EXPECT_EQ(First(has_values ? f.values : kind == Kind::kLuSolve ? f.b : f.a), want);
    return OkStatus();
  }
  Status SolveTriangular(DType dtype) {
    GpuTriangularSystem s;
    s.dtype = dtype;
    s.n = s.columns = 1;
    s.a = Numbers({4, 4});
    s.x = Numbers({4, 4});
    GpuStream stream(*gpu_);
    WB_ASSIGN_OR_RETURN(GpuSolver * solver, GpuSolverOf(stream));
    WB_RETURN_IF_ERROR(solver->Enqueue(stream, s));
    if (dtype == DType::kDouble) {
      EXPECT_EQ(First(s.x), 1);
    }
    return OkStatus();
  }

  // Of these functions the first call fails.
  static void EachFails(const std::function<Status()>& compute,
                        const std::vector<std::string>& functions) {
    for (const std::string& function : functions) {
      SCOPED_TRACE(function);
      cuda_stand_in::FailCallOf(function, 1);
      const Status status = compute();
      EXPECT_EQ(cuda_stand_in::failed_call(), function);
      cuda_stand_in::FailCall(0);
      EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
      EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
      EXPECT_EQ(compute(), OkStatus());
    }
  }

  std::unique_ptr<Device> gpu_;
  std::vector<BufferRef> held_;
};

TEST_F(FailingSolver, OfFactorisations) {
  // Made once in a process, one behind the other.
  const int64_t libraries = cuda_stand_in::Left().libraries;
  for (const char* function : {"cusolverDnCreate", "cusolverDnCreateParams"}) {
    cuda_stand_in::FailCallOf(function, 1);
    const Status status = Factor(Kind::kCholesky);
    EXPECT_EQ(cuda_stand_in::failed_call(), function);
    EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
  }
  cuda_stand_in::FailCall(0);
  EXPECT_EQ(Factor(Kind::kCholesky), OkStatus());
  EXPECT_EQ(cuda_stand_in::Left().libraries, libraries + 1);
  EachFails([&] { return Factor(Kind::kCholesky); },
            {"cusolverDnSetStream", "cusolverDnXpotrf_bufferSize", "cusolverDnXpotrf"});
  EachFails([&] { return Factor(Kind::kLu); },
            {"cusolverDnSetStream", "cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf"});
  EachFails([&] { return Factor(Kind::kLuSolve); }, {"cusolverDnSetStream", "cusolverDnXgetrs"});
  EachFails([&] { return Factor(Kind::kEigen); },
            {"cusolverDnSetStream", "cusolverDnXsyevd_bufferSize", "cusolverDnXsyevd"});
  EachFails([&] { return Factor(Kind::kSingularValues); },
            {"cusolverDnSetStream", "cusolverDnXgesvd_bufferSize", "cusolverDnXgesvd"});
}

TEST_F(FailingSolver, OfTriangularSystems) {
  EachFails([&] { return SolveTriangular(DType::kDouble); },
            {"cublasCreate_v2", "cublasSetStream_v2", "cublasDtrsm_v2_64"});
  EachFails([&] { return SolveTriangular(DType::kFloat); }, {"cublasStrsm_v2_64"});
  EachFails([&] { return SolveTriangular(DType::kComplex64); }, {"cublasCtrsm_v2_64"});
  EachFails([&] { return SolveTriangular(DType::kComplex128); }, {"cublasZtrsm_v2_64"});
}

// The host's memory that a call worked in then goes once the stream has come to its end.
TEST_F(FailingSolver, LetsGoOfTheHostsMemoryAllTheSame) {
  ASSERT_EQ(Factor(Kind::kEigen), OkStatus());
  cuda_stand_in::FailCallOf("cudaLaunchHostFunc", 1);
  EXPECT_EQ(Factor(Kind::kEigen), OkStatus());
  EXPECT_EQ(cuda_stand_in::failed_call(), "cudaLaunchHostFunc");
  cuda_stand_in::FailCall(0);
}

}  // namespace
}  // namespace warpbeam
