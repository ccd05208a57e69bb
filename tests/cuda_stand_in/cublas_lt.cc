// cuBLASLt: descriptions, the choice of an algorithm, and products in the order of the stream.
//
// An algorithm is chosen for one problem, with so much memory to work in, at addresses of such
// alignment; a product that keeps to less is refused. The memory to work in is overwritten. There
// is none with an epilogue for doubles, for complex numbers, and for results of one row.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <Eigen/Core>
#include <complex>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/rounding.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::Leftovers;
using stand_in::Refuse;

struct cublasLtContext {
  int gpu;
};

namespace {

struct MatrixLayout {
  cudaDataType_t element;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches = 1;
  int64_t stride = 0;

  // From the first element of all matrices to behind the last.
  int64_t extent() const {
    return (batches - 1) * stride + static_cast<int64_t>(columns - 1) * leading +
           static_cast<int64_t>(rows);
  }
  auto Tied() const { return std::make_tuple(element, rows, columns, leading, batches, stride); }
};

struct ProductDescription {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* vector = nullptr;  // the epilogue's bias, or where its sums go

  bool has_bias() const { return (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0; }
  bool has_sums() const {
    return epilogue == CUBLASLT_EPILOGUE_BGRADA || epilogue == CUBLASLT_EPILOGUE_BGRADB;
  }
};

struct ProductPreference {
  uint64_t workspace = 0;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint32_t alignment[4] = {256, 256, 256, 256};  // of a, b, c and d
};

// What a cublasLtMatmulAlgo_t holds.
struct ChosenAlgorithm {
  uint64_t problem;
  uint64_t workspace;
  uint32_t alignment[4];
  uint32_t vector_alignment;
};
static_assert(sizeof(ChosenAlgorithm) <= sizeof(cublasLtMatmulAlgo_t));

// The library's types name only the size of what they point to.
auto* Of(cublasLtMatrixLayout_t x) { return reinterpret_cast<MatrixLayout*>(x); }
auto* Of(cublasLtMatmulDesc_t x) { return reinterpret_cast<ProductDescription*>(x); }
auto* Of(cublasLtMatmulPreference_t x) { return reinterpret_cast<ProductPreference*>(x); }

struct Problem {
  ProductDescription with;
  MatrixLayout a, b, c, d;

  uint64_t rows_of_a() const { return with.a == CUBLAS_OP_N ? a.rows : a.columns; }
  uint64_t columns_of_a() const { return with.a == CUBLAS_OP_N ? a.columns : a.rows; }
  uint64_t rows_of_b() const { return with.b == CUBLAS_OP_N ? b.rows : b.columns; }
  uint64_t columns_of_b() const { return with.b == CUBLAS_OP_N ? b.columns : b.rows; }
  uint64_t Fingerprint() const {
    return absl::HashOf(static_cast<int>(with.compute), static_cast<int>(with.scale),
                        static_cast<int>(with.a), static_cast<int>(with.b),
                        static_cast<int>(with.epilogue), a.Tied(), b.Tied(), c.Tied(), d.Tied());
  }
  size_t vector_elements() const {
    return with.epilogue == CUBLASLT_EPILOGUE_BGRADB ? d.columns : d.rows;
  }
};

size_t BytesOf(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
      return 4;
    case CUDA_C_64F:
      return 16;
    default:
      return 8;
  }
}

bool IsSupported(const ProductDescription& with, cudaDataType_t element) {
  switch (element) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return with.compute == CUBLAS_COMPUTE_32F && with.scale == CUDA_R_32F;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return (with.compute == CUBLAS_COMPUTE_32F || with.compute == CUBLAS_COMPUTE_32F_FAST_TF32) &&
             with.scale == element;
    case CUDA_R_64F:
    case CUDA_C_64F:
      return with.compute == CUBLAS_COMPUTE_64F && with.scale == element;
    default:
      return false;
  }
}

