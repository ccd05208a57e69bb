// ParseExample, ParseExampleV2, ParseSingleExample: serialized tf.train.Example messages into
// tensors. They differ in how they are told the features.
#include <memory>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/parsing/example_parser.h"
#include "ops/parsing/feature_types.h"
#include "ops/parsing/parser_of_keys.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr FeatureAttrs kAttrs = {"sparse_types",
                                 "Tdense",
                                 "dense_shapes",
                                 "ragged_value_types",
                                 "ragged_split_types",
                                 {"num_sparse", "Nsparse"},
                                 "Ndense"};

// Keys come as inputs, nearly always the same constants.
class ParseExampleKernel : public Kernel {
 public:
  // Where the keys stand among the inputs.
  struct Keys {
    int sparse_begin, sparse_end, dense_begin, dense_end, ragged_begin, ragged_end;
  };
  ParseExampleKernel(FeatureTypes types, Keys keys) : types_(std::move(types)), keys_(keys) {}

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(
        std::shared_ptr<const ExampleParser> parser,
        parser_.For(ctx, keys_.sparse_begin, keys_.ragged_end,
                    [&]() -> StatusOr<std::unique_ptr<ExampleParser>> {
                      WB_ASSIGN_OR_RETURN(
                          ExampleParser::Spec spec,
                          types_.Spec(KeysOfInputs(ctx, keys_.sparse_begin, keys_.sparse_end),
                                      KeysOfInputs(ctx, keys_.dense_begin, keys_.dense_end),
                                      KeysOfInputs(ctx, keys_.ragged_begin, keys_.ragged_end)));
                      return ExampleParser::Make(std::move(spec));
                    }));
    return parser->Parse(ctx, {&ctx.input(0), &ctx.input(1), keys_.ragged_end});
  }

 private:
  const FeatureTypes types_;
  const Keys keys_;
  ParserOfKeys<ExampleParser> parser_;
};

struct ParseExampleV1 {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs, kAttrs));
    const int sparse_end = 2 + static_cast<int>(types.sparse.size());
    const int dense_end = sparse_end + static_cast<int>(types.dense.size());
    const ParseExampleKernel::Keys keys = {2,         sparse_end, sparse_end,
                                           dense_end, dense_end,  dense_end};
    return std::make_unique<ParseExampleKernel>(std::move(types), keys);
  }
};

struct ParseExampleV2 {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs, kAttrs));
    return std::make_unique<ParseExampleKernel>(std::move(types),
                                                ParseExampleKernel::Keys{2, 3, 3, 4, 4, 5});
  }
};

class ParseSingleExampleKernel final : public Kernel {
 public:
  explicit ParseSingleExampleKernel(std::unique_ptr<ExampleParser> parser)
      : parser_(std::move(parser)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs, kAttrs));
    WB_ASSIGN_OR_RETURN(auto sparse, init.attr<std::vector<std::string>>("sparse_keys"));
    WB_ASSIGN_OR_RETURN(auto dense, init.attr<std::vector<std::string>>("dense_keys"));
    WB_ASSIGN_OR_RETURN(ExampleParser::Spec spec, types.Spec(sparse, dense, {}));
    WB_ASSIGN_OR_RETURN(auto parser, ExampleParser::Make(std::move(spec)));
    return std::make_unique<ParseSingleExampleKernel>(std::move(parser));
  }
  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("one serialized example must be a scalar, not of shape ",
                             ctx.input(0).shape().ToString());
    }
    return parser_->Parse(ctx, {&ctx.input(0), nullptr, 1});
  }

 private:
  const std::unique_ptr<const ExampleParser> parser_;
};

Status ParsedShapes(ShapeContext& c, const PartialShape& examples) {
  WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(c.attrs(), kAttrs));
  types.SetShapes(c, examples);
  return OkStatus();
}

Status ParseExampleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape examples, c.WithRank(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  return ParsedShapes(c, examples);
}

Status ParseExampleV2Shape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1) {
    return InvalidArgument("serialized examples must be a scalar or a vector, not of shape ",
                           c.input(0).ToString());
  }
  for (int i = 2; i < 5; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  return ParsedShapes(c, c.input(0));
}

Status ParseSingleExampleShape(ShapeContext& c) {
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
