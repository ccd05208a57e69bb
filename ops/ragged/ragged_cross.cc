// RaggedCross: crosses of the features of ragged, sparse and dense columns, as a ragged tensor of
// texts or hashes.
#include <algorithm>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/ragged/row_splits.h"
#include "ops/sparse/feature_cross.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CrossShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

// How many columns there are of each kind, and the order in which they are crossed: a letter each.
struct ColumnLists {
  int ragged = 0, sparse = 0, dense = 0;
  std::string order;
};

Status CheckOrder(const ColumnLists& lists) {
  if (lists.order.size() != static_cast<size_t>(lists.ragged + lists.sparse + lists.dense)) {
    return InvalidArgument("Invalid length for input_order: it is '", lists.order,
                           "', but there are ", lists.ragged, " ragged, ", lists.sparse,
                           " sparse and ", lists.dense, " dense inputs");
  }
  const auto count = [&lists](char c) {
    return std::count(lists.order.begin(), lists.order.end(), c);
  };
  if (count('R') + count('S') + count('D') != static_cast<int64_t>(lists.order.size())) {
    return InvalidArgument("Unexpected input_order value. It is '", lists.order,
                           "'; its letters are R, S and D");
  }
  if (count('R') != lists.ragged || count('S') != lists.sparse) {
    return InvalidArgument("input_order \"", lists.order, "\" does not name ", lists.ragged,
                           " ragged (R), ", lists.sparse, " sparse (S) and ", lists.dense,
                           " dense (D) inputs");
  }
  return OkStatus();
}

constexpr char kOnlyMatrices[] = "tf.ragged.cross only supports inputs with rank=2.";

class Columns {
 public:
  explicit Columns(const KernelContext& ctx) : ctx_(ctx) {}

  Status AddRagged(int values, int splits) {
    const Tensor &v = ctx_.input(values), &s = ctx_.input(splits);
    if (v.rank() != 1 || s.rank() != 1) return InvalidArgument(kOnlyMatrices);
    WB_ASSIGN_OR_RETURN(RowSplits rows, ReadRowSplits(s, "Invalid ragged splits: they"));
    if (rows.front() != 0 || rows.back() != v.dim(0)) {
      return InvalidArgument("Invalid ragged splits: they must go from 0 to ", v.dim(0),
                             ", the number of values, but go from ", rows.front(), " to ",
                             rows.back());
    }
    WB_RETURN_IF_ERROR(CheckBatch(NumRows(rows)));
    columns.push_back(FeatureColumn::Ragged(v, std::move(rows)));
    return OkStatus();
  }

  Status AddSparse(int indices, int values, int shape) {
    const Tensor &i = ctx_.input(indices), &v = ctx_.input(values), &s = ctx_.input(shape);
    if (i.rank() != 2 || v.rank() != 1 || s.rank() != 1 || i.dim(0) != v.dim(0)) {
      return InvalidArgument("Invalid SparseTensor ", columns.size(), ": its indices have shape ",
                             i.shape().ToString(), ", its values ", v.shape().ToString(),
                             ", its dense shape ", s.shape().ToString());
    }
    if (s.dim(0) != 2 || i.dim(1) < 1) return InvalidArgument(kOnlyMatrices);
    WB_RETURN_IF_ERROR(CheckBatch(s.data<int64_t>()[0]));
    std::vector<int64_t> rows, starts;
    // An element that stands after those of its row belongs to the row that it stands in.
    for (int64_t k = 0; k < i.dim(0); ++k) {
      const int64_t row = i.data<int64_t>()[k * i.dim(1)];
      if (!rows.empty() && row <= rows.back()) continue;
      rows.push_back(std::max<int64_t>(row, 0));
      starts.push_back(k);
    }
    starts.push_back(i.dim(0));
    columns.push_back(FeatureColumn::Sparse(v, std::move(rows), std::move(starts)));
    return OkStatus();
  }

  Status AddDense(int values) {
    const Tensor& v = ctx_.input(values);
    if (v.rank() != 2) return InvalidArgument(kOnlyMatrices);
    WB_RETURN_IF_ERROR(CheckBatch(v.dim(0)));
    columns.push_back(FeatureColumn::Dense(v));
    return OkStatus();
  }

  std::vector<FeatureColumn> columns;
  int64_t batch = -1;

 private:
  Status CheckBatch(int64_t rows) {
    if (rows < 0) return InvalidArgument("the batch size is negative, ", rows);
    if (batch >= 0 && rows != batch) {
      return InvalidArgument("inputs must all have the same batch dimension size. There are ",
                             batch, " and ", rows);
    }
    batch = rows;
    return OkStatus();
  }
  const KernelContext& ctx_;
};

