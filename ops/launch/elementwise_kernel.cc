#include "ops/launch/elementwise_kernel.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "ops/launch/gpu_launch.h"
#include "runtime/device/device.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/gpu_program.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Work is handed out in blocks, which keeps pieces a multiple of the vector length.
constexpr int64_t kBlock = 1024;
// Less than this is not worth a second thread, nor asking for one.
constexpr int64_t kSerialPicoseconds = 20'000'000;
// Rows shorter than this are expanded into blocks instead of being computed one by one.
constexpr int64_t kMinRow = 24;

// An input or the result: what a loop has to know of a tensor, which may have been let go when the
// loop runs.
struct Operand {
  Operand() = default;
  explicit Operand(const Tensor& t) : data(const_cast<void*>(t.raw_data())), dtype(t.dtype()) {}
  char* At(int64_t element) const {
    return static_cast<char*>(data) + element * static_cast<int64_t>(DTypeSize(dtype));
  }

  void* data = nullptr;
  DType dtype = DType::kInvalid;
};

// The rows of a broadcast (runs of the last dimension), one after another.
class RowCursor {
 public:
  RowCursor(const Broadcast& plan, int64_t row) : plan_(plan) {
    for (int i = 0; i < Broadcast::kMaxInputs; ++i) offsets_[i] = 0;
    for (int d = plan.rank - 2; d >= 0; --d) {
      index_[d] = row % plan.dims[d];
      row /= plan.dims[d];
      for (int i = 0; i < plan.num_inputs; ++i) offsets_[i] += index_[d] * plan.strides[i][d];
    }
  }
  int64_t offset(int input) const { return offsets_[input]; }
  void Next() {
    for (int d = plan_.rank - 2; d >= 0; --d) {
      for (int i = 0; i < plan_.num_inputs; ++i) offsets_[i] += plan_.strides[i][d];
      if (++index_[d] < plan_.dims[d]) return;
      for (int i = 0; i < plan_.num_inputs; ++i) {
        offsets_[i] -= plan_.dims[d] * plan_.strides[i][d];
      }
      index_[d] = 0;
    }
  }

 private:
  const Broadcast& plan_;
  int64_t index_[Broadcast::kMaxDims];
  int64_t offsets_[Broadcast::kMaxInputs];
};

// Whether an input's elements stand in the order of the result's.
bool IsContiguous(const Broadcast& plan, int input) {
  int64_t expected = 1;
  for (int d = plan.rank - 1; d >= 0; --d) {
    if (plan.strides[input][d] != expected) return false;
    expected *= plan.dims[d];
  }
  return true;
}

template <typename T>
void ExpandAs(const Broadcast& plan, int input, const void* from, int64_t begin, int64_t end,
              void* to) {
  const T* source = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  const int64_t inner = plan.inner(), step = plan.strides[input][plan.rank - 1];
  RowCursor row(plan, begin / inner);
  int64_t column = begin % inner;
  while (begin < end) {
    const int64_t stop = std::min(inner, column + end - begin);
    const T* p = source + row.offset(input);
    begin += stop - column;
    for (; column < stop; ++column) *out++ = p[column * step];
    column = 0;
    row.Next();
  }
}

struct Word16 {
  uint64_t word[2];
};

// Writes an input's elements for the result's elements [begin, end) one after another.
void Expand(const Broadcast& plan, int input, const Operand& from, int64_t begin, int64_t end,
            void* to) {
  switch (DTypeSize(from.dtype)) {
    case 1:
      return ExpandAs<uint8_t>(plan, input, from.data, begin, end, to);
    case 2:
      return ExpandAs<uint16_t>(plan, input, from.data, begin, end, to);
    case 4:
      return ExpandAs<uint32_t>(plan, input, from.data, begin, end, to);
    case 8:
      return ExpandAs<uint64_t>(plan, input, from.data, begin, end, to);
    default:
      return ExpandAs<Word16>(plan, input, from.data, begin, end, to);
  }
}

// One call of RunElementwise: what its pieces share.
struct Run {
  const ElementwiseSpec& spec;
  const Broadcast* plan;  // null: all inputs like the output
  Operand inputs[Broadcast::kMaxInputs];
  Operand output;
  std::atomic<bool> ok{true};

  Run(const ElementwiseSpec& spec, const Broadcast* plan, const Tensor* const* tensors,
      const Tensor& result)
      : spec(spec), plan(plan), output(result) {
    for (int i = 0; i < spec.num_inputs; ++i) inputs[i] = Operand(*tensors[i]);
  }

