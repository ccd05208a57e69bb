#include "ops/nn/norm/batch_norm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ops/launch/dispatch.h"
#include "ops/launch/vec.h"

namespace warpbeam {
namespace host_pass {
namespace {

using V = Vec<float>;
constexpr int64_t kLanes = V::kLanes;
constexpr int64_t kTasks = 32;  // as many parts, at most, are summed up apart

template <class T>
V LoadSome(const T* p, int64_t n) {
  if (HWY_LIKELY(n >= kLanes)) return LoadVec(p);
  return LoadVecN(p, n);
}
template <class T>
void StoreSome(V v, T* p, int64_t n) {
  if (HWY_LIKELY(n >= kLanes)) return StoreVec(v, p);
  StoreVecN(v, p, n);
}

// How the rows are cut: into tasks, and these into blocks that stay in the first-level cache.
struct Cut {
  Cut(int64_t rows, int64_t channels) : rows(rows) {
    constexpr int64_t kBlockElements = 4096;
    block = std::max<int64_t>(1, kBlockElements / std::max<int64_t>(1, channels));
    const int64_t blocks = (rows + block - 1) / block;
    const int64_t blocks_a_task = std::max<int64_t>(1, (blocks + kTasks - 1) / kTasks);
    task = blocks_a_task * block;
    tasks = std::max<int64_t>(1, (rows + task - 1) / task);
  }
  int64_t rows, block, task, tasks;
};

// Mean and summed squared deviation of `n` rows, joined to those of `count` rows before.
void JoinMoments(int64_t channels, int64_t count, double* mean, double* square, int64_t n,
                 const float* block_mean, const float* block_square) {
  const double all = static_cast<double>(count + n), weight = n / all;
  for (int64_t c = 0; c < channels; ++c) {
    const double delta = block_mean[c] - mean[c];
    mean[c] += delta * weight;
    square[c] += block_square[c] + delta * delta * count * weight;
  }
}

template <class T>
void BlockMoments(const T* x, int64_t rows, int64_t channels, float* mean, float* square) {
  for (int64_t c = 0; c < channels; c += kLanes) {
    const int64_t n = channels - c;
    V sum(0);
    for (int64_t r = 0; r < rows; ++r) sum = sum + LoadSome(x + r * channels + c, n);
    const V m = sum / V(static_cast<float>(rows));
    V squares(0);
    for (int64_t r = 0; r < rows; ++r) {
      const V d = LoadSome(x + r * channels + c, n) - m;
      squares = squares + d * d;
    }
    StoreSome(m, mean + c, n);
    StoreSome(squares, square + c, n);
  }
}

template <class T>
void Moments(KernelContext& ctx, const T* x, int64_t rows, int64_t channels, double* partial,
             float* mean, float* variance) {
  const Cut cut(rows, channels);
  ctx.ParallelFor(cut.tasks, cut.task * channels / 4 + 1, [&](int64_t begin, int64_t end) {
    std::vector<float> block(2 * channels);
    for (int64_t t = begin; t < end; ++t) {
      double *m = partial + t * 2 * channels, *s = m + channels;
      std::fill_n(m, 2 * channels, 0.0);
      const int64_t first = t * cut.task, last = std::min(rows, first + cut.task);
      for (int64_t r = first; r < last; r += cut.block) {
        const int64_t n = std::min(cut.block, last - r);
        BlockMoments(x + r * channels, n, channels, block.data(), block.data() + channels);
        JoinMoments(channels, r - first, m, s, n, block.data(), block.data() + channels);
      }
    }
  });
  // The first part takes in the others.
  double *m = partial, *s = partial + channels;
  for (int64_t t = 1; t < cut.tasks; ++t) {
    const double *other = partial + t * 2 * channels, *other_square = other + channels;
    const int64_t count = t * cut.task, n = std::min(rows, count + cut.task) - count;
    const double weight = static_cast<double>(n) / (count + n);
    for (int64_t c = 0; c < channels; ++c) {
      const double delta = other[c] - m[c];
      m[c] += delta * weight;
      s[c] += other_square[c] + delta * delta * count * weight;
    }
  }
  for (int64_t c = 0; c < channels; ++c) {
    mean[c] = static_cast<float>(m[c]);
    variance[c] = static_cast<float>(s[c] / rows);
  }
}

template <class T>
void Scale(KernelContext& ctx, const ChannelRows& s, const T* x, const float* factor,
           const float* shift, T* y) {
  ctx.ParallelFor(s.rows, s.channels / 4 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* from = x + r * s.channels;
      T* to = y + r * s.channels;
      for (int64_t c = 0; c < s.channels; c += kLanes) {
        const int64_t n = s.channels - c;
        StoreSome(LoadSome(from + c, n) * LoadSome(factor + c, n) + LoadSome(shift + c, n), to + c,
                  n);
      }
    }
  });
}

template <class T>
void Sums(KernelContext& ctx, const ChannelRows& s, const T* dy, const T* x, const float* mean,
          double* partial, float* sum_dy, float* sum_dy_x) {
  const int64_t channels = s.channels;
  const Cut cut(s.rows, channels);
  ctx.ParallelFor(cut.tasks, cut.task * channels / 4 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      double *a = partial + t * 2 * channels, *b = a + channels;
      std::fill_n(a, 2 * channels, 0.0);
      const int64_t last = std::min(s.rows, (t + 1) * cut.task);
      for (int64_t r = t * cut.task; r < last; r += cut.block) {
        const int64_t rows = std::min(cut.block, last - r);
        for (int64_t c = 0; c < channels; c += kLanes) {
          const int64_t n = channels - c;
          const V m = LoadSome(mean + c, n);
          V sum(0), product(0);
          for (int64_t i = r; i < r + rows; ++i) {
            const V g = LoadSome(dy + i * channels + c, n);
            sum = sum + g;
            product = product + g * (LoadSome(x + i * channels + c, n) - m);
          }
          float lanes[2][kLanes];
          StoreVec(sum, lanes[0]);
          StoreVec(product, lanes[1]);
          for (int64_t l = 0; l < std::min(n, kLanes); ++l) {
            a[c + l] += lanes[0][l];
            b[c + l] += lanes[1][l];
          }
        }
      }
    }
  });
  for (int64_t c = 0; c < channels; ++c) {
    double a = 0, b = 0;
    for (int64_t t = 0; t < cut.tasks; ++t) {
      a += partial[t * 2 * channels + c];
      b += partial[(t * 2 + 1) * channels + c];
    }
    sum_dy[c] = static_cast<float>(a);
    sum_dy_x[c] = static_cast<float>(b);
  }
}

