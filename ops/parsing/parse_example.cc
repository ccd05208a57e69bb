// ParseExample, ParseExampleV2, ParseSingleExample: serialized tf.train.Example messages into
// tensors. They differ in how they are told the features.
#include <memory>
#include <mutex>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/parsing/example_parser.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The features as far as attributes tell.
struct FeatureTypes {
  std::vector<DType> sparse, dense, ragged, ragged_splits;
  std::vector<PartialShape> dense_shapes;

  static absl::StatusOr<FeatureTypes> Make(const AttrMap& attrs) {
    FeatureTypes t;
    WB_ASSIGN_OR_RETURN(t.sparse, attrs.Get<std::vector<DType>>("sparse_types"));
    WB_ASSIGN_OR_RETURN(t.dense, attrs.Get<std::vector<DType>>("Tdense"));
    WB_ASSIGN_OR_RETURN(t.dense_shapes, attrs.Get<std::vector<PartialShape>>("dense_shapes"));
    t.ragged = attrs.GetOr<std::vector<DType>>("ragged_value_types", {});
    t.ragged_splits = attrs.GetOr<std::vector<DType>>("ragged_split_types", {});
    for (const char* count : {"num_sparse", "Nsparse"}) {
      const int64_t n = attrs.GetOr<int64_t>(count, static_cast<int64_t>(t.sparse.size()));
      if (n != static_cast<int64_t>(t.sparse.size())) {
        return InvalidArgument("'", count, "' is ", n, " but 'sparse_types' has ", t.sparse.size());
      }
    }
    const int64_t dense = attrs.GetOr<int64_t>("Ndense", static_cast<int64_t>(t.dense.size()));
    if (dense != static_cast<int64_t>(t.dense.size()) || t.dense_shapes.size() != t.dense.size()) {
      return InvalidArgument("dense features differ in number: ", dense, " keys, ", t.dense.size(),
                             " types in 'Tdense', ", t.dense_shapes.size(),
                             " shapes in 'dense_shapes'");
    }
    if (t.ragged.size() != t.ragged_splits.size()) {
      return InvalidArgument("ragged features differ in number: ", t.ragged.size(),
                             " value types, ", t.ragged_splits.size(), " split types");
    }
    return t;
  }

  absl::StatusOr<std::unique_ptr<ExampleParser>> Parser(
      const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
      const std::vector<std::string>& ragged_keys) const {
    if (sparse_keys.size() != sparse.size() || dense_keys.size() != dense.size() ||
        ragged_keys.size() != ragged.size()) {
      return InvalidArgument("there are ", sparse_keys.size(), " sparse, ", dense_keys.size(),
                             " dense and ", ragged_keys.size(), " ragged keys, but types for ",
                             sparse.size(), ", ", dense.size(), " and ", ragged.size());
    }
    ExampleParser::Spec spec;
    for (size_t i = 0; i < sparse.size(); ++i) spec.sparse.push_back({sparse_keys[i], sparse[i]});
    for (size_t i = 0; i < dense.size(); ++i) {
      spec.dense.push_back({dense_keys[i], dense[i], dense_shapes[i]});
    }
    for (size_t i = 0; i < ragged.size(); ++i) {
      spec.ragged.push_back({ragged_keys[i], ragged[i], ragged_splits[i]});
    }
    return ExampleParser::Make(std::move(spec));
  }
};

void AppendKeys(const Tensor& keys, std::vector<std::string>& out) {
  for (const std::string& key : keys.flat<std::string>()) out.push_back(key);
}

// Keys come as inputs, nearly always the same constants: the parser made for them is kept.
class ParseExampleKernel : public Kernel {
 public:
  // Where the keys stand among the inputs.
  struct Keys {
    int sparse_begin, sparse_end, dense_begin, dense_end, ragged_begin, ragged_end;
  };
  ParseExampleKernel(FeatureTypes types, Keys keys) : types_(std::move(types)), keys_(keys) {}

  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<const ExampleParser> parser, ParserFor(ctx));
    return parser->Parse(ctx, {&ctx.input(0), &ctx.input(1), keys_.ragged_end});
  }

 private:
  absl::StatusOr<std::shared_ptr<const ExampleParser>> ParserFor(KernelContext& ctx) {
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t count = static_cast<size_t>(keys_.ragged_end - keys_.sparse_begin);
    bool same = parser_ != nullptr && inputs_.size() == count;
    for (size_t i = 0; same && i < count; ++i) {
      const Tensor& now = ctx.input(keys_.sparse_begin + static_cast<int>(i));
      // Held here, the old buffer's address cannot have been given to another.
      same = now.raw_data() == inputs_[i].raw_data() && now.shape() == inputs_[i].shape();
    }
    if (same) return parser_;
    std::vector<std::string> sparse, dense, ragged;
    for (int i = keys_.sparse_begin; i < keys_.sparse_end; ++i) AppendKeys(ctx.input(i), sparse);
    for (int i = keys_.dense_begin; i < keys_.dense_end; ++i) AppendKeys(ctx.input(i), dense);
    for (int i = keys_.ragged_begin; i < keys_.ragged_end; ++i) AppendKeys(ctx.input(i), ragged);
    WB_ASSIGN_OR_RETURN(parser_, types_.Parser(sparse, dense, ragged));
    inputs_.clear();
    for (int i = keys_.sparse_begin; i < keys_.ragged_end; ++i) inputs_.push_back(ctx.input(i));
    return parser_;
  }

  const FeatureTypes types_;
  const Keys keys_;
  std::mutex mutex_;
  std::vector<Tensor> inputs_;  // the keys that parser_ was made of
  std::shared_ptr<const ExampleParser> parser_;
};