  void Note(bool fine) {
    if (!fine) ok.store(false, std::memory_order_relaxed);
  }

  void Flat(int64_t begin, int64_t end, unsigned scalars) {
    const void* in[Broadcast::kMaxInputs];
    for (int i = 0; i < spec.num_inputs; ++i) {
      in[i] = inputs[i].At(((scalars >> i) & 1) != 0 ? 0 : begin);
    }
    Note(spec.loop(spec.functor, in, scalars, output.At(begin), end - begin));
  }

  void Rows(int64_t begin, int64_t end) {
    const int64_t inner = plan->inner();
    const unsigned scalars = plan->scalars();
    RowCursor row(*plan, begin / inner);
    int64_t column = begin % inner;
    while (begin < end) {
      const int64_t n = std::min(inner - column, end - begin);
      const void* in[Broadcast::kMaxInputs];
      for (int i = 0; i < spec.num_inputs; ++i) {
        in[i] = inputs[i].At(row.offset(i) + (((scalars >> i) & 1) != 0 ? 0 : column));
      }
      Note(spec.loop(spec.functor, in, scalars, output.At(begin), n));
      begin += n;
      column = 0;
      row.Next();
    }
  }

  void ExpandedBlocks(int64_t begin, int64_t end) {
    alignas(64) char blocks[Broadcast::kMaxInputs][kBlock / 2 * sizeof(Word16)];
    while (begin < end) {
      const int64_t stop = std::min(end, begin + kBlock / 2);
      const void* in[Broadcast::kMaxInputs];
      for (int i = 0; i < spec.num_inputs; ++i) {
        if (IsContiguous(*plan, i)) {
          in[i] = inputs[i].At(begin);
        } else {
          Expand(*plan, i, inputs[i], begin, stop, blocks[i]);
          in[i] = blocks[i];
        }
      }
      Note(spec.loop(spec.functor, in, 0, output.At(begin), stop - begin));
      begin = stop;
    }
  }

  void Piece(int64_t begin, int64_t end) {
    if (plan == nullptr) return Flat(begin, end, 0);
    if (plan->is_flat()) return Flat(begin, end, plan->scalars());
    bool plain = true;
    for (int i = 0; i < spec.num_inputs; ++i) plain &= IsPlainData(inputs[i].dtype);
    if (plain && plan->inner() < kMinRow) return ExpandedBlocks(begin, end);
    Rows(begin, end);
  }

  bool Execute(const KernelContext& ctx, int64_t count) {
    if (count * spec.picoseconds <= kSerialPicoseconds) {
      if (count > 0) Piece(0, count);
    } else {
      StoppableFor(ctx, (count + kBlock - 1) / kBlock, kBlock * spec.picoseconds / 1000 + 1,
                   [&](int64_t begin, int64_t end) {
                     Piece(begin * kBlock, std::min(count, end * kBlock));
                   });
    }
    return ok.load(std::memory_order_relaxed);
  }
};

