#include "ops/linalg/gpu_matrix_copy.h"

#include <limits>

#include "ops/launch/complex_number.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include "ops/launch/dispatch.h"
#include "ops/linalg/eigen_matrix.h"
#endif

namespace warpbeam::WB_PASS {

template <class R>
WB_HD inline bool HasFiniteParts(R x) {
  if constexpr (kIsComplex<R>) {
    return HasFiniteParts(x.real()) && HasFiniteParts(x.imag());
  } else {
    return Abs(x) <= std::numeric_limits<R>::max();
  }
}
template <class T>
struct RealPart {
  using type = T;
};
template <class R>
struct RealPart<ComplexNumber<R>> {
  using type = R;
};

// One matrix of a copy.
template <class T>
struct CopiedMatrix {
  const T* from;
  T* to;
  int64_t rows, columns;
  bool transpose, conjugate, lower;

  WB_BLOCK bool Reads(int64_t row, int64_t column) const { return !lower || column <= row; }
  // The element that stands at `i` in the copy.
  WB_BLOCK T At(int64_t i) const {
    const int64_t row = transpose ? i % rows : i / columns;
    const int64_t column = transpose ? i / rows : i % columns;
    if (!Reads(row, column)) return T(0);
    const T x = from[row * columns + column];
    return conjugate ? Conj(x) : x;
  }
};

template <class T>
WB_HD CopiedMatrix<T> MatrixOf(const MatrixCopy& copy, int64_t index) {
  const int64_t at = index * copy.rows * copy.columns;
  return {static_cast<const T*>(copy.from) + at,
          static_cast<T*>(copy.to) + at,
          copy.rows,
          copy.columns,
          copy.transpose,
          copy.conjugate,
          copy.lower};
}

WB_HD inline bool HasFailed(const int32_t* failed, int64_t index) {
  return failed != nullptr && failed[index] != 0;
}

template <class T>
struct CopyMatricesBlock {
  MatrixCopy copy;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t size = copy.rows * copy.columns;
    ForEachElement(block, copy.count * size, [&](int64_t i) {
      const int64_t index = i / size;
      const CopiedMatrix<T> matrix = MatrixOf<T>(copy, index);
      const int64_t at = i - index * size;
      T x = matrix.At(at);
      if (HasFailed(copy.failed, index) || HasFailed(copy.also_failed, index)) {
        // What is above the diagonal stays zero.
        const bool is_zero = copy.lower && at % copy.columns > at / copy.columns;
        if (!is_zero) x = T(std::numeric_limits<typename RealPart<T>::type>::quiet_NaN());
      }
      matrix.to[at] = x;
    });
  }
};
WB_GPU_FUNCTION(CopyMatricesBlock<float>);
WB_GPU_FUNCTION(CopyMatricesBlock<double>);
WB_GPU_FUNCTION(CopyMatricesBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(CopyMatricesBlock<ComplexNumber<double>>);

// A block for each matrix, which is looked at first.
template <class T>
struct CopyFiniteBlock {
  MatrixCopy copy;
  int32_t* not_finite;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t size = copy.rows * copy.columns;
    for (int64_t index = block.index(); index < copy.count; index += block.count()) {
      const CopiedMatrix<T> matrix = MatrixOf<T>(copy, index);
      const bool is_finite = block.Reduce(
          [&](int thread) {
            bool all = true;
            for (int64_t i = thread; i < size; i += block.threads()) {
              if (!HasFiniteParts(matrix.At(i))) all = false;
            }
            return all;
          },
          [](bool a, bool b) { return a && b; });
      block.ForEach([&](int thread) {
        if (thread == 0) not_finite[index] = is_finite ? 0 : 1;
        for (int64_t i = thread; i < size; i += block.threads()) {
          matrix.to[i] = is_finite ? matrix.At(i) : T(0);
        }
      });
    }
  }
};
WB_GPU_FUNCTION(CopyFiniteBlock<float>);
WB_GPU_FUNCTION(CopyFiniteBlock<double>);
WB_GPU_FUNCTION(CopyFiniteBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(CopyFiniteBlock<ComplexNumber<double>>);

template <class T>
struct IdentityMatricesBlock {
  T* to;
  int64_t count, rows, columns;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t size = rows * columns;
    ForEachElement(block, count * size, [&](int64_t i) {
      const int64_t at = i % size;
      to[i] = T(at / columns == at % columns ? 1 : 0);
    });
  }
};
WB_GPU_FUNCTION(IdentityMatricesBlock<float>);
WB_GPU_FUNCTION(IdentityMatricesBlock<double>);
WB_GPU_FUNCTION(IdentityMatricesBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(IdentityMatricesBlock<ComplexNumber<double>>);

template <class T>
struct FromRealBlock {
  const typename RealPart<T>::type* from;
  T* to;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { to[i] = T(from[i]); });
  }
};
WB_GPU_FUNCTION(FromRealBlock<float>);
WB_GPU_FUNCTION(FromRealBlock<double>);
WB_GPU_FUNCTION(FromRealBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(FromRealBlock<ComplexNumber<double>>);

// One block.
struct FirstFailedBlock {
  const int32_t* failed;
  const int32_t* also_failed;
  int64_t count;
  int64_t* first;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t least = block.Reduce(
        [&](int thread) {
          for (int64_t i = thread; i < count; i += block.threads()) {
            if (HasFailed(failed, i) || HasFailed(also_failed, i)) return i;
          }
          return count;
        },
        [](int64_t a, int64_t b) { return a < b ? a : b; });
    block.ForEach([&](int thread) {
      if (thread == 0) *first = least;
    });
  }
};
WB_GPU_FUNCTION(FirstFailedBlock);

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS

