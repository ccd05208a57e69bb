// What the real cuBLASLt makes of the descriptions of products, for which there need be no GPU: the
// layers of the seeds' models, ResNet-50, an LSTM and a Transformer with their gradients. What is
// read back from the library is what the tensors are; nothing is chosen or computed.
#include "ops/math/cuda/product_description.h"

#include <cctype>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// A dense layer, [rows, inputs] times [inputs, outputs], in as many products at once.
struct Layer {
  const char* model;
  int64_t rows, inputs, outputs, batches = 1;
};

constexpr Layer kLayers[] = {
    {"MLP", 100, 784, 500},
    {"MLP", 100, 500, 10},
    {"LeNet5", 64, 3136, 512},
    {"LeNet5", 64, 512, 10},
    {"CIFAR-10", 128, 2304, 384},
    {"CIFAR-10", 128, 384, 192},
    {"CIFAR-10", 128, 192, 10},
    {"ResNet-50", 256, 2048, 1000},
    {"ResNet-50, one image", 1, 2048, 1000},
    {"LSTM, inputs of all steps", 64 * 64, 512, 2048},
    {"LSTM, a step", 64, 1024, 2048},
    {"LSTM, words", 64 * 64, 512, 10000},
    {"Transformer, projections", 8 * 128, 256, 256},
    {"Transformer, scores", 128, 64, 128, 8 * 4},
    {"Transformer, values", 128, 128, 64, 8 * 4},
    {"Transformer, feed-forward", 8 * 128, 256, 1024},
};

struct Type {
  DType dtype;
  bool tensor_float_32;
  cudaDataType_t element, scale;
  cublasComputeType_t compute;
};
constexpr Type kTypes[] = {
    {DType::kHalf, true, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {DType::kBFloat16, true, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {DType::kFloat, true, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {DType::kFloat, false, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {DType::kDouble, true, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
    {DType::kComplex64, true, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F},
    {DType::kComplex128, true, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F},
};

// The library says how many bytes an attribute has: another number would be an error.
template <class T>
T OperationAttribute(const ProductDescription& product, cublasLtMatmulDescAttributes_t which) {
  T value{};
  size_t written = 0;
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(product.operation.get(), which, &value, sizeof(value),
                                           &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof(value));
  return value;
}
template <class T>
T LayoutAttribute(const ProductLayout& layout, cublasLtMatrixLayoutAttribute_t which) {
  T value{};
  size_t written = 0;
  EXPECT_EQ(cublasLtMatrixLayoutGetAttribute(layout.get(), which, &value, sizeof(value), &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof(value));
  return value;
}
template <class T>
T PreferenceAttribute(const ProductPreference& preference,
                      cublasLtMatmulPreferenceAttributes_t which) {
  T value{};
  size_t written = 0;
  EXPECT_EQ(cublasLtMatmulPreferenceGetAttribute(preference.get(), which, &value, sizeof(value),
                                                 &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, sizeof(value));
  return value;
}

// A tensor [batches, rows, columns] stands in the library's order as matrices of as many rows as it
// has columns.
void ExpectIsTensor(const ProductLayout& layout, cudaDataType_t element, int64_t rows,
                    int64_t columns, int64_t batches, int64_t stride) {
  EXPECT_EQ(LayoutAttribute<uint32_t>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE), element);
  EXPECT_EQ(LayoutAttribute<int32_t>(layout, CUBLASLT_MATRIX_LAYOUT_ORDER), CUBLASLT_ORDER_COL);
  EXPECT_EQ(LayoutAttribute<uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS), columns);
  EXPECT_EQ(LayoutAttribute<uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS), rows);
  EXPECT_EQ(LayoutAttribute<int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_LD), columns);
  EXPECT_EQ(LayoutAttribute<int32_t>(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT), batches);
  EXPECT_EQ(LayoutAttribute<int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET),
            batches == 1 ? 0 : stride);
}

cublasOperation_t TransposedIf(bool transpose, bool conjugate) {
  if (!transpose) return CUBLAS_OP_N;
  return conjugate ? CUBLAS_OP_C : CUBLAS_OP_T;
}

void ExpectIsDescribed(const GpuProduct& x, const Type& type, cublasLtEpilogue_t epilogue,
                       const void* vector) {
  const auto made = ProductDescription::Of(x);
  ASSERT_TRUE(made.ok()) << made.status();
  const ProductDescription& product = *made;
  const auto operation = [&](cublasLtMatmulDescAttributes_t which) {
    return OperationAttribute<int32_t>(product, which);
  };
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE), type.compute);
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_SCALE_TYPE), type.scale);
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_POINTER_MODE), CUBLASLT_POINTER_MODE_HOST);
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_TRANSA), TransposedIf(x.transpose_b, x.conjugate));
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_TRANSB), TransposedIf(x.transpose_a, x.conjugate));
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_TRANSC), CUBLAS_OP_N);
  EXPECT_EQ(OperationAttribute<uint32_t>(product, CUBLASLT_MATMUL_DESC_EPILOGUE), epilogue);
  EXPECT_EQ(OperationAttribute<const void*>(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER), vector);
  // None is given: the library then takes the result's, which the tensor of the vector has.
  EXPECT_EQ(operation(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE), -1);
  const int64_t rows_a = x.transpose_a ? x.k : x.m, rows_b = x.transpose_b ? x.n : x.k;
  ExpectIsTensor(product.first, type.element, rows_b, x.transpose_b ? x.k : x.n, x.batches,
                 x.stride_b);
  ExpectIsTensor(product.second, type.element, rows_a, x.transpose_a ? x.m : x.k, x.batches,
                 x.stride_a);
  ExpectIsTensor(product.result, type.element, x.m, x.n, x.batches, x.m * x.n);
}

