#include "runtime/lower/fused_product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/product/product_kernel.h"
#include "runtime/lower/member_run.h"

namespace warpbeam {
namespace {

using Kind = FusedProgram::Operand::Kind;

// What is finished at a time: it stays in the first-level cache while the members take turns.
constexpr int64_t kStripBytes = 8192;

// The members after the product, in one execution.
class ChainEpilogue final : public ProductEpilogue {
 public:
  ChainEpilogue(const FusedProgram& program, const KernelContext& ctx)
      : program_(program),
        ctx_(ctx),
        size_(static_cast<int64_t>(DTypeSize(BaseType(program.output_types[0])))) {}

  bool taken() const { return taken_; }

  bool Takes(const Shape& result) override {
    if (result.rank() < 2) return false;
    const int64_t columns = result.dim(result.rank() - 1);
    for (size_t s = 1; s < program_.steps.size(); ++s) {
      for (const FusedProgram::Operand& in : program_.steps[s].inputs) {
        if (in.kind == Kind::kResult) continue;
        const Tensor& t = ctx_.input(in.index);
        if (t.dtype() != program_.inputs[in.index].dtype) return false;
        const bool fits = in.kind == Kind::kColumns ? t.rank() == 1 && t.dim(0) == columns
                          : in.kind == Kind::kScalar
                              ? t.num_elements() == 1 && t.rank() <= result.rank()
                              : t.shape() == result;
        if (!fits) return false;
      }
    }
    taken_ = true;
    return true;
  }

  // Whole rows where they are short and lie one after another, else pieces of a row.
  void Finish(const ProductStrip& strip) const override {
    const int64_t most = kStripBytes / size_;
    int64_t rows = 1;
    if (strip.columns == strip.row_stride) {
      rows = std::clamp<int64_t>(most / strip.columns, 1, strip.rows);
    }
    alignas(64) char repeated[kMostColumnOperands][kStripBytes];
    if (rows > 1) RepeatColumns(strip, rows, repeated);
    const int64_t columns = rows > 1 ? strip.columns : std::min(strip.columns, most);
    for (int64_t r = 0; r < strip.rows; r += rows) {
      const int64_t n = std::min(rows, strip.rows - r);
      for (int64_t c = 0; c < strip.columns; c += columns) {
        Block block;
        block.data = static_cast<char*>(strip.data) + (r * strip.row_stride + c) * size_;
        block.first = (strip.first_row + r) * strip.row_stride + strip.first_column + c;
        block.first_column = strip.first_column + c;
        block.count = n * std::min(columns, strip.columns - c);
        block.repeated = rows > 1 ? &repeated[0] : nullptr;
        RunChain(block);
      }
    }
  }

 private:
  struct Block {
    char* data;
    int64_t first;  // element of the result
    int64_t first_column;
    int64_t count;
    const char (*repeated)[kStripBytes];  // the column operands for several rows, or null
  };

  const char* DataOf(const FusedProgram::Operand& in) const {
    return static_cast<const char*>(ctx_.input(in.index).raw_data());
  }

  void RepeatColumns(const ProductStrip& strip, int64_t rows, char (*repeated)[kStripBytes]) const {
    int operand = 0;
    for (size_t s = 1; s < program_.steps.size(); ++s) {
      for (const FusedProgram::Operand& in : program_.steps[s].inputs) {
        if (in.kind != Kind::kColumns) continue;
        const int64_t bytes = strip.columns * size_;
        for (int64_t r = 0; r < rows; ++r) {
          memcpy(repeated[operand] + r * bytes, DataOf(in) + strip.first_column * size_, bytes);
        }
        ++operand;
      }
    }
  }

  // Members that may refuse values are not in such a program.
  void RunChain(const Block& block) const {
    int operand = 0;
    for (size_t s = 1; s < program_.steps.size(); ++s) {
      const FusedProgram::Step& step = program_.steps[s];
      const void* inputs[FusedProgram::kMostStepInputs];
      unsigned scalars = 0;
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        const FusedProgram::Operand& in = step.inputs[i];
        if (in.kind == Kind::kResult) {
          inputs[i] = block.data;
        } else if (in.kind == Kind::kScalar) {
          inputs[i] = DataOf(in);
          scalars |= 1u << i;
        } else if (in.kind == Kind::kColumns) {
          inputs[i] = block.repeated != nullptr ? block.repeated[operand]
                                                : DataOf(in) + block.first_column * size_;
          ++operand;
        } else {
          inputs[i] = DataOf(in) + block.first * size_;
        }
      }
      void* output = block.data;
      step.block->RunBlock({inputs, scalars, &output, block.count});
    }
  }

