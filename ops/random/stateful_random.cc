// StatefulStandardNormal and …V2, StatefulTruncatedNormal, StatefulUniform, …FullInt, …Int,
// StatefulRandomBinomial, RngSkip, RngReadAndSkip: values whose generator's state is a variable.
//
// The state of Philox is int64: the counter's lower and upper half, then the key. Each value that
// an op makes moves the counter on by a stretch of its own.
#include "ops/random/stateful_random.h"

#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/random/binomial_samples.h"
#include "ops/random/distributions.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/stateless_seed.h"
#include "ops/state/variable_access.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckGeneratorAlgorithm(int64_t algorithm) {
  switch (algorithm) {
    case kAlgorithmPhilox:
    case kAlgorithmAuto:
      return OkStatus();
    case kAlgorithmThreeFry:
      return Unimplemented("no kernel computes the algorithm ThreeFry (2); use Philox (1)");
    default:
      return InvalidArgument("Unsupported algorithm id: ", algorithm);
  }
}

StatusOr<int64_t> ReadGeneratorScalar(const Tensor& t, int input) {
  if (t.rank() != 0) {
    return InvalidArgument("input ", input, " (0-based) must have shape [], not ",
                           t.shape().ToString());
  }
  if (t.dtype() == DType::kUInt64) return static_cast<int64_t>(t.scalar<uint64_t>());
  return ReadIndex(t, "algorithm");
}

Status CheckGeneratorState(const Tensor& state, int64_t least) {
  if (state.dtype() != DType::kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not ",
                           DTypeName(state.dtype()));
  }
  if (state.rank() != 1) {
    return InvalidArgument("RNG state must have one and only one dimension, not ", state.rank());
  }
  if (state.dim(0) < least) {
    return InvalidArgument("For the Philox algorithm, the size of state must be at least ", least,
                           "; got ", state.dim(0));
  }
  return OkStatus();
}

StatusOr<Shape> ReadUniformIntArguments(const KernelContext& ctx) {
  const Tensor &low = ctx.input(3), &high = ctx.input(4);
  for (const Tensor* bound : {&low, &high}) {
    if (bound->rank() != 0) {
      return InvalidArgument(bound == &low ? "minval" : "maxval", " must be 0-D, got shape ",
                             bound->shape().ToString());
    }
  }
  // An empty range is refused even where nothing is drawn from it.
  WB_ASSIGN_OR_RETURN(const int64_t least, ReadIndex(low, "minval"));
  WB_ASSIGN_OR_RETURN(const int64_t most, ReadIndex(high, "maxval"));
  if (least >= most) return InvalidArgument("Need minval < maxval, got ", least, " >= ", most);
  return ReadShape(ctx.input(2), "shape");
}

namespace {

// The generators of a node: their variable, found by its handle.
class GeneratorState {
 public:
  // The stream as it is now; it goes on `values` values later. The first element of the state is
  // the algorithm's number where `tagged`; `before`, if not null, is given the state as it was.
  StatusOr<Philox> Reserve(KernelContext& ctx, uint64_t values, bool tagged = false,
                           Tensor* before = nullptr) {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, finder_.Find(ctx, 0));
    Philox stream(0, 0);
    WB_RETURN_IF_ERROR(ModifyVariable(ctx, *variable, [&](Tensor& state) -> Status {
      WB_RETURN_IF_ERROR(Check(state, tagged));
      int64_t* parts = state.data<int64_t>() + (tagged ? 1 : 0);
      if (before != nullptr) std::copy_n(parts, kStateSize, before->data<int64_t>());
      const auto half = [&](int i, int shift) {
        return static_cast<uint32_t>(static_cast<uint64_t>(parts[i]) >> shift);
      };
      stream =
          Philox({half(2, 0), half(2, 32)}, {half(0, 0), half(0, 32), half(1, 0), half(1, 32)});
      const Philox::Block counter = stream.After(values * kBlocksPerElement).counter();
      parts[0] = static_cast<int64_t>(uint64_t{counter[1]} << 32 | counter[0]);
      parts[1] = static_cast<int64_t>(uint64_t{counter[3]} << 32 | counter[2]);
      return OkStatus();
    }));
    return stream;
  }

 private:
  static Status Check(const Tensor& state, bool tagged) {
    if (!tagged) return CheckGeneratorState(state, kStateSize);
    WB_RETURN_IF_ERROR(CheckGeneratorState(state, 0));
    if (state.dim(0) < 1) return InvalidArgument("Size of tensor must be at least 1");
    WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(state.data<int64_t>()[0]));
    return CheckGeneratorState(state, kStateSize + 1);
  }

  VariableFinder finder_;
};

class GeneratorKernel : public Kernel {
 protected:
  GeneratorState& state() { return state_; }

 private:
  GeneratorState state_;
};

// Inputs: resource, algorithm (where the state has none), shape.
template <Distribution kDistribution, bool kTagged = false>
class FillKernel final : public GeneratorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FillKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    if (!kTagged) {
      WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
      WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(algorithm));
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, ReadShape(ctx.input(kTagged ? 1 : 2), "shape"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(const Philox stream,
                        state().Reserve(ctx, static_cast<uint64_t>(shape.num_elements()), kTagged));
    return FillRandom(ctx, kDistribution, stream, y);
  }
};

class UniformIntKernel final : public GeneratorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UniformIntKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
    WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(algorithm));
    WB_ASSIGN_OR_RETURN(const Shape shape, ReadUniformIntArguments(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(const Philox stream,
                        state().Reserve(ctx, static_cast<uint64_t>(shape.num_elements())));
    return FillRandomInts(ctx, stream, ctx.input(3), ctx.input(4), y);
  }
};

