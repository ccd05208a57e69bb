#include "ops/math/dnnl_products.h"

#include <algorithm>
#include <cstring>

#include "absl/container/fixed_array.h"
#include "ops/math/dnnl_matmul.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Multiply-adds a nanosecond on one core, about.
constexpr int64_t kRate = 45;

int64_t Nanoseconds(const GemmProblem& p) {
  return static_cast<int64_t>(static_cast<double>(p.m) * p.n * p.k / kRate);
}

// A range cut into parts of one size, but for the last one.
struct Parts {
  Parts(int64_t whole, int64_t at_most)
      : size((whole + at_most - 1) / at_most),
        count((whole + size - 1) / size),
        last(whole - (count - 1) * size) {}
  int64_t begin(int64_t i) const { return i * size; }
  int64_t of(int64_t i) const { return i + 1 < count ? size : last; }
  int64_t size, count, last;
};

// The library's products for all parts but the last, and for that one.
struct Code {
  std::shared_ptr<const DnnlMatmul> most, last;
  int64_t scratch_bytes = 0;
};
StatusOr<Code> CodeFor(const DnnlMatmul::Size& most, const DnnlMatmul::Size& last) {
  Code code;
  WB_ASSIGN_OR_RETURN(code.most, DnnlMatmul::For(most));
  WB_ASSIGN_OR_RETURN(code.last, DnnlMatmul::For(last));
  code.scratch_bytes =
      static_cast<int64_t>(std::max(code.most->scratch_bytes(), code.last->scratch_bytes()));
  return code;
}

// Runs work(i, memory) for every i below `workers` on a thread of its own, each with `bytes` of
// memory, aligned as the library wants it.
Status RunWorkers(const KernelContext& ctx, int64_t workers, int64_t nanoseconds, int64_t bytes,
                  absl::FunctionRef<Status(int64_t i, uint8_t* memory)> work) {
  WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kUInt8, Shape({workers * bytes})));
  uint8_t* const first = memory.data<uint8_t>();
  absl::FixedArray<Status, 64> statuses(workers);
  ctx.ParallelFor(workers, nanoseconds / workers, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[i] = work(i, first + i * bytes);
  });
  for (Status& status : statuses) WB_RETURN_IF_ERROR(std::move(status));
  return OkStatus();
}

Status ProductsByRows(const KernelContext& ctx, const GemmProblem& p, const DnnlOperands& x) {
  const int64_t width = std::max(1, ctx.width());
  const Parts rows(p.m, x.batches >= kManyBatches ? 1 : width);
  WB_ASSIGN_OR_RETURN(const Code code, CodeFor({rows.size, p.n, p.k, p.transpose_b},
                                               {rows.last, p.n, p.k, p.transpose_b}));
  const auto run = [&](int64_t batch, int64_t part, uint8_t* scratch) -> Status {
    if (ctx.IsCancelled()) return StepIsOver();
    int64_t a, b;
    x.offsets(batch, &a, &b);
    const int64_t first = rows.begin(part);
    const DnnlMatmul& product = part + 1 < rows.count ? *code.most : *code.last;
    float* const c = x.c + (batch * p.m + first) * p.n;
    WB_RETURN_IF_ERROR(product.Run(x.a + a + first * p.k, x.b + b, c, scratch));
    if (x.epilogue != nullptr) x.epilogue->Finish({c, first, rows.of(part), 0, p.n, p.n});
    return OkStatus();
  };
  const int64_t runs = x.batches * rows.count;
  const Parts shares(runs, std::min(width, runs));
  return RunWorkers(ctx, shares.count, Nanoseconds(p) * x.batches, code.scratch_bytes,
                    [&](int64_t i, uint8_t* scratch) -> Status {
                      const int64_t end = shares.begin(i) + shares.of(i);
                      for (int64_t r = shares.begin(i); r < end; ++r) {
                        WB_RETURN_IF_ERROR(run(r / rows.count, r % rows.count, scratch));
                      }
                      return OkStatus();
                    });
}

