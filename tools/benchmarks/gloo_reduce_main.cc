// Gloo alone: how fast two processes of this machine get the sum of 64 MiB of floats from each,
// over loopback, by Gloo's own all-reduce.
//
//   gloo_reduce
//
// Prints metrics as every program here does. An error ends it with status 1.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int64_t kFloats = int64_t{16} << 20;  // 64 MiB
constexpr int kWarmingUp = 3, kRepetitions = 15;

int Reduce(int rank, const std::string& folder) {
  try {
    gloo::rendezvous::FileStore store(folder);
    auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, 2);
    context->connectFullMesh(store, device);
    std::vector<float> values(kFloats, 1);
    uint32_t tag = 0;
    const auto reduce = [&] {
      gloo::AllreduceOptions options(context);
      options.setOutput(values.data(), values.size());
      options.setReduceFunction(
          static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
      options.setTag(tag++);
      gloo::allreduce(options);
    };
    for (int i = 0; i < kWarmingUp; ++i) reduce();
    const double seconds = MedianSeconds(kRepetitions, reduce);
    if (rank == 0) PrintMetric("gloo.all_reduce_64MiB", kFloats * 4 / seconds / 1e9, "GB/s");
    return values[kFloats - 1] == static_cast<float>(1 << (kWarmingUp + kRepetitions)) ? 0 : 1;
  } catch (const std::exception& e) {
    fprintf(stderr, "gloo_reduce: %s\n", e.what());
    return 1;
  }
}

int Main() {
  std::string folder = std::filesystem::temp_directory_path() / "gloo_reduce.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const pid_t other = fork();
  if (other < 0) return 1;
  if (other == 0) _exit(Reduce(1, folder));
  const int own = Reduce(0, folder);
  int status = 1;
  waitpid(other, &status, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return own == 0 && status == 0 ? 0 : 1;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main() { return warpbeam::benchmarks::Main(); }