template <class T>
void Combine(KernelContext& ctx, const ChannelRows& s, const T* dy, const T* x, const float* a,
             const float* b, const float* c, T* dx) {
  ctx.ParallelFor(s.rows, s.channels / 3 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = r * s.channels;
      for (int64_t i = 0; i < s.channels; i += kLanes) {
        const int64_t n = s.channels - i;
        const V g = LoadSome(dy + row + i, n), v = LoadSome(x + row + i, n);
        StoreSome(g * LoadSome(a + i, n) + (v * LoadSome(b + i, n) + LoadSome(c + i, n)),
                  dx + row + i, n);
      }
    }
  });
}

using Types = TypeList<float, Half, BFloat16>;

}  // namespace
}  // namespace host_pass

using host_pass::Cut;
using host_pass::Types;

Status ChannelMoments(KernelContext& ctx, const ChannelRows& s, const void* x, float* mean,
                      float* variance) {
  WB_ASSIGN_OR_RETURN(
      Tensor partial,
      ctx.AllocateTemp(DType::kDouble, Shape({Cut(s.rows, s.channels).tasks, 2, s.channels})));
  return DispatchTypes(Types{}, s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Moments(ctx, static_cast<const T*>(x), s.rows, s.channels, partial.data<double>(),
                       mean, variance);
    return OkStatus();
  });
}

