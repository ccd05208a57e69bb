// HistogramSummary: how the values are spread over buckets whose limits grow by a tenth.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/summary/summary_content.h"
#include "ops/summary/summary_input.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// From -max over 0 to max: 1e-12, each the one before times 1.1, up to 1e20.
std::vector<double> BucketLimits() {
  std::vector<double> positive;
  for (double v = 1.0e-12; v < 1.0e20; v *= 1.1) positive.push_back(v);
  positive.push_back(kLargest);
  std::vector<double> limits;
  for (auto v = positive.rbegin(); v != positive.rend(); ++v) limits.push_back(-*v);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

class Histogram {
 public:
  void Add(double value) {
    const auto at = std::upper_bound(Limits().begin(), Limits().end(), value);
    // The largest double has no limit above it.
    counts_[std::min<size_t>(at - Limits().begin(), Limits().size() - 1)] += 1;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    num_ += 1;
    sum_ += value;
    sum_squares_ += value * value;
  }

  // A run of empty buckets is written as one.
  void Write(tensorflow::HistogramProto* proto) const {
    proto->set_min(min_);
    proto->set_max(max_);
    proto->set_num(num_);
    proto->set_sum(sum_);
    proto->set_sum_squares(sum_squares_);
    for (size_t i = 0; i < counts_.size();) {
      const double count = counts_[i];
      double end = Limits()[i];
      ++i;
      while (count <= 0 && i < counts_.size() && counts_[i] <= 0) end = Limits()[i++];
      proto->add_bucket_limit(end);
      proto->add_bucket(count);
    }
    if (proto->bucket_size() == 0) {
      proto->add_bucket_limit(kLargest);
      proto->add_bucket(0);
    }
  }

 private:
  static const std::vector<double>& Limits() {
    static const std::vector<double>& limits = *new std::vector<double>(BucketLimits());
    return limits;
  }
  std::vector<double> counts_ = std::vector<double>(Limits().size());
  double min_ = kLargest;
  double max_ = -kLargest;
  double num_ = 0;
  double sum_ = 0;
  double sum_squares_ = 0;
};

Status RunHistogramSummary(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 0));
  WB_ASSIGN_OR_RETURN(std::string summary, HistogramContent(tag, ctx.input(1)));
  ctx.set_output(0, Tensor::Scalar<std::string>(std::move(summary)));
  return OkStatus();
}

WB_OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: realnumbertype = DT_FLOAT")
    .Shape(shapes::Scalar);
WB_KERNEL("HistogramSummary", FunctionKernel<RunHistogramSummary>).Cpu({{"T", kRealTypes}});
WB_NO_GRADIENT("HistogramSummary");

}  // namespace

StatusOr<std::string> HistogramContent(const std::string& tag, const Tensor& values) {
  std::vector<double> numbers;
  WB_RETURN_IF_ERROR(NumbersOf(values, &numbers));
  Histogram histogram;
  for (double x : numbers) {
    if (std::isnan(x)) return InvalidArgument("Nan in summary histogram for: ", tag);
    if (std::isinf(x)) return InvalidArgument("Infinity in Histogram for: ", tag);
    histogram.Add(x);
  }
  tensorflow::Summary summary;
  auto* value = summary.add_value();
  value->set_tag(tag);
  histogram.Write(value->mutable_histo());
  return summary.SerializeAsString();
}

}  // namespace warpbeam