class RaggedCrossKernel final : public Kernel {
 public:
  RaggedCrossKernel(ColumnLists lists, HashCross how) : lists_(std::move(lists)), how_(how) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const auto ragged, init.attr<std::vector<DType>>("ragged_values_types"));
    WB_ASSIGN_OR_RETURN(const auto splits, init.attr<std::vector<DType>>("ragged_splits_types"));
    WB_ASSIGN_OR_RETURN(const auto sparse, init.attr<std::vector<DType>>("sparse_values_types"));
    WB_ASSIGN_OR_RETURN(const int64_t indices, init.attr<int64_t>("Nsparse"));
    WB_ASSIGN_OR_RETURN(const auto dense, init.attr<std::vector<DType>>("dense_types"));
    WB_ASSIGN_OR_RETURN(const int64_t buckets, init.attr<int64_t>("num_buckets"));
    WB_ASSIGN_OR_RETURN(const int64_t key, init.attr<int64_t>("hash_key"));
    if (ragged.size() != splits.size() || static_cast<int64_t>(sparse.size()) != indices) {
      return InvalidArgument(
          "each ragged tensor needs values and row splits, each sparse one "
          "indices, values and a shape, but there are ",
          ragged.size(), " and ", splits.size(), ", and ", sparse.size(), " and ", indices);
    }
    ColumnLists lists;
    WB_ASSIGN_OR_RETURN(lists.order, init.attr<std::string>("input_order"));
    lists.ragged = static_cast<int>(ragged.size());
    lists.sparse = static_cast<int>(sparse.size());
    lists.dense = static_cast<int>(dense.size());
    WB_RETURN_IF_ERROR(CheckOrder(lists));
    return std::make_unique<RaggedCrossKernel>(
        std::move(lists), HashCross{true, static_cast<uint64_t>(key), buckets});
  }

  Status Compute(KernelContext& ctx) override {
    Columns in(ctx);
    int ragged = 0, sparse = 2 * lists_.ragged;
    int dense = sparse + 3 * lists_.sparse;
    for (const char kind : lists_.order) {
      if (kind == 'R') {
        WB_RETURN_IF_ERROR(in.AddRagged(ragged, ragged + lists_.ragged));
        ++ragged;
      } else if (kind == 'S') {
        WB_RETURN_IF_ERROR(
            in.AddSparse(sparse, sparse + lists_.sparse, sparse + 2 * lists_.sparse));
        ++sparse;
      } else {
        WB_RETURN_IF_ERROR(in.AddDense(dense++));
      }
    }
    const int64_t batch = std::max<int64_t>(in.batch, 0);
    WB_ASSIGN_OR_RETURN(const CrossPlan plan, PlanCrosses(in.columns, batch));
    WB_RETURN_IF_ERROR(WriteSplits(ctx, plan, batch));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(0, Shape({plan.total()})));
    if (values->dtype() == DType::kString) {
      CrossTexts(ctx, in.columns, plan, "_X_", values->data<std::string>());
      return OkStatus();
    }
    std::vector<FeatureHashes> hashes;
    for (const FeatureColumn& c : in.columns) hashes.push_back(PlainHashes(c.values()));
    CrossHashes(ctx, in.columns, hashes, plan, how_, values->data<int64_t>());
    return OkStatus();
  }

 private:
  static Status WriteSplits(KernelContext& ctx, const CrossPlan& plan, int64_t batch) {
    WB_ASSIGN_OR_RETURN(const Shape rows, Shape::Make({batch}));
    WB_ASSIGN_OR_RETURN(const Shape shape, rows.WithDim(0, batch + 1));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(1, shape));
    const auto fill = [&](auto* to) {
      size_t next = 0;
      for (int64_t row = 0; row <= batch; ++row) {
        to[row] = static_cast<std::decay_t<decltype(*to)>>(plan.begins[next]);
        if (next < plan.rows.size() && plan.rows[next] == row) ++next;
      }
    };
    if (out->dtype() == DType::kInt64) {
      fill(out->data<int64_t>());
      return OkStatus();
    }
    if (plan.total() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("row splits of ", plan.total(),
                             " values do not fit int32; set 'out_row_splits_type' to int64");
    }
    fill(out->data<int32_t>());
    return OkStatus();
  }

  const ColumnLists lists_;
  const HashCross how_;
};

WB_OP("RaggedCross")
    .Input("ragged_values: ragged_values_types")
    .Input("ragged_row_splits: ragged_splits_types")
    .Input("sparse_indices: Nsparse * int64")
    .Input("sparse_values: sparse_values_types")
    .Input("sparse_shape: Nsparse * int64")
    .Input("dense_inputs: dense_types")
    .Output("output_values: out_values_type")
    .Output("output_row_splits: out_row_splits_type")
    .Attr("Nsparse: int >= 0")
    .Attr("input_order: string")
    .Attr("hashed_output: bool")
    .Attr("num_buckets: int >= 0")
    .Attr("hash_key: int")
    .Attr("ragged_values_types: list({int64, string}) >= 0")
    .Attr("ragged_splits_types: list({int32, int64}) >= 0")
    .Attr("sparse_values_types: list({int64, string}) >= 0")
    .Attr("dense_types: list({int64, string}) >= 0")
    .Attr("out_values_type: {int64, string}")
    .Attr("out_row_splits_type: {int32, int64}")
    .Shape(CrossShape);
WB_KERNEL("RaggedCross", RaggedCrossKernel).Cpu({{"out_row_splits_type", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
