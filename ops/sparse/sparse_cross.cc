// SparseCross, SparseCrossV2, SparseCrossHashed: crosses of the features of sparse and dense
// columns, as texts or as hashes.
#include <farmhash.h>

#include <array>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/sparse/feature_cross.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/string/sip_hash.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CrossShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1, 2}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({2}));
  return OkStatus();
}

// How many sparse columns there are. The lists agree only if the graph's maker saw to it.
StatusOr<int> NumSparse(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const int64_t n, init.attr<int64_t>("N"));
  WB_ASSIGN_OR_RETURN(const auto types, init.attr<std::vector<DType>>("sparse_types"));
  if (static_cast<int64_t>(types.size()) == n) return static_cast<int>(n);
  return InvalidArgument("Expected ", n, " input values, got ", types.size(),
                         ": each sparse column has indices, values and a shape, so that 'N' and ",
                         "the number of 'sparse_types' must be equal");
}

struct CrossInputs {
  std::vector<FeatureColumn> columns;
  int64_t batch = 0;
};

Status CheckSparse(const Tensor& indices, const Tensor& values, const Tensor& shape, int i) {
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           indices.shape().ToString(), " at position ", i);
  }
  if (indices.dim(1) != 2) {
    return InvalidArgument("Expected D2 of index to be 2 got ", indices.dim(1), " at position ", i);
  }
  if (values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ",
                           values.shape().ToString(), " at position ", i);
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("Expected size of values to be ", indices.dim(0), " got ", values.dim(0),
                           " at position ", i);
  }
  if (shape.rank() != 1) {
    return InvalidArgument("Input shapes should be a vector but received shape ",
                           shape.shape().ToString(), " at position ", i);
  }
  if (shape.dim(0) != 2) {
    return InvalidArgument("shape should imply a 2D tensor, but got ", shape.shape().ToString(),
                           " at position ", i);
  }
  return OkStatus();
}

Status CheckBatch(int64_t batch, int64_t got, absl::string_view where, int i) {
  if (batch == got) return OkStatus();
  return InvalidArgument("Expected batch size ", batch, " got ", got, " at ", where, " ", i);
}

// Elements after one that stands out of order belong to no row, as in TensorFlow.
FeatureColumn SparseColumn(const Tensor& indices, const Tensor& values) {
  std::vector<int64_t> rows, starts;
  int64_t i = 0;
  for (; i < indices.dim(0); ++i) {
    const int64_t row = indices.data<int64_t>()[2 * i];
    if (row < (rows.empty() ? 0 : rows.back())) break;
    if (!rows.empty() && row == rows.back()) continue;
    rows.push_back(row);
    starts.push_back(i);
  }
  starts.push_back(i);
  return FeatureColumn::Sparse(values, std::move(rows), std::move(starts));
}

// Inputs: n matrices of indices, n vectors of values, n shapes, then `dense` matrices.
StatusOr<CrossInputs> ReadColumns(const KernelContext& ctx, int n, int dense) {
  CrossInputs in;
  for (int i = 0; i < n; ++i) {
    WB_RETURN_IF_ERROR(CheckSparse(ctx.input(i), ctx.input(n + i), ctx.input(2 * n + i), i));
  }
  for (int i = 0; i < dense; ++i) {
    const Tensor& x = ctx.input(3 * n + i);
    if (x.rank() != 2) {
      return InvalidArgument("Dense inputs should be a matrix but received shape ",
                             x.shape().ToString(), " at position ", i);
    }
  }
  if (n > 0) {
    in.batch = ctx.input(2 * n).data<int64_t>()[0];
    if (in.batch < 0) return InvalidArgument("the batch size is negative, ", in.batch);
  } else if (dense > 0) {
    in.batch = ctx.input(3 * n).dim(0);
  }
  for (int i = 0; i < n; ++i) {
    WB_RETURN_IF_ERROR(
        CheckBatch(in.batch, ctx.input(2 * n + i).data<int64_t>()[0], "position", i));
    in.columns.push_back(SparseColumn(ctx.input(i), ctx.input(n + i)));
  }
  for (int i = 0; i < dense; ++i) {
    const Tensor& x = ctx.input(3 * n + i);
    WB_RETURN_IF_ERROR(CheckBatch(in.batch, x.dim(0), "dense tensor", i));
    in.columns.push_back(FeatureColumn::Dense(x));
  }
  return in;
}

