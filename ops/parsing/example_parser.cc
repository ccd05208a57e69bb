#include "ops/parsing/example_parser.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {

// Views and numbers of values, example by example; `total` and `longest` feature by feature.
struct ExampleParser::Counted {
  int64_t examples = 0;
  size_t features = 0;
  absl::InlinedVector<FeatureView, 16> views;
  absl::InlinedVector<int64_t, 16> counts;
  absl::InlinedVector<int64_t, 16> total;
  absl::InlinedVector<int64_t, 16> longest;

  size_t At(int64_t example, size_t feature) const {
    return static_cast<size_t>(example) * features + feature;
  }
};

namespace {

using ValueTypes = TypeList<int64_t, float, std::string>;

// What an example costs to read, for the choice of threads.
constexpr int64_t kNsPerFeature = 60;

Status WrongType(bool is_dense, DType expected, DType found) {
  constexpr char kWrong[] = "Data types don't match. ";
  if (is_dense) {
    return InvalidArgument(kWrong, "Data type: ", DTypeName(found),
                           " but expected type: ", DTypeName(expected));
  }
  return InvalidArgument(kWrong, "Expected type: ", DTypeName(expected),
                         ", Actual type: ", DTypeName(found));
}

// What a feature's values are called where there are too many or too few.
std::string ValuesName(DType type) {
  return type == DType::kString ? "bytes" : std::string(DTypeName(type));
}

// "Name: in1, " where the example has a name or is one of several.
std::string NameOfExample(const ExampleParser::Batch& batch, int64_t example) {
  if (batch.names != nullptr && example < batch.names->num_elements()) {
    return absl::StrCat("Name: ", batch.names->data<std::string>()[example], ", ");
  }
  return batch.serialized->rank() == 0 ? "" : "Name: <unknown>, ";
}

// Where a value is wrong, in front of `status`.
Status AtFeature(const Status& status, const ExampleParser::Batch& batch, int64_t example,
                 absl::string_view key) {
  const std::string index = batch.serialized->rank() == 0 ? "" : absl::StrCat(", Index: ", example);
  return InvalidArgument(NameOfExample(batch, example), "Key: ", key, index, ".  ",
                         status.message());
}

}  // namespace

StatusOr<std::unique_ptr<ExampleParser>> ExampleParser::Make(Spec spec) {
  std::vector<std::string> names;
  for (const Sparse& f : spec.sparse) names.push_back(f.key);
  for (const Dense& f : spec.dense) names.push_back(f.key);
  for (const Ragged& f : spec.ragged) names.push_back(f.key);
  std::vector<DenseLayout> layouts;
  for (const Dense& f : spec.dense) {
    if (!f.shape.has_rank()) {
      return InvalidArgument("the dense feature '", f.key, "' needs a shape of known rank");
    }
    std::vector<int64_t> dims = f.shape.dims();
    const bool variable = !dims.empty() && dims[0] < 0;
    if (variable) dims.erase(dims.begin());
    if (std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) {
      return InvalidArgument("the dense feature '", f.key, "' has the shape ", f.shape.ToString(),
                             ": only its first extent may be unknown");
    }
    WB_ASSIGN_OR_RETURN(Shape row, Shape::Make(dims));
    const int64_t stride = row.num_elements();
    if (variable && stride == 0) {
      return InvalidArgument("the dense feature '", f.key,
                             "' has rows without elements: ", f.shape.ToString());
    }
    layouts.push_back({variable, stride, std::move(row)});
  }
  std::unique_ptr<ExampleParser> parser(new ExampleParser(std::move(spec), std::move(names)));
  parser->layouts_ = std::move(layouts);
  return parser;
}

Status ExampleParser::CheckDefaults(KernelContext& ctx, const Batch& batch) const {
  for (size_t i = 0; i < spec_.dense.size(); ++i) {
    const Dense& f = spec_.dense[i];
    const Tensor& fallback = ctx.input(batch.first_default + static_cast<int>(i));
    if (layouts_[i].variable) {
      if (fallback.num_elements() == 1) continue;
      return InvalidArgument("the default of the dense feature '", f.key,
                             "', whose first extent is open, must be one value to fill up with, "
                             "not of shape ",
                             fallback.shape().ToString());
    }
    if (fallback.num_elements() > 0 && !f.shape.IsCompatibleWith(fallback.shape())) {
      return InvalidArgument("the default of the dense feature '", f.key, "' has the shape ",
                             fallback.shape().ToString(), ", not ", f.shape.ToString());
    }
  }
  return OkStatus();
}