class BinomialKernel final : public GeneratorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<BinomialKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
    WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(algorithm));
    return FillBinomial(ctx, ctx.input(2), ctx.input(3), ctx.input(4),
                        [&](int64_t sets, int64_t samples) {
                          const int64_t reserved = sets * 2 * 100 * (samples + 3) / 4;
                          return state().Reserve(ctx, static_cast<uint64_t>(reserved));
                        });
  }
};

class SkipKernel final : public GeneratorKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SkipKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const int64_t algorithm, ReadGeneratorScalar(ctx.input(1), 1));
    WB_ASSIGN_OR_RETURN(const int64_t values, ReadGeneratorScalar(ctx.input(2), 2));
    WB_RETURN_IF_ERROR(CheckGeneratorAlgorithm(algorithm));
    if (ctx.num_outputs() == 0) {
      return state().Reserve(ctx, static_cast<uint64_t>(values)).status();
    }
    WB_ASSIGN_OR_RETURN(Tensor before, Tensor::Allocate(DType::kInt64, Shape({kStateSize})));
    WB_RETURN_IF_ERROR(
        state().Reserve(ctx, static_cast<uint64_t>(values), false, &before).status());
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, before.shape()));
    std::copy_n(before.data<int64_t>(), kStateSize, y->data<int64_t>());
    return OkStatus();
  }
};

Status ShapeOfInput(ShapeContext& c, int input) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(input));
  c.set_output(0, std::move(shape));
  return OkStatus();
}
Status FirstVersionShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return ShapeOfInput(c, 1);
}
Status StatefulShape(ShapeContext& c) {
  for (int i : {0, 1}) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return ShapeOfInput(c, 2);
}
Status StatefulIntShape(ShapeContext& c) {
  for (int i : {3, 4}) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  return StatefulShape(c);
}
Status SkipShape(ShapeContext& c) {
  for (int i : {0, 1, 2}) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  if (c.num_outputs() > 0) c.set_output(0, PartialShape({kStateSize}));
  return OkStatus();
}

constexpr TypeSet kFullIntTypes = kIndexTypes | TypeSet{DType::kUInt32, DType::kUInt64};

WB_OP("StatefulStandardNormal")
    .Input("resource: resource")
    .Input("shape: shape_dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_FLOAT")
    .Attr("shape_dtype: type = DT_INT64")
    .Stateful()
    .Deprecated(29, "use StatefulStandardNormalV2")
    .Shape(FirstVersionShape);
using TaggedNormalKernel = FillKernel<Distribution::kNormal, /*kTagged=*/true>;
WB_KERNEL("StatefulStandardNormal", TaggedNormalKernel).Cpu({{"dtype", kFloatingTypes}});

#define WB_STATEFUL_OP(op, default_type)    \
  WB_OP(op)                                 \
      .Input("resource: resource")          \
      .Input("algorithm: int64")            \
      .Input("shape: shape_dtype")          \
      .Output("output: dtype")              \
      .Attr("dtype: type = " default_type)  \
      .Attr("shape_dtype: type = DT_INT64") \
      .Stateful()                           \
      .Shape(StatefulShape)
#define WB_STATEFUL_FILL(op, distribution, default_type, types) \
  WB_STATEFUL_OP(op, default_type);                             \
  WB_KERNEL(op, FillKernel<Distribution::distribution>)         \
      .Cpu({{"dtype", types}})                                  \
      .Gpu({{"dtype", types}})                                  \
      .HostMemory({"resource", "algorithm", "shape"})

WB_STATEFUL_FILL("StatefulStandardNormalV2", kNormal, "DT_FLOAT", kFloatingTypes);
WB_STATEFUL_FILL("StatefulTruncatedNormal", kTruncatedNormal, "DT_FLOAT", kFloatingTypes);
WB_STATEFUL_FILL("StatefulUniform", kUniform, "DT_FLOAT", kFloatingTypes);
WB_STATEFUL_FILL("StatefulUniformFullInt", kAllBits, "DT_UINT64", kFullIntTypes);
#undef WB_STATEFUL_FILL
#undef WB_STATEFUL_OP

WB_OP("StatefulUniformInt")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("shape: shape_dtype")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_INT64")
    .Attr("shape_dtype: type = DT_INT64")
    .Stateful()
    .Shape(StatefulIntShape);
WB_KERNEL("StatefulUniformInt", UniformIntKernel)
    .Cpu({{"dtype", kIndexTypes}})
    .Gpu({{"dtype", kIndexTypes}})
    .HostMemory({"resource", "algorithm", "shape", "minval", "maxval"});

WB_OP("StatefulRandomBinomial")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("shape: S")
    .Input("counts: T")
    .Input("probs: T")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Stateful()
    .Shape(StatefulShape);
WB_KERNEL("StatefulRandomBinomial", BinomialKernel)
    .Cpu({{"T", {DType::kHalf, DType::kFloat, DType::kDouble}},
          {"dtype", kIndexTypes | TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}}});

WB_OP("RngSkip")
    .Input("resource: resource")
    .Input("algorithm: int64")
    .Input("delta: int64")
    .Stateful()
    .Shape(SkipShape);
WB_KERNEL("RngSkip", SkipKernel).Cpu().Gpu().HostMemory({"resource", "algorithm", "delta"});

WB_OP("RngReadAndSkip")
    .Input("resource: resource")
    .Input("alg: int32")
    .Input("delta: uint64")
    .Output("value: int64")
    .Stateful()
    .Shape(SkipShape);
WB_KERNEL("RngReadAndSkip", SkipKernel).Cpu().Gpu().HostMemory({"resource", "alg", "delta"});

}  // namespace
}  // namespace warpbeam