namespace warpbeam {

Status EnqueueCopy(GpuStream& stream, DType dtype, const MatrixCopy& copy) {
  return DispatchTypes(FieldTypes{}, dtype, [&](auto tag) {
    using T = host_pass::GpuElement<typename decltype(tag)::type>;
    return host_pass::Launch(stream, ElementGrid(copy.count * copy.rows * copy.columns),
                             host_pass::CopyMatricesBlock<T>{copy});
  });
}

Status EnqueueFiniteCopy(GpuStream& stream, DType dtype, const MatrixCopy& copy,
                         int32_t* not_finite) {
  return DispatchTypes(FieldTypes{}, dtype, [&](auto tag) {
    using T = host_pass::GpuElement<typename decltype(tag)::type>;
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(copy.count);
    return host_pass::Launch(stream, grid, host_pass::CopyFiniteBlock<T>{copy, not_finite});
  });
}

Status EnqueueIdentity(GpuStream& stream, DType dtype, const MatrixBatch& batch, void* to) {
  return DispatchTypes(FieldTypes{}, dtype, [&](auto tag) {
    using T = host_pass::GpuElement<typename decltype(tag)::type>;
    return host_pass::Launch(stream, ElementGrid(batch.count * batch.size()),
                             host_pass::IdentityMatricesBlock<T>{static_cast<T*>(to), batch.count,
                                                                 batch.rows, batch.cols});
  });
}

Status EnqueueFromReal(GpuStream& stream, DType dtype, int64_t count, const void* from, void* to) {
  return DispatchTypes(FieldTypes{}, dtype, [&](auto tag) {
    using T = host_pass::GpuElement<typename decltype(tag)::type>;
    using R = typename host_pass::RealPart<T>::type;
    return host_pass::Launch(
        stream, ElementGrid(count),
        host_pass::FromRealBlock<T>{static_cast<const R*>(from), static_cast<T*>(to), count});
  });
}

StatusOr<int64_t> FirstFailed(KernelContext& ctx, ReadableGpuStream& stream, int64_t count,
                              const int32_t* failed, const int32_t* also_failed) {
  WB_ASSIGN_OR_RETURN(Tensor first, ctx.AllocateTemp(DType::kInt64, Shape({1})));
  WB_RETURN_IF_ERROR(host_pass::Launch(
      stream, GpuGrid(),
      host_pass::FirstFailedBlock{failed, also_failed, count, first.data<int64_t>()}));
  int64_t index = 0;
  WB_RETURN_IF_ERROR(stream.Read(first.data<int64_t>(), 1, &index));
  return index;
}

bool HasMatrixCopies() { return host_pass::HasGpuFunction<host_pass::CopyMatricesBlock<float>>(); }

}  // namespace warpbeam

#endif
