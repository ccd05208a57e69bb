#include "runtime/checkpoint/tensor_slice.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

bool IsInside(const TensorSlice::Extent& e, int64_t size) {
  return e.is_whole() || (e.start >= 0 && e.length > 0 && e.start <= size - e.length);
}

TensorSlice::Extent Shared(const TensorSlice::Extent& a, const TensorSlice::Extent& b) {
  const int64_t start = std::max(a.start, b.start);
  const int64_t end = std::min(a.start + a.length, b.start + b.length);
  return {start, std::max<int64_t>(0, end - start)};
}

std::vector<int64_t> StridesOf(const TensorSlice& slice) {
  std::vector<int64_t> strides(slice.rank(), 1);
  for (int i = slice.rank() - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * slice.extents()[i + 1].length;
  }
  return strides;
}

int64_t OffsetIn(const TensorSlice& slice, const std::vector<int64_t>& strides,
                 const std::vector<int64_t>& at) {
  int64_t offset = 0;
  for (int i = 0; i < slice.rank(); ++i) offset += (at[i] - slice.extents()[i].start) * strides[i];
  return offset;
}

}  // namespace

StatusOr<TensorSlice> TensorSlice::Parse(absl::string_view text) {
  std::vector<Extent> extents;
  if (text.empty()) return TensorSlice();
  for (absl::string_view part : absl::StrSplit(text, ':')) {
    Extent e;
    if (part != "-") {
      const std::vector<absl::string_view> numbers = absl::StrSplit(part, ',');
      if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &e.start) ||
          !absl::SimpleAtoi(numbers[1], &e.length)) {
        return InvalidArgument(
            "Expected a pair of numbers or '-' but got '", part,
            "': a slice is 'start,length' or '-' for each dimension, with ':' between, not '", text,
            "'");
      }
      if (e.start < 0 || e.length <= 0) {
        return InvalidArgument("Expected non-negative start and positive length but got ", part,
                               " in the slice '", text, "'");
      }
    }
    extents.push_back(e);
  }
  if (extents.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("a slice of ", extents.size(), " dimensions; at most ", kMaxRank);
  }
  return TensorSlice(std::move(extents));
}

std::string TensorSlice::ToString() const {
  return absl::StrJoin(extents_, ":", [](std::string* out, const Extent& e) {
    if (e.is_whole()) {
      absl::StrAppend(out, "-");
    } else {
      absl::StrAppend(out, e.start, ",", e.length);
    }
  });
}

bool TensorSlice::Covers(const Shape& full) const {
  if (rank() != full.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    const Extent& e = extents_[i];
    if (!e.is_whole() && (e.start != 0 || e.length != full.dim(i))) return false;
  }
  return true;
}

StatusOr<Shape> TensorSlice::ShapeIn(const Shape& full) const {
  if (rank() != full.rank()) {
    return Internal("Mismatching ranks: shape = ", full.ToString(), ", slice = ", ToString());
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < rank(); ++i) {
    if (!IsInside(extents_[i], full.dim(i))) {
      return Internal("Extent in dimension ", i, " out of bounds: shape = ", full.ToString(),
                      ", slice = ", ToString());
    }
    dims.push_back(extents_[i].is_whole() ? full.dim(i) : extents_[i].length);
  }
  return Shape::Make(dims);
}

TensorSlice TensorSlice::Within(const Shape& full) const {
  std::vector<Extent> extents = extents_;
  for (int i = 0; i < rank(); ++i) {
    if (extents[i].is_whole()) extents[i] = {0, full.dim(i)};
  }
  return TensorSlice(std::move(extents));
}

StatusOr<ShapeAndSlice> ShapeAndSlice::Parse(absl::string_view text) {
  ShapeAndSlice result;
  if (text.empty()) return result;
  result.is_given = true;
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  if (words.size() < 2) {
    return InvalidArgument("Need least two elements in shape_and_slice specification: ", text);
  }
  std::vector<int64_t> dims(words.size() - 1);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (!absl::SimpleAtoi(words[i], &dims[i])) {
      return InvalidArgument("Non numerical dimension '", words[i],
                             "' in shape_and_slice specification: ", text);
    }
  }
  WB_ASSIGN_OR_RETURN(result.full, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(words.back()));
  WB_ASSIGN_OR_RETURN(result.shape, result.slice.ShapeIn(result.full));
  return result;
}

int64_t CountShared(const TensorSlice& a, const TensorSlice& b, const Shape& full) {
  const TensorSlice x = a.Within(full);
  const TensorSlice y = b.Within(full);
  int64_t count = 1;
  for (int i = 0; i < x.rank(); ++i) count *= Shared(x.extents()[i], y.extents()[i]).length;
  return count;
}

void CopyShared(const Shape& full, const TensorSlice& from_slice, const Tensor& from,
                const TensorSlice& to_slice, Tensor* to) {
  if (CountShared(from_slice, to_slice, full) == 0) return;
  const TensorSlice source = from_slice.Within(full);
  const TensorSlice target = to_slice.Within(full);
  const int rank = full.rank();
  const size_t size = DTypeSize(from.dtype());
  std::vector<TensorSlice::Extent> shared(rank);
  std::vector<int64_t> at(rank);
  for (int i = 0; i < rank; ++i) {
    shared[i] = Shared(source.extents()[i], target.extents()[i]);
    at[i] = shared[i].start;
  }
  const std::vector<int64_t> source_strides = StridesOf(source);
  const std::vector<int64_t> target_strides = StridesOf(target);
  const int64_t run = rank == 0 ? 1 : shared[rank - 1].length;
  for (;;) {
    const int64_t read = OffsetIn(source, source_strides, at);
    const int64_t write = OffsetIn(target, target_strides, at);
    CopyElements(from.dtype(), to->data<char>() + write * static_cast<int64_t>(size),
                 from.data<char>() + read * static_cast<int64_t>(size), run);
    int i = rank - 2;
    for (; i >= 0; --i) {
      if (++at[i] < shared[i].start + shared[i].length) break;
      at[i] = shared[i].start;
    }
    if (i < 0) return;
  }
}

}  // namespace warpbeam
