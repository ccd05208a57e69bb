// FusedBlock: a block function that interprets a GpuProgram: chains of elementwise nodes, and
// updates of variables, in one pass over memory.
//
// A thread takes eight elements, two times four neighbours that it reads and writes at once, and
// goes through the steps with them, so that what a step costs besides is shared by all. Values are
// floats in registers: 16-bit floats and bools are only stored as such. Which function a step is
// all threads of a grid agree on, so that choosing one costs branches and no divergence. A block
// reads scalars once.
//
//   GpuProgram program;
//   return Launch(stream, FusedBlock::Grid(program), FusedBlock(program));
//
// On the host a functor computes on a vector where the op's kernel for the CPU does: simulated GPUs
// have the bits that nodes which are not fused have there.
//
// Thread safety: blocks run in any order, side by side. An output may be an operand's memory if no
// later step reads that. Errors: none; programs are checked before.
#ifndef WARPBEAM_OPS_FUSED_FUSED_BLOCK_H_
#define WARPBEAM_OPS_FUSED_FUSED_BLOCK_H_

#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/fused/fused_functions.h"
#include "ops/launch/elementwise_block.h"
#include "ops/launch/index_division.h"
#include "runtime/kernel/gpu_program.h"

// WB_UNROLLED: in front of a loop whose arrays are to be in registers. WB_INLINED: what is called
// would get the program's address, for which each thread would copy the program to memory.
#if WB_HOST_PASS
#define WB_UNROLLED
#define WB_INLINED inline
#else
#define WB_UNROLLED _Pragma("unroll")
#define WB_INLINED __device__ __forceinline__
#endif

