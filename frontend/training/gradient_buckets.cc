#include "frontend/training/gradient_buckets.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/graph.h"
#include "graph/hash/murmur_hash.h"
#include "placement/device_name.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// On the device, whatever the scope says.
Scope On(const Scope& scope, const std::string& device) { return scope.NoDevice().Device(device); }

Output Scaled(const Scope& scope, const Output& x, double factor) {
  return factor == 1 ? x : Multiply(scope.Named("mul"), x, factor);
}

// Keys are of 32 bits, with a sign. All buckets of the devices are of one group.
int64_t GroupKey(const std::vector<std::string>& devices) {
  return static_cast<int64_t>(MurmurHash64(absl::StrJoin(devices, ",")) & 0x7fffffff);
}

std::vector<Output> CollectiveSum(const Scope& scope, const std::vector<Output>& flat,
                                  const std::vector<std::string>& devices, double factor) {
  // No other collective of the graph has it: nodes are never taken out of a graph.
  const int64_t instance_key = scope.graph()->num_nodes();
  std::vector<Output> sums;
  for (size_t r = 0; r < devices.size(); ++r) {
    const Scope here = On(scope, devices[r]);
    const Output sum = BuildOutput(here.Named("sum"), "CollectiveReduce", {flat[r]},
                                   OpAttrs()
                                       .Set("T", flat[r].dtype())
                                       .Set("group_size", static_cast<int64_t>(devices.size()))
                                       .Set("group_key", GroupKey(devices))
                                       .Set("instance_key", instance_key)
                                       .Set("merge_op", std::string("Add"))
                                       .Set("final_op", std::string("Id"))
                                       .Set("subdiv_offsets", std::vector<int64_t>()));
    sums.push_back(Scaled(here, sum, factor));
  }
  return sums;
}

}  // namespace

bool AreOfSeveralTasks(const std::vector<std::string>& devices) {
  std::set<std::pair<std::string, int>> tasks;
  for (const std::string& device : devices) {
    const StatusOr<DeviceName> name = DeviceName::Parse(device);
    if (!name.ok() || !name->job.has_value() || !name->task.has_value()) return false;
    tasks.emplace(*name->job, *name->task);
  }
  return tasks.size() > 1;
}

std::vector<Output> AllReduce(const Scope& scope, const std::vector<Output>& flat,
                              const std::vector<std::string>& devices,
                              const std::string& reduce_device, double factor) {
  if (reduce_device.empty()) return CollectiveSum(scope, flat, devices, factor);
  const Scope there = On(scope, reduce_device);
  const Output sum = Scaled(there, AddN(there.Named("sum"), flat), factor);
  return std::vector<Output>(devices.size(), sum);
}

std::vector<GradientBuckets::Bucket> GradientBuckets::Cut(const std::vector<Gradient>& gradients,
                                                          const std::vector<Shape>& shapes) const {
  Bucket ready;
  for (size_t v = 0; v < gradients.size(); ++v) {
    if (gradients[v].has_value() && !gradients[v].is_slices()) ready.push_back(v);
  }
  std::stable_sort(ready.begin(), ready.end(), [&](size_t a, size_t b) {
    return gradients[a].dense().node() < gradients[b].dense().node();
  });
  // The bucket that is being filled, by type: a flat tensor has one.
  struct Open {
    size_t bucket;
    int64_t bytes;
  };
  std::map<DType, Open> open;
  std::vector<Bucket> buckets;
  for (size_t v : ready) {
    const DType dtype = gradients[v].dense().dtype();
    const int64_t bytes = shapes[v].num_elements() * static_cast<int64_t>(DTypeSize(dtype));
    const auto found = open.find(dtype);
    if (found != open.end() && found->second.bytes + bytes <= bytes_per_bucket_) {
      buckets[found->second.bucket].push_back(v);
      found->second.bytes += bytes;
    } else {
      open[dtype] = {buckets.size(), bytes};
      buckets.push_back({v});
    }
  }
  return buckets;
}

void GradientBuckets::ReduceBucket(const Scope& scope, const Bucket& bucket,
                                   const std::vector<std::vector<Gradient>>& gradients,
                                   const std::vector<Shape>& shapes,
                                   std::vector<std::vector<Gradient>>* reduced) const {
  std::vector<int64_t> sizes;
  for (size_t v : bucket) sizes.push_back(shapes[v].num_elements());
  std::vector<Output> flat;
  for (size_t r = 0; r < devices_.size(); ++r) {
    const Scope here = On(scope, devices_[r]);
    std::vector<Output> parts;
    for (size_t v : bucket) {
      const Output gradient = gradients[r][v].dense();
      parts.push_back(bucket.size() == 1 ? gradient : Reshape(here.Named("flat"), gradient, {-1}));
    }
    flat.push_back(parts.size() == 1 ? parts[0] : Concat(here, parts, 0));
  }
  const std::vector<Output> sums = AllReduce(scope, flat, devices_, reduce_device_, factor_);
  for (size_t r = 0; r < devices_.size(); ++r) {
    if (bucket.size() == 1) {
      (*reduced)[r][bucket[0]] = sums[r];
      continue;
    }
    const Scope here = On(scope, devices_[r]);
    const std::vector<Output> parts =
        BuildOutputs(here.Named("split"), "SplitV", {sums[r], Input(sizes), 0},
                     OpAttrs().Set("num_split", static_cast<int64_t>(bucket.size())),
                     static_cast<int>(bucket.size()));
    for (size_t i = 0; i < bucket.size(); ++i) {
      const Shape& shape = shapes[bucket[i]];
      (*reduced)[r][bucket[i]] =
          Reshape(here, parts[i], std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
    }
  }
}

Gradient GradientBuckets::GatherSlices(const Scope& scope, size_t variable,
                                       const std::vector<std::vector<Gradient>>& gradients) const {
  const Scope there = On(scope, reduce_device_.empty() ? devices_[0] : reduce_device_);
  std::vector<Output> values, indices;
  for (const std::vector<Gradient>& replica : gradients) {
    values.push_back(replica[variable].slices().values);
    indices.push_back(replica[variable].slices().indices);
  }
  const bool many = values.size() > 1;
  const Output rows = many ? Concat(there.Named("values"), values, 0) : values[0];
  const Output places = many ? Concat(there.Named("indices"), indices, 0) : indices[0];
  return IndexedSlices{Scaled(there, rows, factor_), places,
                       gradients[0][variable].slices().dense_shape};
}

std::vector<std::vector<Gradient>> GradientBuckets::Reduce(
    const Scope& scope, const std::vector<std::vector<Gradient>>& gradients,
    const std::vector<Shape>& shapes) const {
  std::vector<std::vector<Gradient>> reduced(devices_.size(), std::vector<Gradient>(shapes.size()));
  const std::vector<Bucket> buckets = Cut(gradients[0], shapes);
  for (size_t b = 0; b < buckets.size() && scope.ok(); ++b) {
    ReduceBucket(scope.NameScope(absl::StrCat("bucket_", b)), buckets[b], gradients, shapes,
                 &reduced);
  }
  for (size_t v = 0; v < shapes.size() && scope.ok(); ++v) {
    if (!gradients[0][v].is_slices()) continue;
    const Gradient all = GatherSlices(scope.NameScope("slices"), v, gradients);
    for (std::vector<Gradient>& replica : reduced) replica[v] = all;
  }
  return reduced;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
