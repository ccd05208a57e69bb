#include "ops/collective/reduction.h"

#include <algorithm>

#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

// Elements that stay in cache while all tensors pass over them.
constexpr int64_t kBlock = 4096;

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct Minimum {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <typename T, typename Fn>
void Merge(const std::vector<Tensor>& tensors, int64_t begin, int64_t end, T* out, Fn fn) {
  for (int64_t from = begin; from < end; from += kBlock) {
    const int64_t to = std::min(end, from + kBlock);
    std::copy(tensors[0].data<T>() + from, tensors[0].data<T>() + to, out + from);
    for (size_t t = 1; t < tensors.size(); ++t) {
      const T* const x = tensors[t].data<T>();
      for (int64_t i = from; i < to; ++i) out[i] = fn(out[i], x[i]);
    }
  }
}

template <typename T>
void MergeBy(MergeOp op, const std::vector<Tensor>& tensors, int64_t begin, int64_t end, T* out) {
  switch (op) {
    case MergeOp::kAdd:
      return Merge(tensors, begin, end, out, Add());
    case MergeOp::kMul:
      return Merge(tensors, begin, end, out, Multiply());
    case MergeOp::kMin:
      return Merge(tensors, begin, end, out, Minimum());
    case MergeOp::kMax:
      return Merge(tensors, begin, end, out, Maximum());
  }
}

// Of two arrays. The same additions, wherever the members are.
template <typename T, typename Fn>
void MergeTwo(void* out, const void* a, const void* b, int64_t count) {
  auto* const z = static_cast<T*>(out);
  const auto* const x = static_cast<const T*>(a);
  const auto* const y = static_cast<const T*>(b);
  for (int64_t i = 0; i < count; ++i) z[i] = Fn()(x[i], y[i]);
}

template <typename T>
TaskCommunicator::Merge MergeOfTwo(MergeOp op) {
  switch (op) {
    case MergeOp::kAdd:
      return MergeTwo<T, Add>;
    case MergeOp::kMul:
      return MergeTwo<T, Multiply>;
    case MergeOp::kMin:
      return MergeTwo<T, Minimum>;
    case MergeOp::kMax:
      return MergeTwo<T, Maximum>;
  }
  return nullptr;
}

using Types = TypeList<Half, BFloat16, float, double, int32_t, int64_t>;

template <typename T>
T CountAs(int64_t count) {
  return static_cast<T>(static_cast<float>(count));
}

template <typename T>
void DivideBy(void* data, int64_t count, int64_t by) {
  T* const out = static_cast<T*>(data);
  const T divisor = CountAs<T>(by);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(out[i] / divisor);
}

// In place.
Tensor Divided(const KernelContext& ctx, Tensor sum, GpuCall::Divide divide, int64_t by) {
  const size_t size = DTypeSize(sum.dtype());
  auto* const out = static_cast<char*>(sum.raw_data());
  ctx.ParallelFor(sum.num_elements(), 1, [&](int64_t begin, int64_t end) {
    divide(out + static_cast<size_t>(begin) * size, end - begin, by);
  });
  return sum;
}

std::vector<Tensor> InputsOf(const std::vector<CollectiveMember>& members) {
  std::vector<Tensor> inputs;
  inputs.reserve(members.size());
  for (const CollectiveMember& member : members) inputs.push_back(member.input);
  return inputs;
}

}  // namespace

StatusOr<MergeOp> ParseMergeOp(const std::string& name) {
  if (name == "Add" || name == "sum") return MergeOp::kAdd;
  if (name == "Mul" || name == "prod") return MergeOp::kMul;
  if (name == "Min" || name == "min") return MergeOp::kMin;
  if (name == "Max" || name == "max") return MergeOp::kMax;
  return InvalidArgument("no reduction '", name, "'");
}

StatusOr<Tensor> Reduce(KernelContext& ctx, MergeOp op, bool divides,
                        const std::vector<Tensor>& tensors) {
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(tensors[0].dtype(), tensors[0].shape()));
  WB_RETURN_IF_ERROR(DispatchTypes(Types{}, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const out = result.data<T>();
    const T count = CountAs<T>(static_cast<int64_t>(tensors.size()));
    const auto ns = static_cast<int64_t>(tensors.size());
    ctx.ParallelFor(result.num_elements(), ns, [&](int64_t begin, int64_t end) {
      MergeBy(op, tensors, begin, end, out);
      if (!divides) return;
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(out[i] / count);
    });
    return OkStatus();
  }));
  return result;
}

Status MakeReduction(MergeOp op, bool divides, CollectiveCall* call) {
  call->combine = [op, divides](KernelContext& ctx, const std::vector<CollectiveMember>& members) {
    return Reduce(ctx, op, divides, InputsOf(members));
  };
  call->part = [op](KernelContext& ctx, std::vector<CollectiveMember> members) -> StatusOr<Tensor> {
    // Nobody else reads it: the sum may take its place.
    if (members.size() == 1 && members[0].input.IsUnique()) return std::move(members[0].input);
    return Reduce(ctx, op, /*divides=*/false, InputsOf(members));
  };
  call->merge_op = op;
  WB_RETURN_IF_ERROR(DispatchTypes(Types{}, call->dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    call->merge = MergeOfTwo<T>(op);
    call->divide = divides ? DivideBy<T> : nullptr;
    return OkStatus();
  }));
  call->finish = [divide = call->divide, by = call->group_size](KernelContext& ctx,
                                                                Tensor merged) -> StatusOr<Tensor> {
    return divide == nullptr ? merged : Divided(ctx, std::move(merged), divide, by);
  };
  return OkStatus();
}

}  // namespace warpbeam