// c = op(a) op(b) of dense tensors.
GpuProduct ProductOf(const Type& type, int64_t m, int64_t n, int64_t k, int64_t batches) {
  GpuProduct x;
  x.dtype = type.dtype;
  x.tensor_float_32 = type.tensor_float_32;
  x.m = m;
  x.n = n;
  x.k = k;
  x.batches = batches;
  if (batches > 1) {
    x.stride_a = m * k;
    x.stride_b = k * n;
  }
  return x;
}

class ProductDescriptions : public ::testing::TestWithParam<Layer> {};

TEST_P(ProductDescriptions, AreWhatTheTensorsAre) {
  const Layer& l = GetParam();
  alignas(16) char vector[16] = {};
  for (const Type& type : kTypes) {
    SCOPED_TRACE(absl::StrCat(DTypeName(type.dtype), type.tensor_float_32 ? ", tf32" : ""));
    GpuProduct forward = ProductOf(type, l.rows, l.outputs, l.inputs, l.batches);
    ExpectIsDescribed(forward, type, CUBLASLT_EPILOGUE_DEFAULT, nullptr);
    GpuProduct of_input = ProductOf(type, l.rows, l.inputs, l.outputs, l.batches);
    of_input.transpose_b = of_input.conjugate = true;
    ExpectIsDescribed(of_input, type, CUBLASLT_EPILOGUE_DEFAULT, nullptr);
    GpuProduct of_weights = ProductOf(type, l.inputs, l.outputs, l.rows, l.batches);
    of_weights.transpose_a = true;
    ExpectIsDescribed(of_weights, type, CUBLASLT_EPILOGUE_DEFAULT, nullptr);
    if (l.batches > 1) continue;
    forward.bias = vector;
    ExpectIsDescribed(forward, type, CUBLASLT_EPILOGUE_BIAS, vector);
    forward.relu = true;
    ExpectIsDescribed(forward, type, CUBLASLT_EPILOGUE_RELU_BIAS, vector);
    // Beside the weights' gradient that of the bias: sums of the second factor, the library's
    // first.
    of_weights.sums_of_b = vector;
    ExpectIsDescribed(of_weights, type, CUBLASLT_EPILOGUE_BGRADA, vector);
    of_weights.sums_of_b = nullptr;
    of_weights.sums_of_a = vector;
    ExpectIsDescribed(of_weights, type, CUBLASLT_EPILOGUE_BGRADB, vector);
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, ProductDescriptions, ::testing::ValuesIn(kLayers),
                         [](const auto& info) {
                           std::string name = absl::StrCat(info.param.model, " ", info.index);
                           std::string letters;
                           for (const char c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c))) letters += c;
                           }
                           return letters;
                         });

// A matrix that all products of a batch share is 0 elements from the next.
TEST(ProductDescription, MayShareAMatrix) {
  GpuProduct x = ProductOf(kTypes[2], 128, 64, 32, 6);
  x.stride_b = 0;
  ExpectIsDescribed(x, kTypes[2], CUBLASLT_EPILOGUE_DEFAULT, nullptr);
}

TEST(ProductDescription, IsToldWhereItsVectorIs) {
  char first[16], second[16];
  GpuProduct x = ProductOf(kTypes[0], 64, 32, 16, 1);
  x.bias = first;
  const auto product = ProductDescription::Of(x);
  ASSERT_TRUE(product.ok()) << product.status();
  ASSERT_TRUE(product->SetVector(second).ok());
  EXPECT_EQ(OperationAttribute<const void*>(*product, CUBLASLT_MATMUL_DESC_BIAS_POINTER), second);
}

TEST(ProductDescription, IsRefusedForTypesWithoutProducts) {
  for (const DType dtype : {DType::kInt32, DType::kBool, DType::kString}) {
    GpuProduct x = ProductOf(kTypes[0], 2, 2, 2, 1);
    x.dtype = dtype;
    const Status status = ProductDescription::Of(x).status();
    EXPECT_TRUE(IsUnimplemented(status)) << status;
    EXPECT_NE(status.ToString().find(DTypeName(dtype)), std::string::npos) << status;
  }
}

TEST(ProductPreference, KeepsToMemoryAlignmentAndSumsInFull) {
  const auto made = PreferenceFor({16, 32, 64});
  ASSERT_TRUE(made.ok()) << made.status();
  const auto number = [&](cublasLtMatmulPreferenceAttributes_t which) {
    return PreferenceAttribute<uint32_t>(*made, which);
  };
  EXPECT_EQ(PreferenceAttribute<uint64_t>(*made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES),
            uint64_t{32} << 20);
  EXPECT_EQ(number(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK),
            CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  EXPECT_EQ(number(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES), 32);
  EXPECT_EQ(number(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES), 16);
  EXPECT_EQ(number(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES), 64);
  EXPECT_EQ(number(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES), 64);
}

TEST(CublasLtStatus, SaysWhatFailed) {
  EXPECT_TRUE(CublasLtStatus(CUBLAS_STATUS_SUCCESS, "").ok());
  EXPECT_TRUE(IsUnimplemented(CublasLtStatus(CUBLAS_STATUS_ARCH_MISMATCH, "x")));
  EXPECT_TRUE(IsResourceExhausted(CublasLtStatus(CUBLAS_STATUS_ALLOC_FAILED, "x")));
  const Status status = CublasLtStatus(CUBLAS_STATUS_INVALID_VALUE, "describing a product");
  EXPECT_TRUE(IsInternal(status));
  EXPECT_NE(status.ToString().find("describing a product"), std::string::npos);
  EXPECT_NE(status.ToString().find("CUBLAS_STATUS_INVALID_VALUE"), std::string::npos);
}

}  // namespace
}  // namespace warpbeam
