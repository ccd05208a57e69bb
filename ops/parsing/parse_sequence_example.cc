// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample: serialized
// tf.train.SequenceExample messages into tensors: a context, which is parsed as the features of an
// Example are, and feature lists. The ops differ in how they are told the features.
#include <algorithm>
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/parsing/feature_list_parser.h"
#include "ops/parsing/feature_types.h"
#include "ops/parsing/parser_of_keys.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr FeatureAttrs kContextAttrs = {"context_sparse_types",
                                        "Tcontext_dense",
                                        "context_dense_shapes",
                                        "context_ragged_value_types",
                                        "context_ragged_split_types",
                                        {"Ncontext_sparse", "Ncontext_sparse"},
                                        "Ncontext_dense"};
constexpr FeatureAttrs kListAttrs = {"feature_list_sparse_types",
                                     "feature_list_dense_types",
                                     "feature_list_dense_shapes",
                                     "feature_list_ragged_value_types",
                                     "feature_list_ragged_split_types",
                                     {"Nfeature_list_sparse", "Nfeature_list_sparse"},
                                     "Nfeature_list_dense"};

struct SequenceTypes {
  FeatureTypes context, lists;

  static StatusOr<SequenceTypes> Make(const AttrMap& attrs) {
    SequenceTypes types;
    WB_ASSIGN_OR_RETURN(types.context, FeatureTypes::Make(attrs, kContextAttrs));
    WB_ASSIGN_OR_RETURN(types.lists, FeatureTypes::Make(attrs, kListAttrs));
    return types;
  }
};

struct FeatureKeys {
  std::vector<std::string> sparse, dense, ragged;
};

struct SequenceParser {
  std::unique_ptr<const ExampleParser> context;
  std::unique_ptr<const FeatureListParser> lists;
  std::vector<std::string> dense_keys;  // of the lists
  int first_list = 0;                   // number of the lists' first output

  static StatusOr<std::unique_ptr<SequenceParser>> Make(const SequenceTypes& types,
                                                        const FeatureKeys& context,
                                                        const FeatureKeys& lists) {
    auto parser = std::make_unique<SequenceParser>();
    WB_ASSIGN_OR_RETURN(ExampleParser::Spec spec,
                        types.context.Spec(context.sparse, context.dense, context.ragged));
    for (const ExampleParser::Dense& f : spec.dense) {
      if (f.shape.IsFullyDefined()) continue;
      return InvalidArgument("the dense feature '", f.key, "' of the context must have a known ",
                             "shape, not ", f.shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(parser->context, ExampleParser::Make(std::move(spec)));
    WB_ASSIGN_OR_RETURN(spec, types.lists.Spec(lists.sparse, lists.dense, lists.ragged));
    WB_ASSIGN_OR_RETURN(parser->lists, FeatureListParser::Make(std::move(spec)));
    parser->dense_keys = lists.dense;
    const FeatureTypes& before = types.context;
    parser->first_list =
        static_cast<int>(3 * before.sparse.size() + before.dense.size() + 2 * before.ragged.size());
    return parser;
  }

  // Batches are refused where a feature is wanted in two forms.
  static Status CheckOnce(const FeatureKeys& keys) {
    const auto has = [](const std::vector<std::string>& others, const std::string& key) {
      return std::find(others.begin(), others.end(), key) != others.end();
    };
    for (const auto* some : {&keys.dense, &keys.ragged}) {
      for (const std::string& key : *some) {
        if (!has(keys.sparse, key) && (some == &keys.ragged || !has(keys.ragged, key))) continue;
        return InvalidArgument("the feature '", key, "' cannot be two of dense, sparse and ragged");
      }
    }
    return OkStatus();
  }
  static StatusOr<std::unique_ptr<SequenceParser>> MakeOfDistinct(const SequenceTypes& types,
                                                                  const FeatureKeys& context,
                                                                  const FeatureKeys& lists) {
    WB_RETURN_IF_ERROR(CheckOnce(context));
    WB_RETURN_IF_ERROR(CheckOnce(lists));
    return Make(types, context, lists);
  }

  Status Parse(KernelContext& ctx, int names, int first_default, std::vector<bool> may_lack,
               bool has_lengths) const {
    const ExampleParser::Batch batch = {&ctx.input(0), &ctx.input(names), first_default};
    WB_RETURN_IF_ERROR(context->Parse(ctx, batch));
    return lists->Parse(
        ctx, {batch.serialized, batch.names, std::move(may_lack), first_list, has_lengths});
  }
};

Status CheckRank(const KernelContext& ctx, int input, int rank, const char* argument) {
  if (ctx.input(input).rank() == rank) return OkStatus();
  return InvalidArgument("Expected ", argument, " to be a ", rank == 0 ? "scalar" : "vector",
                         ", got shape: ", ctx.input(input).shape().ToString());
}

// Which of `keys` are among `lacking`.
std::vector<bool> AmongThem(const std::vector<std::string>& keys,
                            const std::vector<std::string>& lacking) {
  std::vector<bool> among;
  for (const std::string& key : keys) {
    among.push_back(std::find(lacking.begin(), lacking.end(), key) != lacking.end());
  }
  return among;
}

class ParseSequenceExampleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ParseSequenceExampleKernel>();
    WB_ASSIGN_OR_RETURN(const SequenceTypes types, SequenceTypes::Make(init.attrs));
    FeatureKeys context, lists;
    using Strings = std::vector<std::string>;
    WB_ASSIGN_OR_RETURN(context.sparse, init.attr<Strings>("context_sparse_keys"));
    WB_ASSIGN_OR_RETURN(context.dense, init.attr<Strings>("context_dense_keys"));
    WB_ASSIGN_OR_RETURN(lists.sparse, init.attr<Strings>("feature_list_sparse_keys"));
    WB_ASSIGN_OR_RETURN(lists.dense, init.attr<Strings>("feature_list_dense_keys"));
    WB_ASSIGN_OR_RETURN(const Strings lacking,
                        init.attr<Strings>("feature_list_dense_missing_assumed_empty"));
    WB_ASSIGN_OR_RETURN(kernel->parser_, SequenceParser::MakeOfDistinct(types, context, lists));
    kernel->may_lack_ = AmongThem(lists.dense, lacking);
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckRank(ctx, 0, 1, "serialized"));
    return parser_->Parse(ctx, 1, 2, may_lack_, /*has_lengths=*/true);
  }

 private:
  std::unique_ptr<SequenceParser> parser_;
  std::vector<bool> may_lack_;
};

