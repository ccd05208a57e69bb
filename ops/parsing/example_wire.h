// The wire form of tf.train.Example: finding features, counting and decoding their values.
//
//   FeatureIndex index({"image", "label"});
//   std::vector<FeatureView> views(2);
//   if (!FindFeatures(bytes, index, views.data())) return malformed;
//   WB_ASSIGN_OR_RETURN(int64_t n, CountValues(views[1]));
//   DecodeValues(views[1], labels);          // room for n values of the view's type
//
// The context of a tf.train.SequenceExample stands where an Example has its features; its feature
// lists are found by FindFeatureLists.
//
// Views point into the bytes. Where a feature stands twice, the last one counts, as when protobuf
// reads a map. Thread safety: an index is read by any thread. Errors: false or INVALID_ARGUMENT for
// bytes that are no such message; nothing is read outside them.
#ifndef WARPBEAM_OPS_PARSING_EXAMPLE_WIRE_H_
#define WARPBEAM_OPS_PARSING_EXAMPLE_WIRE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/types/dtype.h"
#include "graph/types/errors.h"

namespace warpbeam {

// A feature of one example: its type (kInvalid when it is missing or has no values at all) and the
// bytes of its BytesList, FloatList or Int64List.
struct FeatureView {
  DType type = DType::kInvalid;
  absl::string_view list;
};

// From feature names to their numbers.
class FeatureIndex {
 public:
  // A name may stand more than once (wanted both dense and sparse, say).
  explicit FeatureIndex(std::vector<std::string> names);
  FeatureIndex(const FeatureIndex&) = delete;
  FeatureIndex& operator=(const FeatureIndex&) = delete;

  size_t size() const { return names_.size(); }
  const std::string& name(size_t i) const { return names_[i]; }
  // The first number of a name, or -1.
  int Find(absl::string_view name) const;
  // The next number of the same name, or -1.
  int Next(int i) const { return next_[static_cast<size_t>(i)]; }

 private:
  std::vector<std::string> names_;
  std::vector<int> next_;
  absl::flat_hash_map<absl::string_view, int> numbers_;  // only where there are many
};

// Fills views[i] for feature i of the index; features not in the example get an empty view. False
// when the bytes are no Example.
bool FindFeatures(absl::string_view example, const FeatureIndex& index, FeatureView* views);

// A feature list of one sequence example: the bytes of its FeatureList.
struct FeatureListView {
  bool is_present = false;
  absl::string_view list;
};

// Fills lists[i] for list i of the index. False when the bytes are no SequenceExample.
bool FindFeatureLists(absl::string_view sequence, const FeatureIndex& index,
                      FeatureListView* lists);
// Appends the features of a FeatureList; false when the bytes are none.
bool AppendFeatures(absl::string_view list, std::vector<FeatureView>* views);

// How many values a view holds; checks everything that decoding relies on.
StatusOr<int64_t> CountValues(const FeatureView& view);
// Writes them; `view` has passed CountValues.
void DecodeValues(const FeatureView& view, int64_t* out);
void DecodeValues(const FeatureView& view, float* out);
void DecodeValues(const FeatureView& view, std::string* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_EXAMPLE_WIRE_H_