  const FusedProgram& program_;
  const KernelContext& ctx_;
  const int64_t size_;  // of an element
  bool taken_ = false;
};

class FusedProduct final : public Kernel {
 public:
  explicit FusedProduct(FusedProgram program)
      : program_(std::move(program)),
        product_(dynamic_cast<ProductKernel*>(program_.steps[0].kernel)) {}

  Status Compute(KernelContext& ctx) override {
    const FusedProgram::Step& step = program_.steps[0];
    if (product_ == nullptr || step.inputs.size() != kOperands) {
      return Internal("'", step.name, "' is not a product of ", kOperands, " operands");
    }
    std::array<Slot, kOperands + 1> slots;
    for (int32_t i = 0; i < kOperands; ++i) slots[i].value = ctx.input(step.inputs[i].index);
    constexpr int32_t kInputs[kOperands] = {0, 1};
    KernelContext::NodeInfo info = {};
    info.input_slots = kInputs;
    info.num_inputs = kOperands;
    info.output_types = step.output_types.data();
    info.num_outputs = 1;
    info.output_start = kOperands;
    KernelContext product(slots.data(), info, ctx.device(), ctx.step());
    ChainEpilogue epilogue(program_, ctx);
    WB_RETURN_IF_ERROR(OfMember(product_->ComputeWith(product, &epilogue), step));
    Tensor& result = slots[kOperands].value;
    if (!epilogue.taken()) return RunMembers(program_, ctx, &result);
    ctx.set_output(0, std::move(result));
    return OkStatus();
  }

 private:
  static constexpr int32_t kOperands = 2;

  const FusedProgram program_;
  ProductKernel* const product_;
};

class FusedProductOnGpu final : public GpuKernel {
 public:
  explicit FusedProductOnGpu(FusedProgram program)
      : program_(std::move(program)),
        product_(dynamic_cast<GpuProductKernel*>(program_.steps[0].kernel)) {
    output_types_ = program_.steps[0].output_types;
    if (HasSums(program_.epilogue)) output_types_.push_back(output_types_[0]);
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const FusedProgram::Step& step = program_.steps[0];
    if (product_ == nullptr) return Internal("'", step.name, "' is not a product on a GPU");
    std::array<Slot, kMostOperands + kMostResults> slots;
    int32_t count = 0;
    const auto add = [&](const FusedProgram::Step& from) {
      for (const FusedProgram::Operand& in : from.inputs) {
        if (in.kind != Kind::kResult) slots[count++].value = ctx.input(in.index);
      }
    };
    add(step);
    if (HasBias(program_.epilogue)) add(program_.steps[1]);
    constexpr int32_t kInputs[kMostOperands] = {0, 1, 2};
    KernelContext::NodeInfo info = {};
    info.input_slots = kInputs;
    info.num_inputs = count;
    info.output_types = output_types_.data();
    info.num_outputs = static_cast<int32_t>(output_types_.size());
    info.output_start = kMostOperands;
    KernelContext product(slots.data(), info, ctx.device(), ctx.step());
    const Status status = product_->EnqueueWith(product, stream, program_.epilogue);
    if (IsUnimplemented(status)) return RunMembers(program_, ctx);
    WB_RETURN_IF_ERROR(OfMember(status, step));
    for (int32_t o = 0; o < info.num_outputs; ++o) {
      ctx.set_output(o, std::move(slots[kMostOperands + o].value));
    }
    return OkStatus();
  }

 private:
  static constexpr int32_t kMostOperands = 3, kMostResults = 2;

  const FusedProgram program_;
  GpuProductKernel* const product_;
  std::vector<DType> output_types_;
};

}  // namespace

std::unique_ptr<Kernel> NewFusedProduct(FusedProgram program) {
  if (program.epilogue != GpuEpilogue::kNone) {
    return std::make_unique<FusedProductOnGpu>(std::move(program));
  }
  return std::make_unique<FusedProduct>(std::move(program));
}

}  // namespace warpbeam
