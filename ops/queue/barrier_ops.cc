// Barrier, BarrierInsertMany, BarrierTakeMany, BarrierClose, BarrierReadySize,
// BarrierIncompleteSize. Taking waits without a thread; timeout_ms is ignored, as in TensorFlow.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/queue/barrier.h"
#include "ops/queue/named_resource.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {
namespace {

class BarrierKernel final : public NamedResourceKernel<Barrier> {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BarrierKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    return kernel;
  }

 private:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_.types, init.attr<std::vector<DType>>("component_types"));
    WB_ASSIGN_OR_RETURN(spec_.shapes, init.attr<std::vector<PartialShape>>("shapes"));
    WB_ASSIGN_OR_RETURN(const int64_t capacity, init.attr<int64_t>("capacity"));
    if (spec_.shapes.size() != spec_.types.size()) {
      return InvalidArgument("All of the component shapes must be specified: there are ",
                             spec_.types.size(), " components and ", spec_.shapes.size(),
                             " shapes");
    }
    if (capacity != -1) {
      return InvalidArgument("Barrier only accepts capacity=-1. Feed the inputs to your Barrier ",
                             "through a queue to enforce a limited capacity.");
    }
    return InitNames(init, "Barrier");
  }
  StatusOr<std::shared_ptr<Barrier>> Make(const std::string& name) override {
    BarrierSpec spec = spec_;
    spec.name = name;
    return std::make_shared<Barrier>(std::move(spec));
  }
  Status CheckFound(const Barrier& barrier) override {
    const bool same_types = barrier.spec().types == spec_.types;
    if (same_types && barrier.spec().shapes == spec_.shapes) return OkStatus();
    return InvalidArgument("Shared barrier '", barrier.spec().name, "' has component ",
                           same_types ? "shapes" : "types", " other than those requested");
  }

  BarrierSpec spec_;
};

class InsertManyKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<InsertManyKernel>();
    WB_ASSIGN_OR_RETURN(kernel->component_, init.attr<int64_t>("component_index"));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Barrier> barrier, finder_.Find(ctx, 0));
    WB_RETURN_IF_ERROR(barrier->Insert(component_, ctx.input(1), ctx.input(2)));
    if (const auto takings = Takings::Of(ctx.step())) takings->HandOn();
    return OkStatus();
  }

 private:
  ResourceFinder<Barrier> finder_;
  int64_t component_ = 0;
};

// What the values of a component have in common, which is declared or shows in the rows.
StatusOr<Shape> ElementShape(const PartialShape& declared, size_t component,
                             const Barrier::Rows& rows) {
  if (rows.empty()) return declared.AsShape();
  const Shape& first = rows[0].values[component].shape();
  for (const Barrier::Row& row : rows) {
    if (row.values[component].shape() == first) continue;
    return InvalidArgument("component ", component, " has values of different shapes, ",
                           first.ToString(), " and ", row.values[component].shape().ToString(),
                           ", which make no batch");
  }
  return first;
}

Status SetOutputs(KernelContext& ctx, const BarrierSpec& spec, Barrier::Rows rows) {
  const int64_t count = static_cast<int64_t>(rows.size());
  WB_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(DType::kInt64, Shape({count})));
  WB_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(DType::kString, Shape({count})));
  for (int64_t i = 0; i < count; ++i) {
    indices.data<int64_t>()[i] = rows[i].batch;
    keys.data<std::string>()[i] = std::move(rows[i].key);
  }
  ctx.set_output(0, std::move(indices));
  ctx.set_output(1, std::move(keys));
  for (size_t c = 0; c < spec.types.size(); ++c) {
    WB_ASSIGN_OR_RETURN(const Shape element, ElementShape(spec.shapes[c], c, rows));
    WB_ASSIGN_OR_RETURN(const Shape shape, element.Insert(0, count));
    WB_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(spec.types[c], shape));
    const int64_t row = element.num_elements();
    const int64_t bytes = row * static_cast<int64_t>(DTypeSize(spec.types[c]));
    for (int64_t i = 0; i < count; ++i) {
      CopyElements(spec.types[c], values.data<char>() + i * bytes, rows[i].values[c].raw_data(),
                   row);
    }
    ctx.set_output(static_cast<int>(2 + c), std::move(values));
  }
  return OkStatus();
}

class TakeManyKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<TakeManyKernel>();
    WB_ASSIGN_OR_RETURN(kernel->allow_small_batch_, init.attr<bool>("allow_small_batch"));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    Status s = Start(ctx, &done);
    // `done` is gone when the barrier has taken it over.
    if (done) done(std::move(s));
  }

 private:
  Status Start(KernelContext& ctx, Done* done) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Barrier> barrier, finder_.Find(ctx, 0));
    const std::vector<DType>& types = barrier->spec().types;
    bool same = static_cast<int>(types.size()) + 2 == ctx.num_outputs();
    for (int i = 2; same && i < ctx.num_outputs(); ++i) same = types[i - 2] == ctx.output_type(i);
    if (!same) {
      return InvalidArgument("the component types asked for are not those of ",
                             barrier->DebugString());
    }
    if (ctx.input(1).num_elements() != 1) {
      return InvalidArgument("num_elements must be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    const int32_t count = *ctx.input(1).data<int32_t>();
    if (count < 0) return InvalidArgument("num_elements must not be negative: ", count);
    auto rows = std::make_shared<Barrier::Rows>();
    barrier->Take(ctx.step(), count, allow_small_batch_, rows,
                  [&ctx, barrier, rows, done = std::exchange(*done, nullptr)](Status s) {
                    const auto takings = Takings::Of(ctx.step());
                    if (s.ok() && takings != nullptr) {
                      takings->Add([barrier, taken = *rows] { barrier->Return(taken); });
                    }
                    if (s.ok()) s = SetOutputs(ctx, barrier->spec(), std::move(*rows));
                    done(std::move(s));
                  });
    return OkStatus();
  }

  ResourceFinder<Barrier> finder_;
  bool allow_small_batch_ = false;
};

class CloseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CloseKernel>();
    WB_ASSIGN_OR_RETURN(kernel->cancel_, init.attr<bool>("cancel_pending_enqueues"));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Barrier> barrier, finder_.Find(ctx, 0));
    return barrier->Close(cancel_);
  }

 private:
  ResourceFinder<Barrier> finder_;
  bool cancel_ = false;
};

template <bool kReady>
class SizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SizeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Barrier> barrier, finder_.Find(ctx, 0));
    const int64_t size = kReady ? barrier->ready_size() : barrier->incomplete_size();
    ctx.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(size)));
    return OkStatus();
  }

 private:
  ResourceFinder<Barrier> finder_;
};

Status HandleShape(ShapeContext& c) {
  c.set_output(0, PartialShape({2}));
  return OkStatus();
}

Status InsertManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape keys, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(2, 1));
  if (!values.has_rank()) return OkStatus();
  return PartialShape::Merge(keys, PartialShape({values.dim(0)})).status();
}

Status TakeManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Unknown(c);
}

Status HandleOnly(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  return shapes::Scalar(c);
}

WB_OP("Barrier")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(HandleShape);
WB_KERNEL("Barrier", BarrierKernel).Cpu();

constexpr TypeSet kBarrierTypes =
    kNumberTypes | TypeSet{DType::kBool, DType::kString, DType::kResource, DType::kVariant};

WB_OP("BarrierInsertMany")
    .Effect(StateEffect::kFill)
    .Input("handle: Ref(string)")
    .Input("keys: string")
    .Input("values: T")
    .Attr("T: type")
    .Attr("component_index: int")
    .Shape(InsertManyShape);
WB_KERNEL("BarrierInsertMany", InsertManyKernel).Cpu({{"T", kBarrierTypes}});

WB_OP("BarrierTakeMany")
    .Effect(StateEffect::kDrain)
    .Input("handle: Ref(string)")
    .Input("num_elements: int32")
    .Output("indices: int64")
    .Output("keys: string")
    .Output("values: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("allow_small_batch: bool = false")
    .Attr("wait_for_incomplete: bool = false")
    .Attr("timeout_ms: int = -1")
    .Shape(TakeManyShape);
WB_KERNEL("BarrierTakeMany", TakeManyKernel).Cpu().Async();

WB_OP("BarrierClose")
    .Effect(StateEffect::kEnd)
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .Shape(HandleOnly);
WB_KERNEL("BarrierClose", CloseKernel).Cpu();

WB_OP("BarrierReadySize")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Shape(HandleOnly);
WB_KERNEL("BarrierReadySize", SizeKernel<true>).Cpu();

WB_OP("BarrierIncompleteSize")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Shape(HandleOnly);
WB_KERNEL("BarrierIncompleteSize", SizeKernel<false>).Cpu();

}  // namespace
}  // namespace warpbeam
