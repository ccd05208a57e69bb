// What tf.nn computes is what TensorFlow computes: values, gradients and nodes.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using nn::Conv2DOptions;
using nn::ConvolutionOptions;

std::vector<ValueRow> ConvolutionRows() {
  return {
      {"softmax_axis", [](S s, X x) { return nn::Softmax(s, x[0], 0); }},
      {"log_softmax_axis", [](S s, X x) { return nn::LogSoftmax(s, x[0], -2); }},
      {"convolution", [](S s, X x) { return nn::Convolution(s, x[0], x[1], "SAME"); }},
      {"convolution_strides",
       [](S s, X x) {
         return nn::Convolution(s, x[0], x[1], "VALID", ConvolutionOptions().strides({2, 1}));
       }},
      {"convolution_dilated",
       [](S s, X x) {
         return nn::Convolution(s, x[0], x[1], "SAME", ConvolutionOptions().dilation_rate({2, 2}));
       }},
      {"convolution_1d", [](S s, X x) { return nn::Convolution(s, x[0], x[1], "SAME"); }},
      {"convolution_1d_dilated",
       [](S s, X x) {
         return nn::Convolution(s, x[0], x[1], "VALID", ConvolutionOptions().dilation_rate({2}));
       }},
      {"convolution_3d", [](S s, X x) { return nn::Convolution(s, x[0], x[1], "VALID"); }},
      {"conv1d", [](S s, X x) { return nn::Conv1D(s, x[0], x[1], 2, "SAME"); }},
      {"conv1d_transpose",
       [](S s, X x) {
         return nn::Conv1DTranspose(s, x[0], x[1], {2, 12, 3}, 2);
       }},
      {"conv2d_transpose",
       [](S s, X x) {
         return nn::Conv2DTranspose(s, x[0], x[1], {1, 10, 12, 3}, {2});
       }},
  };
}

std::vector<ValueRow> OtherConvolutionRows() {
  return {
      {"conv2d_backprop_input",
       [](S s, X x) {
         return nn::Conv2DBackpropInput(s, {1, 5, 6, 2}, x[0], x[1], {1, 1, 1, 1}, "SAME");
       }},
      {"conv2d_backprop_filter",
       [](S s, X x) {
         return nn::Conv2DBackpropFilter(s, x[0], {3, 3, 2, 3}, x[1], {1, 1, 1, 1}, "SAME");
       }},
      {"conv3d",
       [](S s, X x) {
         return nn::Conv3D(s, x[0], x[1], {1, 1, 2, 2, 1}, "SAME");
       }},
      {"conv3d_transpose",
       [](S s, X x) {
         return nn::Conv3DTranspose(s, x[0], x[1], {1, 8, 8, 8, 3}, {2});
       }},
      {"conv3d_backprop_filter",
       [](S s, X x) {
         return nn::Conv3DBackpropFilter(s, x[0], {2, 2, 2, 2, 3}, x[1], {1, 1, 1, 1, 1}, "SAME");
       }},
      {"conv_transpose",
       [](S s, X x) {
         return nn::ConvTranspose(s, x[0], x[1], {1, 10, 12, 3}, {2});
       }},
      {"atrous_conv2d", [](S s, X x) { return nn::AtrousConv2D(s, x[0], x[1], 2, "VALID"); }},
      {"atrous_conv2d_transpose",
       [](S s, X x) {
         return nn::AtrousConv2DTranspose(s, x[0], x[1], {1, 5, 6, 3}, 2, "SAME");
       }},
      {"depthwise_conv2d",
       [](S s, X x) {
         return nn::DepthwiseConv2D(s, x[0], x[1], {1, 2, 2, 1}, "SAME");
       }},
      {"depthwise_conv2d_rate",
       [](S s, X x) {
         return nn::DepthwiseConv2D(s, x[0], x[1], {1, 1, 1, 1}, "VALID",
                                    nn::DepthwiseOptions().rate({2, 3}));
       }},
      {"depthwise_conv2d_native",
       [](S s, X x) {
         return nn::DepthwiseConv2DNative(s, x[0], x[1], {1, 1, 1, 1}, "VALID");
       }},
      {"separable_conv2d",
       [](S s, X x) {
         return nn::SeparableConv2D(s, x[0], x[1], x[2], {1, 1, 1, 1}, "SAME",
                                    nn::DepthwiseOptions().rate({2, 2}));
       }},
      {"dilation2d",
       [](S s, X x) {
         return nn::Dilation2D(s, x[0], x[1], {1, 1, 2, 1}, {1, 2, 1, 1}, "SAME");
       }},
      {"erosion2d",
       [](S s, X x) {
         return nn::Erosion2D(s, x[0], x[1], {1, 1, 1, 1}, {1, 1, 1, 1}, "VALID");
       }},
  };
}

