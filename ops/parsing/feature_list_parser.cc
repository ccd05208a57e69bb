#include "ops/parsing/feature_list_parser.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using ValueTypes = TypeList<int64_t, float, std::string>;

// What a list of an example costs to read, for the choice of threads.
constexpr int64_t kNsPerList = 200;

struct Rows {
  bool is_present = false;
  std::vector<FeatureView> views;
  std::vector<int64_t> counts;
  int64_t size() const { return static_cast<int64_t>(views.size()); }
};

}  // namespace

// Rows example by example and list by list; the others list by list.
struct FeatureListParser::Found {
  int64_t examples = 0;
  std::vector<std::vector<Rows>> rows;
  std::vector<int64_t> values;     // all there are
  std::vector<int64_t> num_rows;   // all there are
  std::vector<int64_t> most_rows;  // of an example
  std::vector<int64_t> longest;    // values of a row
};

StatusOr<std::unique_ptr<FeatureListParser>> FeatureListParser::Make(ExampleParser::Spec spec) {
  std::vector<std::string> names;
  for (const auto& f : spec.sparse) names.push_back(f.key);
  for (const auto& f : spec.dense) names.push_back(f.key);
  for (const auto& f : spec.ragged) names.push_back(f.key);
  std::vector<Shape> rows;
  for (const auto& f : spec.dense) {
    if (!f.shape.IsFullyDefined()) {
      return InvalidArgument("the rows of the feature list '", f.key, "' must have a known shape, ",
                             "not ", f.shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(Shape row, f.shape.AsShape());
    rows.push_back(std::move(row));
  }
  std::unique_ptr<FeatureListParser> parser(
      new FeatureListParser(std::move(spec), std::move(names)));
  parser->rows_ = std::move(rows);
  return parser;
}

DType FeatureListParser::TypeOf(size_t list) const {
  const size_t sparse = spec_.sparse.size(), dense = spec_.dense.size();
  if (list < sparse) return spec_.sparse[list].type;
  if (list < sparse + dense) return spec_.dense[list - sparse].type;
  return spec_.ragged[list - sparse - dense].type;
}

Status FeatureListParser::CheckRows(size_t list, int64_t example, Found& found) const {
  Rows& rows = found.rows[static_cast<size_t>(example)][list];
  const DType type = TypeOf(list);
  const size_t sparse = spec_.sparse.size();
  const bool is_dense = list >= sparse && list < sparse + spec_.dense.size();
  for (size_t r = 0; r < rows.views.size(); ++r) {
    const FeatureView& view = rows.views[r];
    if (view.type != DType::kInvalid && view.type != type) {
      return InvalidArgument("Feature list: ", index_.name(list), ", Index: ", r,
                             ".  Data types don't match. Expected type: ", DTypeName(type),
                             ", Actual type: ", DTypeName(view.type));
    }
    WB_ASSIGN_OR_RETURN(const int64_t count, CountValues(view));
    if (is_dense && count != rows_[list - sparse].num_elements()) {
      return InvalidArgument("Key: ", index_.name(list), ", Index: ", r, ".  Number of ",
                             type == DType::kString ? "bytes" : DTypeName(type),
                             " values != expected.  values size: ", count,
                             " but output shape: ", rows_[list - sparse].ToString());
    }
    rows.counts.push_back(count);
  }
  return OkStatus();
}

Status FeatureListParser::CheckExample(const Batch& batch, int64_t example, Found& found) const {
  std::vector<Rows>& lists = found.rows[static_cast<size_t>(example)];
  std::vector<FeatureListView> views(index_.size());
  if (!FindFeatureLists(batch.serialized->data<std::string>()[example], index_, views.data())) {
    return InvalidArgument("the bytes are no serialized SequenceExample");
  }
  const size_t sparse = spec_.sparse.size();
  for (size_t i = 0; i < lists.size(); ++i) {
    lists[i].is_present = views[i].is_present;
    Status status;
    if (!AppendFeatures(views[i].list, &lists[i].views)) {
      status =
          InvalidArgument("Feature list: ", index_.name(i), ".  Its bytes are no list of features");
    } else if (i >= sparse && i < sparse + spec_.dense.size() && !lists[i].is_present &&
               !batch.may_lack[i - sparse]) {
      status = InvalidArgument("Feature list '", index_.name(i),
                               "' is required but could not be found.  Did you mean to include "
                               "it in feature_list_dense_missing_assumed_empty or "
                               "feature_list_dense_defaults?");
    } else {
      status = CheckRows(i, example, found);
    }
    WB_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

Status FeatureListParser::FirstPass(KernelContext& ctx, const Batch& batch, Found& found) const {
  found.examples = batch.serialized->num_elements();
  found.rows.resize(static_cast<size_t>(found.examples), std::vector<Rows>(index_.size()));
  std::mutex mutex;
  int64_t failed = found.examples;  // the first one that fails is reported
  Status failure;
  const int64_t cost = kNsPerList * static_cast<int64_t>(index_.size() + 1);
  const bool is_done = StoppableFor(ctx, found.examples, cost, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      Status status = CheckExample(batch, e, found);
      if (status.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (e < failed) {
        failed = e;
        failure = std::move(status);
      }
      return;
    }
  });
  if (!failure.ok()) {
    const bool named = failed < batch.names->num_elements();
    return InvalidArgument("Name: ", named ? batch.names->data<std::string>()[failed] : "<unknown>",
                           ", ", failure.message(), " (example ", failed, ")");
  }
  if (!is_done) return StepIsOver();
  const size_t lists = index_.size();
  for (auto* all : {&found.values, &found.num_rows, &found.most_rows, &found.longest}) {
    all->assign(lists, 0);
  }
  for (const std::vector<Rows>& example : found.rows) {
    for (size_t i = 0; i < lists; ++i) {
      found.num_rows[i] += example[i].size();
      found.most_rows[i] = std::max(found.most_rows[i], example[i].size());
      for (const int64_t count : example[i].counts) {
        found.values[i] += count;
        found.longest[i] = std::max(found.longest[i], count);
      }
    }
  }
  return OkStatus();
}

Status FeatureListParser::EmitSparse(KernelContext& ctx, size_t i, const Batch& batch,
                                     const Found& found) const {
  const bool batched = batch.serialized->rank() == 1;
  const int n = static_cast<int>(spec_.sparse.size());
  const int output = batch.first_output + static_cast<int>(i);
  const int64_t columns = batched ? 3 : 2;
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(output, Shape({found.values[i], columns})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(n + output, Shape({found.values[i]})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * n + output, Shape({columns})));
  int64_t* out_shape = shape->data<int64_t>();
  if (batched) *out_shape++ = found.examples;
  *out_shape++ = found.most_rows[i];
  *out_shape = found.longest[i];
  return DispatchTypes(ValueTypes{}, values->dtype(), [&](auto tag) -> Status {
    auto* value = values->data<typename decltype(tag)::type>();
    int64_t* index = indices->data<int64_t>();
    for (size_t e = 0; e < found.rows.size(); ++e) {
      const Rows& rows = found.rows[e][i];
      for (size_t r = 0; r < rows.views.size(); ++r) {
        DecodeValues(rows.views[r], value);
        value += rows.counts[r];
        for (int64_t k = 0; k < rows.counts[r]; ++k) {
          if (batched) *index++ = static_cast<int64_t>(e);
          *index++ = static_cast<int64_t>(r);
          *index++ = k;
        }
      }
    }
    return OkStatus();
  });
}

Status FeatureListParser::EmitDense(KernelContext& ctx, size_t i, const Batch& batch,
                                    const Found& found) const {
  const size_t list = spec_.sparse.size() + i;
  const int output = batch.first_output + static_cast<int>(3 * spec_.sparse.size() + i);
  std::vector<int64_t> dims;
  if (batch.serialized->rank() == 1) dims.push_back(found.examples);
  dims.push_back(found.most_rows[list]);
  dims.insert(dims.end(), rows_[i].dims().begin(), rows_[i].dims().end());
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(output, shape));
  if (batch.has_lengths) {
    WB_ASSIGN_OR_RETURN(Tensor * lengths, ctx.Allocate(output + static_cast<int>(rows_.size()),
                                                       batch.serialized->shape()));
    for (size_t e = 0; e < found.rows.size(); ++e) {
      lengths->data<int64_t>()[e] = found.rows[e][list].size();
    }
  }
  const int64_t stride = rows_[i].num_elements();
  const int64_t width = found.most_rows[list] * stride;
  return DispatchTypes(ValueTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* const out = y->data<T>();
    StoppableFor(ctx, found.examples, 20 + width, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) {
        T* row = out + e * width;
        for (const FeatureView& view : found.rows[static_cast<size_t>(e)][list].views) {
          DecodeValues(view, row);
          row += stride;
        }
        std::fill(row, out + (e + 1) * width, T());
      }
    });
    return OkStatus();
  });
}

