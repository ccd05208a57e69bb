#include "ops/array/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/array/copy_order.h"
#include "ops/array/layout/transpose_tile.h"
#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

// Copying runs at a few bytes per nanosecond; used to decide how far to split work.
constexpr int64_t kBytesPerNs = 8;

int64_t RowCost(int64_t bytes) { return 4 + bytes / kBytesPerNs; }

// Walks all index tuples of `dims` in order, keeping both offsets.
class Odometer {
 public:
  Odometer(Span<const CopyDim> dims, int64_t position) : dims_(dims) {
    index_.resize(dims.size());
    for (size_t i = dims.size(); i-- > 0;) {
      index_[i] = position % dims[i].extent;
      position /= dims[i].extent;
      from_ += index_[i] * dims[i].from;
      to_ += index_[i] * dims[i].to;
    }
  }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  void Next() {
    for (size_t i = dims_.size(); i-- > 0;) {
      const CopyDim& d = dims_[i];
      from_ += d.from;
      to_ += d.to;
      if (++index_[i] < d.extent) return;
      index_[i] = 0;
      from_ -= d.from * d.extent;
      to_ -= d.to * d.extent;
    }
  }

 private:
  Span<const CopyDim> dims_;
  absl::InlinedVector<int64_t, 8> index_;
  int64_t from_ = 0;
  int64_t to_ = 0;
};

template <typename T>
void CopyRow(T* to, const T* from, const CopyDim& row) {
  if (row.from == 1 && row.to == 1) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      memcpy(to, from, static_cast<size_t>(row.extent) * sizeof(T));
    } else {
      std::copy_n(from, row.extent, to);
    }
  } else if (row.from == 0 && row.to == 1) {
    std::fill_n(to, row.extent, *from);
  } else if (row.from == -1 && row.to == 1) {
    std::reverse_copy(from - row.extent + 1, from + 1, to);
  } else {
    for (int64_t i = 0; i < row.extent; ++i) to[i * row.to] = from[i * row.from];
  }
}

// Short rows of plain bytes: a copy of fixed size is a load and a store, memcpy a call.
template <typename T>
void CopyRows(const KernelContext& ctx, T* to, const T* from, Span<const CopyDim> outer,
              const CopyDim& row) {
  int64_t count = 1;
  for (const CopyDim& d : outer) count *= d.extent;
  const int64_t cost = RowCost(row.extent * static_cast<int64_t>(sizeof(T)));
  ctx.ParallelFor(count, cost, [&](int64_t begin, int64_t end) {
    Odometer at(outer, begin);
    for (int64_t i = begin; i < end; ++i, at.Next()) {
      CopyRow(to + at.to(), from + at.from(), row);
    }
  });
}

// One row: split the row itself.
template <typename T>
void CopyLongRow(const KernelContext& ctx, T* to, const T* from, const CopyDim& row) {
  constexpr int64_t kPiece = 16384;
  const int64_t pieces = (row.extent + kPiece - 1) / kPiece;
  ctx.ParallelFor(
      pieces, RowCost(kPiece * static_cast<int64_t>(sizeof(T))), [&](int64_t begin, int64_t end) {
        const int64_t first = begin * kPiece;
        const int64_t last = std::min(end * kPiece, row.extent);
        CopyRow(to + first * row.to, from + first * row.from, {last - first, row.from, row.to});
      });
}

// The last dimension is contiguous in the destination, `across` in the source.
template <typename T>
void CopyTransposed(const KernelContext& ctx, T* to, const T* from, Span<const CopyDim> outer,
                    const CopyDim& across, const CopyDim& last) {
  int64_t count = 1;
  for (const CopyDim& d : outer) count *= d.extent;
  const int64_t strips = (across.extent + kTile - 1) / kTile;
  const int64_t cost = RowCost(2 * kTile * last.extent * static_cast<int64_t>(sizeof(T)));
  ctx.ParallelFor(count * strips, cost, [&](int64_t begin, int64_t end) {
    Odometer at(outer, begin / strips);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t a = i % strips * kTile;
      const int64_t rows = std::min(kTile, across.extent - a);
      for (int64_t b = 0; b < last.extent; b += kTile) {
        TransposeTile(to + at.to() + a * across.to + b, across.to,
                      from + at.from() + a + b * last.from, last.from, rows,
                      std::min(kTile, last.extent - b));
      }
      if (i % strips == strips - 1) at.Next();
    }
  });
}

template <typename T>
void Run(const KernelContext& ctx, T* to, const T* from, const CopyDims& dims) {
  const CopyDim row = dims.back();
  auto outer = MakeConstSpan(dims).subspan(0, dims.size() - 1);
  if (outer.empty()) return CopyLongRow(ctx, to, from, row);
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (row.to == 1 && row.from > 1) {
      for (size_t i = 0; i < outer.size(); ++i) {
        if (outer[i].from != 1 || outer[i].extent < 4) continue;
        CopyDims rest(outer.begin(), outer.end());
        const CopyDim across = rest[i];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        return CopyTransposed(ctx, to, from, rest, across, row);
      }
    }
  }
  CopyRows(ctx, to, from, outer, row);
}

