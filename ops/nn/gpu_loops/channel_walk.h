// ChannelWalk: how the threads of a GPU go through data with channels, each of them staying with
// its channels, so that what belongs to a channel is read once; and sums over all but the channels.
//
// Data is [outer, channels, inner]: NHWC has outer pixels and an inner extent of 1, NCHW has images
// outside and pixels inside. A term says what becomes of the elements:
//
//   template <class T>
//   struct SumTerm {                                   // in namespace warpbeam::WB_PASS
//     using Element = T;
//     using Running = float;                           // what a thread keeps for a channel
//     using Sum = float;                               // what threads hand on
//     const T* x;
//     WB_BLOCK Running Start(int64_t channel) const { return 0; }
//     template <int kWidth>                            // elements at … at + kWidth - 1
//     WB_BLOCK void Take(int64_t at, Running* running) const {
//       const Pack<T, kWidth> v = LoadPack<kWidth>(x + at);
//       for (int i = 0; i < kWidth; ++i) running[i] += float(v.at[i]);
//     }
//     static WB_BLOCK Sum Result(const Running& r) { return r; }
//     static WB_BLOCK Sum Join(Sum a, Sum b) { return a + b; }
//   };
//   struct KeepSum {
//     float* y;
//     WB_BLOCK void operator()(int64_t channel, float sum) const { y[channel] = sum; }
//   };
//   WB_CHANNEL_SUMS(SumTerm<float>, KeepSum);
//   return LaunchChannelSums(ctx, stream, data, wide, SumTerm<float>{x}, KeepSum{y});
//
// Sums are taken in two launches, first of parts, then of the parts' sums, in an order that the
// shape alone decides: equal inputs give equal bits. A term without sums (WB_CHANNEL_TERM) writes
// its results in Take.
//
// Thread safety: pure. Errors: RESOURCE_EXHAUSTED without memory for the parts' sums.
#ifndef WARPBEAM_OPS_NN_GPU_LOOPS_CHANNEL_WALK_H_
#define WARPBEAM_OPS_NN_GPU_LOOPS_CHANNEL_WALK_H_

#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <algorithm>

#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam {

struct ChannelExtents {
  int64_t outer = 1, channels = 1, inner = 1;
};

// `width` elements are one item. An item is a row's, of neighbouring channels, or, without `lanes`,
// of one channel. Blocks take a tile of the channels, or one channel, and a part of its items.
struct ChannelWalk {
  ChannelExtents data;
  int lanes = 0;  // threads along the channels, a power of two
  int64_t tiles = 1;
  int64_t parts = 1;
  int64_t share = 0;  // items, rows of them with lanes, of a part
};

#if WB_HOST_PASS
// Dimension `axis` of the shape is that of the channels.
ChannelExtents ChannelsOf(const Shape& shape, int axis);
// Whether each item can be as wide as kWidest.
bool HasWideItems(const ChannelExtents& data, DType dtype,
                  std::initializer_list<const void*> addresses);
// At most about `blocks` of them; each thread has some items, if there are so many.
ChannelWalk MakeChannelWalk(const ChannelExtents& data, int width, int threads, int64_t blocks);
#endif

}  // namespace warpbeam