Status FeatureListParser::EmitRagged(KernelContext& ctx, size_t i, const Batch& batch,
                                     const Found& found) const {
  const bool batched = batch.serialized->rank() == 1;
  const size_t list = spec_.sparse.size() + spec_.dense.size() + i;
  const int n = static_cast<int>(spec_.ragged.size());
  const size_t before = 3 * spec_.sparse.size() + (batch.has_lengths ? 2 : 1) * spec_.dense.size();
  const int output = batch.first_output + static_cast<int>(before + i);
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(output, Shape({found.values[list]})));
  WB_ASSIGN_OR_RETURN(Tensor * outer,
                      ctx.Allocate(output + n, Shape({batched ? found.examples + 1 : 0})));
  WB_ASSIGN_OR_RETURN(Tensor * inner,
                      ctx.Allocate(output + 2 * n, Shape({found.num_rows[list] + 1})));
  WB_RETURN_IF_ERROR(DispatchTypes(ValueTypes{}, values->dtype(), [&](auto tag) -> Status {
    auto* value = values->data<typename decltype(tag)::type>();
    for (const std::vector<Rows>& example : found.rows) {
      const Rows& rows = example[list];
      for (size_t r = 0; r < rows.views.size(); ++r) {
        DecodeValues(rows.views[r], value);
        value += rows.counts[r];
      }
    }
    return OkStatus();
  }));
  return DispatchIndex(inner->dtype(), [&](auto tag) -> Status {
    using S = typename decltype(tag)::type;
    if (std::max(found.values[list], found.num_rows[list]) > std::numeric_limits<S>::max()) {
      return InvalidArgument("feature list '", spec_.ragged[i].key, "': ", found.values[list],
                             " values in ", found.num_rows[list], " rows do not fit row splits of ",
                             DTypeName(inner->dtype()));
    }
    S* row_split = inner->data<S>();
    S* example_split = outer->data<S>();
    int64_t rows = 0, at = 0;
    *row_split++ = 0;
    if (batched) *example_split++ = 0;
    for (const std::vector<Rows>& example : found.rows) {
      for (const int64_t count : example[list].counts) {
        *row_split++ = static_cast<S>(at += count);
      }
      rows += example[list].size();
      if (batched) *example_split++ = static_cast<S>(rows);
    }
    return OkStatus();
  });
}

Status FeatureListParser::Parse(KernelContext& ctx, const Batch& batch) const {
  Found found;
  WB_RETURN_IF_ERROR(FirstPass(ctx, batch, found));
  for (size_t i = 0; i < spec_.sparse.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitSparse(ctx, i, batch, found));
  }
  for (size_t i = 0; i < spec_.dense.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitDense(ctx, i, batch, found));
  }
  for (size_t i = 0; i < spec_.ragged.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitRagged(ctx, i, batch, found));
  }
  return OkStatus();
}

}  // namespace warpbeam
