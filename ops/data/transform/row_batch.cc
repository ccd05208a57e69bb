#include "ops/data/transform/row_batch.h"

#include <algorithm>
#include <string>
#include <utility>

namespace warpbeam {
namespace {

// A batch that may need more memory than kBytesAtOnce starts with kFirstBytes and grows.
constexpr int64_t kBytesAtOnce = int64_t{64} << 20;
constexpr int64_t kFirstBytes = int64_t{1} << 20;

template <typename T>
void MoveObjects(Tensor& from, void* to) {
  std::move(from.data<T>(), from.data<T>() + from.num_elements(), static_cast<T*>(to));
}

}  // namespace

void MoveElements(Tensor& from, void* to) {
  if (IsPlainData(from.dtype()) || !from.IsUnique()) {
    CopyElements(from.dtype(), to, from.raw_data(), from.num_elements());
  } else if (from.dtype() == DType::kString) {
    MoveObjects<std::string>(from, to);
  } else if (from.dtype() == DType::kVariant) {
    MoveObjects<Variant>(from, to);
  } else {
    MoveObjects<ResourceHandle>(from, to);
  }
}

void RowBatch::Begin(int64_t capacity) {
  capacity_ = capacity;
  size_ = 0;
  rows_.clear();
}

Status RowBatch::Start(const Element& first) {
  int64_t element_bytes = 1;
  row_shapes_.resize(first.size());
  row_bytes_.resize(first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    row_shapes_[i] = first[i].shape();
    row_bytes_[i] = first[i].bytes();
    element_bytes += static_cast<int64_t>(row_bytes_[i]);
  }
  allocated_ = capacity_ <= kBytesAtOnce / element_bytes
                   ? capacity_
                   : std::clamp<int64_t>(kFirstBytes / element_bytes, 1, capacity_);
  for (const Tensor& t : first) {
    WB_ASSIGN_OR_RETURN(Shape shape, t.shape().Insert(0, allocated_));
    WB_ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(t.dtype(), shape, allocator_));
    rows_.push_back(std::move(rows));
  }
  return OkStatus();
}

Status RowBatch::Grow() {
  allocated_ = allocated_ > capacity_ / 2 ? capacity_ : allocated_ * 2;
  for (size_t i = 0; i < rows_.size(); ++i) {
    WB_ASSIGN_OR_RETURN(Shape shape, row_shapes_[i].Insert(0, allocated_));
    WB_ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(rows_[i].dtype(), shape, allocator_));
    Tensor filled = rows_[i].Rows(0, size_);
    if (IsPlainData(filled.dtype())) {
      CopyElements(filled.dtype(), rows.raw_data(), filled.raw_data(), filled.num_elements());
    } else {
      rows_[i].Reset();
      MoveElements(filled, rows.raw_data());
    }
    rows_[i] = std::move(rows);
  }
  return OkStatus();
}

Status RowBatch::Append(Element& element) {
  if (rows_.empty()) {
    WB_RETURN_IF_ERROR(Start(element));
  } else if (size_ == allocated_) {
    WB_RETURN_IF_ERROR(Grow());
  }
  if (element.size() != rows_.size()) {
    return InvalidArgument(
        "cannot batch elements of different numbers of components: the first "
        "has ",
        rows_.size(), ", element ", size_, " has ", element.size());
  }
  for (size_t i = 0; i < element.size(); ++i) {
    Tensor& t = element[i];
    if (t.shape() != row_shapes_[i] || t.dtype() != rows_[i].dtype()) {
      return InvalidArgument("cannot batch tensors with different shapes in component ", i,
                             ": the first element is ", DTypeName(rows_[i].dtype()),
                             row_shapes_[i].ToString(), ", element ", size_, " is ",
                             DTypeName(t.dtype()), t.shape().ToString());
    }
    const size_t offset = static_cast<size_t>(size_) * row_bytes_[i];
    MoveElements(t, rows_[i].data<char>() + offset);
  }
  ++size_;
  return OkStatus();
}

void RowBatch::Take(Element* batch) {
  *batch = std::move(rows_);
  rows_.clear();
  if (size_ == allocated_) return;
  for (Tensor& rows : *batch) rows = rows.Rows(0, size_);
}

}  // namespace warpbeam
