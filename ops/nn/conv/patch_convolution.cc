// Convolutions as matrix products: every place of the window is a row of a matrix of patches.

#include <algorithm>
#include <cstring>

#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/gemm.h"
#include "ops/nn/conv/convolution.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam::host_pass {
namespace {

// The places [first, last) of the windows of all images, numbered through, and one group of their
// channels.
struct Patches {
  const ConvGeometry& g;
  int64_t first;
  int64_t last;
  int64_t group;

  int64_t width() const { return g.taps() * g.group_inputs(); }

  // fn(row of the patch matrix, column, offset in the images or -1, how many elements) for all
  // that lies side by side in both, at the places [begin, end).
  template <class Fn>
  void ForEachRun(int64_t begin, int64_t end, Fn fn) const {
    const int64_t channels = g.group_inputs(), pixels = g.output_pixels();
    const bool rows_are_runs = g.groups == 1 && g.dilation[2] == 1;
    for (int64_t place = begin; place < end; ++place) {
      const int64_t image = place / pixels * g.input_pixels();
      const int64_t x = place % g.output[2], y = place / g.output[2] % g.output[1];
      const int64_t z = place % pixels / (g.output[2] * g.output[1]);
      int64_t column = 0;
      for (int64_t i = 0; i < g.filter[0]; ++i) {
        const int64_t iz = z * g.stride[0] - g.before[0] + i * g.dilation[0];
        for (int64_t j = 0; j < g.filter[1]; ++j) {
          const int64_t iy = y * g.stride[1] - g.before[1] + j * g.dilation[1];
          const int64_t ix = x * g.stride[2] - g.before[2];
          const bool has_row = iz >= 0 && iz < g.input[0] && iy >= 0 && iy < g.input[1];
          const int64_t row = image + (iz * g.input[1] + iy) * g.input[2];  // of pixels
          if (rows_are_runs) {
            const int64_t taps = g.filter[2];
            const int64_t from = has_row ? std::clamp<int64_t>(-ix, 0, taps) : taps;
            const int64_t to = has_row ? std::clamp(g.input[2] - ix, from, taps) : taps;
            if (from > 0) fn(place - first, column, int64_t{-1}, from * channels);
            if (from < to) {
              fn(place - first, column + from * channels, (row + ix + from) * channels,
                 (to - from) * channels);
            }
            if (to < taps) {
              fn(place - first, column + to * channels, int64_t{-1}, (taps - to) * channels);
            }
            column += taps * channels;
            continue;
          }
          for (int64_t k = 0; k < g.filter[2]; ++k, column += channels) {
            const int64_t at = ix + k * g.dilation[2];
            const bool inside = has_row && at >= 0 && at < g.input[2];
            fn(place - first, column,
               inside ? (row + at) * g.in_channels + group * channels : int64_t{-1}, channels);
          }
        }
      }
    }
  }
};

template <class T>
void Gather(const KernelContext& ctx, const Patches& p, const T* images, T* matrix) {
  const int64_t width = p.width();
  StoppableFor(ctx, p.last - p.first, width / 8 + 10, [&](int64_t begin, int64_t end) {
    p.ForEachRun(p.first + begin, p.first + end,
                 [&](int64_t row, int64_t column, int64_t offset, int64_t count) {
                   T* to = matrix + row * width + column;
                   if (offset >= 0) {
                     std::copy_n(images + offset, count, to);
                   } else {
                     std::fill_n(to, count, T(0));
                   }
                 });
  });
}

// Places of one image overlap; those of different images do not.
template <class T>
void ScatterAdd(const KernelContext& ctx, const Patches& p, const T* matrix, T* images) {
  const int64_t width = p.width(), pixels = p.g.output_pixels();
  const int64_t first_image = p.first / pixels, last_image = (p.last + pixels - 1) / pixels;
  StoppableFor(
      ctx, last_image - first_image, pixels * (width / 4 + 10), [&](int64_t begin, int64_t end) {
        const int64_t from = std::max(p.first, (first_image + begin) * pixels);
        const int64_t to = std::min(p.last, (first_image + end) * pixels);
        p.ForEachRun(from, to, [&](int64_t row, int64_t column, int64_t offset, int64_t count) {
          if (offset < 0) return;
          const T* patch = matrix + row * width + column;
          T* sum = images + offset;
#pragma GCC ivdep
          for (int64_t c = 0; c < count; ++c) sum[c] = Plus(sum[c], patch[c]);
        });
      });
}

// Rows of `columns` elements between matrices of different row lengths.
template <class T>
void CopyRows(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows,
              int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(from + i * from_stride, columns, to + i * to_stride);
  }
}

// One group's rows and filter lie apart from the others' where there are several: they are brought
// together in memory of our own.
template <class T>
class PatchProduct {
 public:
  PatchProduct(KernelContext& ctx, DType dtype, const ConvGeometry& g)
      : ctx_(ctx), dtype_(dtype), g_(g), grouped_(g.groups > 1) {}

  Status Allocate() {
    // Few products of many rows: the filter is packed anew for each.
    constexpr int64_t kElements = 1 << 20;
    const int64_t width = g_.taps() * g_.group_inputs(), columns = g_.group_outputs();
    places_ = std::clamp<int64_t>(kElements / width, 1, g_.batch * g_.output_pixels());
    WB_ASSIGN_OR_RETURN(patches_, ctx_.AllocateTemp(dtype_, Shape({places_, width})));
    if (!grouped_) return OkStatus();
    WB_ASSIGN_OR_RETURN(rows_, ctx_.AllocateTemp(dtype_, Shape({places_, columns})));
    WB_ASSIGN_OR_RETURN(filter_, ctx_.AllocateTemp(dtype_, Shape({width, columns})));
    return OkStatus();
  }