namespace warpbeam::WB_PASS {

namespace internal {

inline constexpr int kFusedNeighbours = 4;  // that a thread reads at once
inline constexpr int kFusedReads = 2;       // how often it does so for a pack
inline constexpr int kFusedPack = kFusedNeighbours * kFusedReads;

// What a thread computes with.
struct FusedPack {
  float at[kFusedPack];
};
struct FusedPlace {
  int64_t first;   // element of the first neighbours
  int64_t stride;  // from there to the next
  int64_t count;   // of the tensor
};

template <class T>
WB_BLOCK void ReadPack(const void* tensor, const FusedPlace& place, FusedPack* x) {
  using Neighbours = ElementPack<T, kFusedNeighbours>;
  const T* const from = static_cast<const T*>(tensor);
  const bool aligned = reinterpret_cast<uintptr_t>(from) % sizeof(Neighbours) == 0;
  for (int r = 0; r < kFusedReads; ++r) {
    const int64_t i = place.first + r * place.stride;
    float* const to = x->at + r * kFusedNeighbours;
    if (aligned && i + kFusedNeighbours <= place.count) {
      const Neighbours read = *reinterpret_cast<const Neighbours*>(from + i);
      for (int k = 0; k < kFusedNeighbours; ++k) to[k] = static_cast<float>(read.at[k]);
    } else {
      for (int k = 0; k < kFusedNeighbours; ++k) {
        to[k] = i + k < place.count ? static_cast<float>(from[i + k]) : 0.0f;
      }
    }
  }
}

struct FusedRepetition {
  IndexDivision by_run, by_period;
  uint32_t period = 1;
  WB_HD uint32_t Place(uint32_t i) const {
    const uint32_t run = by_run.Quotient(i);
    return run - by_period.Quotient(run) * period;
  }
};

// Behind the program's last element the operand begins again: nothing else is read there.
template <class T>
WB_BLOCK void ReadRepeated(const void* tensor, const FusedPlace& place,
                           const FusedRepetition& repetition, FusedPack* x) {
  const T* const from = static_cast<const T*>(tensor);
  for (int r = 0; r < kFusedReads; ++r) {
    const auto first = static_cast<uint32_t>(place.first + r * place.stride);
    float* const to = x->at + r * kFusedNeighbours;
    for (int k = 0; k < kFusedNeighbours; ++k) {
      to[k] = static_cast<float>(from[repetition.Place(first + static_cast<uint32_t>(k))]);
    }
  }
}

// In one piece, which nvcc has to be told: it would find that the same elements are stored one by
// one at the end of a tensor, and would do that everywhere.
template <class T>
WB_BLOCK void StoreNeighbours(const ElementPack<T, kFusedNeighbours>& neighbours, T* to) {
#if WB_HOST_PASS
  memcpy(to, &neighbours, sizeof(neighbours));
#else
  using Word = std::conditional_t<sizeof(T) == 4, uint4,
                                  std::conditional_t<sizeof(T) == 2, uint2, unsigned> >;
  static_assert(sizeof(Word) == sizeof(neighbours));
  Word word;
  memcpy(&word, &neighbours, sizeof(word));
  __stwb(reinterpret_cast<Word*>(to), word);
#endif
}

// The values are of the type already.
template <class T>
WB_BLOCK void WritePack(void* tensor, const FusedPlace& place, const FusedPack& x) {
  using Neighbours = ElementPack<T, kFusedNeighbours>;
  T* const to = static_cast<T*>(tensor);
  const bool aligned = reinterpret_cast<uintptr_t>(to) % sizeof(Neighbours) == 0;
  for (int r = 0; r < kFusedReads; ++r) {
    const int64_t i = place.first + r * place.stride;
    const float* const from = x.at + r * kFusedNeighbours;
    if (aligned && i + kFusedNeighbours <= place.count) {
      Neighbours written;
      for (int k = 0; k < kFusedNeighbours; ++k) written.at[k] = static_cast<T>(from[k]);
      StoreNeighbours(written, to + i);
    } else {
      for (int k = 0; k < kFusedNeighbours; ++k) {
        if (i + k < place.count) to[i + k] = static_cast<T>(from[k]);
      }
    }
  }
}

// Calls fn(TypeTag<T>()) for the type that values are stored in.
template <class Fn>
WB_BLOCK void WithStoredType(DType dtype, const Fn& fn) {
  switch (dtype) {
    case DType::kFloat:
      return fn(TypeTag<float>());
    case DType::kHalf:
      return fn(TypeTag<Half>());
    case DType::kBFloat16:
      return fn(TypeTag<BFloat16>());
    default:
      return fn(TypeTag<bool>());
  }
}

template <class T>
WB_BLOCK void RoundPack(FusedPack* x) {
  for (float& value : x->at) value = static_cast<float>(static_cast<T>(value));
}

// Functions that take long are there once, in a loop whose elements take turns at one place.
template <class Fn>
inline constexpr bool kTakesTurns = kCost<Fn> >= 1500;

WB_BLOCK inline float Turn(FusedPack* x) {
  const float first = x->at[0];
  for (int k = 0; k + 1 < kFusedPack; ++k) x->at[k] = x->at[k + 1];
  x->at[kFusedPack - 1] = first;
  return first;
}

template <FusedKind kind, class Fn>
WB_BLOCK float ApplyFused(const Fn& fn, float x) {
  if constexpr (kind == FusedKind::kLogic) {
    return static_cast<float>(fn(x != 0));
  } else {
    return static_cast<float>(fn(x));
  }
}
template <FusedKind kind, class Fn>
WB_BLOCK float ApplyFused(const Fn& fn, float x, float y) {
  bool unused = false;
  if constexpr (kind == FusedKind::kLogic) {
    return static_cast<float>(fn(x != 0, y != 0));
  } else {
    return static_cast<float>(Call(fn, unused, x, y));
  }
}
template <FusedKind kind, class Fn>
WB_BLOCK float ApplyFused(const Fn& fn, float x, float y, float z) {
  if constexpr (kind == FusedKind::kChoice) {
    return fn(x != 0, y, z);
  } else {
    return fn(x, y, z);
  }
}

}  // namespace internal

struct FusedBlock {
  GpuProgram program;
  internal::FusedRepetition repetitions[GpuProgram::kMostRepetitions];
  uint8_t follow_ups[GpuProgram::kMostSteps];