namespace warpbeam::WB_PASS {

// The first channel of a thread; none when it is not among the data's.
template <int kWidth>
WB_BLOCK int64_t FirstChannel(const GpuBlock& block, const ChannelWalk& walk, int thread) {
  const int64_t tile = block.index() % walk.tiles;
  if (walk.lanes == 0) return tile;
  return (tile * walk.lanes + (thread & (walk.lanes - 1))) * kWidth;
}

// term.Take for all items of a thread.
template <int kWidth, class Term>
WB_BLOCK void TakeItems(const GpuBlock& block, const ChannelWalk& walk, int thread,
                        const Term& term, typename Term::Running* running) {
  const ChannelExtents& data = walk.data;
  const int64_t channel = FirstChannel<kWidth>(block, walk, thread);
  if (channel >= data.channels) return;
  const bool by_rows = walk.lanes != 0;
  for (int i = 0; i < kWidth; ++i) running[i] = term.Start(by_rows ? channel + i : channel);
  const int64_t run = data.inner / kWidth, all = by_rows ? data.outer : data.outer * run;
  const int64_t begin = block.index() / walk.tiles * walk.share;
  const int64_t end = begin + walk.share < all ? begin + walk.share : all;
  if (by_rows) {
    const int step = block.threads() / walk.lanes;
    for (int64_t r = begin + thread / walk.lanes; r < end; r += step) {
      term.template Take<kWidth>(r * data.channels + channel, running);
    }
    return;
  }
  if (begin + thread >= end) return;
  const int step = block.threads();
  int64_t o = Quotient(begin + thread, run), i = begin + thread - o * run;
  const int64_t step_o = Quotient(step, run), step_i = step - step_o * run;
  for (int64_t item = begin + thread; item < end; item += step) {
    term.template Take<kWidth>((o * data.channels + channel) * data.inner + i * kWidth, running);
    o += step_o;
    i += step_i;
    if (i >= run) {
      i -= run;
      ++o;
    }
  }
}

template <class Term, int kWidth>
struct ChannelTermBlock {
  Term term;
  ChannelWalk walk;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      typename Term::Running running[kWidth];
      TakeItems<kWidth>(block, walk, thread, term, running);
    });
  }
};

template <class Term, int kWidth>
struct ChannelPartsBlock {
  using Sum = typename Term::Sum;
  using Running = typename Term::Running;
  Term term;
  ChannelWalk walk;
  Sum* sums;  // [channels, parts]

  WB_BLOCK void operator()(GpuBlock& block) const {
    walk.lanes == 0 ? OneChannel(block) : Rows(block);
  }

 private:
  WB_BLOCK void OneChannel(GpuBlock& block) const {
    const int64_t channel = block.index() % walk.tiles, part = block.index() / walk.tiles;
    const Sum sum = block.Reduce(
        [&](int thread) {
          Running running[kWidth];
          TakeItems<kWidth>(block, walk, thread, term, running);
          Sum all = Term::Result(running[0]);
          for (int i = 1; i < kWidth; ++i) all = Term::Join(all, Term::Result(running[i]));
          return all;
        },
        [](const Sum& a, const Sum& b) { return Term::Join(a, b); });
    block.ForEach([&](int thread) {
      if (thread == 0) sums[channel * walk.parts + part] = sum;
    });
  }

  // Threads of the same lane stand `lanes` apart and are joined in a tree.
  WB_BLOCK void Rows(GpuBlock& block) const {
    const int threads = block.threads();
    Sum* const shared = block.template Shared<Sum>(threads * kWidth);
    block.ForEach([&](int thread) {
      Running running[kWidth];
      TakeItems<kWidth>(block, walk, thread, term, running);
      if (FirstChannel<kWidth>(block, walk, thread) >= walk.data.channels) return;
      for (int i = 0; i < kWidth; ++i) shared[i * threads + thread] = Term::Result(running[i]);
    });
    for (int half = threads / 2; half >= walk.lanes; half /= 2) {
      block.ForEach([&](int thread) {
        if (thread >= half || FirstChannel<kWidth>(block, walk, thread) >= walk.data.channels) {
          return;
        }
        for (int i = 0; i < kWidth; ++i) {
          Sum* const at = shared + i * threads + thread;
          *at = Term::Join(at[0], at[half]);
        }
      });
    }
    const int64_t part = block.index() / walk.tiles;
    block.ForEach([&](int thread) {
      const int64_t channel = FirstChannel<kWidth>(block, walk, thread);
      if (thread >= walk.lanes || channel >= walk.data.channels) return;
      for (int i = 0; i < kWidth; ++i) {
        sums[(channel + i) * walk.parts + part] = shared[i * threads + thread];
      }
    });
  }
};