Built AllOf(const nn::FractionalPoolResult& pooled) {
  return {pooled.output, pooled.row_pooling_sequence, pooled.col_pooling_sequence};
}

std::vector<ValueRow> PoolingRows() {
  return {
      {"max_pool1d", [](S s, X x) { return nn::MaxPool1D(s, x[0], 2, 2, "VALID"); }},
      {"avg_pool1d", [](S s, X x) { return nn::AvgPool1D(s, x[0], 3, 1, "SAME"); }},
      {"max_pool2d", [](S s, X x) { return nn::MaxPool2D(s, x[0], {2}, {2}, "SAME"); }},
      {"avg_pool2d",
       [](S s, X x) {
         return nn::AvgPool2D(s, x[0], {1, 2, 3, 1}, {1, 1, 1, 1}, "VALID");
       }},
      {"max_pool3d", [](S s, X x) { return nn::MaxPool3D(s, x[0], {2}, {2}, "VALID"); }},
      {"avg_pool3d", [](S s, X x) { return nn::AvgPool3D(s, x[0], {3}, {2}, "SAME"); }},
      {"max_pool_v2", [](S s, X x) { return nn::MaxPoolV2(s, x[0], {2}, {2}, "VALID"); }},
      {"avg_pool_v2", [](S s, X x) { return nn::AvgPoolV2(s, x[0], {2}, {1}, "VALID"); }},
      {"pool_max",
       [](S s, X x) {
         return nn::Pool(s, x[0], {2, 2}, nn::PoolingType::kMax, "SAME",
                         nn::PoolingOptions().strides({2, 1}));
       }},
      {"pool_avg_dilated",
       [](S s, X x) {
         return nn::Pool(s, x[0], {2, 2}, nn::PoolingType::kAvg, "VALID",
                         nn::PoolingOptions().dilation_rate({2, 1}));
       }},
      {"pool_1d", [](S s, X x) { return nn::Pool(s, x[0], {3}, nn::PoolingType::kMax, "VALID"); }},
      {"max_pool_with_argmax",
       [](S s, X x) -> Built {
         const auto [output, argmax] = nn::MaxPoolWithArgmax(s, x[0], {2}, {2}, "SAME");
         return {output, argmax};
       }},
      {"fractional_max_pool",
       [](S s, X x) {
         return AllOf(nn::FractionalMaxPool(
             s, x[0], {1, 1.4f, 1.5f, 1},
             nn::FractionalPoolOptions().deterministic(true).seed(3).seed2(4)));
       }},
      {"fractional_avg_pool",
       [](S s, X x) {
         return AllOf(nn::FractionalAvgPool(s, x[0], {1, 1.4f, 1.5f, 1},
                                            nn::FractionalPoolOptions()
                                                .pseudo_random(true)
                                                .overlapping(true)
                                                .deterministic(true)
                                                .seed(3)
                                                .seed2(4)));
       }},
  };
}

Built AllOf(const nn::MeanAndVariance& moments) { return {moments.mean, moments.variance}; }

Built AllOf(const nn::SufficientStatisticsResult& sums) {
  return {sums.count, sums.mean_ss, sums.variance_ss};
}

