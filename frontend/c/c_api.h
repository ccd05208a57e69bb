/* The C API: loads a graph or a saved model and runs it.
 *
 *   wb_status* status = wb_status_new();
 *   wb_session* session = wb_session_open("/models/mnist", NULL, status);
 *   const int64_t dims[] = {1, 784};
 *   wb_tensor* image = wb_tensor_new(WB_FLOAT, dims, 2, status);
 *   if (wb_status_code(status) == 0) memcpy(wb_tensor_data(image), pixels, wb_tensor_bytes(image));
 *   const char* inputs[] = {"x"};
 *   const char* outputs[] = {"probabilities"};
 *   wb_tensor* result = NULL;
 *   wb_session_run_signature(session, "serving_default", inputs, &image, 1, outputs, &result, 1,
 *                            status);
 *   if (wb_status_code(status) != 0) fprintf(stderr, "%s\n", wb_status_message(status));
 *
 * Ownership: what a function that ends in _new, _over, _open or _of_graph gives is the caller's, as
 * are fetched tensors; each type has its _delete, which takes NULL as well. Text that a function
 * returns belongs to the object that it was asked of and lives as long. What is passed in is the
 * caller's still: it is copied, or shared by count, before the function returns.
 *
 * Thread safety: one session may be run and asked by many threads at once; every other object is
 * one thread's at a time. A session must not be deleted while something of it runs.
 *
 * Errors: every call that can fail sets its status, to 0 when it has not failed; a status that is
 * NULL is not set. After a failure a function returns NULL, 0 or nothing at all. A NULL where
 * something is needed is INVALID_ARGUMENT. Nothing here throws or ends the process. Codes are
 * gRPC's: 3 INVALID_ARGUMENT, 5 NOT_FOUND ...
 */
#ifndef WARPBEAM_FRONTEND_C_C_API_H_
#define WARPBEAM_FRONTEND_C_C_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with what programs see: a library takes programs of its own number's headers. */
#define WB_VERSION_MAJOR 0
#define WB_VERSION_MINOR 1
#define WB_VERSION_PATCH 0

/* Of the library, "0.1.0"; to be compared with the header's numbers. */
const char* wb_version(void);

/* ---- Statuses ---- */

typedef struct wb_status wb_status;

wb_status* wb_status_new(void);
void wb_status_delete(wb_status* status);
int wb_status_code(const wb_status* status); /* 0: OK */
const char* wb_status_message(const wb_status* status);

/* ---- Tensors ---- */

/* TensorFlow's numbers. */
typedef enum wb_dtype {
  WB_INVALID = 0,
  WB_FLOAT = 1,
  WB_DOUBLE = 2,
  WB_INT32 = 3,
  WB_UINT8 = 4,
  WB_INT16 = 5,
  WB_INT8 = 6,
  WB_STRING = 7,
  WB_COMPLEX64 = 8,
  WB_INT64 = 9,
  WB_BOOL = 10,
  WB_BFLOAT16 = 14,
  WB_UINT16 = 17,
  WB_COMPLEX128 = 18,
  WB_HALF = 19,
  WB_UINT32 = 22,
  WB_UINT64 = 23
} wb_dtype;

typedef struct wb_tensor wb_tensor;

/* Zeros, or empty strings. `dims` may be NULL where `rank` is 0. RESOURCE_EXHAUSTED where memory
 * has run out. */
wb_tensor* wb_tensor_new(wb_dtype dtype, const int64_t* dims, int rank, wb_status* status);
/* The caller's memory as a tensor, row by row: `release(data, argument)` is called once, by any
 * thread, when neither the tensor nor a step needs it any more; NULL calls nothing. Memory that
 * does not begin at a multiple of 64 is copied and released at once. `bytes` must be what the shape
 * takes; strings are refused. */
wb_tensor* wb_tensor_over(wb_dtype dtype, const int64_t* dims, int rank, void* data, size_t bytes,
                          void (*release)(void* data, void* argument), void* argument,
                          wb_status* status);
void wb_tensor_delete(wb_tensor* tensor);
wb_dtype wb_tensor_dtype(const wb_tensor* tensor);
int wb_tensor_rank(const wb_tensor* tensor);
/* 0 for a dimension that is none. */
int64_t wb_tensor_dim(const wb_tensor* tensor, int index);
int64_t wb_tensor_elements(const wb_tensor* tensor);
/* The elements, row by row; NULL for strings. A fetched tensor may share its memory with a constant
 * of the graph: it is to be read only. */
void* wb_tensor_data(wb_tensor* tensor);
size_t wb_tensor_bytes(const wb_tensor* tensor); /* 0 for strings */
/* Strings may hold any bytes; `index` counts row by row. OUT_OF_RANGE beyond the last. */
void wb_tensor_set_string(wb_tensor* tensor, int64_t index, const char* bytes, size_t size,
                          wb_status* status);
