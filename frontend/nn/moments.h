// Means and variances beside Moments, and batch normalization in one operation
// (tf.nn.sufficient_statistics, normalize_moments, weighted_moments, fused_batch_norm).
//
//   nn::SufficientStatisticsResult sums = nn::SufficientStatistics(scope, x, {0});
//   nn::MeanAndVariance of_all =
//       nn::NormalizeMoments(scope, sums.count, sums.mean_ss, sums.variance_ss);
//   nn::FusedBatchNormResult y = nn::FusedBatchNorm(scope, images, gamma, beta);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_NN_MOMENTS_H_
#define WARPBEAM_FRONTEND_NN_MOMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/nn.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

// How many numbers there are, their sum and the sum of their squares, both of the distances from
// `shift` where there is one; it makes what is close to it exacter.
struct SufficientStatisticsResult {
  Output count;
  Output mean_ss;
  Output variance_ss;
  Output shift;  // not valid for none
};
SufficientStatisticsResult SufficientStatistics(ScopeRef scope, const Input& x,
                                                const std::vector<int32_t>& axes,
                                                const Output& shift = Output(),
                                                bool keep_dims = false);
// Mean and variance of such sums, which may come from several batches.
MeanAndVariance NormalizeMoments(ScopeRef scope, const Input& counts, const Input& mean_ss,
                                 const Input& variance_ss, const Output& shift = Output());

// Each number as often as `frequency_weights`, which broadcast to x, say.
MeanAndVariance WeightedMoments(ScopeRef scope, const Input& x, const std::vector<int32_t>& axes,
                                const Input& frequency_weights, bool keep_dims = false);

struct FusedBatchNormOptions {
  // Those to normalize by, where it is not training; else those that are averaged with the batch's.
  FusedBatchNormOptions& mean(const Output& value) {
    given_mean = value;
    return *this;
  }
  FusedBatchNormOptions& variance(const Output& value) {
    given_variance = value;
    return *this;
  }
  FusedBatchNormOptions& epsilon(double value) {
    epsilon_value = value;
    return *this;
  }
  FusedBatchNormOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }
  FusedBatchNormOptions& is_training(bool value) {
    training = value;
    return *this;
  }
  // How much the batch counts in the mean and variance that come out.
  FusedBatchNormOptions& exponential_avg_factor(double value) {
    average_factor = value;
    return *this;
  }

  Output given_mean;
  Output given_variance;
  double epsilon_value = 0.001;
  std::string format = "NHWC";
  bool training = true;
  double average_factor = 1;
};

struct FusedBatchNormResult {
  Output y;
  Output running_mean;
  Output running_variance;
};
// Each channel of images with the mean 0 and the variance 1, times `scale`, plus `offset`.
FusedBatchNormResult FusedBatchNorm(ScopeRef scope, const Input& x, const Input& scale,
                                    const Input& offset,
                                    const FusedBatchNormOptions& options = FusedBatchNormOptions());

// BatchNormalization under its first name.
Output BatchNormWithGlobalNormalization(ScopeRef scope, const Input& t, const Input& m,
                                        const Input& v, const Output& beta, const Output& gamma,
                                        double variance_epsilon, bool scale_after_normalization);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_MOMENTS_H_
