// One machine, one card: variables on the CPU, arithmetic on the GPU.
//
//   bazel run //examples:single_card -- --simulated_gpus=1 --log_device_placement
//
// With one card, variables and arithmetic may all stand on the GPU; variables too large for its
// memory go to the CPU.
#include <cstdio>

#include "absl/flags/flag.h"
#include "examples/session_flags.h"
#include "frontend/warpbeam.h"

ABSL_FLAG(int, num_gpus, 1, "0 does the arithmetic on the CPU as well");

namespace wb = warpbeam::frontend;

namespace {

wb::Status Run() {
  wb::Scope root = wb::Scope::NewRoot();

  wb::Scope cpu = root.Device("/cpu:0");  // /gpu:0 would do as well
  wb::Variable w = wb::GetVariable(cpu, "w", {2, 2}, wb::ConstantInitializer(2));
  wb::Variable b = wb::GetVariable(cpu, "b", {2, 2}, wb::ConstantInitializer(5));

  wb::Scope gpu = root.Device(absl::GetFlag(FLAGS_num_gpus) > 0 ? "/gpu:0" : "/cpu:0");
  wb::Output addwb = gpu(w) + b;
  wb::Output mutwb = gpu(w) * b;

  wb::Operation ini = wb::GlobalVariablesInitializer(root);
  wb::ClientSession sess(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(sess.Run({ini}).status());
  wb::SessionRunOptions options;
  options.timeline = absl::GetFlag(FLAGS_timeline);
  WB_ASSIGN_OR_RETURN(std::vector<wb::Tensor> np, sess.Run({}, {addwb, mutwb}, options, nullptr));
  std::printf("%s\n%s\n", np[0].ToString().c_str(), np[1].ToString().c_str());
  return sess.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Arithmetic on one device, with variables on another.\n\n"
      "  bazel run //examples:single_card -- --simulated_gpus=1 --log_device_placement",
      argc, argv);
  return warpbeam::examples::ExitCode(Run());
}
