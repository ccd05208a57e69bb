#include "ops/math/gemm.h"

// Threads are ours to share out.
#define EIGEN_DONT_PARALLELIZE 1
#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>
#include <memory>
#include <new>

#include "oneapi/dnnl/dnnl.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/vec.h"
#include "ops/math/dnnl_primitive.h"
#include "ops/math/dnnl_products.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace host_pass {
namespace {

template <class T>
struct Matrices {
  const T* a;
  const T* b;
  T* c;
  const ProductEpilogue* epilogue = nullptr;  // of c
};

// A block of the result: rows [m0, m1) and columns [n0, n1).
struct Block {
  int64_t m0, m1, n0, n1;
};

// Where the block's part of an operand begins.
template <class T>
const T* BlockOfA(const GemmProblem& p, const T* a, const Block& block) {
  return a + (p.transpose_a ? block.m0 : block.m0 * p.k);
}
template <class T>
const T* BlockOfB(const GemmProblem& p, const T* b, const Block& block) {
  return b + (p.transpose_b ? block.n0 * p.k : block.n0);
}

// A product with a vector reads the matrix once, so that it waits for memory whatever computes it.
bool VectorProduct(const GemmProblem& p, const Matrices<float>& x, const Block& block) {
  const bool is_row = p.m == 1;
  const int64_t results = is_row ? block.n1 - block.n0 : block.m1 - block.m0;
  const float* const matrix = is_row ? BlockOfB(p, x.b, block) : BlockOfA(p, x.a, block);
  const Eigen::Map<const Eigen::VectorXf> vector(is_row ? x.a : x.b, p.k);
  Eigen::Map<Eigen::VectorXf> result(x.c + (is_row ? block.n0 : block.m0), results);
  if (is_row ? p.transpose_b : !p.transpose_a) {
    using ByRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    result.noalias() = Eigen::Map<const ByRows>(matrix, results, p.k) * vector;
  } else {
    const Eigen::OuterStride<> stride(is_row ? p.n : p.m);
    result.noalias() =
        Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<>>(matrix, results, p.k, stride) *
        vector;
  }
  return true;
}

bool Product(const GemmProblem& p, const Matrices<float>& x, const Block& block) {
  if (p.m == 1 || p.n == 1) return VectorProduct(p, x, block);
  UseDnnlOnThisThread();
  const dnnl_status_t status =
      dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', block.m1 - block.m0,
                 block.n1 - block.n0, p.k, 1.0f, BlockOfA(p, x.a, block), p.transpose_a ? p.m : p.k,
                 BlockOfB(p, x.b, block), p.transpose_b ? p.k : p.n, 0.0f,
                 x.c + block.m0 * p.n + block.n0, p.n);
  return status == dnnl_success;
}

template <class T>
using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using EigenView = Eigen::Map<const EigenMatrix<T>, 0, Eigen::OuterStride<>>;

// An operand as it enters the product: as it lies, or laid out anew in `copy`. That costs little
// beside the product itself and saves compiling Eigen's product for every combination.
template <class T>
EigenView<T> Operand(const T* from, int64_t rows, int64_t columns, int64_t stride, bool transpose,
                     bool conjugate, EigenMatrix<T>* copy) {
  const EigenView<T> view(from, transpose ? columns : rows, transpose ? rows : columns,
                          Eigen::OuterStride<>(stride));
  if (!transpose && !conjugate) return view;
  if (transpose) {
    *copy = view.transpose();
  } else {
    *copy = view;
  }
  if (conjugate) *copy = copy->conjugate().eval();
  return EigenView<T>(copy->data(), rows, columns, Eigen::OuterStride<>(columns));
}

template <class T>
bool EigenProduct(const GemmProblem& p, const Matrices<T>& x, const Block& block) {
  const int64_t rows = block.m1 - block.m0, columns = block.n1 - block.n0;
  EigenMatrix<T> a_copy, b_copy;
  const EigenView<T> a = Operand(BlockOfA(p, x.a, block), rows, p.k, p.transpose_a ? p.m : p.k,
                                 p.transpose_a, p.conjugate_a, &a_copy);
  const EigenView<T> b = Operand(BlockOfB(p, x.b, block), p.k, columns, p.transpose_b ? p.k : p.n,
                                 p.transpose_b, p.conjugate_b, &b_copy);
  Eigen::Map<EigenMatrix<T>, 0, Eigen::OuterStride<>> c(x.c + block.m0 * p.n + block.n0, rows,
                                                        columns, Eigen::OuterStride<>(p.n));
  c.noalias() = a * b;
  return true;
}
bool Product(const GemmProblem& p, const Matrices<double>& x, const Block& block) {
  return EigenProduct(p, x, block);
}
bool Product(const GemmProblem& p, const Matrices<std::complex<float>>& x, const Block& block) {
  return EigenProduct(p, x, block);
}
bool Product(const GemmProblem& p, const Matrices<std::complex<double>>& x, const Block& block) {
  return EigenProduct(p, x, block);
}