  explicit FusedBlock(const GpuProgram& from) : program(from) {
    for (int i = 0; i < GpuProgram::kMostRepetitions; ++i) {
      const GpuProgram::Repetition& repetition = program.repetitions[i];
      repetitions[i] = {IndexDivision(repetition.run), IndexDivision(repetition.period),
                        repetition.period};
    }
    for (int s = 0; s < GpuProgram::kMostSteps; ++s) follow_ups[s] = FollowUpOf(program.steps[s]);
  }

  static GpuGrid Grid(const GpuProgram& program) {
    GpuGrid grid;
    grid.threads = 128;
    const int64_t span = int64_t{grid.threads} * internal::kFusedPack;
    grid.blocks = GpuBlocksFor((program.count + span - 1) / span);
    grid.shared_bytes = sizeof(Kept) * kReads *
                        (GpuProgram::kMostOperands + static_cast<size_t>(program.num_temporaries) *
                                                         static_cast<size_t>(grid.threads));
    return grid;
  }

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int threads = block.threads();
    const Shared shared = {block.Shared<Kept>(GpuProgram::kMostOperands * kReads),
                           block.Shared<Kept>(program.num_temporaries * kReads * threads), threads};
    block.ForEach([&](int thread) {
      for (int o = thread; o < GpuProgram::kMostOperands; o += threads) {
        const Operand& operand = program.operands[o];
        if (operand.source == Source::kScalar) KeepScalar(ReadScalar(operand), o, shared);
      }
    });
    block.ForEach([&](int thread) {
      const int64_t span = int64_t{threads} * internal::kFusedPack;
      Shared own = shared;
      own.kept += thread;
      for (int64_t at = block.index() * span; at < program.count; at += block.count() * span) {
        RunSteps({at + thread * kNeighbours, int64_t{threads} * kNeighbours, program.count}, own);
      }
    });
  }

 private:
  using Pack = internal::FusedPack;
  using Place = internal::FusedPlace;
  using Source = GpuProgram::Source;
  using Step = GpuProgram::Step;
  using Operand = GpuProgram::Operand;
  static constexpr int kNeighbours = internal::kFusedNeighbours;
  static constexpr int kReads = internal::kFusedReads;
  // Of a temporary: what a thread writes at once lies beside what its neighbours write.
  struct alignas(16) Kept {
    float at[kNeighbours];
  };
  // What is read again in each step.
  struct Shared {
    Kept* scalars;  // by operand: a pack of its value
    Kept* kept;     // temporaries
    int threads;
  };

  // What is to be done with a step's result besides handing it on.
  static constexpr uint8_t kRounds = 1, kWrites = 2, kKeeps = 4;
  static uint8_t FollowUpOf(const Step& step) {
    return static_cast<uint8_t>((DTypeSize(step.dtype) == 2 ? kRounds : 0) |
                                (step.output != nullptr ? kWrites : 0) |
                                (step.temporary >= 0 ? kKeeps : 0));
  }

  // The first operand is read to where the result will be, which mostly is where it is already.
  WB_INLINED void RunSteps(const Place& place, const Shared& shared) const {
    Pack x = {};
    for (int s = 0; s < program.num_steps; ++s) {
      const Step& step = program.steps[s];
      const int first = step.first_operand;
      if (step.num_variables > 0) {
        Pack gradient = x;
        Fetch(first + step.num_variables, place, shared, x, &gradient);
        RunUpdate(step, place, shared, gradient);
        continue;
      }
      Pack y, z;
      if (step.num_operands > 1) {
        Fetch(first + 1, place, shared, x, &y);
        if (step.num_operands > 2) Fetch(first + 2, place, shared, x, &z);
      }
      if (program.operands[first].source != Source::kPrevious) Fetch(first, place, shared, x, &x);
      RunFunction(step, y, z, &x);
      if (follow_ups[s] != 0) FollowUp(step, follow_ups[s], place, shared, &x);
    }
  }

