// FeatureTypes: the features that an op parses, as far as its attributes tell: all but the keys.
//
//   WB_ASSIGN_OR_RETURN(FeatureTypes types, FeatureTypes::Make(init.attrs, kAttrs));
//   WB_ASSIGN_OR_RETURN(ExampleParser::Spec spec, types.Spec(sparse_keys, dense_keys, {}));
//
// Thread safety: a value. Errors: INVALID_ARGUMENT for attributes or keys that differ in number.
#ifndef WARPBEAM_OPS_PARSING_FEATURE_TYPES_H_
#define WARPBEAM_OPS_PARSING_FEATURE_TYPES_H_

#include <string>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/parsing/example_parser.h"

namespace warpbeam {

// What an op calls them; numbers that it has no attribute for follow from the types.
struct FeatureAttrs {
  const char* sparse;
  const char* dense;
  const char* dense_shapes;
  const char* ragged;
  const char* ragged_splits;
  const char* num_sparse[2];
  const char* num_dense;
};

struct FeatureTypes {
  std::vector<DType> sparse, dense, ragged, ragged_splits;
  std::vector<PartialShape> dense_shapes;

  static StatusOr<FeatureTypes> Make(const AttrMap& attrs, const FeatureAttrs& names);
  StatusOr<ExampleParser::Spec> Spec(const std::vector<std::string>& sparse_keys,
                                     const std::vector<std::string>& dense_keys,
                                     const std::vector<std::string>& ragged_keys) const;
  // Sets the shapes of an ExampleParser's outputs and returns their number. `examples` is the shape
  // of the serialized examples.
  int SetShapes(ShapeContext& c, const PartialShape& examples) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_FEATURE_TYPES_H_