struct ParseExampleV1 {
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs));
    const int sparse_end = 2 + static_cast<int>(types.sparse.size());
    const int dense_end = sparse_end + static_cast<int>(types.dense.size());
    const ParseExampleKernel::Keys keys = {2,         sparse_end, sparse_end,
                                           dense_end, dense_end,  dense_end};
    return std::make_unique<ParseExampleKernel>(std::move(types), keys);
  }
};

struct ParseExampleV2 {
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs));
    return std::make_unique<ParseExampleKernel>(std::move(types),
                                                ParseExampleKernel::Keys{2, 3, 3, 4, 4, 5});
  }
};

class ParseSingleExampleKernel final : public Kernel {
 public:
  explicit ParseSingleExampleKernel(std::unique_ptr<ExampleParser> parser)
      : parser_(std::move(parser)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs));
    WB_ASSIGN_OR_RETURN(auto sparse, init.attr<std::vector<std::string>>("sparse_keys"));
    WB_ASSIGN_OR_RETURN(auto dense, init.attr<std::vector<std::string>>("dense_keys"));
    WB_ASSIGN_OR_RETURN(std::unique_ptr<ExampleParser> parser, types.Parser(sparse, dense, {}));
    return std::make_unique<ParseSingleExampleKernel>(std::move(parser));
  }
  absl::Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("one serialized example must be a scalar, not of shape ",
                             ctx.input(0).shape().ToString());
    }
    return parser_->Parse(ctx, {&ctx.input(0), nullptr, 1});
  }

 private:
  const std::unique_ptr<const ExampleParser> parser_;
};

// `examples`: the shape of the serialized examples, a scalar or a vector.
absl::Status ParsedShapes(ShapeContext& c, const PartialShape& examples) {
  WB_ASSIGN_OR_RETURN(FeatureTypes t, FeatureTypes::Make(c.attrs()));
  const bool known = examples.has_rank();
  const int64_t rank = known ? examples.rank() + 1 : -1;
  int output = 0;
  for (size_t i = 0; i < t.sparse.size(); ++i) c.set_output(output++, PartialShape({-1, rank}));
  for (size_t i = 0; i < t.sparse.size(); ++i) c.set_output(output++, PartialShape({-1}));
  for (size_t i = 0; i < t.sparse.size(); ++i) c.set_output(output++, PartialShape({rank}));
  for (const PartialShape& shape : t.dense_shapes) {
    PartialShape out;
    if (known && shape.has_rank()) {
      std::vector<int64_t> dims = examples.dims();
      dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
      out = PartialShape(std::move(dims));
    }
    c.set_output(output++, std::move(out));
  }
  for (size_t i = 0; i < t.ragged.size(); ++i) c.set_output(output++, PartialShape({-1}));
  int64_t splits = -1;
  if (known && examples.rank() == 0) splits = 0;
  if (known && examples.rank() == 1 && examples.dim(0) >= 0) splits = examples.dim(0) + 1;
  for (size_t i = 0; i < t.ragged.size(); ++i) c.set_output(output++, PartialShape({splits}));
  return absl::OkStatus();
}

absl::Status ParseExampleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape examples, c.WithRank(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return ParsedShapes(c, examples);
}

absl::Status ParseExampleV2Shape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1) {
    return InvalidArgument("serialized examples must be a scalar or a vector, not of shape ",
                           c.input(0).ToString());
  }
  for (int i = 2; i < 5; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  return ParsedShapes(c, c.input(0));
}

absl::Status ParseSingleExampleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape example, c.WithRank(0, 0));
  return ParsedShapes(c, PartialShape(Shape()));
}

WB_OP("ParseExample")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: Nsparse * string")
    .Input("dense_keys: Ndense * string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: Nsparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: Nsparse * int64")
    .Output("dense_values: Tdense")
    .Attr("Nsparse: int >= 0")
    .Attr("Ndense: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape(ParseExampleShape);
WB_KERNEL("ParseExample", ParseExampleV1).Cpu();

WB_OP("ParseExampleV2")
    .Input("serialized: string")
    .Input("names: string")
    .Input("sparse_keys: string")
    .Input("dense_keys: string")
    .Input("ragged_keys: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Output("ragged_values: ragged_value_types")
    .Output("ragged_row_splits: ragged_split_types")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("ragged_value_types: list({float, int64, string}) >= 0")
    .Attr("ragged_split_types: list({int32, int64}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape(ParseExampleV2Shape);
WB_KERNEL("ParseExampleV2", ParseExampleV2).Cpu();

WB_OP("ParseSingleExample")
    .Input("serialized: string")
    .Input("dense_defaults: Tdense")
    .Output("sparse_indices: num_sparse * int64")
    .Output("sparse_values: sparse_types")
    .Output("sparse_shapes: num_sparse * int64")
    .Output("dense_values: Tdense")
    .Attr("num_sparse: int >= 0")
    .Attr("sparse_keys: list(string) >= 0")
    .Attr("dense_keys: list(string) >= 0")
    .Attr("sparse_types: list({float, int64, string}) >= 0")
    .Attr("Tdense: list({float, int64, string}) >= 0")
    .Attr("dense_shapes: list(shape) >= 0")
    .Shape(ParseSingleExampleShape);
WB_KERNEL("ParseSingleExample", ParseSingleExampleKernel).Cpu();

}  // namespace
}  // namespace warpbeam