  WB_INLINED static void FollowUp(const Step& step, uint8_t follow_up, const Place& place,
                                  const Shared& shared, Pack* x) {
    internal::WithStoredType(step.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (sizeof(T) == 2) internal::RoundPack<T>(x);
      if ((follow_up & kWrites) != 0) internal::WritePack<T>(step.output, place, *x);
    });
    if ((follow_up & kKeeps) != 0) Keep(*x, step.temporary, shared);
  }

  WB_INLINED static void Keep(const Pack& x, int temporary, const Shared& shared) {
    for (int r = 0; r < kReads; ++r) {
      Kept own;
      for (int k = 0; k < kNeighbours; ++k) own.at[k] = x.at[r * kNeighbours + k];
      shared.kept[(temporary * kReads + r) * shared.threads] = own;
    }
  }

  // Read again in one piece, as a temporary is.
  WB_INLINED static void KeepScalar(float value, int operand, const Shared& shared) {
    for (int r = 0; r < kReads; ++r) {
      for (float& element : shared.scalars[operand * kReads + r].at) element = value;
    }
  }

  WB_INLINED static float ReadScalar(const Operand& from) {
    float value = 0;
    internal::WithStoredType(from.dtype, [&](auto tag) {
      value = static_cast<float>(*static_cast<const typename decltype(tag)::type*>(from.at));
    });
    return value;
  }

  WB_INLINED void Fetch(int operand, const Place& place, const Shared& shared, const Pack& previous,
                        Pack* x) const {
    const Operand& from = program.operands[operand];
    if (from.source == Source::kTensor) {
      internal::WithStoredType(from.dtype, [&](auto tag) {
        internal::ReadPack<typename decltype(tag)::type>(from.at, place, x);
      });
    } else if (from.source == Source::kScalar) {
      for (int r = 0; r < kReads; ++r) {
        const Kept own = shared.scalars[operand * kReads + r];
        for (int k = 0; k < kNeighbours; ++k) x->at[r * kNeighbours + k] = own.at[k];
      }
    } else if (from.source == Source::kTemporary) {
      for (int r = 0; r < kReads; ++r) {
        const Kept own = shared.kept[(from.number * kReads + r) * shared.threads];
        for (int k = 0; k < kNeighbours; ++k) x->at[r * kNeighbours + k] = own.at[k];
      }
    } else if (from.source == Source::kRepeated) {
      internal::WithStoredType(from.dtype, [&](auto tag) {
        internal::ReadRepeated<typename decltype(tag)::type>(from.at, place,
                                                             repetitions[from.number], x);
      });
    } else if (x != &previous) {
      *x = previous;
    }
  }

  WB_INLINED static void RunFunction(const Step& step, Pack& y, Pack& z, Pack* x) {
    switch (step.function) {
#define WB_FUNCTION(kind, Fn, inputs, ops) \
  case k##Fn:                              \
    return Apply##inputs<FusedKind::kind, Fn>(step, x, &y, &z);
      WB_FUSED_FUNCTIONS(WB_FUNCTION)
#undef WB_FUNCTION
      default:
        return;
    }
  }

  template <FusedKind kind, class Fn>
  WB_INLINED static void Apply1(const Step& step, Pack* x, Pack*, Pack*) {
    Apply<kind, Fn>(step, x);
  }
  template <FusedKind kind, class Fn>
  WB_INLINED static void Apply2(const Step& step, Pack* x, Pack* y, Pack*) {
    Apply<kind, Fn>(step, x, y);
  }
  template <FusedKind kind, class Fn>
  WB_INLINED static void Apply3(const Step& step, Pack* x, Pack* y, Pack* z) {
    Apply<kind, Fn>(step, x, y, z);
  }
  // In the place of x; `more` are the other operands.
  template <FusedKind kind, class Fn, class... More>
  WB_INLINED static void Apply(const Step& step, Pack* x, More*... more) {
    Fn fn;
    if constexpr (!std::is_empty_v<Fn>) fn = *reinterpret_cast<const Fn*>(step.state);
#if WB_HOST_PASS
    if constexpr (kind == FusedKind::kNumbers && sizeof...(More) <= 1 &&
                  internal::kVectorized<Fn>) {
      constexpr int kLanes = Vec<float>::kLanes;
      static_assert(internal::kFusedPack % kLanes == 0);
      bool unused = false;
      for (int k = 0; k < internal::kFusedPack; k += kLanes) {
        StoreVec(internal::Call(fn, unused, LoadVec(x->at + k), LoadVec(more->at + k)...),
                 x->at + k);
      }
      return;
    }
#endif
    if constexpr (internal::kTakesTurns<Fn>) {
      WB_ROLLED
      for (int k = 0; k < internal::kFusedPack; ++k) {
        x->at[0] = internal::ApplyFused<kind>(fn, x->at[0], internal::Turn(more)...);
        internal::Turn(x);
      }
    } else {
      for (int k = 0; k < internal::kFusedPack; ++k) {
        x->at[k] = internal::ApplyFused<kind>(fn, x->at[k], more->at[k]...);
      }
    }
  }

  WB_INLINED void RunUpdate(const Step& step, const Place& place, const Shared& shared,
                            const Pack& gradient) const {
    Pack values[kMostVariables] = {};
    const DType dtype = program.operands[step.first_operand].dtype;
    WB_UNROLLED
    for (int v = 0; v < kMostVariables; ++v) {  // a constant, so that they get registers
      if (v >= step.num_variables) break;
      internal::WithStoredType(dtype, [&](auto tag) {
        internal::ReadPack<typename decltype(tag)::type>(
            program.operands[step.first_operand + v].at, place, &values[v]);
      });
    }
    RunRule(step, shared, gradient, values);
    WB_UNROLLED
    for (int v = 0; v < kMostVariables; ++v) {
      if (v >= step.num_variables) break;
      internal::WithStoredType(dtype, [&](auto tag) {
        internal::WritePack<typename decltype(tag)::type>(
            program.operands[step.first_operand + step.num_operands + v].at, place, values[v]);
      });
    }
  }

  WB_INLINED static void RunRule(const Step& step, const Shared& shared, const Pack& gradient,
                                 Pack (&values)[kMostVariables]) {
    UpdateScalars<float> scalars;
    scalars.flag = step.state[0] != 0;
    for (int i = 0; i < kMostScalars; ++i) {
      const int at = step.num_variables + 1 + i;
      if (at >= step.num_operands) break;
      scalars.values[i] = shared.scalars[(step.first_operand + at) * kReads].at[0];
    }
    switch (step.function) {
#define WB_UPDATE(Rule, ops) \
  case k##Rule:              \
    return Update(Rule<float>(scalars), gradient, values);
      WB_FUSED_UPDATES(WB_UPDATE)
#undef WB_UPDATE
      default:
        return;
    }
  }

  template <class Rule>
  WB_INLINED static void Update(const Rule& rule, Pack gradient, Pack (&values)[kMostVariables]) {
    WB_ROLLED
    for (int k = 0; k < internal::kFusedPack; ++k) {
      float s[Rule::kVariables];
      for (int v = 0; v < Rule::kVariables; ++v) s[v] = values[v].at[0];
      rule(s, internal::Turn(&gradient));
      for (int v = 0; v < Rule::kVariables; ++v) {
        values[v].at[0] = s[v];
        internal::Turn(&values[v]);
      }
    }
  }
};

}  // namespace warpbeam::WB_PASS

#undef WB_ROLLED
#undef WB_UNROLLED
#undef WB_INLINED

#endif  // WARPBEAM_OPS_FUSED_FUSED_BLOCK_H_