class ElementwiseKernel final : public Kernel,
                                public BlockKernel,
                                public GpuStepKernel,
                                public Replayable {
 public:
  ElementwiseKernel(const ElementwiseSpec& spec, GpuElementwise gpu)
      : spec_(spec), gpu_(std::move(gpu)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor* inputs[Broadcast::kMaxInputs];
    bool same = true;
    for (int i = 0; i < spec_.num_inputs; ++i) {
      inputs[i] = &ctx.input(i);
      same = same && inputs[i]->shape() == inputs[0]->shape();
    }
    if (same) return ComputeOn(ctx, inputs, inputs[0]->shape(), nullptr);
    if (spec_.same_shape) {
      return InvalidArgument("the inputs must have the same shape, but have ",
                             inputs[0]->shape().ToString(), " and ", inputs[1]->shape().ToString());
    }
    Broadcast plan;
    Shape shape;
    if (spec_.num_inputs == 2) {
      WB_RETURN_IF_ERROR(MakeBroadcast({&inputs[0]->shape(), &inputs[1]->shape()}, &plan, &shape));
    } else {
      WB_RETURN_IF_ERROR(MakeBroadcast(
          {&inputs[0]->shape(), &inputs[1]->shape(), &inputs[2]->shape()}, &plan, &shape));
    }
    return ComputeOn(ctx, inputs, shape, &plan);
  }

  bool RunBlock(const BlockCall& call) const override {
    return spec_.loop(spec_.functor, call.inputs, call.scalars, call.outputs[0], call.count);
  }
  int picoseconds() const override { return spec_.picoseconds; }
  bool may_refuse() const override { return spec_.failure != nullptr; }
  // A loop has at least one input that is no scalar.
  bool AcceptsInputs(Span<const Tensor* const> inputs) const override {
    return static_cast<int>(inputs.size()) == spec_.num_inputs;
  }
  bool broadcasts() const override { return !spec_.same_shape; }
  Span<const unsigned char> gpu_state() const override {
    return {spec_.functor, GpuProgram::kStateBytes};
  }

 private:
  Status ComputeOn(KernelContext& ctx, const Tensor* const* inputs, const Shape& shape,
                   const Broadcast* plan) {
    Tensor* output;
    if (spec_.num_inputs == 1) {
      WB_ASSIGN_OR_RETURN(output, ctx.ForwardOrAllocate({0}, 0, shape));
    } else if (spec_.num_inputs == 2) {
      WB_ASSIGN_OR_RETURN(output, ctx.ForwardOrAllocate({0, 1}, 0, shape));
    } else {
      WB_ASSIGN_OR_RETURN(output, ctx.ForwardOrAllocate({0, 1, 2}, 0, shape));
    }
    if (!spec_.on_host && ctx.device() != nullptr && ctx.device()->runs_gpu_kernels()) {
      return EnqueueElementwise(*ctx.device(), spec_, gpu_, plan, inputs, output);
    }
    Run run(spec_, plan, inputs, *output);
    if (!run.Execute(ctx, output->num_elements())) {
      return InvalidArgument(spec_.failure == nullptr ? "a value was refused" : spec_.failure);
    }
    return OkStatus();
  }

  const ElementwiseSpec spec_;
  const GpuElementwise gpu_;
};

}  // namespace

GpuElementwise::GpuElementwise(std::string op_name, DType dtype, DType variant)
    : op(std::move(op_name)),
      real(FindGpuElementwise(GpuSide::kReal, op.c_str(), dtype, variant)),
      simulated(FindGpuElementwise(GpuSide::kSimulated, op.c_str(), dtype, variant)) {}

Status EnqueueElementwise(Device& gpu, const ElementwiseSpec& spec, const GpuElementwise& code,
                          const Broadcast* plan, const Tensor* const* inputs, Tensor* output) {
  const int64_t count = output->num_elements();
  if (count == 0) return OkStatus();
  if (gpu.runs_host_code() && code.simulated == nullptr) {
    const auto run = std::make_shared<Run>(spec, nullptr, inputs, *output);
    const auto kept = plan == nullptr ? nullptr : std::make_shared<Broadcast>(*plan);
    run->plan = kept.get();
    return GpuStream(gpu).RunOnHost([run, kept, count] { run->Piece(0, count); });
  }
  GpuElementwiseArgs args;
  args.output = output->raw_data();
  for (int i = 0; i < spec.num_inputs; ++i) args.inputs[i] = inputs[i]->raw_data();
  args.count = count;
  args.broadcasts = plan != nullptr;
  if (plan != nullptr) args.plan = *plan;
  if (gpu.runs_host_code()) {
    return GpuStream(gpu).RunOnHost([launch = code.simulated, args, spec]() mutable {
      args.functor = spec.functor;
      launch(args);
    });
  }
  if (code.real == nullptr) {
    return Unimplemented("this build has no CUDA code for ", code.op, " of ",
                         DTypeName(inputs[spec.num_inputs - 1]->dtype()));
  }
  args.functor = spec.functor;
  args.stream = gpu.compute_stream()->native_handle();
  return GpuStatus(code.real(args), code.op);
}

StatusOr<std::unique_ptr<Kernel>> NewElementwiseKernel(const ElementwiseSpec& spec,
                                                       KernelInit& init) {
  return std::make_unique<ElementwiseKernel>(
      spec, GpuElementwise(spec.gpu_name != nullptr ? spec.gpu_name : init.schema.name,
                           init.input_types[spec.num_inputs - 1], spec.gpu_variant));
}

bool RunElementwise(const KernelContext& ctx, const ElementwiseSpec& spec, const Broadcast& plan,
                    const Tensor* const* inputs, Tensor* output) {
  Run run(spec, &plan, inputs, *output);
  return run.Execute(ctx, plan.count);
}

}  // namespace warpbeam
