// One machine, several cards: what is shared stands on the CPU, each card does its own work.
//
//   bazel run //examples:multi_card -- --simulated_gpus=2 --log_device_placement --steps=3
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "examples/session_flags.h"
#include "frontend/warpbeam.h"

ABSL_FLAG(int, num_gpus, 2, "the product is computed on the last of them");
ABSL_FLAG(int, steps, 0, "how often to run; 0 is for ever");

namespace wb = warpbeam::frontend;

namespace {

wb::Status Run() {
  wb::Scope root = wb::Scope::NewRoot();

  wb::Scope cpu = root.Device("/cpu:0");
  wb::Variable w = wb::GetVariable(cpu, "w", {2, 2}, wb::ConstantInitializer(2));
  wb::Variable b = wb::GetVariable(cpu, "b", {2, 2}, wb::ConstantInitializer(5));

  const int last = absl::GetFlag(FLAGS_num_gpus) - 1;
  wb::Scope gpu0 = root.Device(last < 0 ? "/cpu:0" : "/gpu:0");
  wb::Output addwb = gpu0(w) + b;
  wb::Scope gpu1 = root.Device(last < 0 ? "/cpu:0" : absl::StrCat("/gpu:", last));
  wb::Output mutwb = gpu1(w) * b;

  wb::Operation ini = wb::GlobalVariablesInitializer(root);
  wb::ClientSession sess(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(sess.Run({ini}).status());
  const int steps = absl::GetFlag(FLAGS_steps);
  for (int i = 1; steps == 0 || i <= steps; ++i) {
    wb::SessionRunOptions options;
    if (i == steps) options.timeline = absl::GetFlag(FLAGS_timeline);
    WB_ASSIGN_OR_RETURN(std::vector<wb::Tensor> out,
                        sess.Run({}, {addwb, mutwb}, options, nullptr));
    std::printf("[%s, %s]\n", out[0].ToString().c_str(), out[1].ToString().c_str());
  }
  return sess.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Two operations on two devices.\n\n"
      "  bazel run //examples:multi_card -- --simulated_gpus=2 --log_device_placement "
      "--steps=3",
      argc, argv);
  return warpbeam::examples::ExitCode(Run());
}