// Integers: rows of b scaled and added up, in unsigned arithmetic, which may wrap.
template <class T>
bool Product(const GemmProblem& p, const Matrices<T>& x, const Block& block) {
  using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
  const int64_t a_row = p.transpose_a ? 1 : p.k, a_column = p.transpose_a ? p.m : 1;
  const int64_t b_row = p.transpose_b ? 1 : p.n, b_column = p.transpose_b ? p.k : 1;
  for (int64_t i = block.m0; i < block.m1; ++i) {
    T* c = x.c + i * p.n;
    std::fill(c + block.n0, c + block.n1, T(0));
    for (int64_t l = 0; l < p.k; ++l) {
      const Wide scale = static_cast<Wide>(x.a[i * a_row + l * a_column]);
      const T* b = x.b + l * b_row;
#pragma GCC ivdep
      for (int64_t j = block.n0; j < block.n1; ++j) {
        c[j] = static_cast<T>(static_cast<Wide>(c[j]) + scale * static_cast<Wide>(b[j * b_column]));
      }
    }
  }
  return true;
}

// A block of the result as it shall be in the end.
template <class T>
bool FinishedProduct(const GemmProblem& p, const Matrices<T>& x, const Block& block) {
  if (!Product(p, x, block)) return false;
  if (x.epilogue != nullptr) {
    x.epilogue->Finish({x.c + block.m0 * p.n + block.n0, block.m0, block.m1 - block.m0, block.n0,
                        block.n1 - block.n0, p.n});
  }
  return true;
}

int64_t Nanoseconds(const GemmProblem& p, size_t element) {
  // Multiply-adds a nanosecond on one core, about.
  const double rate = element == 4 ? 45 : 12;
  return static_cast<int64_t>(static_cast<double>(p.m) * p.n * p.k / rate) + 50;
}

// One product on all threads: the longer side of the result is cut into one strip for each. More
// strips would balance better and cost more: the library lays its operands out anew for every one,
// or, below about 360 columns, works on them where they lie, which is half as fast when rows are a
// power of two apart.
template <class T>
bool SplitProduct(const KernelContext& ctx, const GemmProblem& p, const Matrices<T>& x) {
  constexpr int64_t kColumns = 48, kRows = 24;
  const bool by_columns = p.n >= p.m;
  const int64_t side = by_columns ? p.n : p.m, least = by_columns ? kColumns : kRows;
  const int64_t share = (side + ctx.width() - 1) / ctx.width();
  const int64_t strip = (share + least - 1) / least * least;
  const int64_t strips = (side + strip - 1) / strip;
  const int64_t cost = Nanoseconds(p, sizeof(T));
  constexpr int64_t kSerialNanoseconds = 20000;
  if (strips <= 1 || cost < kSerialNanoseconds) {
    return FinishedProduct(p, x, Block{0, p.m, 0, p.n});
  }
  std::atomic<bool> ok{true};
  StoppableFor(ctx, strips, cost / strips, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * strip, to = std::min(side, end * strip);
    const Block block = by_columns ? Block{0, p.m, from, to} : Block{from, to, 0, p.n};
    if (!FinishedProduct(p, x, block)) ok.store(false, std::memory_order_relaxed);
  });
  return ok.load(std::memory_order_relaxed);
}

using Offsets = absl::FunctionRef<void(int64_t batch, int64_t* a, int64_t* b)>;
template <class T>
Matrices<T> OfBatch(const GemmProblem& p, const Matrices<T>& x, Offsets offsets, int64_t i) {
  int64_t a, b;
  offsets(i, &a, &b);
  return {x.a + a, x.b + b, x.c + i * p.m * p.n, x.epilogue};
}

template <class T>
bool GeneralProducts(const KernelContext& ctx, const GemmProblem& p, int64_t batches,
                     Offsets offsets, const Matrices<T>& x) {
  bool all_ok = true;
  if (batches < kManyBatches) {
    for (int64_t i = 0; i < batches && !ctx.IsCancelled(); ++i) {
      all_ok = SplitProduct(ctx, p, OfBatch(p, x, offsets, i)) && all_ok;
    }
    return all_ok;
  }
  std::atomic<bool> ok{true};
  StoppableFor(ctx, batches, Nanoseconds(p, sizeof(T)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (!FinishedProduct(p, OfBatch(p, x, offsets, i), Block{0, p.m, 0, p.n})) {
        ok.store(false, std::memory_order_relaxed);
      }
    }
  });
  return ok.load(std::memory_order_relaxed);
}

