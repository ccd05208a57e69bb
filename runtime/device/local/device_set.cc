#include "runtime/device/local/device_set.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "runtime/device/cpu/cpu_device.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/gpu_plugin.h"
#include "runtime/device/local/fixed_cuts.h"
#include "runtime/device/local/gpu_shares.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam {

namespace {

DeviceName NameOf(const DeviceSetOptions& options, DeviceType type, int id) {
  DeviceName name = DeviceName::Local(type, id);
  name.job = options.job;
  name.task = options.task;
  return name;
}

int CoresOf(const DeviceSetOptions& options) {
  return options.threads > 0 ? options.threads : NumCores();
}

}  // namespace

struct DeviceSet::Cpus {
  std::vector<std::unique_ptr<CpuDevice>> devices;
};

StatusOr<std::shared_ptr<DeviceSet::Cpus>> DeviceSet::NewCpus(const DeviceSetOptions& options) {
  int cores = CoresOf(options);
  // A device with one thread has but one order of things.
  if (options.stress_seed != 0) cores = std::max(cores, 3 * options.cpu_devices);
  const auto team = std::make_shared<WorkerTeam>();
  auto cpus = std::make_shared<Cpus>();
  for (int i = 0; i < options.cpu_devices; ++i) {
    // The cores are shared out; the first devices get what does not divide.
    const int share = cores / options.cpu_devices + (i < cores % options.cpu_devices ? 1 : 0);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> cpu,
                        NewCpuDevice(NameOf(options, DeviceType::kCpu, i), std::max(1, share),
                                     options.lends_threads ? team : nullptr));
    cpus->devices.push_back(std::move(cpu));
  }
  return cpus;
}

StatusOr<std::shared_ptr<DeviceSet::Cpus>> DeviceSet::SharedCpus(const DeviceSetOptions& options) {
  using Key = std::tuple<std::string, int, int, int, bool>;
  static auto* const mutex = new std::mutex;
  static auto* const shared = new std::map<Key, std::weak_ptr<Cpus>>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::weak_ptr<Cpus>& known = (*shared)[Key(options.job, options.task, options.cpu_devices,
                                             CoresOf(options), options.lends_threads)];
  std::shared_ptr<Cpus> cpus = known.lock();
  if (cpus == nullptr) {
    WB_ASSIGN_OR_RETURN(cpus, NewCpus(options));
    known = cpus;
  }
  return cpus;
}

Status DeviceSet::AddGpus(const DeviceSetOptions& options) {
  // Who wants none does not ask the driver, which may have failed, and is told nothing.
  const bool wants_real = options.simulated_gpus == 0 && options.gpus != 0;
  const GpuPlatform* const platform = wants_real ? RegisteredGpuPlatform() : nullptr;
  if (wants_real && platform == nullptr) WarnOfGpuPlugin();
  int count = options.simulated_gpus;
  GpuShareOptions asked;
  asked.visible = options.visible_gpus;
  asked.parts = options.gpu_parts;
  asked.equal_parts = options.equal_gpu_parts;
  if (platform != nullptr) {
    WB_ASSIGN_OR_RETURN(count, platform->count());
    asked.most = options.gpus;
    asked.memory_fraction = options.gpu_memory_fraction;
  }
  WB_ASSIGN_OR_RETURN(const std::vector<GpuShare> shares, GpuShares(asked, count));
  for (size_t i = 0; i < shares.size(); ++i) {
    const GpuShare& share = shares[i];
    const DeviceName name = NameOf(options, DeviceType::kGpu, static_cast<int>(i));
    SimulatedDeviceOptions simulated = {options.simulated_gpu_memory,
                                        options.simulated_gpus_enqueue,
                                        options.simulated_gpu_kernels};
    simulated.memory =
        share.memory_bytes > 0
            ? share.memory_bytes
            : static_cast<int64_t>(static_cast<double>(simulated.memory) * share.memory_fraction);
    WB_ASSIGN_OR_RETURN(
        auto gpu,
        platform != nullptr
            ? platform->create(name, share.gpu, {share.memory_fraction, share.memory_bytes})
            : NewSimulatedDevice(name, simulated));
    Lane lane = {gpu.get(), nullptr, gpu->compute_stream()};
    lane.health = dynamic_cast<DeviceHealth*>(gpu.get());
    if (gpu->execution_model() == ExecutionModel::kEnqueues) {
      WB_ASSIGN_OR_RETURN(auto launches, LaunchThread::Start(absl::StrCat("launch:", i)));
      launches_.push_back(std::move(launches));
      lane.launches = launches_.back().get();
      lane.is_blocking = options.blocking_launches;
    }
    lanes_.push_back(lane);
    devices_.push_back(gpu.get());
    gpus_.push_back(std::move(gpu));
  }
  return OkStatus();
}

StatusOr<int> DeviceSet::AddCopyLane(int device) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Stream> stream, devices_[device]->NewStream());
  Lane copies = lanes_[device];
  copies.stream = stream.get();
  lanes_.push_back(copies);
  copy_streams_.push_back(std::move(stream));
  return static_cast<int>(lanes_.size()) - 1;
}

StatusOr<std::unique_ptr<DeviceSet>> DeviceSet::Create(const DeviceSetOptions& options) {
  if (options.cpu_devices < 1 || options.cpu_devices > 1024) {
    return InvalidArgument("a session needs 1 to 1024 CPU devices, asked for ",
                           options.cpu_devices);
  }
  if (options.simulated_gpus < 0 || options.simulated_gpus > 64) {
    return InvalidArgument("there can be 0 to 64 simulated GPUs, asked for ",
                           options.simulated_gpus);
  }
  std::unique_ptr<DeviceSet> set(new DeviceSet);
  const bool own = options.own_threads || options.stress_seed != 0;
  WB_ASSIGN_OR_RETURN(set->cpus_, own ? NewCpus(options) : SharedCpus(options));
  for (const auto& cpu : set->cpus_->devices) {
    Device* device = cpu.get();
    if (options.fixed_cuts) {
      set->fixed_cuts_.push_back(NewFixedCuts(device));
      device = set->fixed_cuts_.back().get();
    }
    set->lanes_.push_back({device, &cpu->workers()});
    set->devices_.push_back(device);
  }
  WB_RETURN_IF_ERROR(set->AddGpus(options));
  for (int i = 0; i < set->size(); ++i) {
    Device* device = set->device(i);
    set->names_.push_back(device->name());
    CopyLanes copies = {i, i};
    if (device->type() != DeviceType::kCpu) {
      WB_ASSIGN_OR_RETURN(copies.in, set->AddCopyLane(i));
      WB_ASSIGN_OR_RETURN(copies.out, set->AddCopyLane(i));
    }
    set->copy_lanes_.push_back(copies);
  }
  if (options.stress_seed != 0) {
    set->perturbation_ = std::make_unique<SchedulePerturbation>(options.stress_seed);
    for (Lane& lane : set->lanes_) lane.perturbation = set->perturbation_.get();
  }
  return set;
}

DeviceSet::~DeviceSet() {
  perturbation_.reset();  // hands out what it holds
  // What enqueues ends before the streams, streams before the devices that they run on, GPUs before
  // the CPUs that they call back to.
  launches_.clear();
  copy_streams_.clear();
  while (!gpus_.empty()) gpus_.pop_back();
}

}  // namespace warpbeam
