// SequenceDims: along which dimensions ReverseSequence reverses, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const SequenceDims dims, SequenceDims::FromAttrs(init.attrs));
//   WB_RETURN_IF_ERROR(dims.Check(x.shape(), lengths.shape()));
//
// Thread safety: values. Errors: INVALID_ARGUMENT for dimensions that the tensor does not have or
// that are one, and for another number of lengths than of sequences.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_SEQUENCE_DIMS_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_SEQUENCE_DIMS_H_

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

struct SequenceDims {
  int64_t seq = 0, batch = 0;

  static StatusOr<SequenceDims> FromAttrs(const AttrMap& attrs) {
    SequenceDims dims;
    WB_ASSIGN_OR_RETURN(dims.seq, attrs.Get<int64_t>("seq_dim"));
    WB_ASSIGN_OR_RETURN(dims.batch, attrs.Get<int64_t>("batch_dim"));
    return dims;
  }
  Status CheckRank(int rank) const {
    if (seq < 0 || seq >= rank) {
      return InvalidArgument("seq_dim must be < input rank and not negative: ", seq, " against ",
                             rank);
    }
    if (batch < 0 || batch >= rank) {
      return InvalidArgument("batch_dim must be < input rank and not negative: ", batch,
                             " against ", rank);
    }
    return OkStatus();
  }
  Status Check(const Shape& x, const Shape& lengths) const {
    if (batch == seq) {
      return InvalidArgument(
          "batch_dim == seq_dim: sequences lie along other dimensions than the "
          "one they are in; both are ",
          seq);
    }
    WB_RETURN_IF_ERROR(CheckRank(x.rank()));
    const int64_t sequences = x.dim(static_cast<int>(batch));
    if (lengths.rank() == 1 && lengths.dim(0) == sequences) return OkStatus();
    return InvalidArgument("'seq_lengths' must be a vector of one length for each of ", sequences,
                           " sequences, not of shape ", lengths.ToString());
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_SEQUENCE_DIMS_H_