std::vector<ValueRow> MomentRows() {
  return {
      {"lrn", [](S s, X x) { return nn::Lrn(s, x[0], 1, 1.5, 0.5, 0.75); }},
      {"sufficient_statistics",
       [](S s, X x) {
         return AllOf(nn::SufficientStatistics(s, x[0], {0, 1}));
       }},
      {"sufficient_statistics_shift",
       [](S s, X x) { return AllOf(nn::SufficientStatistics(s, x[0], {0}, x[1])); }},
      {"normalize_moments",
       [](S s, X x) { return AllOf(nn::NormalizeMoments(s, x[0], x[1], x[2])); }},
      {"normalize_moments_shift",
       [](S s, X x) { return AllOf(nn::NormalizeMoments(s, x[0], x[1], x[2], x[3])); }},
      {"weighted_moments", [](S s, X x) { return AllOf(nn::WeightedMoments(s, x[0], {0}, x[1])); }},
      {"fused_batch_norm", [](S s, X x) { return nn::FusedBatchNorm(s, x[0], x[1], x[2]).y; },
       1e-4},
      {"fused_batch_norm_inference",
       [](S s, X x) {
         return nn::FusedBatchNorm(
                    s, x[0], x[1], x[2],
                    nn::FusedBatchNormOptions().mean(x[3]).variance(x[4]).is_training(false))
             .y;
       }},
      {"batch_norm_with_global_normalization",
       [](S s, X x) {
         return nn::BatchNormWithGlobalNormalization(s, x[0], x[1], x[2], x[3], x[4], 1e-3, true);
       }},
  };
}

std::vector<ValueRow> LossRows() {
  return {
      {"swish", [](S s, X x) { return nn::Swish(s, x[0]); }},
      {"swish_beta", [](S s, X x) { return nn::Swish(s, x[0], 0.5); }},
      {"silu", [](S s, X x) { return nn::Silu(s, x[0]); }},
      {"relu_layer", [](S s, X x) { return nn::ReluLayer(s, x[0], x[1], x[2]); }},
      {"log_poisson_loss", [](S s, X x) { return nn::LogPoissonLoss(s, x[0], x[1]); }},
      {"log_poisson_loss_full", [](S s, X x) { return nn::LogPoissonLoss(s, x[0], x[1], true); }},
      {"compute_average_loss", [](S s, X x) { return nn::ComputeAverageLoss(s, x[0], x[1]); }},
      {"scale_regularization_loss", [](S s, X x) { return nn::ScaleRegularizationLoss(s, x[0]); }},
      {"mean_pairwise_squared_error",
       [](S s, X x) { return losses::MeanPairwiseSquaredError(s, x[0], x[1]); }},
      {"mean_pairwise_squared_error_weights",
       [](S s, X x) { return losses::MeanPairwiseSquaredError(s, x[0], x[1], x[2]); }},
  };
}

SparseOutput Labels(S s, const std::vector<int32_t>& values) {
  return {Constant(s, Tensor::FromValues<int64_t>(Shape({3, 2}), {0, 0, 0, 1, 1, 0})),
          Constant(s, values), Constant(s, std::vector<int64_t>{2, 2})};
}

Built BestOf(const nn::CtcDecoded& decoded) {
  const SparseOutput& best = decoded.decoded[0];
  return {best.indices, best.values, best.dense_shape, decoded.log_probabilities};
}

std::vector<ValueRow> CtcRows() {
  return {
      {"ctc_loss",
       [](S s, X x) {
         return nn::CtcLoss(s, Labels(s, {1, 2, 0}), x[0], x[1]);
       }},
      {"ctc_loss_batch_major",
       [](S s, X x) {
         return nn::CtcLoss(s, Labels(s, {1, 2, 0}), x[0], x[1],
                            nn::CtcLossOptions().time_major(false));
       }},
      {"ctc_loss_v2_sparse",
       [](S s, X x) {
         return nn::CtcLossV2(s, Labels(s, {1, 2, 0}), x[0], x[1], 3);
       }},
      {"ctc_loss_v2_blank",
       [](S s, X x) {
         return nn::CtcLossV2(s, Labels(s, {1, 2, 3}), x[0], x[1], 0);
       }},
      {"ctc_loss_v2_dense", [](S s, X x) { return nn::CtcLossV2(s, x[0], x[1], x[2], x[3]); }},
      {"ctc_greedy_decoder", [](S s, X x) { return BestOf(nn::CtcGreedyDecoder(s, x[0], x[1])); }},
      {"ctc_beam_search_decoder",
       [](S s, X x) { return BestOf(nn::CtcBeamSearchDecoder(s, x[0], x[1], 4, 2)); }},
      {"ctc_beam_search_decoder_v2",
       [](S s, X x) { return BestOf(nn::CtcBeamSearchDecoderV2(s, x[0], x[1], 4)); }},
      {"collapse_repeated",
       [](S s, X x) -> Built {
         const auto [labels, lengths] = nn::CollapseRepeated(s, x[0], x[1]);
         return {labels, lengths};
       }},
      {"ctc_unique_labels",
       [](S s, X x) -> Built {
         const auto [labels, indices] = nn::CtcUniqueLabels(s, x[0]);
         return {labels, indices};
       }},
  };
}

