// GradientBuckets: the gradients of several replicas, reduced bucket by bucket.
//
//   GradientBuckets buckets(devices, reduce_device, /*bytes_per_bucket=*/4 << 20, /*sum=*/false);
//   std::vector<std::vector<Gradient>> reduced = buckets.Reduce(scope, gradients, shapes);
//
// `gradients[replica][variable]`; a variable has a gradient on all replicas or on none. The order
// in which the backward pass computes gradients is the order in which its nodes were built.
//
// Internal to the frontend's training library.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_GRADIENT_BUCKETS_H_
#define WARPBEAM_FRONTEND_TRAINING_GRADIENT_BUCKETS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/gradients.h"

namespace warpbeam {
namespace frontend {
namespace train {

// Whether the devices, all of which name their task, are not all of the same.
bool AreOfSeveralTasks(const std::vector<std::string>& devices);

// The sum of one tensor of each device times `factor`, for each device: the one place where
// replicas exchange gradients. On `reduce_device`, or by a collective where that is empty.
// `flat[i]` is on devices[i]; so is the i-th result, as soon as it is used there.
std::vector<Output> AllReduce(const Scope& scope, const std::vector<Output>& flat,
                              const std::vector<std::string>& devices,
                              const std::string& reduce_device, double factor);

class GradientBuckets {
 public:
  GradientBuckets(std::vector<std::string> devices, std::string reduce_device,
                  int64_t bytes_per_bucket, bool sum)
      : devices_(std::move(devices)),
        reduce_device_(std::move(reduce_device)),
        bytes_per_bucket_(bytes_per_bucket),
        factor_(sum ? 1.0 : 1.0 / static_cast<double>(devices_.size())) {}

  // The same as `gradients`, reduced over the replicas. `shapes` are the variables'.
  std::vector<std::vector<Gradient>> Reduce(const Scope& scope,
                                            const std::vector<std::vector<Gradient>>& gradients,
                                            const std::vector<Shape>& shapes) const;

 private:
  using Bucket = std::vector<size_t>;  // numbers of variables

  std::vector<Bucket> Cut(const std::vector<Gradient>& gradients,
                          const std::vector<Shape>& shapes) const;
  void ReduceBucket(const Scope& scope, const Bucket& bucket,
                    const std::vector<std::vector<Gradient>>& gradients,
                    const std::vector<Shape>& shapes,
                    std::vector<std::vector<Gradient>>* reduced) const;
  Gradient GatherSlices(const Scope& scope, size_t variable,
                        const std::vector<std::vector<Gradient>>& gradients) const;

  const std::vector<std::string> devices_;
  const std::string reduce_device_;
  const int64_t bytes_per_bucket_;
  const double factor_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_GRADIENT_BUCKETS_H_
