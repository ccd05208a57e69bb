#include "ops/math/dnnl_primitive.h"

#include <omp.h>

namespace warpbeam {
namespace {

// A stream for each thread; the library's CPU streams hold nothing but their engine.
class ThreadStream {
 public:
  ThreadStream() {
    if (dnnl_stream_create(&stream_, DnnlEngine(), dnnl_stream_default_flags) != dnnl_success) {
      stream_ = nullptr;
    }
  }
  ~ThreadStream() {
    if (stream_ != nullptr) dnnl_stream_destroy(stream_);
  }
  dnnl_stream_t get() const { return stream_; }

 private:
  dnnl_stream_t stream_ = nullptr;
};

}  // namespace

Status DnnlStatus(dnnl_status_t status, const char* what) {
  switch (status) {
    case dnnl_success:
      return OkStatus();
    case dnnl_out_of_memory:
      return ResourceExhausted("oneDNN has no memory for ", what);
    case dnnl_unimplemented:
      return Unimplemented("oneDNN has no implementation of ", what);
    default:
      return Internal("oneDNN refused ", what, ": status ", static_cast<int>(status));
  }
}

void UseDnnlOnThisThread() {
  // The width is a setting of the calling thread; the library keeps no threads at width one. It
  // counts where a primitive is made, which shares its sums out among so many threads, as well as
  // where it runs.
  thread_local const bool narrow = [] {
    omp_set_num_threads(1);
    return true;
  }();
  (void)narrow;
}

dnnl_engine_t DnnlEngine() {
  UseDnnlOnThisThread();
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    return dnnl_engine_create(&made, dnnl_cpu, 0) == dnnl_success ? made : nullptr;
  }();
  return engine;
}

const_dnnl_primitive_attr_t CallersScratchpad() {
  static const const_dnnl_primitive_attr_t attributes = [] {
    dnnl_primitive_attr_t made = nullptr;
    if (dnnl_primitive_attr_create(&made) == dnnl_success) {
      dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user);
    }
    return made;
  }();
  return attributes;
}

const dnnl_memory_desc_t& DnnlQuery(const_dnnl_primitive_desc_t description, dnnl_query_t what) {
  static const dnnl_memory_desc_t none = {};
  const dnnl_memory_desc_t* found = dnnl_primitive_desc_query_md(description, what, 0);
  return found == nullptr ? none : *found;
}

size_t DnnlScratchBytes(const_dnnl_primitive_desc_t description) {
  return dnnl_memory_desc_get_size(&DnnlQuery(description, dnnl_query_scratchpad_md));
}

Status MakeDnnlPrimitive(const_dnnl_primitive_desc_t description, DnnlPrimitive* primitive) {
  dnnl_primitive_t made = nullptr;
  WB_RETURN_IF_ERROR(DnnlStatus(dnnl_primitive_create(&made, description), "a primitive"));
  primitive->reset(made);
  return OkStatus();
}

Status MakeDnnlReorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to,
                       DnnlPrimitive* reorder) {
  dnnl_primitive_desc_t made = nullptr;
  WB_RETURN_IF_ERROR(DnnlStatus(
      dnnl_reorder_primitive_desc_create(&made, &from, DnnlEngine(), &to, DnnlEngine(), nullptr),
      "a change of layout"));
  const DnnlDescription description(made);
  return MakeDnnlPrimitive(description.get(), reorder);
}

Status RunDnnl(const_dnnl_primitive_t primitive, std::initializer_list<DnnlArgument> arguments) {
  thread_local const ThreadStream stream;
  constexpr size_t kMost = 8;
  dnnl_exec_arg_t list[kMost];
  std::unique_ptr<dnnl_memory, DnnlDeleter> memories[kMost];
  size_t n = 0;
  for (const DnnlArgument& a : arguments) {
    dnnl_memory_t memory = nullptr;
    WB_RETURN_IF_ERROR(DnnlStatus(
        dnnl_memory_create(&memory, a.description, DnnlEngine(), const_cast<void*>(a.data)),
        "a memory object"));
    memories[n].reset(memory);
    list[n] = {a.argument, memory};
    if (++n == kMost) break;
  }
  return DnnlStatus(dnnl_primitive_execute(primitive, stream.get(), static_cast<int>(n), list),
                    "to run");
}

}  // namespace warpbeam
