#include "tools/cli/session_flags.h"

#include "placement/cost/machine_json.h"
#include "runtime/device/local/gpu_shares.h"
#include "runtime/record/file_root.h"
#include "tools/cli/device_counts.h"

namespace warpbeam {
namespace cli {

namespace {

// Leaves `*bytes` as it is where nothing is said.
Status SetBytes(const char* flag, const std::string& text, int64_t* bytes) {
  if (text.empty()) return OkStatus();
  const StatusOr<int64_t> parsed = ParseBytes(text);
  if (!parsed.ok() || *parsed == 0) {
    return InvalidArgument("--", flag, "=", text, ": a memory is as large as 8GiB is");
  }
  *bytes = *parsed;
  return OkStatus();
}

}  // namespace

void SessionFlags::AddTo(Arguments& args) {
  import.AddTo(args);
  args.String("devices", &devices, kDevicesHelp);
  args.Int("cpu_devices", &cpu_devices, "CPU devices that share the machine's cores");
  args.Int("simulated_gpus", &simulated_gpus, "GPUs played by the CPU: /gpu:0 and on");
  args.String("simulated_gpu_kernels", &simulated_gpu_kernels,
              "what they run: host (the CPU's kernels) or gpu (those written for GPUs, slowly)");
  args.Int("inter", &inter, "threads that run nodes side by side; 0: as many as cores");
  args.Int("intra", &intra, "threads that share one node's work; 0: as many as cores");
  args.Bool("lend_threads", &lend_threads,
            "idle threads of a CPU device help with the kernels of another");
  args.String("visible_gpus", &visible_gpus,
              "which GPUs, in the order of their devices, as 1,0; all of the machine's");
  args.Int("gpu_parts", &gpu_parts,
           "cut each GPU into so many devices, which share its memory; 0: none is cut");
  args.Bool("cuda_blocking", &cuda_blocking,
            "wait for each node's work on a GPU, so that an error names the node; slow");
  args.Bool("tensor_float_32", &tensor_float_32,
            "GPUs may round the factors of products and convolutions of float to 10 bits");
  args.String("gpu_plan_file", &gpu_plan_file,
              "a file that keeps the plans of cuDNN for the next time; made if it is not there");
  fallbacks.AddTo(args);
  args.Bool("log_device_placement", &log_device_placement, "print where each node goes");
  args.Bool(
      "deterministic", &deterministic,
      "the same bits in every run, for any number of threads; refuses what cannot promise it");
  args.String("allow", &allow,
              "what ops may do besides computing: read, write, file (both), network, all, none");
  args.String("file_root", &file_root,
              "a folder: ops reach the files below it only, and absolute names begin there");
  args.String("passes", &passes, "graph passes to run: default, none, or a list");
  args.String("cost_profile", &cost_profile,
              "a file of warpbeam profile --save_costs: what nodes cost, for grouping them");
  args.String(
      "admit", &admit,
      "all: steps run as far as memory goes; predicted: a step that is predicted not to fit "
      "is refused, naming the tensors that do not");
  args.String("host_memory_limit", &host_memory_limit,
              "how much host memory tensors may have, as 8GiB; 3/4 of the machine's");
  args.String("simulated_gpu_memory", &simulated_gpu_memory, "of each, as 256MiB; 1GiB");
  args.String("dump_graphs", &dump_graphs, "a folder that gets the graph after each pass");
}

StatusOr<SessionOptions> SessionFlags::Options(Console& console) const {
  SessionOptions options;
  WB_ASSIGN_OR_RETURN(options.allow, CapabilitySet::Parse(allow));
  options.file_root = file_root;
  WB_RETURN_IF_ERROR(SetFileRoot(file_root));
  options.cpu_devices = cpu_devices;
  options.simulated_gpus = simulated_gpus;
  WB_ASSIGN_OR_RETURN(const DeviceCounts counts, ParseDeviceCounts(devices));
  WB_RETURN_IF_ERROR(counts.ApplyTo(&options));
  if (simulated_gpu_kernels != "host" && simulated_gpu_kernels != "gpu") {
    return InvalidArgument("--simulated_gpu_kernels is host or gpu, not '", simulated_gpu_kernels,
                           "'");
  }
  options.simulated_gpu_kernels = simulated_gpu_kernels == "gpu";
  WB_ASSIGN_OR_RETURN(options.visible_gpus, ParseVisibleGpus(visible_gpus));
  options.equal_gpu_parts = gpu_parts;
  options.inter_op_threads = inter;
  options.intra_op_threads = intra;
  options.lend_idle_threads = lend_threads;
  options.cuda_blocking = cuda_blocking;
  options.tensor_float_32 = tensor_float_32;
  options.gpu_plan_file = gpu_plan_file;
  options.allow_soft_placement = fallbacks.soft_placement;
  options.strict_placement = fallbacks.strict_placement;
  options.deterministic = deterministic;
  options.passes = passes;
  options.dump_directory = dump_graphs;
  options.cost_profile = cost_profile;
  if (admit != "all" && admit != "predicted") {
    return InvalidArgument("--admit is all or predicted, not '", admit, "'");
  }
  if (admit == "predicted") options.memory_forecast = MemoryForecastUse::kAdmit;
  WB_RETURN_IF_ERROR(SetBytes("host_memory_limit", host_memory_limit, &options.host_memory_limit));
  WB_RETURN_IF_ERROR(
      SetBytes("simulated_gpu_memory", simulated_gpu_memory, &options.simulated_gpu_memory));
  if (log_device_placement) {
    options.log_device_placement = [&console](const std::string& line) {
      console.err << line << "\n";
    };
  }
  return options;
}

}  // namespace cli
}  // namespace warpbeam