bool Aligned(const void* p, size_t size) {
  return reinterpret_cast<uintptr_t>(p) % std::min<size_t>(size, alignof(Bytes16)) == 0;
}

// Rows of 2, 4, 8 or 16 bytes become single elements.
bool Widen(const void* to, const void* from, size_t* size, CopyDims* dims) {
  CopyDim& row = dims->back();
  if (row.from != 1 || row.to != 1) return false;
  const int64_t bytes = row.extent * static_cast<int64_t>(*size);
  if (bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) return false;
  if (!Aligned(to, static_cast<size_t>(bytes)) || !Aligned(from, static_cast<size_t>(bytes))) {
    return false;
  }
  const int64_t factor = row.extent;
  if (factor == 1) return false;
  for (const CopyDim& d : MakeConstSpan(*dims).subspan(0, dims->size() - 1)) {
    if (d.from % factor != 0 || d.to % factor != 0) return false;
  }
  dims->pop_back();
  for (CopyDim& d : *dims) d = {d.extent, d.from / factor, d.to / factor};
  if (dims->empty()) dims->push_back({1, 1, 1});
  *size = static_cast<size_t>(bytes);
  return true;
}

void RunPlain(const KernelContext& ctx, size_t size, void* to, const void* from,
              const CopyDims& dims) {
  switch (size) {
    case 1:
      return Run(ctx, static_cast<uint8_t*>(to), static_cast<const uint8_t*>(from), dims);
    case 2:
      return Run(ctx, static_cast<uint16_t*>(to), static_cast<const uint16_t*>(from), dims);
    case 4:
      return Run(ctx, static_cast<uint32_t*>(to), static_cast<const uint32_t*>(from), dims);
    case 8:
      return Run(ctx, static_cast<uint64_t*>(to), static_cast<const uint64_t*>(from), dims);
    default:
      return Run(ctx, static_cast<Bytes16*>(to), static_cast<const Bytes16*>(from), dims);
  }
}

}  // namespace

void StridedCopy(const KernelContext& ctx, DType dtype, void* to, const void* from,
                 Span<const CopyDim> dims) {
  CopyDims plan;
  if (!OrderCopy(dims, &plan)) return;
  switch (BaseType(dtype)) {
    case DType::kString:
      return Run(ctx, static_cast<std::string*>(to), static_cast<const std::string*>(from), plan);
    case DType::kResource:
      return Run(ctx, static_cast<ResourceHandle*>(to), static_cast<const ResourceHandle*>(from),
                 plan);
    case DType::kVariant:
      return Run(ctx, static_cast<Variant*>(to), static_cast<const Variant*>(from), plan);
    default:
      break;
  }
  size_t size = DTypeSize(dtype);
  if (Widen(to, from, &size, &plan)) {
    CopyDims again;
    again.swap(plan);
    OrderCopy(again, &plan);
  }
  RunPlain(ctx, size, to, from, plan);
}

void CopyRange(const KernelContext& ctx, DType dtype, void* to, const void* from, int64_t count) {
  StridedCopy(ctx, dtype, to, from, {{count, 1, 1}});
}

void FillRange(const KernelContext& ctx, DType dtype, void* to, const void* value, int64_t count) {
  StridedCopy(ctx, dtype, to, value, {{count, 0, 1}});
}

void ZeroRange(const KernelContext& ctx, DType dtype, void* to, int64_t count) {
  if (!IsPlainData(dtype)) {
    const std::string empty_string;
    const ResourceHandle empty_handle;
    const Variant empty_variant;
    const void* value = dtype == DType::kString     ? static_cast<const void*>(&empty_string)
                        : dtype == DType::kResource ? static_cast<const void*>(&empty_handle)
                                                    : static_cast<const void*>(&empty_variant);
    return FillRange(ctx, dtype, to, value, count);
  }
  const int64_t bytes = count * static_cast<int64_t>(DTypeSize(dtype));
  constexpr int64_t kPiece = 1 << 16;
  ctx.ParallelFor((bytes + kPiece - 1) / kPiece, RowCost(kPiece), [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPiece;
    memset(static_cast<char*>(to) + first, 0,
           static_cast<size_t>(std::min(end * kPiece, bytes) - first));
  });
}

absl::InlinedVector<int64_t, 8> RowMajorStrides(const Shape& shape) {
  absl::InlinedVector<int64_t, 8> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int i = shape.rank(); i-- > 0;) {
    strides[static_cast<size_t>(i)] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

int64_t ElementsOf(const Shape& shape, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n *= shape.dim(i);
  return n;
}

}  // namespace warpbeam