template <class T>
Status ManyProducts(const KernelContext& ctx, const GemmProblem& p, int64_t batches,
                    Offsets offsets, const Matrices<T>& x) {
  if constexpr (std::is_same_v<T, float>) {
    if (const DnnlCut cut = DnnlCutOf(p, batches, ctx.width()); cut != DnnlCut::kNone) {
      return DnnlProducts(ctx, cut, p, {batches, offsets, x.a, x.b, x.c, x.epilogue});
    }
  }
  return GeneralProducts(ctx, p, batches, offsets, x) ? OkStatus()
                                                      : Internal("oneDNN refused a matrix product");
}

// 16-bit floats are converted to float and back; the operands' sizes follow from the offsets used.
template <class T>
Status ConvertedProducts(const KernelContext& ctx, const GemmProblem& p, int64_t batches,
                         Offsets offsets, const Matrices<T>& x) {
  int64_t a_size = 0, b_size = 0;
  for (int64_t i = 0; i < batches; ++i) {
    int64_t a, b;
    offsets(i, &a, &b);
    a_size = std::max(a_size, a + p.m * p.k);
    b_size = std::max(b_size, b + p.k * p.n);
  }
  const int64_t c_size = batches * p.m * p.n;
  const std::unique_ptr<float[]> wide(new (std::nothrow) float[a_size + b_size + c_size]);
  if (wide == nullptr) return ResourceExhausted("no memory for operands converted to float");
  float *a = wide.get(), *b = a + a_size, *c = b + b_size;
  for (int64_t i = 0; i < a_size; ++i) a[i] = static_cast<float>(x.a[i]);
  for (int64_t i = 0; i < b_size; ++i) b[i] = static_cast<float>(x.b[i]);
  WB_RETURN_IF_ERROR(ManyProducts(ctx, p, batches, offsets, Matrices<float>{a, b, c}));
  for (int64_t i = 0; i < c_size; ++i) x.c[i] = static_cast<T>(c[i]);
  if (x.epilogue != nullptr) FinishRows(ctx, *x.epilogue, x.c, p.m, p.n, sizeof(T));
  return OkStatus();
}

using ProductTypes =
    TypeList<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
             uint32_t, uint64_t, std::complex<float>, std::complex<double>>;

// An epilogue takes the result of a single product, not of a batch.
Status Products(const KernelContext& ctx, DType dtype, const GemmProblem& p, int64_t batches,
                Offsets offsets, const void* a, const void* b, void* c,
                const ProductEpilogue* epilogue) {
  if (batches == 0 || p.m == 0 || p.n == 0) return OkStatus();
  if (p.k == 0) {
    memset(c, 0, batches * p.m * p.n * DTypeSize(dtype));
    if (epilogue != nullptr) FinishRows(ctx, *epilogue, c, p.m, p.n, DTypeSize(dtype));
    return OkStatus();
  }
  return DispatchTypes(ProductTypes{}, dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const Matrices<T> x{static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                        epilogue};
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return ConvertedProducts(ctx, p, batches, offsets, x);
    } else {
      return ManyProducts(ctx, p, batches, offsets, x);
    }
  });
}

}  // namespace
}  // namespace host_pass

Status BatchGemm(const KernelContext& ctx, DType dtype, const GemmProblem& p, int64_t batches,
                 absl::FunctionRef<void(int64_t batch, int64_t* a, int64_t* b)> offsets,
                 const void* a, const void* b, void* c) {
  return host_pass::Products(ctx, dtype, p, batches, offsets, a, b, c, nullptr);
}

void WarmUpGemm() {
  GemmProblem p;
  p.m = p.n = p.k = 2;  // of one row or column it would be no matrix product
  const float a[4] = {}, b[4] = {};
  float c[4];
  host_pass::Product(p, {a, b, c}, {0, 2, 0, 2});
}

Status Gemm(const KernelContext& ctx, DType dtype, const GemmProblem& problem, const void* a,
            const void* b, void* c, const ProductEpilogue* epilogue) {
  const auto offsets = [](int64_t, int64_t* i, int64_t* j) { *i = *j = 0; };
  return host_pass::Products(ctx, dtype, problem, 1, offsets, a, b, c, epilogue);
}

}  // namespace warpbeam