// Outputs 0 and 2; the values are the caller's.
Status WriteCrossIndices(KernelContext& ctx, const CrossPlan& plan, int64_t batch) {
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({plan.total(), 2}));
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, shape));
  int64_t* to = indices->data<int64_t>();
  for (size_t i = 0; i < plan.rows.size(); ++i) {
    for (int64_t k = 0; k < plan.begins[i + 1] - plan.begins[i]; ++k) {
      *to++ = plan.rows[i];
      *to++ = k;
    }
  }
  ctx.set_output(2, Tensor::Vector<int64_t>({batch, plan.longest}));
  return OkStatus();
}

Status WriteTexts(KernelContext& ctx, const CrossInputs& in, absl::string_view separator) {
  WB_ASSIGN_OR_RETURN(const CrossPlan plan, PlanCrosses(in.columns, in.batch));
  WB_RETURN_IF_ERROR(WriteCrossIndices(ctx, plan, in.batch));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({plan.total()})));
  CrossTexts(ctx, in.columns, plan, separator, values->data<std::string>());
  return OkStatus();
}

Status WriteHashes(KernelContext& ctx, const CrossInputs& in,
                   const std::vector<FeatureHashes>& hashes, const HashCross& how) {
  WB_ASSIGN_OR_RETURN(const CrossPlan plan, PlanCrosses(in.columns, in.batch));
  WB_RETURN_IF_ERROR(WriteCrossIndices(ctx, plan, in.batch));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({plan.total()})));
  CrossHashes(ctx, in.columns, hashes, plan, how, values->data<int64_t>());
  return OkStatus();
}

class SparseCrossKernel final : public Kernel {
 public:
  SparseCrossKernel(int n, DType internal, HashCross how) : n_(n), internal_(internal), how_(how) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int n, NumSparse(init));
    WB_ASSIGN_OR_RETURN(const DType internal, init.attr<DType>("internal_type"));
    WB_ASSIGN_OR_RETURN(const int64_t buckets, init.attr<int64_t>("num_buckets"));
    WB_ASSIGN_OR_RETURN(const int64_t key, init.attr<int64_t>("hash_key"));
    return std::make_unique<SparseCrossKernel>(
        n, internal, HashCross{true, static_cast<uint64_t>(key), buckets});
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const CrossInputs in, ReadColumns(ctx, n_, ctx.num_inputs() - 3 * n_));
    for (const FeatureColumn& c : in.columns) {
      if (internal_ == DType::kString && c.values().dtype() == DType::kInt64) {
        return InvalidArgument("Input values should be of internal type ", DTypeName(internal_),
                               " but received ", DTypeName(c.values().dtype()));
      }
    }
    if (ctx.output_type(1) == DType::kString) return WriteTexts(ctx, in, "_X_");
    std::vector<FeatureHashes> hashes;
    for (const FeatureColumn& c : in.columns) hashes.push_back(PlainHashes(c.values()));
    return WriteHashes(ctx, in, hashes, how_);
  }

 private:
  const int n_;
  const DType internal_;
  const HashCross how_;
};

// The one element of a tensor; TensorFlow takes the first of any, too.
template <class T>
StatusOr<T> ReadOne(const Tensor& t, absl::string_view name) {
  if (t.num_elements() > 0) return t.data<T>()[0];
  return InvalidArgument("'", name, "' must be a scalar, but has shape ", t.shape().ToString());
}

class SparseCrossV2Kernel final : public Kernel {
 public:
  explicit SparseCrossV2Kernel(int n) : n_(n) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int n, NumSparse(init));
    return std::make_unique<SparseCrossV2Kernel>(n);
  }
  Status Compute(KernelContext& ctx) override {
    const int last = ctx.num_inputs() - 1;
    WB_ASSIGN_OR_RETURN(const CrossInputs in, ReadColumns(ctx, n_, last - 3 * n_));
    const Tensor& separator = ctx.input(last);
    if (separator.rank() != 0) {
      return InvalidArgument("Input separator should be a scalar. Received: ",
                             separator.shape().ToString());
    }
    return WriteTexts(ctx, in, separator.scalar<std::string>());
  }

 private:
  const int n_;
};