// The keys are inputs: one vector for each kind of features.
class ParseSequenceExampleV2Kernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ParseSequenceExampleV2Kernel>();
    WB_ASSIGN_OR_RETURN(kernel->types_, SequenceTypes::Make(init.attrs));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    for (int i = 2; i < 9; ++i) {
      WB_RETURN_IF_ERROR(CheckRank(ctx, i, 1, "keys and what lists may be missing"));
    }
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<const SequenceParser> parser,
                        parser_.For(ctx, 2, 8, [&] { return Make(ctx); }));
    const Tensor& lacking = ctx.input(8);
    if (lacking.dim(0) != static_cast<int64_t>(parser->dense_keys.size())) {
      return InvalidArgument("Expected len(feature_list_dense_missing_assumed_empty) == ",
                             "len(feature_list_dense_keys), they are ", lacking.dim(0), " and ",
                             parser->dense_keys.size());
    }
    const Span<const bool> values = lacking.flat<bool>();
    return parser->Parse(ctx, 1, 9, std::vector<bool>(values.begin(), values.end()),
                         /*has_lengths=*/true);
  }

 private:
  StatusOr<std::unique_ptr<SequenceParser>> Make(const KernelContext& ctx) const {
    const FeatureKeys context = {KeysOfInputs(ctx, 2, 3), KeysOfInputs(ctx, 3, 4),
                                 KeysOfInputs(ctx, 4, 5)};
    const FeatureKeys lists = {KeysOfInputs(ctx, 5, 6), KeysOfInputs(ctx, 6, 7),
                               KeysOfInputs(ctx, 7, 8)};
    return SequenceParser::MakeOfDistinct(types_, context, lists);
  }

  SequenceTypes types_;
  ParserOfKeys<SequenceParser> parser_;
};

// The keys are inputs, each a scalar.
class ParseSingleSequenceExampleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ParseSingleSequenceExampleKernel>();
    WB_ASSIGN_OR_RETURN(kernel->types_, SequenceTypes::Make(init.attrs));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    const FeatureTypes &context = types_.context, &lists = types_.lists;
    const int begins[] = {
        2, static_cast<int>(context.sparse.size()), static_cast<int>(context.dense.size()),
        static_cast<int>(lists.sparse.size()), static_cast<int>(lists.dense.size())};
    int at[5];
    at[0] = begins[0];
    for (int i = 1; i < 5; ++i) at[i] = at[i - 1] + begins[i];
    WB_RETURN_IF_ERROR(CheckRank(ctx, 0, 0, "serialized"));
    WB_RETURN_IF_ERROR(CheckRank(ctx, 1, 1, "feature_list_dense_missing_assumed_empty"));
    for (int i = at[0]; i < at[4]; ++i) WB_RETURN_IF_ERROR(CheckRank(ctx, i, 0, "keys"));
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<const SequenceParser> parser,
                        parser_.For(ctx, 2, at[4], [&] {
                          const FeatureKeys context_keys = {
                              KeysOfInputs(ctx, at[0], at[1]), KeysOfInputs(ctx, at[1], at[2]), {}};
                          const FeatureKeys list_keys = {
                              KeysOfInputs(ctx, at[2], at[3]), KeysOfInputs(ctx, at[3], at[4]), {}};
                          return SequenceParser::Make(types_, context_keys, list_keys);
                        }));
    const int names = at[4] + static_cast<int>(context.dense.size());
    return parser->Parse(ctx, names, at[4], AmongThem(parser->dense_keys, KeysOfInputs(ctx, 1, 2)),
                         /*has_lengths=*/false);
  }

 private:
  SequenceTypes types_;
  ParserOfKeys<SequenceParser> parser_;
};

