// ExampleParser: serialized tf.train.Example messages into tensors, for one or for a batch.
//
//   ExampleParser::Spec spec;  spec.dense.push_back({"image", DType::kString, …});
//   WB_ASSIGN_OR_RETURN(auto parser, ExampleParser::Make(std::move(spec)));
//   WB_RETURN_IF_ERROR(parser->Parse(ctx, batch));
//
// A dense feature has the same shape in every example, or an unknown first extent and is filled up
// with its default value; a missing one becomes its default. A sparse feature gives indices, values
// and the dense shape, a ragged one values and row splits. Outputs stand in the order of
// ParseExampleV2: sparse indices, values, shapes; dense values; ragged values, row splits.
//
// A batch is read twice: the first pass finds features and counts values, the second decodes them
// into outputs of exactly the right size. Ownership: a parser keeps nothing of its inputs. Thread
// safety: Parse may run from several threads at once. Errors: INVALID_ARGUMENT naming the example
// and the feature.
#ifndef WARPBEAM_OPS_PARSING_EXAMPLE_PARSER_H_
#define WARPBEAM_OPS_PARSING_EXAMPLE_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/types/tensor.h"
#include "ops/parsing/example_wire.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class ExampleParser {
 public:
  struct Dense {
    std::string key;
    DType type;
    PartialShape shape;
  };
  struct Sparse {
    std::string key;
    DType type;
  };
  struct Ragged {
    std::string key;
    DType type;
    DType split_type;
  };
  struct Spec {
    std::vector<Sparse> sparse;
    std::vector<Dense> dense;
    std::vector<Ragged> ragged;
  };
  struct Batch {
    const Tensor* serialized;  // a scalar for one example, a vector for a batch
    const Tensor* names;       // of the examples, for messages; null or empty when not known
    int first_default;         // number of the input that is the first dense feature's default
  };

  // INVALID_ARGUMENT for shapes of dense features that leave more open than their first extent.
  static StatusOr<std::unique_ptr<ExampleParser>> Make(Spec spec);

  Status Parse(KernelContext& ctx, const Batch& batch) const;

 private:
  // A dense feature with its shape taken apart.
  struct DenseLayout {
    bool variable;   // its first extent is open
    int64_t stride;  // elements of a row, or of the whole where the shape is fixed
    Shape row;       // the shape without an open first extent
  };
  struct Counted;  // what the first pass finds

  explicit ExampleParser(Spec spec, std::vector<std::string> names)
      : spec_(std::move(spec)), index_(std::move(names)) {}

  Status CheckDefaults(KernelContext& ctx, const Batch& batch) const;
  Status FirstPass(KernelContext& ctx, const Batch& batch, Counted& found) const;
  Status CheckExample(KernelContext& ctx, const Batch& batch, int64_t example,
                      Counted& found) const;
  Status CheckDense(size_t i, const FeatureView& view, int64_t count) const;
  Status EmitSparse(KernelContext& ctx, size_t i, bool batched, const Counted& found) const;
  Status EmitDense(KernelContext& ctx, size_t i, const Batch& batch, bool batched,
                   const Counted& found) const;
  Status EmitRagged(KernelContext& ctx, size_t i, bool batched, const Counted& found) const;

  Spec spec_;
  std::vector<DenseLayout> layouts_;
  FeatureIndex index_;  // sparse, dense, ragged
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_EXAMPLE_PARSER_H_