Status Normalize(KernelContext& ctx, const ChannelRows& s, const void* x, const float* factor,
                 const float* shift, void* y) {
  return DispatchTypes(Types{}, s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Scale(ctx, s, static_cast<const T*>(x), factor, shift, static_cast<T*>(y));
    return OkStatus();
  });
}

Status GradientSums(KernelContext& ctx, const ChannelRows& s, const void* dy, const void* x,
                    const float* mean, float* sum_dy, float* sum_dy_x) {
  WB_ASSIGN_OR_RETURN(
      Tensor partial,
      ctx.AllocateTemp(DType::kDouble, Shape({Cut(s.rows, s.channels).tasks, 2, s.channels})));
  return DispatchTypes(Types{}, s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Sums(ctx, s, static_cast<const T*>(dy), static_cast<const T*>(x), mean,
                    partial.data<double>(), sum_dy, sum_dy_x);
    return OkStatus();
  });
}

Status CombineGradient(KernelContext& ctx, const ChannelRows& s, const void* dy, const void* x,
                       const float* a, const float* b, const float* c, void* dx) {
  return DispatchTypes(Types{}, s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    host_pass::Combine(ctx, s, static_cast<const T*>(dy), static_cast<const T*>(x), a, b, c,
                       static_cast<T*>(dx));
    return OkStatus();
  });
}

StatusOr<BatchNormAttrs> ReadBatchNormAttrs(const AttrMap& attrs) {
  BatchNormAttrs a;
  WB_ASSIGN_OR_RETURN(a.epsilon, attrs.Get<float>("epsilon"));
  a.average_factor = attrs.GetOr<float>("exponential_avg_factor", 1.0f);
  a.is_training = attrs.GetOr<bool>("is_training", true);
  WB_ASSIGN_OR_RETURN(a.format, ReadDataFormat(attrs, 2));
  return a;
}

Status CheckBatchNormInputs(const KernelContext& ctx, const BatchNormAttrs& attrs, int* channels) {
  const Shape& shape = ctx.input(0).shape();
  if (shape.rank() != 4 && shape.rank() != 5) {
    return InvalidArgument("the data must have 4 or 5 dimensions, but has shape ",
                           shape.ToString());
  }
  *channels = attrs.format.channels_first ? 1 : shape.rank() - 1;
  static constexpr const char* kNames[] = {"", "scale", "offset", "mean", "variance"};
  for (int i = 1; i < 5; ++i) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 1) {
      return InvalidArgument("'", kNames[i], "' must be a vector, but has shape ",
                             t.shape().ToString());
    }
    // Given moments do not count in training, unless they are mixed in.
    const bool needed = i < 3 || !attrs.is_training || attrs.average_factor != 1;
    if (needed && t.dim(0) != shape.dim(*channels)) {
      return InvalidArgument("'", kNames[i], "' must have one element for each of the ",
                             shape.dim(*channels), " channels, but has ", t.dim(0));
    }
  }
  return OkStatus();
}

Status CheckBatchNormGradInputs(const KernelContext& ctx, const BatchNormAttrs& attrs,
                                int* channels) {
  const Shape &gradient = ctx.input(0).shape(), &shape = ctx.input(1).shape();
  if ((shape.rank() != 4 && shape.rank() != 5) || gradient != shape) {
    return InvalidArgument("the data and its gradient must have one shape with 4 or 5 ",
                           "dimensions, but have ", shape.ToString(), " and ", gradient.ToString());
  }
  *channels = attrs.format.channels_first ? 1 : shape.rank() - 1;
  static constexpr const char* kNames[] = {"scale", "reserve_space_1", "reserve_space_2"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& t = ctx.input(i + 2);
    if (t.rank() != 1 || t.dim(0) != shape.dim(*channels)) {
      return InvalidArgument("'", kNames[i], "' must be a vector of ", shape.dim(*channels),
                             " elements, but has shape ", t.shape().ToString());
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