// Adds the results of all parts but the first, which is in c already.
void AddPartialResults(const KernelContext& ctx, const GemmProblem& p, const float* partial,
                       int64_t parts, const DnnlOperands& x) {
  const int64_t ns_per_row = p.n * parts / 8 + 1;
  ctx.ParallelFor(p.m, ns_per_row, [&](int64_t begin, int64_t end) {
    float* const c = x.c + begin * p.n;
    const int64_t count = (end - begin) * p.n;
    for (int64_t part = 1; part < parts; ++part) {
      const float* const other = partial + ((part - 1) * p.m + begin) * p.n;
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) c[i] += other[i];
    }
    if (x.epilogue != nullptr) x.epilogue->Finish({c, begin, end - begin, 0, p.n, p.n});
  });
}

Status ProductByDepth(const KernelContext& ctx, const GemmProblem& p, const DnnlOperands& x) {
  const Parts depth(p.k, std::max(1, ctx.width()));
  WB_ASSIGN_OR_RETURN(const Code code, CodeFor({p.m, p.n, depth.size}, {p.m, p.n, depth.last}));
  WB_ASSIGN_OR_RETURN(Tensor partial,
                      ctx.AllocateTemp(DType::kFloat, Shape({depth.count - 1, p.m, p.n})));
  int64_t a, b;
  x.offsets(0, &a, &b);
  const auto columns_bytes =
      static_cast<int64_t>(DnnlAligned(p.m * depth.size * static_cast<int64_t>(sizeof(float))));
  WB_RETURN_IF_ERROR(RunWorkers(
      ctx, depth.count, Nanoseconds(p), columns_bytes + code.scratch_bytes,
      [&](int64_t i, uint8_t* memory) {
        float* const columns = reinterpret_cast<float*>(memory);
        const int64_t size = depth.of(i);
        for (int64_t row = 0; row < p.m; ++row) {
          memcpy(columns + row * size, x.a + a + row * p.k + depth.begin(i), size * sizeof(float));
        }
        float* const c = i == 0 ? x.c : partial.data<float>() + (i - 1) * p.m * p.n;
        const DnnlMatmul& product = i + 1 < depth.count ? *code.most : *code.last;
        return product.Run(columns, x.b + b + depth.begin(i) * p.n, c, memory + columns_bytes);
      }));
  AddPartialResults(ctx, p, partial.data<float>(), depth.count, x);
  return OkStatus();
}

}  // namespace

DnnlCut DnnlCutOf(const GemmProblem& p, int64_t batches, int width) {
  constexpr int64_t kLeastColumns = 64, kLeastRows = 49, kLeastOfTransposed = 8;
  constexpr int64_t kLeastDepth = 256, kSerialNanoseconds = 20000;
  if (p.transpose_a || p.n < kLeastColumns || Nanoseconds(p) < kSerialNanoseconds) {
    return DnnlCut::kNone;
  }
  if (!DnnlMatmul::IsSupported()) return DnnlCut::kNone;
  const int64_t threads = std::max(1, width);
  const int64_t rows = batches >= kManyBatches ? p.m : p.m / threads;
  if (rows >= (p.transpose_b ? kLeastOfTransposed : kLeastRows)) return DnnlCut::kRows;
  // Deep enough, also for the partial results to take less memory than `b`.
  const bool is_deep =
      p.m >= kLeastRows && p.k / threads >= kLeastDepth && p.m * (threads - 1) <= p.k;
  return batches == 1 && !p.transpose_b && is_deep ? DnnlCut::kDepth : DnnlCut::kNone;
}

Status DnnlProducts(const KernelContext& ctx, DnnlCut cut, const GemmProblem& problem,
                    const DnnlOperands& operands) {
  return cut == DnnlCut::kDepth ? ProductByDepth(ctx, problem, operands)
                                : ProductsByRows(ctx, problem, operands);
}

}  // namespace warpbeam
