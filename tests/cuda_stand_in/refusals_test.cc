// What the stand-ins of cuBLASLt and cuDNN refuse, as the libraries do, and their factors, of which
// our ops use one and zero alone.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cuda_stand_in/on_gpu.h"

namespace warpbeam {
namespace {

// d = alpha a b + beta c, a and b of 16 columns and rows, so that there is memory to work in.
class CublasLt : public OnGpu {
 protected:
  static constexpr int kProducts = 16;
  static constexpr size_t kA = 0, kB = 4096, kD = 8192, kWorkspace = 16384;

  void SetUp() override {
    OnGpu::SetUp();
    ASSERT_EQ(cublasLtCreate(&library_), CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulDescCreate(&description_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&a_, CUDA_R_32F, 2, kProducts, 2);
    cublasLtMatrixLayoutCreate(&b_, CUDA_R_32F, kProducts, 3, kProducts);
    cublasLtMatrixLayoutCreate(&d_, CUDA_R_32F, 2, 3, 2);
    cublasLtMatmulPreferenceCreate(&preference_);
    const uint64_t most = 1 << 20;
    cublasLtMatmulPreferenceSetAttribute(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &most, sizeof(most));
  }
  void TearDown() override {
    cublasLtMatmulPreferenceDestroy(preference_);
    for (const auto layout : {a_, b_, d_}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(description_);
    cublasLtDestroy(library_);
  }
  cublasStatus_t Choose(cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b) {
    int count = 0;
    return cublasLtMatmulAlgoGetHeuristic(library_, description_, a, b, d_, d_, preference_, 1,
                                          &found_, &count);
  }
  cublasStatus_t Multiply(const void* a, void* workspace, size_t bytes, cudaStream_t stream,
                          cublasLtMatrixLayout_t layout) {
    return cublasLtMatmul(library_, description_, &alpha_, a, layout, at(kB), b_, &beta_, at(kD),
                          d_, at(kD), d_, &found_.algo, workspace, bytes, stream);
  }

  cublasLtHandle_t library_ = nullptr;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  cublasLtMatmulHeuristicResult_t found_ = {};
  float alpha_ = 2, beta_ = 3;
};

TEST_F(CublasLt, HasFactors) {
  Put(kA, std::vector<float>(2 * kProducts, 1));
  Put(kB, std::vector<float>(3 * kProducts, 1));
  Put(kD, std::vector<float>(6, 10));
  ASSERT_EQ(Choose(a_, b_), CUBLAS_STATUS_SUCCESS);
  ASSERT_GT(found_.workspaceSize, 0u);
  EXPECT_EQ(Multiply(at(kA), at(kWorkspace), found_.workspaceSize, stream_, a_),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get(kD, 6), std::vector<float>(6, 2 * kProducts + 3 * 10));
  EXPECT_NE(Get(kWorkspace, 1)[0], 0);  // it is used
}

TEST_F(CublasLt, RefusesOtherSizesAndTypes) {
  EXPECT_EQ(Choose(b_, a_), CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatrixLayout_t halves = nullptr;
  cublasLtMatrixLayoutCreate(&halves, CUDA_R_16F, 2, kProducts, 2);
  EXPECT_EQ(Choose(halves, b_), CUBLAS_STATUS_NOT_SUPPORTED);
  cublasLtMatrixLayoutDestroy(halves);
  const int32_t two = 2;
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(a_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &two, 8),
            CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatrixLayoutSetAttribute(a_, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &two, sizeof(two));
  EXPECT_EQ(Choose(a_, b_), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLt, RefusesOtherMemoryAndStreams) {
  ASSERT_EQ(Choose(a_, b_), CUBLAS_STATUS_SUCCESS);
  const size_t bytes = found_.workspaceSize;
  std::vector<float> host(4096);
  void* const workspace = at(kWorkspace);
  EXPECT_EQ(Multiply(at(kA), workspace, bytes - 1, stream_, a_), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(Multiply(at(kA), nullptr, bytes, stream_, a_), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(Multiply(at(kA), host.data(), bytes, stream_, a_), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(Multiply(host.data(), workspace, bytes, stream_, a_), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(Multiply(at(kA) + 4, workspace, bytes, stream_, a_), CUBLAS_STATUS_INVALID_VALUE);
  auto* const others = static_cast<cudaStream_t>(other_->compute_stream()->native_handle());
  EXPECT_EQ(Multiply(at(kA), workspace, bytes, others, a_), CUBLAS_STATUS_INVALID_VALUE);
  // The algorithm is another problem's.
  cublasLtMatrixLayout_t wider = nullptr;
  cublasLtMatrixLayoutCreate(&wider, CUDA_R_32F, 2, kProducts, 4);
  EXPECT_EQ(Multiply(at(kA), workspace, bytes, stream_, wider), CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatrixLayoutDestroy(wider);
}

// With a bias for each row, and what is negative cut off; and with the sums of either factor.
TEST_F(CublasLt, HasEpilogues) {
  constexpr size_t kVector = 32768;
  const auto set = [&](cublasLtEpilogue_t epilogue, const void* vector) {
    cublasLtMatmulDescSetAttribute(description_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                   sizeof(epilogue));
    cublasLtMatmulDescSetAttribute(description_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &vector,
                                   sizeof(vector));
  };
  Put(kA, std::vector<float>(2 * kProducts, 1));
  Put(kB, std::vector<float>(3 * kProducts, 1));
  Put(kVector, {1, -1000, 0});
  alpha_ = 1;
  beta_ = 0;
  const auto run = [&](cublasLtEpilogue_t epilogue, const void* vector) {
    set(epilogue, vector);
    const cublasStatus_t chosen = Choose(a_, b_);
    if (chosen != CUBLAS_STATUS_SUCCESS) return chosen;
    return Multiply(at(kA), at(kWorkspace), found_.workspaceSize, stream_, a_);
  };
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_BIAS, at(kVector)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get(kD, 6), std::vector<float>({17, -984, 17, -984, 17, -984}));
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_RELU_BIAS, at(kVector)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get(kD, 6), std::vector<float>({17, 0, 17, 0, 17, 0}));
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_BGRADA, at(kVector)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get(kVector, 3), std::vector<float>({16, 16, 0}));
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_BGRADB, at(kVector)), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Get(kVector, 3), std::vector<float>({16, 16, 16}));
  std::vector<float> host(4);
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_BIAS, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_BIAS, host.data()), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(run(CUBLASLT_EPILOGUE_GELU_BIAS, at(kVector)), CUBLAS_STATUS_NOT_SUPPORTED);
  // Chosen for a vector that is aligned to 16 bytes, or without one.
  ASSERT_EQ(run(CUBLASLT_EPILOGUE_BIAS, at(kVector)), CUBLAS_STATUS_SUCCESS);
  const auto multiply = [&] {
    return Multiply(at(kA), at(kWorkspace), found_.workspaceSize, stream_, a_);
  };
  set(CUBLASLT_EPILOGUE_BIAS, at(kVector + 4));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_EPILOGUE_RELU_BIAS, at(kVector));
  EXPECT_EQ(multiply(), CUBLAS_STATUS_INVALID_VALUE);
}

// Descriptors of a convolution of 1x1 images, made as far as a test goes.
class Cudnn : public OnGpu {
 protected:
  void TearDown() override {
    for (const cudnnBackendDescriptor_t made : made_) cudnnBackendDestroyDescriptor(made);
  }
  cudnnBackendDescriptor_t Make(cudnnBackendDescriptorType_t type) {
    made_.push_back(nullptr);
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &made_.back()), CUDNN_STATUS_SUCCESS);
    return made_.back();
  }
  template <class T>
  static cudnnStatus_t Set(cudnnBackendDescriptor_t of, cudnnBackendAttributeName_t name,
                           cudnnBackendAttributeType_t type, const std::vector<T>& values) {
    return cudnnBackendSetAttribute(of, name, type, static_cast<int64_t>(values.size()),
                                    values.data());
  }
  cudnnBackendDescriptor_t Tensor(int64_t id, int64_t channels) {
    const cudnnBackendDescriptor_t tensor = Make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    Set<cudnnDataType_t>(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE,
                         {CUDNN_DATA_FLOAT});
    Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, {id});
    Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, {16});
    Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, {1, channels, 1, 1});
    Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, {channels, 1, 1, 1});
    return tensor;
  }
  static cudnnBackendDescriptor_t Finalized(cudnnBackendDescriptor_t descriptor) {
    EXPECT_EQ(cudnnBackendFinalize(descriptor), CUDNN_STATUS_SUCCESS);
    return descriptor;
  }
  cudnnBackendDescriptor_t Window() {
    const cudnnBackendDescriptor_t window = Make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    Set<cudnnDataType_t>(window, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                         {CUDNN_DATA_FLOAT});
    Set<cudnnConvolutionMode_t>(window, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                                CUDNN_TYPE_CONVOLUTION_MODE, {CUDNN_CROSS_CORRELATION});
    Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, {2});
    Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, {1, 1});
    Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, {1, 1});
    Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, {0, 0});
    Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, {0, 0});
    return window;
  }
  // The gradient of the input, whose plans need memory to work in.
  cudnnBackendDescriptor_t Operation(cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t w,
                                     cudnnBackendDescriptor_t y) {
    const cudnnBackendDescriptor_t made =
        Make(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
    const auto part = [&](cudnnBackendAttributeName_t name, cudnnBackendDescriptor_t of) {
      Set<cudnnBackendDescriptor_t>(made, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, {of});
    };
    part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, x);
    part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, w);
    part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, y);
    part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, Finalized(Window()));
    Set<float>(made, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_TYPE_FLOAT, {2});
    Set<float>(made, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_TYPE_FLOAT, {3});
    return made;
  }
  // Of the library's choices in that mode the last one, with its settings.
  cudnnBackendDescriptor_t Plan(cudnnHandle_t library) {
    const cudnnBackendDescriptor_t graph = Make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    Set<cudnnBackendDescriptor_t>(
        graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        {Finalized(
            Operation(Finalized(Tensor(1, 2)), Finalized(Tensor(2, 2)), Finalized(Tensor(3, 1))))});
    const cudnnBackendDescriptor_t gpu = Make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    Set<cudnnHandle_t>(gpu, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, {library});
    const cudnnBackendDescriptor_t choice = Make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    Set<cudnnBackendDescriptor_t>(choice, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, {Finalized(graph)});
    Set<cudnnBackendDescriptor_t>(choice, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, {Finalized(gpu)});
    Set<cudnnBackendHeurMode_t>(choice, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE,
                                {CUDNN_HEUR_MODE_FALLBACK});
    Finalized(choice);
    std::vector<cudnnBackendDescriptor_t> settings = {Make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
                                                      Make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)};
    int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(choice, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, &count, settings.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(count, 2);
    const cudnnBackendDescriptor_t plan = Make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    Set<cudnnBackendDescriptor_t>(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, {settings[1]});
    Set<cudnnBackendDescriptor_t>(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, {gpu});
    return Finalized(plan);
  }
  cudnnBackendDescriptor_t Arguments(const std::vector<void*>& operands, void* workspace) {
    const cudnnBackendDescriptor_t pack = Make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    Set<void*>(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, operands);
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < operands.size(); ++i) numbers.push_back(static_cast<int64_t>(i) + 1);
    Set<int64_t>(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, numbers);
    Set<void*>(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, {workspace});
    return Finalized(pack);
  }

  std::vector<cudnnBackendDescriptor_t> made_;
};

