#include "graph/types/shape.h"

#include <algorithm>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

// Extents that are about to change. Kernels do this in every step, so that it takes no memory.
using Extents = absl::InlinedVector<int64_t, 8>;

// What the other extents of a shape without elements may multiply to. Kernels count rows, bytes
// and costs with them before they see that there is nothing to do.
constexpr int64_t kMostOfEmpty = int64_t{1} << 53;

}  // namespace

StatusOr<Shape> Shape::Make(Span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return InvalidArgument("a shape may have at most ", kMaxRank, " dimensions, got ", dims.size());
  }
  int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t d : dims) {
    if (d < 0) {
      return InvalidArgument("a shape's extents must not be negative, got [",
                             absl::StrJoin(dims, ","), "]");
    }
    if (d == 0) empty = true;
    // A zero later on makes the product fit; extents that overflow without it stay refused, since
    // kernels multiply parts of a shape.
    if (d != 0 && __builtin_mul_overflow(count, d, &count)) overflow = true;
  }
  if (overflow) {
    return InvalidArgument("too many elements: the shape [", absl::StrJoin(dims, ","),
                           "] has more than 2^63 - 1");
  }
  if (empty && count > kMostOfEmpty) {
    return InvalidArgument("extents too large: those of the shape [", absl::StrJoin(dims, ","),
                           "] that are not 0 multiply to more than 2^53");
  }
  Shape s;
  s.rank_ = static_cast<int32_t>(dims.size());
  s.num_elements_ = empty ? 0 : count;
  if (s.rank_ > kInline) s.heap_ = new int64_t[s.rank_];
  int64_t* out = s.rank_ <= kInline ? s.inline_ : s.heap_;
  for (size_t i = 0; i < dims.size(); ++i) out[i] = dims[i];
  return s;
}

Shape::Shape(std::initializer_list<int64_t> dims) {
  const auto given = MakeConstSpan(dims.begin(), dims.size());
  if (auto made = Make(given); made.ok()) {
    MoveFrom(*made);
  } else {
    // More elements than any allocator has: who allocates gets a status, not too small a buffer.
    auto ones = Make(Extents(given.size(), 1));
    MoveFrom(*ones);
    std::copy(given.begin(), given.end(), rank_ <= kInline ? inline_ : heap_);
    num_elements_ = std::numeric_limits<int64_t>::max();
  }
}

StatusOr<Shape> Shape::WithDim(int i, int64_t extent) const {
  Extents d(dims().begin(), dims().end());
  d[i] = extent;
  return Make(d);
}

StatusOr<Shape> Shape::Insert(int i, int64_t extent) const {
  Extents d(dims().begin(), dims().end());
  d.insert(d.begin() + i, extent);
  return Make(d);
}

Shape Shape::Remove(int i) const {
  Extents d(dims().begin(), dims().end());
  d.erase(d.begin() + i);
  return std::move(Make(d)).value_or(Shape());
}

std::string Shape::ToString() const { return absl::StrCat("[", absl::StrJoin(dims(), ","), "]"); }

StatusOr<PartialShape> PartialShape::Make(Span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return InvalidArgument("a shape may have at most ", kMaxRank, " dimensions, got ", dims.size());
  }
  int64_t count = 1;
  for (int64_t d : dims) {
    if (d < -1) {
      return InvalidArgument("extents must be at least -1 (unknown), got [",
                             absl::StrJoin(dims, ","), "]");
    }
    if (d > 0 && __builtin_mul_overflow(count, d, &count)) {
      return InvalidArgument("too many elements: the shape [", absl::StrJoin(dims, ","),
                             "] has more than 2^63 - 1");
    }
  }
  return PartialShape(std::vector<int64_t>(dims.begin(), dims.end()));
}

bool PartialShape::IsFullyDefined() const {
  if (!known_rank_) return false;
  for (int64_t d : dims_) {
    if (d < 0) return false;
  }
  return true;
}

int64_t PartialShape::num_elements() const {
  if (!IsFullyDefined()) return -1;
  int64_t count = 1;
  for (int64_t d : dims_) {
    if (__builtin_mul_overflow(count, d, &count)) return -1;
  }
  return count;
}

StatusOr<Shape> PartialShape::AsShape() const {
  if (!IsFullyDefined()) return InvalidArgument("the shape ", ToString(), " is not fully known");
  return Shape::Make(dims_);
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  if (dims_.size() != other.dims_.size()) return false;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] >= 0 && other.dims_[i] >= 0 && dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

StatusOr<PartialShape> PartialShape::Merge(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank_) return b;
  if (!b.known_rank_) return a;
  if (!a.IsCompatibleWith(b)) {
    const bool ranks = a.rank() != b.rank();
    return InvalidArgument("Incompatible ", ranks ? "ranks" : "shapes", " during merge: ",
                           ranks ? absl::StrCat(a.rank(), " vs. ", b.rank(), ": ") : std::string(),
                           a.ToString(), " vs. ", b.ToString());
  }
  PartialShape out = a;
  for (size_t i = 0; i < out.dims_.size(); ++i) {
    if (out.dims_[i] < 0) out.dims_[i] = b.dims_[i];
  }
  return out;
}

std::string PartialShape::ToString() const {
  if (!known_rank_) return "<unknown>";
  return absl::StrCat("[",
                      absl::StrJoin(dims_, ",",
                                    [](std::string* out, int64_t d) {
                                      out->append(d < 0 ? "?" : absl::StrCat(d));
                                    }),
                      "]");
}

}  // namespace warpbeam