// What is to become of the sums: finish(channel, sum).
template <class Term, class Finish>
struct ChannelTotalsBlock {
  using Sum = typename Term::Sum;
  const Sum* sums;
  int64_t channels, parts;
  Finish finish;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t channel = block.index(); channel < channels; channel += block.count()) {
      const Sum* const of_channel = sums + channel * parts;
      // There are at least as many parts as threads, or one thread.
      const Sum total = block.Reduce(
          [&](int thread) {
            Sum sum = of_channel[thread];
            for (int64_t p = thread + block.threads(); p < parts; p += block.threads()) {
              sum = Term::Join(sum, of_channel[p]);
            }
            return sum;
          },
          [](const Sum& a, const Sum& b) { return Term::Join(a, b); });
      block.ForEach([&](int thread) {
        if (thread == 0) finish(channel, total);
      });
    }
  }
};

#define WB_CHANNEL_TERM(...)                         \
  WB_GPU_FUNCTION(ChannelTermBlock<__VA_ARGS__, 1>); \
  WB_GPU_FUNCTION(ChannelTermBlock<__VA_ARGS__, kWidest<__VA_ARGS__::Element>>)
#define WB_CHANNEL_PARTS(...)                         \
  WB_GPU_FUNCTION(ChannelPartsBlock<__VA_ARGS__, 1>); \
  WB_GPU_FUNCTION(ChannelPartsBlock<__VA_ARGS__, kWidest<__VA_ARGS__::Element>>)
#define WB_CHANNEL_SUMS(Term, Finish) \
  WB_CHANNEL_PARTS(Term);             \
  WB_GPU_FUNCTION(ChannelTotalsBlock<Term, Finish>)

#if WB_HOST_PASS

// `wide` is what HasWideItems says of all data that the term reads or writes.
template <class Term>
Status LaunchChannelTerm(GpuStream& stream, const ChannelExtents& data, bool wide,
                         const Term& term) {
  constexpr int kWide = kWidest<typename Term::Element>;
  GpuGrid grid;
  const ChannelWalk walk = MakeChannelWalk(data, wide ? kWide : 1, grid.threads, 132 * 16);
  grid.blocks = walk.tiles * walk.parts;
  if (wide) return Launch(stream, grid, ChannelTermBlock<Term, kWide>{term, walk});
  return Launch(stream, grid, ChannelTermBlock<Term, 1>{term, walk});
}

template <class Term, class Finish>
Status LaunchChannelSums(KernelContext& ctx, GpuStream& stream, const ChannelExtents& data,
                         bool wide, const Term& term, const Finish& finish) {
  using Sum = typename Term::Sum;
  constexpr int kWide = kWidest<typename Term::Element>;
  const int width = wide ? kWide : 1;
  GpuGrid grid;
  const ChannelWalk walk = MakeChannelWalk(data, width, grid.threads, 132 * 4);
  grid.blocks = walk.tiles * walk.parts;
  grid.shared_bytes = walk.lanes == 0 ? 0 : grid.threads * width * sizeof(Sum);
  const auto bytes = static_cast<int64_t>(sizeof(Sum)) * data.channels * walk.parts;
  WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  Sum* const sums = static_cast<Sum*>(memory.raw_data());
  if (wide) {
    WB_RETURN_IF_ERROR(Launch(stream, grid, ChannelPartsBlock<Term, kWide>{term, walk, sums}));
  } else {
    WB_RETURN_IF_ERROR(Launch(stream, grid, ChannelPartsBlock<Term, 1>{term, walk, sums}));
  }
  GpuGrid totals;
  totals.blocks = GpuBlocksFor(data.channels);
  totals.threads = 1;
  while (totals.threads < 256 && 2 * totals.threads <= walk.parts) totals.threads *= 2;
  return Launch(stream, totals,
                ChannelTotalsBlock<Term, Finish>{sums, data.channels, walk.parts, finish});
}

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_NN_GPU_LOOPS_CHANNEL_WALK_H_