Built AllOf(const nn::SampledClasses& drawn) {
  return {drawn.classes, drawn.true_expected_count, drawn.sampled_expected_count};
}

std::vector<ValueRow> SamplerRows() {
  return {
      {"uniform_candidate_sampler",
       [](S s, X x) { return AllOf(nn::UniformCandidateSampler(s, x[0], 2, 4, true, 9, 5)); }},
      {"log_uniform_candidate_sampler",
       [](S s, X x) { return AllOf(nn::LogUniformCandidateSampler(s, x[0], 2, 4, false, 9)); }},
      {"learned_unigram_candidate_sampler",
       [](S s, X x) { return AllOf(nn::LearnedUnigramCandidateSampler(s, x[0], 2, 4, true, 9)); }},
      {"fixed_unigram_candidate_sampler",
       [](S s, X x) {
         return AllOf(nn::FixedUnigramCandidateSampler(
             s, x[0], 2, 3, true, 9,
             nn::FixedUnigramOptions().distortion(0.75f).unigrams({1, 2, 3, 4, 5, 6, 7, 8, 9})));
       }},
      {"all_candidate_sampler",
       [](S s, X x) { return AllOf(nn::AllCandidateSampler(s, x[0], 2, 9, true)); }},
      {"compute_accidental_hits",
       [](S s, X x) -> Built {
         const auto [indices, ids, weights] = nn::ComputeAccidentalHits(s, x[0], x[1], 2);
         return {indices, ids, weights};
       }},
      {"top_k",
       [](S s, X x) -> Built {
         const auto [values, indices] = nn::TopK(s, x[0], 3);
         return {values, indices};
       }},
      {"depth_to_space", [](S s, X x) { return nn::DepthToSpace(s, x[0], 2); }},
      {"space_to_depth", [](S s, X x) { return nn::SpaceToDepth(s, x[0], 2); }},
      {"space_to_batch", [](S s, X x) { return nn::SpaceToBatch(s, x[0], x[1], 2); }},
  };
}

SparseOutput Ids(S s) {
  return {Constant(s, Tensor::FromValues<int64_t>(Shape({4, 2}), {0, 0, 0, 1, 2, 0, 3, 1})),
          Constant(s, std::vector<int64_t>{1, 3, -1, 2}), Constant(s, std::vector<int64_t>{4, 2})};
}

std::vector<ValueRow> EmbeddingRows() {
  return {
      {"safe_embedding_lookup_sparse",
       [](S s, X x) { return nn::SafeEmbeddingLookupSparse(s, {x[0]}, Ids(s)); }},
      {"safe_embedding_lookup_sparse_weights",
       [](S s, X x) {
         return nn::SafeEmbeddingLookupSparse(s, {x[0]}, Ids(s),
                                              nn::SafeEmbeddingOptions()
                                                  .sparse_weights(x[1])
                                                  .combiner(nn::Combiner::kSqrtN)
                                                  .default_id(2));
       }},
  };
}

TEST(NnValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows;
  for (const std::vector<ValueRow>& some :
       {ConvolutionRows(), OtherConvolutionRows(), PoolingRows(), MomentRows(), LossRows(),
        CtcRows(), SamplerRows(), EmbeddingRows()}) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  ExpectTensorFlowsValues("nn", rows);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
