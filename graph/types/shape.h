// Shape: the extents of a tensor, all known. PartialShape: what is known of them before a run.
//
// A Shape keeps up to six extents inside itself and its element count beside them, so that copying
// one allocates nothing in practice. Extents are never negative and their product always fits
// int64; where one is 0, the others multiply to at most 2^53. `Shape::Make` checks, the constructor
// from a list is for extents that the program itself wrote or has checked. A PartialShape has an
// unknown rank, or a rank with some extents unknown (-1).
//
//   WB_ASSIGN_OR_RETURN(Shape s, Shape::Make({2, 3}));   s.num_elements() == 6
//   PartialShape p({-1, 3});  p.IsCompatibleWith(PartialShape(s))
//
// Thread safety: values. Errors: INVALID_ARGUMENT for negative, too many (> 254) or overflowing
// extents.
#ifndef WARPBEAM_GRAPH_TYPES_SHAPE_H_
#define WARPBEAM_GRAPH_TYPES_SHAPE_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "graph/types/span.h"
#include "graph/types/status_or.h"

namespace warpbeam {

inline constexpr int kMaxRank = 254;

class Shape {
 public:
  Shape() = default;  // a scalar
  // For extents known to be good. Of a bad list there are 2^63 - 1 elements: comparing it is fine,
  // allocating it an error.
  Shape(std::initializer_list<int64_t> dims);
  Shape(const Shape& other) { CopyFrom(other); }
  Shape(Shape&& other) noexcept { MoveFrom(other); }
  Shape& operator=(const Shape& other) {
    if (this != &other) {
      Free();
      CopyFrom(other);
    }
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this != &other) {
      Free();
      MoveFrom(other);
    }
    return *this;
  }
  ~Shape() { Free(); }

  static StatusOr<Shape> Make(Span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t dim(int i) const { return data()[i]; }
  Span<const int64_t> dims() const { return {data(), static_cast<size_t>(rank_)}; }
  int64_t num_elements() const { return num_elements_; }

  // Returns a copy with the extent at `i` (0 <= i <= rank for Insert) changed, added or removed.
  StatusOr<Shape> WithDim(int i, int64_t extent) const;
  StatusOr<Shape> Insert(int i, int64_t extent) const;
  Shape Remove(int i) const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && memcmp(a.data(), b.data(), a.rank_ * sizeof(int64_t)) == 0;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  std::string ToString() const;  // "[2,3]"

 private:
  static constexpr int kInline = 6;
  const int64_t* data() const { return rank_ <= kInline ? inline_ : heap_; }
  void CopyFrom(const Shape& other) {
    rank_ = other.rank_;
    num_elements_ = other.num_elements_;
    if (rank_ <= kInline) {
      memcpy(inline_, other.inline_, sizeof(inline_));
    } else {
      heap_ = new int64_t[rank_];
      memcpy(heap_, other.heap_, rank_ * sizeof(int64_t));
    }
  }
  void MoveFrom(Shape& other) {
    rank_ = other.rank_;
    num_elements_ = other.num_elements_;
    memcpy(inline_, other.inline_, sizeof(inline_));  // covers heap_, a member of the same union
    other.rank_ = 0;
    other.num_elements_ = 1;
  }
  void Free() {
    if (rank_ > kInline) delete[] heap_;
  }

  int64_t num_elements_ = 1;
  int32_t rank_ = 0;
  union {
    int64_t inline_[kInline] = {0, 0, 0, 0, 0, 0};
    int64_t* heap_;
  };
};

class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims) : known_rank_(true), dims_(dims) {}
  explicit PartialShape(std::vector<int64_t> dims) : known_rank_(true), dims_(std::move(dims)) {}
  PartialShape(const Shape& shape)  // NOLINT: every known shape is a partial one
      : known_rank_(true), dims_(shape.dims().begin(), shape.dims().end()) {}

  // Extents of -1 are unknown; anything below is refused.
  static StatusOr<PartialShape> Make(Span<const int64_t> dims);
  static PartialShape Unknown() { return PartialShape(); }
  static PartialShape UnknownOfRank(int rank) {
    return PartialShape(std::vector<int64_t>(rank, -1));
  }

  bool has_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return dims_[i]; }
  void set_dim(int i, int64_t extent) { dims_[i] = extent; }
  const std::vector<int64_t>& dims() const { return dims_; }
  bool IsFullyDefined() const;
  // -1 when unknown.
  int64_t num_elements() const;
  // The Shape, when fully defined.
  StatusOr<Shape> AsShape() const;

  bool IsCompatibleWith(const PartialShape& other) const;
  // What both say together; INVALID_ARGUMENT when they contradict each other.
  static StatusOr<PartialShape> Merge(const PartialShape& a, const PartialShape& b);

  friend bool operator==(const PartialShape& a, const PartialShape& b) {
    return a.known_rank_ == b.known_rank_ && a.dims_ == b.dims_;
  }
  friend bool operator!=(const PartialShape& a, const PartialShape& b) { return !(a == b); }
  std::string ToString() const;  // "<unknown>" or "[?,3]"

 private:
  bool known_rank_ = false;
  std::vector<int64_t> dims_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_SHAPE_H_