const char* wb_tensor_string(const wb_tensor* tensor, int64_t index, size_t* size,
                             wb_status* status);

/* ---- How a session is made ---- */

typedef struct wb_options wb_options;

wb_options* wb_options_new(void);
void wb_options_delete(wb_options* options);
/* cpu_devices, gpus (of the machine; -1: all), gpu_parts (into how many devices each is cut),
 * simulated_gpus, inter_op_threads, intra_op_threads
 * (0: as many as cores), lend_idle_threads (of one CPU device to another; 0 or 1),
 * cuda_blocking (waits for each node's work on a GPU, so that errors name the node; 0 or 1),
 * tensor_float_32 (whether GPUs may round the factors of products of float; of the process),
 * allow_soft_placement, strict_placement, deterministic (0 or 1),
 * operation_timeout_ms, host_memory_limit (bytes), placement_evaluations (how many placements a
 * search for a better one simulates; 0: none). NOT_FOUND for another name. */
void wb_options_set_int(wb_options* options, const char* name, int64_t value, wb_status* status);
/* passes, allow (what ops may do to files and so on; of a model that is loaded "read"), tags
 * ("serve,gpu": which of a SavedModel's graphs), checkpoint (of a .meta file; "none" restores
 * nothing), visible_gpus ("1,0": which of the machine's, in the order of their devices),
 * gpu_plan_file (keeps what libraries plan for GPUs for the next process). NOT_FOUND for another
 * name. */
void wb_options_set_string(wb_options* options, const char* name, const char* value,
                           wb_status* status);
/* Called with a line for each node that is placed, by the thread that makes the session or runs
 * it. */
void wb_options_log_placement(wb_options* options, void (*log)(const char* line, void* argument),
                              void* argument);

/* ---- Sessions ---- */

typedef struct wb_session wb_session;

/* Of a SavedModel's folder, a .meta file with its checkpoint, or a GraphDef file (.pb, or .pbtxt).
 * Variables are restored and tables initialised, but for a GraphDef. `options` may be NULL. */
wb_session* wb_session_open(const char* path, const wb_options* options, wb_status* status);
/* Of a serialized GraphDef. */
wb_session* wb_session_of_graph(const void* graph_def, size_t size, const wb_options* options,
                                wb_status* status);
/* Adds the nodes of a serialized GraphDef, also while others run. */
void wb_session_extend(wb_session* session, const void* graph_def, size_t size, wb_status* status);
/* One step. Feeds and fetches are named "node:output", targets "node". On success `fetched` holds
 * `num_fetches` tensors; otherwise NULLs. */
void wb_session_run(wb_session* session, const char* const* feed_names, wb_tensor* const* feeds,
                    int num_feeds, const char* const* fetch_names, wb_tensor** fetched,
                    int num_fetches, const char* const* targets, int num_targets,
                    wb_status* status);
/* The same by the names of a model's signature. */
void wb_session_run_signature(wb_session* session, const char* signature,
                              const char* const* input_names, wb_tensor* const* inputs,
                              int num_inputs, const char* const* output_names, wb_tensor** outputs,
                              int num_outputs, wb_status* status);
/* "/job:localhost/replica:0/task:0/device:CPU:0" ...; NULL beyond the last. */
int wb_session_num_devices(const wb_session* session);
const char* wb_session_device(const wb_session* session, int index);
/* The names of a model's signatures in order, of the inputs and of the outputs of each; NULL beyond
 * the last, and for a signature that is not there. */
const char* wb_session_signature(const wb_session* session, int index);
const char* wb_session_input(const wb_session* session, const char* signature, int index);
const char* wb_session_output(const wb_session* session, const char* signature, int index);
/* Cancels what runs, waits for it for at most ten seconds, and frees what the session holds. Later
 * runs are CANCELLED. */
void wb_session_close(wb_session* session, wb_status* status);
/* Closes what is not closed. */
void wb_session_delete(wb_session* session);

/* ---- Steps that are run often ---- */

typedef struct wb_callable wb_callable;

/* A step of these names, looked up once. Must be deleted before its session. */
wb_callable* wb_callable_new(wb_session* session, const char* const* feed_names, int num_feeds,
                             const char* const* fetch_names, int num_fetches,
                             const char* const* targets, int num_targets, wb_status* status);
/* `feeds` and `fetched` are as many as those names, in their order. Many threads may run it. */
void wb_callable_run(wb_callable* callable, wb_tensor* const* feeds, wb_tensor** fetched,
                     wb_status* status);
void wb_callable_delete(wb_callable* callable);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* WARPBEAM_FRONTEND_C_C_API_H_ */