cublasStatus_t Check(const Problem& p) {
  for (const MatrixLayout* x : {&p.a, &p.b, &p.c, &p.d}) {
    if (x->rows == 0 || x->columns == 0 || x->leading < static_cast<int64_t>(x->rows)) {
      return Refuse("a matrix is empty or its columns overlap", CUBLAS_STATUS_INVALID_VALUE);
    }
    if (x->batches < 1 || x->batches != p.d.batches || x->stride < 0) {
      return Refuse("batches of other sizes", CUBLAS_STATUS_INVALID_VALUE);
    }
    if (x->element != p.d.element || !IsSupported(p.with, x->element)) {
      return Refuse("no such arithmetic", CUBLAS_STATUS_NOT_SUPPORTED);
    }
  }
  const bool is_plain = p.with.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (!is_plain && !p.with.has_sums() && p.with.epilogue != CUBLASLT_EPILOGUE_BIAS &&
      p.with.epilogue != CUBLASLT_EPILOGUE_RELU_BIAS) {
    return Refuse("not an epilogue of the stand-in", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  if (!is_plain && (p.with.compute == CUBLAS_COMPUTE_64F || p.with.scale != CUDA_R_32F)) {
    return Refuse("no epilogue of such arithmetic", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  if (!is_plain && (p.with.vector == nullptr || p.d.batches > 1)) {
    return Refuse("an epilogue wants a vector and one product", CUBLAS_STATUS_INVALID_VALUE);
  }
  if (p.d.batches > 1 && p.d.stride < p.d.leading * static_cast<int64_t>(p.d.columns)) {
    return Refuse("results overlap", CUBLAS_STATUS_INVALID_VALUE);
  }
  if (p.rows_of_a() != p.d.rows || p.columns_of_b() != p.d.columns ||
      p.columns_of_a() != p.rows_of_b() || p.c.rows != p.d.rows || p.c.columns != p.d.columns) {
    return Refuse("matrices of other sizes", CUBLAS_STATUS_INVALID_VALUE);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Set(void* field, size_t bytes, const void* value, size_t given) {
  if (value == nullptr || given != bytes) {
    return Refuse("an attribute of another size", CUBLAS_STATUS_INVALID_VALUE);
  }
  std::memcpy(field, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// What one call multiplies. Factors are read when it is made, matrices when the stream gets there.
struct Operands {
  const void *a, *b, *c;
  void* d;
  void* workspace;
  size_t workspace_bytes;
  void* vector;
};

// Elements are added up as floats at least.
template <class T>
using SumOf =
    std::conditional_t<std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>, float,
                       T>;
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
Matrix<SumOf<T>> ReadMatrix(const MatrixLayout& x, cublasOperation_t operation, const void* at,
                            int64_t batch) {
  const Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>> stored(
      static_cast<const T*>(at) + batch * x.stride, static_cast<Eigen::Index>(x.rows),
      static_cast<Eigen::Index>(x.columns), Eigen::OuterStride<>(x.leading));
  const Matrix<SumOf<T>> values = stored.template cast<SumOf<T>>();
  if (operation == CUBLAS_OP_N) return values;
  if (operation == CUBLAS_OP_T) return values.transpose();
  return values.adjoint();
}

// What the epilogue makes of the sums, or beside them.
template <class T>
void Finish(const Problem& p, const Operands& x, Matrix<SumOf<T>>* sum) {
  if (p.with.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return;
  using Sum = SumOf<T>;
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> vector(
      static_cast<T*>(x.vector), static_cast<Eigen::Index>(p.vector_elements()));
  if (p.with.epilogue == CUBLASLT_EPILOGUE_BGRADA) {
    vector = ReadMatrix<T>(p.a, p.with.a, x.a, 0).rowwise().sum().template cast<T>();
  } else if (p.with.epilogue == CUBLASLT_EPILOGUE_BGRADB) {
    vector = ReadMatrix<T>(p.b, p.with.b, x.b, 0).colwise().sum().transpose().template cast<T>();
  }
  if (!p.with.has_bias()) return;
  sum->colwise() += vector.template cast<Sum>();
  if (p.with.epilogue != CUBLASLT_EPILOGUE_RELU_BIAS) return;
  for (Eigen::Index i = 0; i < sum->size(); ++i) {
    if (sum->data()[i] <= Sum(0)) sum->data()[i] = Sum(0);
  }
}

template <class T>
void Multiply(const Problem& p, const Operands& x, SumOf<T> alpha, SumOf<T> beta) {
  using Sum = SumOf<T>;
  const bool rounds = p.with.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  for (int64_t batch = 0; batch < p.d.batches; ++batch) {
    Matrix<Sum> a = ReadMatrix<T>(p.a, p.with.a, x.a, batch);
    Matrix<Sum> b = ReadMatrix<T>(p.b, p.with.b, x.b, batch);
    if (rounds) {
      stand_in::RoundToTensorFloat32(a.data(), a.size());
      stand_in::RoundToTensorFloat32(b.data(), b.size());
    }
    Matrix<Sum> sum = a * b;
    sum *= alpha;
    if (beta != Sum(0)) sum += beta * ReadMatrix<T>(p.c, CUBLAS_OP_N, x.c, batch);
    if constexpr (std::is_same_v<Sum, float>) Finish<T>(p, x, &sum);
    Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>> result(static_cast<T*>(x.d) + batch * p.d.stride,
                                                          sum.rows(), sum.cols(),
                                                          Eigen::OuterStride<>(p.d.leading));
    result = sum.template cast<T>();
  }
}

template <class T>
cublasStatus_t Launch(const Problem& p, const Operands& x, const void* alpha, const void* beta,
                      cudaStream_t stream) {
  using Sum = SumOf<T>;
  // The library reads complex factors as numbers that lie at multiples of their size.
  for (const void* factor : {alpha, beta}) {
    if (reinterpret_cast<uintptr_t>(factor) % sizeof(Sum) != 0) {
      return Refuse("a factor is not aligned", CUBLAS_STATUS_INVALID_VALUE);
    }
  }
  const Sum first = *static_cast<const Sum*>(alpha), second = *static_cast<const Sum*>(beta);
  const auto use = [](const MatrixLayout& layout, const void* at, bool writes) {
    const size_t bytes = static_cast<size_t>(layout.extent()) * BytesOf(layout.element);
    return stand_in::Use{at, bytes, writes};
  };
  std::vector<stand_in::Use> uses = {use(p.a, x.a, false), use(p.b, x.b, false),
                                     stand_in::Use{x.workspace, x.workspace_bytes, true},
                                     use(p.d, x.d, true)};
  if (second != Sum(0)) uses.push_back(use(p.c, x.c, false));
  if (x.vector != nullptr) {
    uses.push_back({x.vector, p.vector_elements() * sizeof(T), p.with.has_sums()});
  }
  stand_in::Enqueue(stream, "cublasLtMatmul", std::move(uses), [p, x, first, second] {
    if (x.workspace_bytes > 0) std::memset(x.workspace, 0xff, x.workspace_bytes);
    Multiply<T>(p, x, first, second);
  });
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Launch(const Problem& p, const Operands& x, const void* alpha, const void* beta,
                      cudaStream_t stream) {
  switch (p.d.element) {
    case CUDA_R_16F:
      return Launch<Eigen::half>(p, x, alpha, beta, stream);
    case CUDA_R_16BF:
      return Launch<Eigen::bfloat16>(p, x, alpha, beta, stream);
    case CUDA_R_32F:
      return Launch<float>(p, x, alpha, beta, stream);
    case CUDA_R_64F:
      return Launch<double>(p, x, alpha, beta, stream);
    case CUDA_C_32F:
      return Launch<std::complex<float>>(p, x, alpha, beta, stream);
    default:
      return Launch<std::complex<double>>(p, x, alpha, beta, stream);
  }
}

cublasStatus_t CheckOperand(const MatrixLayout& layout, const void* at, uint32_t alignment) {
  const size_t element = BytesOf(layout.element);
  if (!stand_in::IsDeviceMemory(at, static_cast<size_t>(layout.extent()) * element)) {
    return Refuse("a matrix is not in a GPU's memory", CUBLAS_STATUS_INVALID_VALUE);
  }
  const auto step = layout.batches > 1 ? static_cast<size_t>(layout.stride) * element : 0;
  if ((reinterpret_cast<uintptr_t>(at) | step) % alignment != 0) {
    return Refuse("a matrix is aligned less than was said", CUBLAS_STATUS_INVALID_VALUE);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CheckVector(const Problem& p, uint32_t alignment) {
  if (p.with.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return CUBLAS_STATUS_SUCCESS;
  if (!stand_in::IsDeviceMemory(p.with.vector, p.vector_elements() * BytesOf(p.d.element))) {
    return Refuse("an epilogue's vector is not in a GPU's memory", CUBLAS_STATUS_INVALID_VALUE);
  }
  if (reinterpret_cast<uintptr_t>(p.with.vector) % alignment != 0) {
    return Refuse("an epilogue's vector is aligned less than the one that was chosen for",
                  CUBLAS_STATUS_INVALID_VALUE);
  }
  return CUBLAS_STATUS_SUCCESS;
}

// The largest power of two, up to 16, that divides the address.
uint32_t AlignmentOf(const void* p) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(p) | 16;
  return static_cast<uint32_t>(bits & (~bits + 1));
}

}  // namespace

#define CUBLAS_STAND_IN_CALL() \
  if (stand_in::FailsInLibrary(__func__)) return CUBLAS_STATUS_INTERNAL_ERROR

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* library) {
  CUBLAS_STAND_IN_CALL();
  const int gpu = stand_in::CurrentGpu();
  *library = new cublasLtContext{gpu};
  stand_in::Count(&Leftovers::libraries, 1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t library) {
  delete library;
  stand_in::Count(&Leftovers::libraries, -1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType element,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  CUBLAS_STAND_IN_CALL();
  *made =
      reinterpret_cast<cublasLtMatrixLayout_t>(new MatrixLayout{element, rows, columns, leading});
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete Of(layout);
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, size_t bytes) {
  CUBLAS_STAND_IN_CALL();
  MatrixLayout& x = *Of(layout);
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return Set(&x.batches, sizeof(x.batches), value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return Set(&x.stride, sizeof(x.stride), value, bytes);
    default:
      return Refuse("not an attribute of the stand-in", CUBLAS_STATUS_NOT_SUPPORTED);
  }
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  CUBLAS_STAND_IN_CALL();
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new ProductDescription{compute, scale});
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete Of(description);
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t bytes) {
  CUBLAS_STAND_IN_CALL();
  ProductDescription& x = *Of(description);
  switch (which) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return Set(&x.a, sizeof(x.a), value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return Set(&x.b, sizeof(x.b), value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return Set(&x.epilogue, sizeof(x.epilogue), value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return Set(&x.vector, sizeof(x.vector), value, bytes);
    default:
      return Refuse("not an attribute of the stand-in", CUBLAS_STATUS_NOT_SUPPORTED);
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  CUBLAS_STAND_IN_CALL();
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new ProductPreference);
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete Of(preference);
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* value, size_t bytes) {
  CUBLAS_STAND_IN_CALL();
  ProductPreference& x = *Of(preference);
  switch (which) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return Set(&x.workspace, sizeof(x.workspace), value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return Set(&x.reductions, sizeof(x.reductions), value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return Set(&x.alignment[0], sizeof(x.alignment[0]), value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return Set(&x.alignment[1], sizeof(x.alignment[1]), value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return Set(&x.alignment[2], sizeof(x.alignment[2]), value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return Set(&x.alignment[3], sizeof(x.alignment[3]), value, bytes);
    default:
      return Refuse("not an attribute of the stand-in", CUBLAS_STATUS_NOT_SUPPORTED);
  }
}

// Sums of many products are split, and their parts need memory, where that is allowed.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t library,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  CUBLAS_STAND_IN_CALL();
  if (library == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (most < 1) return Refuse("no room for a result", CUBLAS_STATUS_INVALID_VALUE);
  const Problem problem = {*Of(description), *Of(a), *Of(b), *Of(c), *Of(d)};
  *count = 0;
  if (const cublasStatus_t status = Check(problem); status != CUBLAS_STATUS_SUCCESS) return status;
  if (problem.with.epilogue != CUBLASLT_EPILOGUE_DEFAULT && problem.d.rows == 1) {
    return CUBLAS_STATUS_SUCCESS;  // and nothing is found
  }
  constexpr uint64_t kManyProducts = 16;
  const ProductPreference& wanted = *Of(preference);
  ChosenAlgorithm chosen = {problem.Fingerprint(), 0, {}, AlignmentOf(problem.with.vector)};
  const uint64_t parts = static_cast<uint64_t>(problem.d.extent()) * 2 * sizeof(float);
  const bool may_split = (wanted.reductions & (CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE |
                                               CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)) != 0;
  if (problem.columns_of_a() >= kManyProducts && may_split && parts <= wanted.workspace) {
    chosen.workspace = parts;
  }
  std::memcpy(chosen.alignment, wanted.alignment, sizeof(chosen.alignment));
  results[0] = {};
  std::memcpy(&results[0].algo, &chosen, sizeof(chosen));
  results[0].workspaceSize = chosen.workspace;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t library, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t layout_a,
                              const void* b, cublasLtMatrixLayout_t layout_b, const void* beta,
                              const void* c, cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  CUBLAS_STAND_IN_CALL();
  if (library == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (stand_in::GpuOf(stream) != library->gpu) {
    return Refuse("the stream is none of the library's GPU", CUBLAS_STATUS_INVALID_VALUE);
  }
  const Problem problem = {*Of(description), *Of(layout_a), *Of(layout_b), *Of(layout_c),
                           *Of(layout_d)};
  if (const cublasStatus_t status = Check(problem); status != CUBLAS_STATUS_SUCCESS) return status;
  ChosenAlgorithm chosen;
  std::memcpy(&chosen, algorithm, sizeof(chosen));
  if (chosen.problem != problem.Fingerprint()) {
    return Refuse("the algorithm is another problem's", CUBLAS_STATUS_INVALID_VALUE);
  }
  if (workspace_bytes < chosen.workspace ||
      (chosen.workspace > 0 && !stand_in::IsDeviceMemory(workspace, chosen.workspace))) {
    return Refuse("too little memory to work in", CUBLAS_STATUS_INVALID_VALUE);
  }
  const MatrixLayout* const layouts[] = {&problem.a, &problem.b, &problem.c, &problem.d};
  const void* const addresses[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    const cublasStatus_t status = CheckOperand(*layouts[i], addresses[i], chosen.alignment[i]);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  const cublasStatus_t status = CheckVector(problem, chosen.vector_alignment);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const Operands operands = {stand_in::HostAddress(a),
                             stand_in::HostAddress(b),
                             stand_in::HostAddress(c),
                             stand_in::HostAddress(d),
                             stand_in::HostAddress(workspace),
                             chosen.workspace,
                             stand_in::HostAddress(problem.with.vector)};
  return Launch(problem, operands, alpha, beta, stream);
}

const char* cublasLtGetStatusName(cublasStatus_t) { return "an error of the stand-in"; }
const char* cublasLtGetStatusString(cublasStatus_t) { return stand_in::Reason().c_str(); }

}  // extern "C"
