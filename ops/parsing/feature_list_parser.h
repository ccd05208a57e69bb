// FeatureListParser: the feature lists of serialized tf.train.SequenceExample messages into
// tensors, for one or for a batch.
//
//   WB_ASSIGN_OR_RETURN(auto parser, FeatureListParser::Make(std::move(spec)));
//   WB_RETURN_IF_ERROR(parser->Parse(ctx, {&serialized, &names, may_lack, first_output, true}));
//
// A list is a number of features, its rows. Dense: all rows have the same shape; in a batch shorter
// lists are filled up with zeros, and their lengths are told. Sparse: indices of example, row and
// place. Ragged: values, splits of examples into rows and of rows into values. Outputs stand in the
// order of ParseSequenceExampleV2: sparse indices, values, shapes; dense values, lengths; ragged
// values, outer splits, inner splits.
//
// Ownership: a parser keeps nothing of its inputs. Thread safety: Parse may run from several
// threads at once. Errors: INVALID_ARGUMENT naming the example and the list.
#ifndef WARPBEAM_OPS_PARSING_FEATURE_LIST_PARSER_H_
#define WARPBEAM_OPS_PARSING_FEATURE_LIST_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "ops/parsing/example_parser.h"

namespace warpbeam {

class FeatureListParser {
 public:
  struct Batch {
    const Tensor* serialized;    // a scalar for one example, a vector for a batch
    const Tensor* names;         // of the examples, for messages; empty when not known
    std::vector<bool> may_lack;  // for each dense list: where it is missing, it has no rows
    int first_output;
    bool has_lengths;  // whether there are outputs for the dense lists' lengths
  };

  // INVALID_ARGUMENT for shapes of dense lists that are not known.
  static StatusOr<std::unique_ptr<FeatureListParser>> Make(ExampleParser::Spec spec);

  Status Parse(KernelContext& ctx, const Batch& batch) const;

 private:
  struct Found;  // what the first pass finds

  FeatureListParser(ExampleParser::Spec spec, std::vector<std::string> names)
      : spec_(std::move(spec)), index_(std::move(names)) {}

  DType TypeOf(size_t list) const;
  Status CheckExample(const Batch& batch, int64_t example, Found& found) const;
  Status CheckRows(size_t list, int64_t example, Found& found) const;
  Status FirstPass(KernelContext& ctx, const Batch& batch, Found& found) const;
  Status EmitSparse(KernelContext& ctx, size_t i, const Batch& batch, const Found& found) const;
  Status EmitDense(KernelContext& ctx, size_t i, const Batch& batch, const Found& found) const;
  Status EmitRagged(KernelContext& ctx, size_t i, const Batch& batch, const Found& found) const;

  ExampleParser::Spec spec_;
  std::vector<Shape> rows_;  // of the dense lists
  FeatureIndex index_;       // sparse, dense, ragged
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_FEATURE_LIST_PARSER_H_
