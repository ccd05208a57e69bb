// What examples in headers of runtime/ use undeclared (header_examples.py).
#include <fcntl.h>

#include <fstream>
#include <iostream>

#include "proto/config.pb.h"
#include "proto/example.pb.h"
#include "proto/master.pb.h"
#include "proto/tensor_slice.pb.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/session/session.h"
#include "runtime/step/plan_runner.h"

extern const Node& node;
extern NodeId id;
extern warpbeam::Status status;
extern Tensor tensor, value;
extern std::vector<Tensor> out, *fetched;
extern Shape shape;
extern std::string bytes, name;
extern int64_t n, timeout_ms;
extern Device* device;
extern std::shared_ptr<DeviceSet> devices;
extern ResourceStore* resources;
extern FunctionRunner* functions;
extern std::shared_ptr<StepContext> context;
extern Slot* slots;
extern KernelContext& ctx;
extern WorkerPool::Work work;
extern CollectiveCall terms;
extern MeetingMember member;
extern std::vector<MeetingMember> members, members_here;
extern GpuTasks tasks;
extern Tensor result;

//== gpu_communicator.h
extern Device *gpu0, *gpu1;
extern Stream *stream0, *stream1;
extern Tensor x0, x1, y0, y1;
void AddFloats(void* out, const void* a, const void* b, int64_t count);
extern GpuRanks ranks;
extern int64_t deadline;
int64_t Now();
bool is_late();

//== gpu_endpoint.h
extern KernelInit& init;

//== taken_memory.h
extern Kernel* kernel;

//== bundle_entry.h
extern Table::Entry entry;

//== bundle_reader.h
extern TensorSlice slice;

//== bundle_replacement.h
extern BundleHeader header;

//== bundle_writer.h
extern Tensor w, part;
extern TensorSlice slice;

//== slice_file_reader.h
extern TensorSlice slice;

//== slice_file_writer.h
extern Shape full_shape;
extern TensorSlice slice;

//== slice_io.h
extern const tensorflow::TensorSliceProto& proto;

//== slice_key.h
extern TensorSlice slice;

//== table_format.h
extern absl::string_view rest;

//== table_writer.h
extern std::unique_ptr<DurableFile> file;

//== worker_pool.h
void RunTask(void* object, int64_t argument);
extern void* step;
extern std::atomic<bool> done;

//== device/device.h
extern DeviceName name;
std::unique_ptr<Device> NewSimulatedDevice(DeviceName, int options);
extern int options;
extern const void* host;
extern size_t bytes;

//== device_health.h
extern Kernel* kernel;
extern DeviceHealth* health;

//== arena.h
extern std::unique_ptr<Device> gpu;
extern const SizingAllocator::Results results;

//== recording.h
extern Stream* stream;

//== twin_memory.h
extern size_t bytes;

//== stream.h
extern std::unique_ptr<Stream> copies, compute;
extern void* host;

//== event_file.h
extern std::string directory, version_event;
extern int number;

//== cancellation.h
extern RunOptions options;

//== fixed_cuts.h
extern Device* cpu;
extern int64_t ns;
void fn(int64_t, int64_t);

//== launch_thread.h
void RunTask(void* object, int64_t argument);
extern void* step;
extern int64_t task;

//== gpu_kernel.h
template <class Fn>
bool HasGpuFunction();
template <class Fn>
warpbeam::Status Launch(GpuStream&, int grid, Fn);
template <class T>
struct SoftmaxBlock {
  const T* x;
  T* y;
};
extern int grid;

//== read_back_kernel.h
template <class Fn>
warpbeam::Status Launch(GpuStream&, int grid, Fn);
struct CountRows {
  int64_t* count;
};
struct FillRows {
  float* y;
};
extern int grid;

//== lane.h
void RunTask(void* object, int64_t argument);
extern void* step;
extern int64_t task;
extern Lane lane;

//== transfer_kernel.h
extern TransferKernel* transfer;
extern KernelContext& ctx;
extern uint64_t frame;
extern int64_t iteration;
AsyncKernel::Done done;

//== communicator.h
warpbeam::StatusOr<Tensor> Sum(KernelContext&, const std::vector<CollectiveMember>&);
//-- local
AsyncKernel::Done done;

//== task_communicator.h
extern MakeTaskCommunicator make_communicator;
extern std::vector<std::string> names;
void Send(int rank, const std::string& address);
extern std::string address_of_1;
extern Tensor sum;
extern int64_t count;
void AddFloats(void* out, const void* a, const void* b, int64_t count);

//== waiting_resource.h
struct Area : WaitingResource {};
//-- local
std::shared_ptr<Area> area;
int row = 0;
AsyncKernel::Done done;

//== partial_step.h
extern std::shared_ptr<Rendezvous> meeting;
extern PlanRunner runner;
extern Tensor x;

//== schedule_perturbation.h
extern SchedulePerturbation perturbation;
extern Lane lane;

//== function_runner.h
extern std::shared_ptr<FunctionRunner> runner;
extern FunctionRef ref;
extern StepContext* step;
extern std::vector<Tensor> args;

//== block_kernel.h
extern Kernel* kernel;
extern void *x, *y, *z;

//== kernel_registry.h
struct SoftmaxKernel : Kernel {
  static warpbeam::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init);
};
using ReshapeKernel = SoftmaxKernel;
using ShapeKernel = SoftmaxKernel;

//== product_kernel.h
extern ProductKernel* kernel;
extern GpuProductKernel* on_gpu;
extern GpuStream& stream;

//== running_step.h
extern bool accepted;

//== step_context.h
struct State {
  void Fail(warpbeam::Status);
};
//-- local
std::shared_ptr<State> state;

//== takings.h
struct Queue {
  void Return(int rows);
};
//-- local
const StepContext* context = nullptr;
std::shared_ptr<Takings> takings;
std::shared_ptr<Queue> queue;
int rows = 0;

//== held_memory.h
extern int64_t more, bytes;

//== string_memory.h
extern int64_t bytes;
extern Tensor* out;

//== compression.h
extern char buffer[10];

//== crc32c.h
extern std::string more;

//== line_reader.h
extern std::unique_ptr<ByteSource> source;

//== lookahead_buffer.h
extern std::unique_ptr<ByteSource> source;
extern size_t record, footer;
extern std::string* value;

//== record_format.h
extern const char* bytes;

//== record_reader.h
void Use(absl::string_view);

//== record_writer.h
extern tensorflow::Example example;

//== new_thread.h
struct State {
  void Main();
};
extern CallThreads calls_;
int Work();
//-- local
std::shared_ptr<State> state;
std::function<void(int)> done;

//== plan_file.h
extern std::string problem, plan;