TEST_F(Cudnn, RefusesAttributesOfOtherKindsAndTypes) {
  const cudnnBackendDescriptor_t tensor = Tensor(1, 2);
  EXPECT_EQ(Set<int64_t>(tensor, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, {1, 1}),
            CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  EXPECT_EQ(Set<float>(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_FLOAT, {1}),
            CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  Finalized(tensor);
  EXPECT_EQ(Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, {2}),
            CUDNN_STATUS_BAD_PARAM);
}

TEST_F(Cudnn, RefusesWhatIsNotWhole) {
  EXPECT_EQ(cudnnBackendFinalize(Make(CUDNN_BACKEND_TENSOR_DESCRIPTOR)), CUDNN_STATUS_BAD_PARAM);
  const cudnnBackendDescriptor_t tensor = Tensor(1, 2), window = Window();
  Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, {2, 1, 1});
  EXPECT_EQ(cudnnBackendFinalize(tensor), CUDNN_STATUS_BAD_PARAM);
  Set<int64_t>(window, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, {1});
  EXPECT_EQ(cudnnBackendFinalize(window), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnBackendFinalize(
                Operation(Finalized(Tensor(1, 2)), Tensor(2, 2), Finalized(Tensor(3, 1)))),
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  EXPECT_EQ(cudnnBackendFinalize(Operation(Finalized(Tensor(1, 2)), Finalized(Tensor(2, 2)),
                                           Finalized(Tensor(3, 2)))),
            CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
}

TEST_F(Cudnn, HasFactorsAndRefusesOtherMemoryAndStreams) {
  constexpr size_t kX = 0, kW = 256, kY = 512, kWorkspace = 1024;
  cudnnHandle_t library = nullptr;
  ASSERT_EQ(cudnnCreate(&library), CUDNN_STATUS_SUCCESS);
  auto* const others = static_cast<cudaStream_t>(other_->compute_stream()->native_handle());
  EXPECT_EQ(cudnnSetStream(library, others), CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
  ASSERT_EQ(cudnnSetStream(library, stream_), CUDNN_STATUS_SUCCESS);
  const cudnnBackendDescriptor_t plan = Plan(library);
  std::vector<float> host(64);
  const auto execute = [&](const std::vector<void*>& operands, void* workspace) {
    return cudnnBackendExecute(library, plan, Arguments(operands, workspace));
  };
  EXPECT_EQ(execute({at(kX), at(kW), at(kY)}, nullptr), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute({at(kX), at(kW), at(kY)}, host.data()), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute({at(kX), at(kW)}, at(kWorkspace)), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(execute({host.data(), at(kW), at(kY)}, at(kWorkspace)), CUDNN_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(execute({at(kX) + 4, at(kW), at(kY)}, at(kWorkspace)),
            CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
  Put(kX, {10, 10});
  Put(kW, {1, 2});
  Put(kY, {5});
  EXPECT_EQ(execute({at(kX), at(kW), at(kY)}, at(kWorkspace)), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(Get(kX, 2), std::vector<float>({2 * 5 + 3 * 10, 2 * 10 + 3 * 10}));
  cudnnDestroy(library);
}

}  // namespace
}  // namespace warpbeam