Status ExampleParser::CheckDense(size_t i, const FeatureView& view, int64_t count) const {
  const DenseLayout& layout = layouts_[i];
  const Dense& feature = spec_.dense[i];
  if (layout.variable) {
    if (count % layout.stride == 0) return OkStatus();
    return InvalidArgument("Number of ", ValuesName(feature.type),
                           " values is not a multiple of stride length. Saw ", count,
                           " values but output shape is: ", feature.shape.ToString());
  }
  if (view.type == DType::kInvalid || count == layout.stride) return OkStatus();
  return InvalidArgument("Number of ", ValuesName(feature.type),
                         " values != expected.  Values size: ", count,
                         " but output shape: ", feature.shape.ToString());
}

Status ExampleParser::CheckExample(KernelContext& ctx, const Batch& batch, int64_t example,
                                   Counted& found) const {
  FeatureView* views = found.views.data() + found.At(example, 0);
  int64_t* counts = found.counts.data() + found.At(example, 0);
  if (!FindFeatures(batch.serialized->data<std::string>()[example], index_, views)) {
    return InvalidArgument("Could not parse example input: ", NameOfExample(batch, example),
                           "the bytes of example ", example, " are no serialized Example");
  }
  const size_t sparse = spec_.sparse.size(), dense = spec_.dense.size();
  for (size_t f = 0; f < found.features; ++f) {
    const bool is_dense = f >= sparse && f < sparse + dense;
    const DType type = f < sparse ? spec_.sparse[f].type
                       : is_dense ? spec_.dense[f - sparse].type
                                  : spec_.ragged[f - sparse - dense].type;
    Status status;
    if (views[f].type != DType::kInvalid && views[f].type != type) {
      status = WrongType(is_dense, type, views[f].type);
    } else {
      auto count = CountValues(views[f]);
      status = count.status();
      if (status.ok()) counts[f] = *count;
    }
    if (status.ok() && is_dense) {
      const size_t i = f - sparse;
      const Tensor& fallback = ctx.input(batch.first_default + static_cast<int>(i));
      if (views[f].type == DType::kInvalid && !layouts_[i].variable && layouts_[i].stride > 0 &&
          fallback.num_elements() == 0) {
        return InvalidArgument(NameOfExample(batch, example), "Feature: ", index_.name(f),
                               " (data type: ", DTypeName(type),
                               ") is required but could not be found. It has no default, and "
                               "example ",
                               example, " lacks it");
      }
      status = CheckDense(i, views[f], counts[f]);
    }
    if (!status.ok()) return AtFeature(status, batch, example, index_.name(f));
  }
  return OkStatus();
}

Status ExampleParser::FirstPass(KernelContext& ctx, const Batch& batch, Counted& found) const {
  found.examples = batch.serialized->num_elements();
  found.features = index_.size();
  const size_t cells = static_cast<size_t>(found.examples) * found.features;
  found.views.resize(cells);
  found.counts.resize(cells, 0);
  std::mutex mutex;
  int64_t failed = found.examples;  // the first one that fails is reported
  Status failure;
  const int64_t cost = kNsPerFeature * static_cast<int64_t>(found.features + 1);
  const bool is_done = StoppableFor(ctx, found.examples, cost, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      Status status = CheckExample(ctx, batch, e, found);
      if (status.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (e < failed) {
        failed = e;
        failure = std::move(status);
      }
      return;
    }
  });
  WB_RETURN_IF_ERROR(failure);
  if (!is_done) return StepIsOver();
  found.total.resize(found.features, 0);
  found.longest.resize(found.features, 0);
  for (int64_t e = 0; e < found.examples; ++e) {
    for (size_t f = 0; f < found.features; ++f) {
      const int64_t count = found.counts[found.At(e, f)];
      found.total[f] += count;
      found.longest[f] = std::max(found.longest[f], count);
    }
  }
  return OkStatus();
}

Status ExampleParser::EmitSparse(KernelContext& ctx, size_t i, bool batched,
                                 const Counted& found) const {
  const int n = static_cast<int>(spec_.sparse.size()), output = static_cast<int>(i);
  const int64_t total = found.total[i];
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(output, Shape({total, batched ? 2 : 1})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(n + output, Shape({total})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * n + output, Shape({batched ? 2 : 1})));
  int64_t* out_shape = shape->data<int64_t>();
  if (batched) *out_shape++ = found.examples;
  *out_shape = found.longest[i];
  return DispatchTypes(ValueTypes{}, values->dtype(), [&](auto tag) -> Status {
    auto* value = values->data<typename decltype(tag)::type>();
    int64_t* index = indices->data<int64_t>();
    for (int64_t e = 0; e < found.examples; ++e) {
      const int64_t count = found.counts[found.At(e, i)];
      DecodeValues(found.views[found.At(e, i)], value);
      value += count;
      for (int64_t k = 0; k < count; ++k) {
        if (batched) *index++ = e;
        *index++ = k;
      }
    }
    return OkStatus();
  });
}