  Status Forward(const T* input, const T* filter, T* output) {
    return ForEachBlock([&](const Patches& p) -> Status {
      Gather(ctx_, p, input, patches_.data<T>());
      const GemmProblem problem = Problem(p.last - p.first, g_.group_outputs(), p.width());
      T* to = output + RowsOffset(p);
      WB_RETURN_IF_ERROR(Gemm(ctx_, dtype_, problem, patches_.raw_data(), GroupFilter(filter, p),
                              grouped_ ? rows_.data<T>() : to));
      if (grouped_) {
        CopyRows(rows_.data<T>(), problem.n, to, g_.out_channels, problem.m, problem.n);
      }
      return OkStatus();
    });
  }

  Status BackwardInput(const T* dy, const T* filter, T* dx) {
    std::fill_n(dx, g_.input_elements(), T(0));
    return ForEachBlock([&](const Patches& p) -> Status {
      GemmProblem problem = Problem(p.last - p.first, p.width(), g_.group_outputs());
      problem.transpose_b = true;
      WB_RETURN_IF_ERROR(Gemm(ctx_, dtype_, problem, GroupRows(dy, p), GroupFilter(filter, p),
                              patches_.data<T>()));
      ScatterAdd(ctx_, p, patches_.data<T>(), dx);
      return OkStatus();
    });
  }

  Status BackwardFilter(const T* input, const T* dy, T* dfilter) {
    const int64_t columns = g_.group_outputs();
    const bool one_block = places_ == g_.batch * g_.output_pixels();
    if (one_block && !grouped_) {
      return FilterProduct(Patches{g_, 0, places_, 0}, input, dy, dfilter);
    }
    WB_ASSIGN_OR_RETURN(Tensor part,
                        ctx_.AllocateTemp(dtype_, Shape({g_.taps() * g_.group_inputs(), columns})));
    std::fill_n(dfilter, g_.filter_elements(), T(0));
    return ForEachBlock([&](const Patches& p) -> Status {
      WB_RETURN_IF_ERROR(FilterProduct(p, input, dy, part.data<T>()));
      const T* from = part.data<T>();
      for (int64_t row = 0; row < p.width(); ++row, from += columns) {
        T* to = dfilter + row * g_.out_channels + p.group * columns;
        for (int64_t o = 0; o < columns; ++o) to[o] = Plus(to[o], from[o]);
      }
      return OkStatus();
    });
  }

 private:
  static GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
    GemmProblem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    return problem;
  }
  template <class Fn>
  Status ForEachBlock(Fn fn) {
    const int64_t total = g_.batch * g_.output_pixels();
    for (int64_t group = 0; group < g_.groups; ++group) {
      for (int64_t first = 0; first < total; first += places_) {
        WB_RETURN_IF_ERROR(fn(Patches{g_, first, std::min(total, first + places_), group}));
      }
    }
    return OkStatus();
  }
  Status FilterProduct(const Patches& p, const T* input, const T* dy, T* result) {
    Gather(ctx_, p, input, patches_.data<T>());
    GemmProblem problem = Problem(p.width(), g_.group_outputs(), p.last - p.first);
    problem.transpose_a = true;
    return Gemm(ctx_, dtype_, problem, patches_.raw_data(), GroupRows(dy, p), result);
  }
  // Where the group's rows of the output begin.
  int64_t RowsOffset(const Patches& p) const {
    return p.first * g_.out_channels + p.group * g_.group_outputs();
  }
  // The group's part of the output's gradient at these places.
  const T* GroupRows(const T* dy, const Patches& p) {
    if (!grouped_) return dy + RowsOffset(p);
    CopyRows(dy + RowsOffset(p), g_.out_channels, rows_.data<T>(), g_.group_outputs(),
             p.last - p.first, g_.group_outputs());
    return rows_.data<T>();
  }
  const T* GroupFilter(const T* filter, const Patches& p) {
    if (!grouped_) return filter;
    if (packed_group_ != p.group) {
      packed_group_ = p.group;
      CopyRows(filter + p.group * g_.group_outputs(), g_.out_channels, filter_.data<T>(),
               g_.group_outputs(), p.width(), g_.group_outputs());
    }
    return filter_.data<T>();
  }

  KernelContext& ctx_;
  const DType dtype_;
  const ConvGeometry& g_;
  const bool grouped_;
  int64_t places_ = 1;  // of the windows, in a block
  int64_t packed_group_ = -1;
  Tensor patches_, rows_, filter_;
};

}  // namespace
}  // namespace warpbeam::host_pass

namespace warpbeam {

Status PatchConvolution(KernelContext& ctx, ConvPass pass, DType dtype, const ConvGeometry& g,
                        const void* a, const void* b, void* result) {
  return DispatchTypes<float, double, int32_t>(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    host_pass::PatchProduct<T> product(ctx, dtype, g);
    WB_RETURN_IF_ERROR(product.Allocate());
    const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
    T* to = static_cast<T*>(result);
    if (pass == ConvPass::kForward) return product.Forward(x, y, to);
    if (pass == ConvPass::kBackwardInput) return product.BackwardInput(x, y, to);
    return product.BackwardFilter(x, y, to);
  });
}

}  // namespace warpbeam
