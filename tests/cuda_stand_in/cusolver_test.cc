// What the stand-ins of cuSOLVER and of cuBLAS's triangular systems refuse, that they overwrite the
// memory that they work in, and that it is they whom our ops ask.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "tests/cuda_stand_in/on_gpu.h"

namespace warpbeam {
namespace {

// Factors of a matrix of two rows and columns, on a GPU whose stream is the library's.
class Cusolver : public OnGpu {
 protected:
  static constexpr size_t kMatrix = 0, kPivots = 1024, kInfo = 2048, kRhs = 3072, kWork = 4096;

  void SetUp() override {
    OnGpu::SetUp();
    ASSERT_EQ(cusolverDnCreate(&library_), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnCreateParams(&params_), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnSetStream(library_, stream_), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnXgetrf_bufferSize(library_, params_, 2, 2, CUDA_R_32F, at(kMatrix), 2,
                                          CUDA_R_32F, &on_gpu_, &on_host_),
              CUSOLVER_STATUS_SUCCESS);
    ASSERT_GT(on_gpu_, 0);
    ASSERT_GT(on_host_, 0);
    host_.resize(on_host_);
    Put(kMatrix, {0, 2, 4, 6});  // column by column
  }
  void TearDown() override {
    EXPECT_TRUE(gpu_->Synchronize().ok());
    cusolverDnDestroyParams(params_);
    cusolverDnDestroy(library_);
  }
  int64_t* pivots() const { return reinterpret_cast<int64_t*>(at(kPivots)); }
  int* info() const { return reinterpret_cast<int*>(at(kInfo)); }
  cusolverStatus_t Factor(void* a, void* pivots, void* info, size_t on_gpu, size_t on_host) {
    return cusolverDnXgetrf(library_, params_, 2, 2, CUDA_R_32F, a, 2,
                            static_cast<int64_t*>(pivots), CUDA_R_32F, at(kWork), on_gpu,
                            host_.data(), on_host, static_cast<int*>(info));
  }