Status ExampleParser::EmitDense(KernelContext& ctx, size_t i, const Batch& batch, bool batched,
                                const Counted& found) const {
  const size_t feature = spec_.sparse.size() + i;
  const DenseLayout& layout = layouts_[i];
  const Tensor& fallback = ctx.input(batch.first_default + static_cast<int>(i));
  std::vector<int64_t> dims;
  if (batched) dims.push_back(found.examples);
  if (layout.variable) dims.push_back(found.longest[feature] / layout.stride);
  dims.insert(dims.end(), layout.row.dims().begin(), layout.row.dims().end());
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor * y,
                      ctx.Allocate(static_cast<int>(3 * spec_.sparse.size() + i), shape));
  const int64_t width = layout.variable ? found.longest[feature] : layout.stride;
  return DispatchTypes(ValueTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* missing = fallback.data<T>();
    T* out = y->data<T>();
    StoppableFor(ctx, found.examples, 20 + width, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) {
        T* row = out + e * width;
        const FeatureView& view = found.views[found.At(e, feature)];
        const int64_t count = found.counts[found.At(e, feature)];
        DecodeValues(view, row);
        if (layout.variable) {
          std::fill(row + count, row + width, *missing);
        } else if (view.type == DType::kInvalid) {
          std::copy(missing, missing + width, row);
        }
      }
    });
    return OkStatus();
  });
}

Status ExampleParser::EmitRagged(KernelContext& ctx, size_t i, bool batched,
                                 const Counted& found) const {
  const size_t sparse = spec_.sparse.size(), dense = spec_.dense.size();
  const size_t feature = sparse + dense + i;
  const int first = static_cast<int>(3 * sparse + dense + i);
  const int64_t total = found.total[feature];
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(first, Shape({total})));
  WB_ASSIGN_OR_RETURN(Tensor * splits, ctx.Allocate(first + static_cast<int>(spec_.ragged.size()),
                                                    Shape({batched ? found.examples + 1 : 0})));
  WB_RETURN_IF_ERROR(DispatchTypes(ValueTypes{}, values->dtype(), [&](auto tag) -> Status {
    auto* value = values->data<typename decltype(tag)::type>();
    for (int64_t e = 0; e < found.examples; ++e) {
      DecodeValues(found.views[found.At(e, feature)], value);
      value += found.counts[found.At(e, feature)];
    }
    return OkStatus();
  }));
  if (!batched) return OkStatus();
  return DispatchIndex(splits->dtype(), [&](auto tag) -> Status {
    using S = typename decltype(tag)::type;
    if (total > std::numeric_limits<S>::max()) {
      return InvalidArgument("feature '", spec_.ragged[i].key, "': ", total,
                             " values do not fit row splits of ", DTypeName(splits->dtype()));
    }
    S* split = splits->data<S>();
    int64_t at = 0;
    *split++ = 0;
    for (int64_t e = 0; e < found.examples; ++e) {
      at += found.counts[found.At(e, feature)];
      *split++ = static_cast<S>(at);
    }
    return OkStatus();
  });
}

Status ExampleParser::Parse(KernelContext& ctx, const Batch& batch) const {
  const bool batched = batch.serialized->rank() == 1;
  if (batch.serialized->rank() > 1) {
    return InvalidArgument("serialized examples must be a scalar or a vector, not of shape ",
                           batch.serialized->shape().ToString());
  }
  if (batch.names != nullptr && batch.names->num_elements() > 0 &&
      batch.names->shape() != batch.serialized->shape()) {
    return InvalidArgument("there must be a name for each example or none: names have shape ",
                           batch.names->shape().ToString(), ", examples ",
                           batch.serialized->shape().ToString());
  }
  WB_RETURN_IF_ERROR(CheckDefaults(ctx, batch));
  Counted found;
  WB_RETURN_IF_ERROR(FirstPass(ctx, batch, found));
  for (size_t i = 0; i < spec_.sparse.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitSparse(ctx, i, batched, found));
  }
  for (size_t i = 0; i < spec_.dense.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitDense(ctx, i, batch, batched, found));
  }
  for (size_t i = 0; i < spec_.ragged.size(); ++i) {
    WB_RETURN_IF_ERROR(EmitRagged(ctx, i, batched, found));
  }
  return OkStatus();
}

}  // namespace warpbeam
