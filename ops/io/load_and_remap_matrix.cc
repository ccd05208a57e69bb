// LoadAndRemapMatrix: a matrix of a checkpoint whose rows and columns stand elsewhere now; what the
// old one lacks is taken from given values.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Old numbers by new ones; a negative one is lacking.
class Remapping {
 public:
  static StatusOr<Remapping> Make(Span<const int64_t> old) {
    Remapping map;
    map.old_ = old;
    absl::flat_hash_map<int64_t, size_t> seen;
    for (size_t i = 0; i < old.size(); ++i) {
      if (old[i] < 0) continue;
      const auto [first, is_new] = seen.try_emplace(old[i], i);
      if (!is_new) {
        return Unimplemented("Old ID ", old[i], " is mapped to both new ID ", first->second,
                             " and ", i, ", which is not supported.");
      }
      map.last_ = std::max(map.last_, old[i]);
      map.first_ = map.first_ < 0 ? old[i] : std::min(map.first_, old[i]);
      ++map.present_;
    }
    return map;
  }
  int64_t operator[](int64_t i) const { return old_[static_cast<size_t>(i)]; }
  int64_t first() const { return first_; }  // -1: none
  int64_t last() const { return last_; }
  int64_t present() const { return present_; }

 private:
  Span<const int64_t> old_;
  int64_t first_ = -1, last_ = -1, present_ = 0;
};

class LoadAndRemapMatrixKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LoadAndRemapMatrixKernel>();
    WB_ASSIGN_OR_RETURN(kernel->num_rows_, init.attr<int64_t>("num_rows"));
    WB_ASSIGN_OR_RETURN(kernel->num_cols_, init.attr<int64_t>("num_cols"));
    WB_ASSIGN_OR_RETURN(kernel->max_rows_, init.attr<int64_t>("max_rows_in_memory"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckRanks(ctx));
    const Span<const int64_t> cols_input = ctx.input(3).flat<int64_t>();
    WB_ASSIGN_OR_RETURN(const Remapping rows, Remapping::Make(ctx.input(2).flat<int64_t>()));
    WB_ASSIGN_OR_RETURN(const Remapping cols, Remapping::Make(cols_input));
    const std::string& name = *ctx.input(1).data<std::string>();
    WB_ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader,
                        BundleReader::Open(*ctx.input(0).data<std::string>()));
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, reader->Find(name));
    const bool remaps_cols = !cols_input.empty();
    WB_RETURN_IF_ERROR(CheckOld(name, entry, remaps_cols, cols));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({num_rows_, num_cols_}));
    const int64_t present_cols = remaps_cols ? cols.present() : num_cols_;
    const int64_t missing = num_rows_ * num_cols_ - rows.present() * present_cols;
    if (ctx.input(4).num_elements() != missing) {
      return InvalidArgument("initializing_values contained ", ctx.input(4).num_elements(),
                             " elements, but ", missing, " values are missing");
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    const float* fill = ctx.input(4).data<float>();
    float* to = out->data<float>();
    for (int64_t r = 0; r < num_rows_; ++r) {
      for (int64_t c = 0; c < num_cols_; ++c, ++to) {
        if (rows[r] < 0 || (remaps_cols && cols[c] < 0)) *to = *fill++;
      }
    }
    return CopyRows(name, *reader, entry.shape, rows, remaps_cols ? &cols : nullptr,
                    out->data<float>());
  }

 private:
  Status CheckRanks(const KernelContext& ctx) const {
    for (int i = 0; i < 4; ++i) {
      // The names may have any shape that holds one, and the values to fill up with any at all.
      if (i < 2 ? ctx.input(i).num_elements() == 1 : ctx.input(i).rank() == 1) continue;
      return InvalidArgument("input ", i, " must be ", i < 2 ? "one string" : "a vector",
                             ", not of shape ", ctx.input(i).shape().ToString());
    }
    if (ctx.input(2).dim(0) != num_rows_) {
      return InvalidArgument("Size of row_remapping is ", ctx.input(2).dim(0),
                             " instead of being equal to num_rows=", num_rows_);
    }
    if (ctx.input(3).dim(0) == 0 || ctx.input(3).dim(0) == num_cols_) return OkStatus();
    return InvalidArgument("Provided col_remapping, but its size is ", ctx.input(3).dim(0),
                           " instead of being equal to num_cols=", num_cols_);
  }

  Status CheckOld(const std::string& name, const BundleEntry& old, bool remaps_cols,
                  const Remapping& cols) const {
    if (old.dtype != DType::kFloat) {
      return InvalidArgument("Tensor ", name, " has invalid type ", DTypeName(old.dtype),
                             " instead of expected type float");
    }
    if (old.shape.rank() != 2) {
      return InvalidArgument("Tensor ", name, " has shape ", old.shape.ToString(),
                             " of invalid rank ", old.shape.rank(),
                             " instead of expected shape of rank 2.");
    }
    if (!remaps_cols && old.shape.dim(1) != num_cols_) {
      return InvalidArgument("Tensor ", name, " has shape ", old.shape.ToString(),
                             ", where the size of its 2nd dimension is ", old.shape.dim(1),
                             " instead of being equal to num_cols=", num_cols_);
    }
    if (cols.last() < old.shape.dim(1)) return OkStatus();
    return InvalidArgument("Tensor ", name, " has shape ", old.shape.ToString(),
                           ", which has no column ", cols.last());
  }

  // Reads the rows from the first to the last that is wanted, a part at a time.
  Status CopyRows(const std::string& name, BundleReader& reader, const Shape& old,
                  const Remapping& rows, const Remapping* cols, float* out) const {
    if (rows.first() < 0) return OkStatus();
    if (rows.last() >= old.dim(0)) {
      return Internal("Extent in dimension 0 out of bounds: shape = ", old.ToString(),
                      ", wanted row = ", rows.last());
    }
    const int64_t all = rows.last() - rows.first() + 1;
    const int64_t most = max_rows_ <= 0 ? all : std::min(max_rows_, all);
    for (int64_t begin = rows.first(); begin <= rows.last(); begin += most) {
      const int64_t count = std::min(most, rows.last() - begin + 1);
      const TensorSlice slice({{begin, count}, {0, old.dim(1)}});
      WB_ASSIGN_OR_RETURN(const Tensor part, reader.ReadSlice(name, slice));
      for (int64_t r = 0; r < num_rows_; ++r) {
        if (rows[r] < begin || rows[r] >= begin + count) continue;
        const float* from = part.data<float>() + (rows[r] - begin) * old.dim(1);
        for (int64_t c = 0; c < num_cols_; ++c) {
          const int64_t old_col = cols == nullptr ? c : (*cols)[c];
          if (old_col >= 0) out[r * num_cols_ + c] = from[old_col];
        }
      }
    }
    return OkStatus();
  }

  int64_t num_rows_ = 0;
  int64_t num_cols_ = 1;
  int64_t max_rows_ = -1;
};

Status LoadAndRemapMatrixShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const int64_t rows, c.attr<int64_t>("num_rows"));
  WB_ASSIGN_OR_RETURN(const int64_t cols, c.attr<int64_t>("num_cols"));
  // The values that fill up may come in any shape.
  for (int i : {2, 3}) WB_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  c.set_output(0, PartialShape({rows, cols}));
  return OkStatus();
}

WB_OP("LoadAndRemapMatrix")
    .Input("ckpt_path: string")
    .Input("old_tensor_name: string")
    .Input("row_remapping: int64")
    .Input("col_remapping: int64")
    .Input("initializing_values: float")
    .Output("output_matrix: float")
    .Attr("num_rows: int >= 0")
    .Attr("num_cols: int >= 1")
    .Attr("max_rows_in_memory: int = -1")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(LoadAndRemapMatrixShape);
WB_KERNEL("LoadAndRemapMatrix", LoadAndRemapMatrixKernel).Cpu();
WB_NO_GRADIENT("LoadAndRemapMatrix");

}  // namespace
}  // namespace warpbeam
