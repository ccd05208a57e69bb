// oneDNN's C API as the kernels use it: owned handles, errors as statuses, one engine, no threads.
//
// Primitives are made once for a shape and then run by any thread, each run at a width of one
// thread: KernelContext::ParallelFor shares the work out, and the library's thread pool never
// starts. Scratchpads are the caller's, so that a primitive may run several times at once.
//
//   DnnlPrimitive reorder;
//   WB_RETURN_IF_ERROR(MakeDnnlReorder(from_desc, to_desc, &reorder));
//   WB_RETURN_IF_ERROR(RunDnnl(reorder.get(), {{DNNL_ARG_FROM, &from_desc, from}, …}));
//
// Ownership: handles own the library's objects; data is the caller's. Thread safety: running is
// safe from several threads, on different memory. Errors: RESOURCE_EXHAUSTED when the library has
// no memory, UNIMPLEMENTED for what it cannot do (a caller then computes by itself), else INTERNAL.
#ifndef WARPBEAM_OPS_MATH_DNNL_PRIMITIVE_H_
#define WARPBEAM_OPS_MATH_DNNL_PRIMITIVE_H_

#include <initializer_list>
#include <memory>

#include "graph/types/errors.h"
#include "oneapi/dnnl/dnnl.h"

namespace warpbeam {

struct DnnlDeleter {
  void operator()(dnnl_primitive_t p) const { dnnl_primitive_destroy(p); }
  void operator()(dnnl_primitive_desc_t p) const { dnnl_primitive_desc_destroy(p); }
  void operator()(dnnl_memory_t p) const { dnnl_memory_destroy(p); }
};
using DnnlPrimitive = std::unique_ptr<dnnl_primitive, DnnlDeleter>;
using DnnlDescription = std::unique_ptr<dnnl_primitive_desc, DnnlDeleter>;

Status DnnlStatus(dnnl_status_t status, const char* what);

// Has the library use no threads but the calling one for what this thread makes and runs.
void UseDnnlOnThisThread();

// The process's CPU engine; null only when the library could not make one. The calling thread then
// uses the library at a width of one.
dnnl_engine_t DnnlEngine();

// Bytes up to the next multiple of 64, at which the library wants its memory aligned.
inline size_t DnnlAligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Attributes that leave the scratchpad to the caller.
const_dnnl_primitive_attr_t CallersScratchpad();

// Bytes of scratchpad that a described primitive wants.
size_t DnnlScratchBytes(const_dnnl_primitive_desc_t description);
const dnnl_memory_desc_t& DnnlQuery(const_dnnl_primitive_desc_t description, dnnl_query_t what);

Status MakeDnnlPrimitive(const_dnnl_primitive_desc_t description, DnnlPrimitive* primitive);
Status MakeDnnlReorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to,
                       DnnlPrimitive* reorder);

struct DnnlArgument {
  int argument;  // DNNL_ARG_…
  const dnnl_memory_desc_t* description;
  const void* data;
};
// Runs on the calling thread alone and returns when it is done.
Status RunDnnl(const_dnnl_primitive_t primitive, std::initializer_list<DnnlArgument> arguments);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_DNNL_PRIMITIVE_H_