// `examples`: the shape of the serialized examples, a scalar or a vector.
Status SequenceShapes(ShapeContext& c, const PartialShape& examples, bool has_lengths) {
  WB_ASSIGN_OR_RETURN(const SequenceTypes types, SequenceTypes::Make(c.attrs()));
  int output = types.context.SetShapes(c, examples);
  const FeatureTypes& lists = types.lists;
  const bool known = examples.has_rank();
  const int64_t columns = known ? examples.rank() + 2 : -1;
  const size_t sparse = lists.sparse.size(), ragged = lists.ragged.size();
  for (size_t i = 0; i < sparse; ++i) c.set_output(output++, PartialShape({-1, columns}));
  for (size_t i = 0; i < sparse; ++i) c.set_output(output++, PartialShape({-1}));
  for (size_t i = 0; i < sparse; ++i) c.set_output(output++, PartialShape({columns}));
  for (const PartialShape& row : lists.dense_shapes) {
    PartialShape out;
    if (known && row.has_rank()) {
      std::vector<int64_t> dims = examples.dims();
      dims.push_back(-1);
      dims.insert(dims.end(), row.dims().begin(), row.dims().end());
      out = PartialShape(std::move(dims));
    }
    c.set_output(output++, std::move(out));
  }
  for (size_t i = 0; has_lengths && i < lists.dense.size(); ++i) c.set_output(output++, examples);
  for (size_t i = 0; i < 3 * ragged; ++i) c.set_output(output++, PartialShape({-1}));
  return OkStatus();
}

Status ParseSequenceExampleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape examples, c.WithRank(0, 1));
  return SequenceShapes(c, examples, /*has_lengths=*/true);
}

Status ParseSequenceExampleV2Shape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1) {
    return InvalidArgument("serialized examples must be a scalar or a vector, not of shape ",
                           c.input(0).ToString());
  }
  for (int i = 2; i < 9; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  return SequenceShapes(c, c.input(0), /*has_lengths=*/true);
}

Status ParseSingleSequenceExampleShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return SequenceShapes(c, PartialShape(Shape()), /*has_lengths=*/false);
}

WB_OP("ParseSequenceExample")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .Attr("context_sparse_keys: list(string) >= 0")
    .Attr("context_dense_keys: list(string) >= 0")
    .Attr("feature_list_sparse_keys: list(string) >= 0")
    .Attr("feature_list_dense_keys: list(string) >= 0")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .Shape(ParseSequenceExampleShape);
WB_KERNEL("ParseSequenceExample", ParseSequenceExampleKernel).Cpu();

WB_OP("ParseSequenceExampleV2")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_sparse_keys: string")
    .Input("context_dense_keys: string")
    .Input("context_ragged_keys: string")
    .Input("feature_list_sparse_keys: string")
    .Input("feature_list_dense_keys: string")
    .Input("feature_list_ragged_keys: string")
    .Input("feature_list_dense_missing_assumed_empty: bool")
    .Input("context_dense_defaults: Tcontext_dense")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("context_ragged_values: context_ragged_value_types")
    .Output("context_ragged_row_splits: context_ragged_split_types")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Output("feature_list_ragged_values: feature_list_ragged_value_types")
    .Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types")
    .Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_ragged_value_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_ragged_split_types: list({int32, int64}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_ragged_value_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_ragged_split_types: list({int32, int64}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .Shape(ParseSequenceExampleV2Shape);
WB_KERNEL("ParseSequenceExampleV2", ParseSequenceExampleV2Kernel).Cpu();

WB_OP("ParseSingleSequenceExample")
    .Input("serialized: string")
    .Input("feature_list_dense_missing_assumed_empty: string")
    .Input("context_sparse_keys: Ncontext_sparse * string")
    .Input("context_dense_keys: Ncontext_dense * string")
    .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
    .Input("feature_list_dense_keys: Nfeature_list_dense * string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Input("debug_name: string")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .Shape(ParseSingleSequenceExampleShape);
WB_KERNEL("ParseSingleSequenceExample", ParseSingleSequenceExampleKernel).Cpu();

}  // namespace
}  // namespace warpbeam
