// Batches of distorted CIFAR-10 images, by queues: files, a reader, distortions in several threads,
// and a queue that shuffles.
//
//   StatusOr<Cifar10Files> files = FindOrMakeCifar10(folder);
//   Cifar10Batch batch = DistortedInputs(cpu, *files, /*batch_size=*/128, /*height=*/24, 24);
//   …
//   wb::train::StartQueueRunners(cpu, session, coordinator);
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_EXAMPLES_CIFAR10_INPUT_H_
#define WARPBEAM_EXAMPLES_CIFAR10_INPUT_H_

#include "examples/cifar10_data.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace examples {

struct Cifar10Batch {
  frontend::Output images;  // float [batch_size, height, width, 3]
  frontend::Output labels;  // int32 [batch_size]
};

Cifar10Batch DistortedInputs(const frontend::Scope& scope, const Cifar10Files& files,
                             int64_t batch_size, int64_t height, int64_t width);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_CIFAR10_INPUT_H_