// Of a number in a sparse column the low four bytes count, and a number in a dense column is its
// own hash: so TensorFlow has it. With a key every number is hashed, by its low four bytes.
FeatureHashes KeyedHashes(const FeatureColumn& column, const std::array<uint64_t, 2>* key) {
  const Tensor& values = column.values();
  const bool is_text = values.dtype() == DType::kString;
  if (key == nullptr && (is_text || column.is_dense())) return PlainHashes(values);
  const auto hash = [key](absl::string_view bytes) {
    return key == nullptr ? util::Fingerprint64(bytes.data(), bytes.size()) : SipHash(*key, bytes);
  };
  FeatureHashes hashes;
  if (is_text) {
    for (const std::string& s : values.flat<std::string>()) hashes.push_back(hash(s));
  } else {
    for (const int64_t& v : values.flat<int64_t>()) {
      hashes.push_back(hash(absl::string_view(reinterpret_cast<const char*>(&v), 4)));
    }
  }
  return hashes;
}

class SparseCrossHashedKernel final : public Kernel {
 public:
  explicit SparseCrossHashedKernel(int n) : n_(n) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int n, NumSparse(init));
    return std::make_unique<SparseCrossHashedKernel>(n);
  }
  Status Compute(KernelContext& ctx) override {
    const int after = ctx.num_inputs() - 3;
    const Tensor& salt = ctx.input(after + 2);
    WB_ASSIGN_OR_RETURN(const CrossInputs in, ReadColumns(ctx, n_, after - 3 * n_));
    if (salt.num_elements() != 2) {
      return InvalidArgument("Input \"salt\" must have length 2 but has length ",
                             salt.num_elements());
    }
    HashCross how;
    WB_ASSIGN_OR_RETURN(how.buckets, ReadOne<int64_t>(ctx.input(after), "num_buckets"));
    WB_ASSIGN_OR_RETURN(const bool is_strong, ReadOne<bool>(ctx.input(after + 1), "strong_hash"));
    const std::array<uint64_t, 2> key = {static_cast<uint64_t>(salt.data<int64_t>()[0]),
                                         static_cast<uint64_t>(salt.data<int64_t>()[1])};
    std::vector<FeatureHashes> hashes;
    for (const FeatureColumn& c : in.columns) {
      hashes.push_back(KeyedHashes(c, is_strong ? &key : nullptr));
    }
    return WriteHashes(ctx, in, hashes, how);
  }

 private:
  const int n_;
};

constexpr TypeSet kFeatureTypes = {DType::kInt64, DType::kString};

WB_OP("SparseCross")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Output("output_indices: int64")
    .Output("output_values: out_type")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("hashed_output: bool")
    .Attr("num_buckets: int >= 0")
    .Attr("hash_key: int")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .Attr("out_type: {int64, string}")
    .Attr("internal_type: {int64, string}")
    .Shape(CrossShape);
WB_KERNEL("SparseCross", SparseCrossKernel)
    .Cpu({{"out_type", kFeatureTypes}, {"internal_type", kFeatureTypes}});

WB_OP("SparseCrossV2")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Input("sep: string")
    .Output("output_indices: int64")
    .Output("output_values: string")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .Shape(CrossShape);
WB_KERNEL("SparseCrossV2", SparseCrossV2Kernel).Cpu();

WB_OP("SparseCrossHashed")
    .Input("indices: N * int64")
    .Input("values: sparse_types")
    .Input("shapes: N * int64")
    .Input("dense_inputs: dense_types")
    .Input("num_buckets: int64")
    .Input("strong_hash: bool")
    .Input("salt: int64")
    .Output("output_indices: int64")
    .Output("output_values: int64")
    .Output("output_shape: int64")
    .Attr("N: int >= 0")
    .Attr("sparse_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .Shape(CrossShape);
WB_KERNEL("SparseCrossHashed", SparseCrossHashedKernel).Cpu();

}  // namespace
}  // namespace warpbeam
