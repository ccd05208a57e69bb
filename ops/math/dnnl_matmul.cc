#include "ops/math/dnnl_matmul.h"

#include <mutex>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

// A row-major matrix, or one whose columns stand one after another.
Status Describe(int64_t rows, int64_t columns, bool by_columns, dnnl_memory_desc_t* matrix) {
  const dnnl_dims_t dims = {rows, columns};
  const dnnl_dims_t strides = {by_columns ? 1 : columns, by_columns ? rows : 1};
  return DnnlStatus(dnnl_memory_desc_init_by_strides(matrix, 2, dims, dnnl_f32, strides),
                    "a matrix's description");
}

}  // namespace

bool DnnlMatmul::IsSupported() {
  static const bool supported =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return supported;
}

StatusOr<std::shared_ptr<const DnnlMatmul>> DnnlMatmul::For(const Size& size) {
  constexpr size_t kMostKept = 512;
  static auto* const mutex = new std::mutex;
  static auto* const kept = new absl::flat_hash_map<Size, std::shared_ptr<const DnnlMatmul>>;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    if (const auto found = kept->find(size); found != kept->end()) return found->second;
  }
  // Two threads may make the same: the library has one code for both.
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const DnnlMatmul> made, Make(size));
  const std::lock_guard<std::mutex> lock(*mutex);
  if (kept->size() >= kMostKept) kept->clear();
  return kept->emplace(size, std::move(made)).first->second;
}

StatusOr<std::shared_ptr<const DnnlMatmul>> DnnlMatmul::Make(const Size& size) {
  auto product = std::make_shared<DnnlMatmul>();
  WB_RETURN_IF_ERROR(Describe(size.m, size.k, false, &product->a_));
  WB_RETURN_IF_ERROR(Describe(size.k, size.n, size.transpose_b, &product->b_));
  WB_RETURN_IF_ERROR(Describe(size.m, size.n, false, &product->c_));
  dnnl_matmul_desc_t matmul;
  WB_RETURN_IF_ERROR(
      DnnlStatus(dnnl_matmul_desc_init(&matmul, &product->a_, &product->b_, nullptr, &product->c_),
                 "the matrix product's description"));
  dnnl_primitive_desc_t made = nullptr;
  WB_RETURN_IF_ERROR(DnnlStatus(
      dnnl_primitive_desc_create(&made, &matmul, CallersScratchpad(), DnnlEngine(), nullptr),
      "the matrix product"));
  const DnnlDescription description(made);
  product->scratch_ = DnnlQuery(made, dnnl_query_scratchpad_md);
  product->scratch_bytes_ = DnnlAligned(DnnlScratchBytes(made));
  WB_RETURN_IF_ERROR(MakeDnnlPrimitive(made, &product->primitive_));
  return product;
}

Status DnnlMatmul::Run(const float* a, const float* b, float* c, void* scratch) const {
  return RunDnnl(primitive_.get(), {{DNNL_ARG_SRC, &a_, a},
                                    {DNNL_ARG_WEIGHTS, &b_, b},
                                    {DNNL_ARG_DST, &c_, c},
                                    {DNNL_ARG_SCRATCHPAD, &scratch_, scratch}});
}

}  // namespace warpbeam
