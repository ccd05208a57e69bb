#include "ops/parsing/feature_types.h"

#include <utility>

#include "ops/array/index/index_argument.h"

namespace warpbeam {

StatusOr<FeatureTypes> FeatureTypes::Make(const AttrMap& attrs, const FeatureAttrs& names) {
  FeatureTypes t;
  WB_ASSIGN_OR_RETURN(t.sparse, attrs.Get<std::vector<DType>>(names.sparse));
  WB_ASSIGN_OR_RETURN(t.dense, attrs.Get<std::vector<DType>>(names.dense));
  WB_ASSIGN_OR_RETURN(t.dense_shapes, attrs.Get<std::vector<PartialShape>>(names.dense_shapes));
  t.ragged = attrs.GetOr<std::vector<DType>>(names.ragged, {});
  t.ragged_splits = attrs.GetOr<std::vector<DType>>(names.ragged_splits, {});
  for (const char* count : names.num_sparse) {
    const int64_t n = attrs.GetOr<int64_t>(count, static_cast<int64_t>(t.sparse.size()));
    if (n != static_cast<int64_t>(t.sparse.size())) {
      return InvalidArgument("'", count, "' is ", n, " but '", names.sparse, "' has ",
                             t.sparse.size());
    }
  }
  const int64_t dense = attrs.GetOr<int64_t>(names.num_dense, static_cast<int64_t>(t.dense.size()));
  if (dense != static_cast<int64_t>(t.dense.size()) || t.dense_shapes.size() != t.dense.size()) {
    return InvalidArgument("dense features differ in number: ", dense, " keys, ", t.dense.size(),
                           " types in '", names.dense, "', ", t.dense_shapes.size(), " shapes in '",
                           names.dense_shapes, "'");
  }
  if (t.ragged.size() != t.ragged_splits.size()) {
    return InvalidArgument("ragged features differ in number: ", t.ragged.size(), " value types, ",
                           t.ragged_splits.size(), " split types");
  }
  return t;
}

StatusOr<ExampleParser::Spec> FeatureTypes::Spec(
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
  return spec;
}

int FeatureTypes::SetShapes(ShapeContext& c, const PartialShape& examples) const {
  const bool known = examples.has_rank();
  const int64_t rank = known ? examples.rank() + 1 : -1;
  int output = 0;
  for (size_t i = 0; i < sparse.size(); ++i) c.set_output(output++, PartialShape({-1, rank}));
  for (size_t i = 0; i < sparse.size(); ++i) c.set_output(output++, PartialShape({-1}));
  for (size_t i = 0; i < sparse.size(); ++i) c.set_output(output++, PartialShape({rank}));
  for (const PartialShape& shape : dense_shapes) {
    PartialShape out;
    if (known && shape.has_rank()) {
      std::vector<int64_t> dims = examples.dims();
      dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
      out = PartialShape(std::move(dims));
    }
    c.set_output(output++, std::move(out));
  }
  for (size_t i = 0; i < ragged.size(); ++i) c.set_output(output++, PartialShape({-1}));
  int64_t splits = -1;
  if (known && examples.rank() == 0) splits = 0;
  if (known && examples.rank() == 1) splits = AddExtents(examples.dim(0), 1);
  for (size_t i = 0; i < ragged.size(); ++i) c.set_output(output++, PartialShape({splits}));
  return output;
}

}  // namespace warpbeam