  cusolverDnHandle_t library_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
  size_t on_gpu_ = 0, on_host_ = 0;
  std::vector<char> host_;
};

TEST_F(Cusolver, ExchangesRowsAndOverwritesItsMemory) {
  ASSERT_EQ(Factor(at(kMatrix), at(kPivots), at(kInfo), on_gpu_, on_host_),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(Get<float>(kMatrix, 4), std::vector<float>({2, 0, 6, 4}));
  EXPECT_EQ(Get<int64_t>(kPivots, 2), std::vector<int64_t>({2, 2}));
  EXPECT_EQ(Get<int>(kInfo, 1)[0], 0);
  EXPECT_EQ(Get<unsigned char>(kWork, 1)[0], 0xff);
  EXPECT_EQ(host_[0], static_cast<char>(0xff));
  // (0 4; 2 6) x = (8; 10)
  Put(kRhs, {8, 10});
  ASSERT_EQ(cusolverDnXgetrs(library_, params_, CUBLAS_OP_N, 2, 1, CUDA_R_32F, at(kMatrix), 2,
                             pivots(), CUDA_R_32F, at(kRhs), 2, info()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(Get<float>(kRhs, 2), std::vector<float>({-1, 2}));
}

TEST_F(Cusolver, RefusesMemoryThatIsNoGpus) {
  float host[4] = {};
  EXPECT_EQ(Factor(host, at(kPivots), at(kInfo), on_gpu_, on_host_), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(Factor(at(kMatrix), host, at(kInfo), on_gpu_, on_host_), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(Factor(at(kMatrix), at(kPivots), host, on_gpu_, on_host_),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST_F(Cusolver, RefusesTooLittleMemoryToWorkIn) {
  EXPECT_EQ(Factor(at(kMatrix), at(kPivots), at(kInfo), on_gpu_ - 1, on_host_),
            CUSOLVER_STATUS_INVALID_WORKSPACE);
  EXPECT_EQ(Factor(at(kMatrix), at(kPivots), at(kInfo), on_gpu_, on_host_ - 1),
            CUSOLVER_STATUS_INVALID_WORKSPACE);
}

TEST_F(Cusolver, RefusesTheStreamOfAnotherGpu) {
  cusolverDnSetStream(library_,
                      static_cast<cudaStream_t>(other_->compute_stream()->native_handle()));
  EXPECT_EQ(Factor(at(kMatrix), at(kPivots), at(kInfo), on_gpu_, on_host_),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST_F(Cusolver, RefusesWhatDoesNotGoTogether) {
  size_t on_gpu = 0, on_host = 0;
  EXPECT_EQ(cusolverDnXgetrf_bufferSize(library_, params_, 2, 2, CUDA_R_32F, at(kMatrix), 1,
                                        CUDA_R_32F, &on_gpu, &on_host),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnXgetrf_bufferSize(library_, params_, 2, 2, CUDA_R_32F, at(kMatrix), 2,
                                        CUDA_R_64F, &on_gpu, &on_host),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXgetrf_bufferSize(library_, params_, 2, 2, CUDA_R_16F, at(kMatrix), 2,
                                        CUDA_R_16F, &on_gpu, &on_host),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXpotrf_bufferSize(library_, nullptr, CUBLAS_FILL_MODE_UPPER, 2, CUDA_R_32F,
                                        at(kMatrix), 2, CUDA_R_32F, &on_gpu, &on_host),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cusolverDnXsyevd_bufferSize(library_, params_, CUSOLVER_EIG_MODE_VECTOR,
                                        CUBLAS_FILL_MODE_UPPER, 2, CUDA_C_32F, at(kMatrix), 2,
                                        CUDA_C_32F, at(kRhs), CUDA_C_32F, &on_gpu, &on_host),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXgesvd_bufferSize(library_, params_, 'A', 'A', 1, 2, CUDA_R_32F, at(kMatrix),
                                        1, CUDA_R_32F, at(kRhs), CUDA_R_32F, at(kRhs), 1,
                                        CUDA_R_32F, at(kRhs), 2, CUDA_R_32F, &on_gpu, &on_host),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnXgetrs(library_, params_, CUBLAS_OP_N, 2, 1, CUDA_R_32F, at(kMatrix), 2,
                             pivots(), CUDA_R_64F, at(kRhs), 2, info()),
            CUSOLVER_STATUS_NOT_SUPPORTED);
}

// x (2 1; 0 4) = alpha (4 10), the triangle column by column.
TEST_F(Cusolver, OfCublasTriangularSystems) {
  cublasHandle_t blas = nullptr;
  ASSERT_EQ(cublasCreate_v2(&blas), CUBLAS_STATUS_SUCCESS);
  cublasSetStream_v2(blas, stream_);
  Put(kMatrix, {2, 0, 1, 4});
  Put(kRhs, {4, 10});
  const float alpha = 2;
  const auto solve = [&](cublasSideMode_t side, void* b) {
    return cublasStrsm_v2_64(blas, side, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                             1, 2, &alpha, reinterpret_cast<float*>(at(kMatrix)), 2,
                             static_cast<float*>(b), 1);
  };
  EXPECT_EQ(solve(CUBLAS_SIDE_RIGHT, at(kRhs)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get<float>(kRhs, 2), std::vector<float>({4, 4}));
  EXPECT_EQ(solve(CUBLAS_SIDE_LEFT, at(kRhs)), CUBLAS_STATUS_NOT_SUPPORTED);
  float host[2] = {};
  EXPECT_EQ(solve(CUBLAS_SIDE_RIGHT, host), CUBLAS_STATUS_INVALID_VALUE);
  cublasSetStream_v2(blas, static_cast<cudaStream_t>(other_->compute_stream()->native_handle()));
  EXPECT_EQ(solve(CUBLAS_SIDE_RIGHT, at(kRhs)), CUBLAS_STATUS_INVALID_VALUE);
  cublasDestroy_v2(blas);
}

TEST(SolverOps, AskTheLibraries) {
  ASSERT_EQ(GpuModes().back(), GpuMode::kReal);
  const std::pair<const char*, const char*> calls[] = {
      {"Cholesky", "cusolverDnXpotrf"},      {"Lu", "cusolverDnXgetrf"},
      {"MatrixInverse", "cusolverDnXgetrs"}, {"SelfAdjointEigV2", "cusolverDnXsyevd"},
      {"Svd", "cusolverDnXgesvd"},           {"MatrixTriangularSolve", "cublasStrsm_v2_64"}};
  const Tensor x = Tensor::FromValues<float>(Shape({1, 1}), {4});
  for (const auto& [op, function] : calls) {
    const int64_t before = cuda_stand_in::CallsByFunction()[function];
    GpuOpRunner runner(op, GpuMode::kReal);
    runner.Input(x);
    if (std::string(op) == "MatrixTriangularSolve") runner.Input(x);
    EXPECT_EQ(runner.RunAll().status(), OkStatus());
    EXPECT_EQ(cuda_stand_in::CallsByFunction()[function], before + 1) << op;
  }
}

}  // namespace
}  // namespace warpbeam
