#include "frontend/contrib/crf.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/math/reductions.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace crf {
namespace {

// The scores, looked at: steps and tags are known.
struct Scores {
  int steps = 0;
  int tags = 0;
};

std::optional<Scores> CheckedScores(const Scope& scope, const char* function, const Output& x) {
  if (!scope.ok()) return std::nullopt;
  if (!x.valid()) {
    scope.Fail(InvalidArgument(function, ": there are no scores; give a tensor"));
    return std::nullopt;
  }
  const PartialShape shape = x.shape();
  if (shape.rank() != 3 || shape.dim(1) < 1 || shape.dim(2) < 1) {
    scope.Fail(InvalidArgument(function, ": scores are [batch, steps, tags] with steps and tags ",
                               "that are known (set_shape) and not 0; '", x.name(), "' is ",
                               shape.ToString()));
    return std::nullopt;
  }
  return Scores{static_cast<int>(shape.dim(1)), static_cast<int>(shape.dim(2))};
}

// Whether steps `first` and later are within the sequence: [batch, steps - first].
Output Within(const Scope& scope, const Output& lengths, int first, int steps, DType dtype) {
  const Output beyond = Subtract(scope, lengths, Constant(scope, first, lengths.dtype()));
  return SequenceMask(scope, Maximum(scope, beyond, Constant(scope, 0, lengths.dtype())),
                      Input(steps - first), dtype);
}

// x[:, begin : begin + count] of its second dimension.
Output StepsOf(const Scope& scope, const Output& x, int begin, int count) {
  std::vector<int32_t> from(x.shape().rank(), 0), size(x.shape().rank(), -1);
  from[1] = begin;
  size[1] = count;
  return Slice(scope, x, from, size);
}

// [batch, steps, …] from step 1 on, with the steps first.
Output TimeMajor(const Scope& scope, const Output& x, int steps) {
  const Output rest = StepsOf(scope, x, 1, steps - 1);
  return x.shape().rank() == 3 ? Transpose(scope, rest, {1, 0, 2}) : Transpose(scope, rest, {1, 0});
}

Output FirstStep(const Scope& scope, const Output& x) {
  return Squeeze(scope, StepsOf(scope, x, 0, 1), {1});
}

// [batch, from, to]: what each tag had, and the transition from it.
Output WithTransitions(const Scope& scope, const Output& state, const Output& transitions) {
  return Add(scope, ExpandDims(scope, state, 2), ExpandDims(scope, transitions, 0));
}

Output LengthsOf(const Scope& scope, const Input& lengths) {
  return AsOutput(scope.Named("sequence_lengths"), lengths);
}

}  // namespace

Output CrfUnaryScore(ScopeRef scope_ref, const Input& tag_indices, const Input& sequence_lengths,
                     const Output& inputs) {
  const Scope scope = scope_ref.scope();
  const auto scores = CheckedScores(scope, "CrfUnaryScore", inputs);
  if (!scores) return Output();
  const Output lengths = LengthsOf(scope, sequence_lengths);
  const Output tags = AsOutput(scope.Named("tag_indices"), tag_indices);
  const Output taken = Multiply(scope, inputs, OneHot(scope, tags, scores->tags, inputs.dtype()));
  const Output within = Within(scope, lengths, 0, scores->steps, inputs.dtype());
  return ReduceSum(scope, Multiply(scope, ReduceSum(scope, taken, 2), within), 1);
}

Output CrfBinaryScore(ScopeRef scope_ref, const Output& tag_indices, const Input& sequence_lengths,
                      const Input& transition_params) {
  const Scope scope = scope_ref.scope();
  const Output transitions = AsOutput(scope.Named("transitions"), transition_params);
  if (!scope.ok()) return Output();
  if (!tag_indices.valid() || tag_indices.shape().rank() != 2 || tag_indices.shape().dim(1) < 1 ||
      transitions.shape().rank() != 2 || transitions.shape().dim(0) < 1) {
    scope.Fail(InvalidArgument("CrfBinaryScore: tags are [batch, steps] with steps that are known ",
                               "and not 0, transitions [tags, tags]"));
    return Output();
  }
  const int steps = static_cast<int>(tag_indices.shape().dim(1));
  const int32_t tags = static_cast<int32_t>(transitions.shape().dim(0));
  const Output before = StepsOf(scope, tag_indices, 0, steps - 1);
  const Output after = StepsOf(scope, tag_indices, 1, steps - 1);
  const Output count = Constant(scope, tags, tag_indices.dtype());
  const Output places = Add(scope, Multiply(scope, before, count), after);
  const Output flat = Reshape(scope, transitions, std::vector<int32_t>{-1});
  const Output taken = Gather(scope, flat, places);
  const Output within = Within(scope, LengthsOf(scope, sequence_lengths), 1, steps, taken.dtype());
  return ReduceSum(scope, Multiply(scope, taken, within), 1);
}

Output CrfSequenceScore(ScopeRef scope_ref, const Output& inputs, const Input& tag_indices,
                        const Input& sequence_lengths, const Input& transition_params) {
  const Scope scope = scope_ref.scope();
  if (!CheckedScores(scope, "CrfSequenceScore", inputs)) return Output();
  const Output tags = AsOutput(scope.Named("tag_indices"), tag_indices);
  const Output lengths = LengthsOf(scope, sequence_lengths);
  const Output unary = CrfUnaryScore(scope, tags, lengths, inputs);
  const Output binary = CrfBinaryScore(scope, tags, lengths, transition_params);
  return scope.ok() ? Add(scope, unary, binary) : Output();
}

Output CrfLogNorm(ScopeRef scope_ref, const Output& inputs, const Input& sequence_lengths,
                  const Input& transition_params) {
  const Scope scope = scope_ref.scope();
  const auto scores = CheckedScores(scope, "CrfLogNorm", inputs);
  if (!scores) return Output();
  const Output lengths = LengthsOf(scope, sequence_lengths);
  const Output transitions = AsOutput(scope.Named("transitions"), transition_params);
  Output alphas = FirstStep(scope, inputs);
  if (scores->steps > 1 && scope.ok()) {
    // The forward algorithm: alpha[j] is the sum over all tags so far that end with j.
    const auto step = [&](const Scope& s, const std::vector<Output>& state,
                          const std::vector<Output>& row) {
      const Output summed = ReduceLogSumExp(s, WithTransitions(s, state[0], transitions), 1);
      return std::vector<Output>{Where(s, row[1], Add(s, summed, row[0]), state[0])};
    };
    const Output within =
        Transpose(scope, Within(scope, lengths, 1, scores->steps, DType::kBool), {1, 0});
    FoldOptions options;
    options.initializer = {alphas};
    const std::vector<Output> last =
        Foldl(scope, step, {TimeMajor(scope, inputs, scores->steps), within}, options);
    if (last.empty()) return Output();
    alphas = last[0];
  }
  const Output norm = ReduceLogSumExp(scope, alphas, 1);
  const Output empty = LessEqual(scope, lengths, Constant(scope, 0, lengths.dtype()));
  return Where(scope, empty, ZerosLike(scope, norm), norm);
}

CrfResult CrfLogLikelihood(ScopeRef scope_ref, const Output& inputs, const Output& tag_indices,
                           const Input& sequence_lengths,
                           const std::optional<Input>& transition_params) {
  const Scope scope = scope_ref.scope();
  const auto scores = CheckedScores(scope, "CrfLogLikelihood", inputs);
  if (!scores) return CrfResult();
  const Output transitions =
      transition_params.has_value()
          ? AsOutput(scope.Named("transitions"), *transition_params)
          : Output(GetVariable(scope, "transitions", {scores->tags, scores->tags},
                               GetVariableOptions().dtype(inputs.dtype())));
  const Output lengths = LengthsOf(scope, sequence_lengths);
  const Output score = CrfSequenceScore(scope, inputs, tag_indices, lengths, transitions);
  const Output norm = CrfLogNorm(scope, inputs, lengths, transitions);
  if (!scope.ok()) return CrfResult();
  return {Subtract(scope, score, norm), transitions};
}

CrfDecoded CrfDecode(ScopeRef scope_ref, const Output& potentials, const Input& transition_params,
                     const Input& sequence_length) {
  const Scope scope = scope_ref.scope();
  const auto scores = CheckedScores(scope, "CrfDecode", potentials);
  if (!scores) return CrfDecoded();
  const Output lengths = LengthsOf(scope, sequence_length);
  const Output transitions = AsOutput(scope.Named("transitions"), transition_params);
  const Output first = FirstStep(scope, potentials);
  if (!scope.ok()) return CrfDecoded();
  if (scores->steps == 1) {
    const Output tags = ExpandDims(scope, Cast(scope, ArgMax(scope, first, 1), DType::kInt32), 1);
    const Output within = Within(scope, lengths, 0, 1, DType::kInt32);
    return {Multiply(scope, tags, within), ReduceMax(scope, first, 1)};
  }
  // Beyond the end each tag comes from itself, and the scores stay.
  std::vector<int32_t> numbers(scores->tags);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Output itself = BroadcastTo(scope, Constant(scope, numbers), ShapeOf(scope, first));
  const auto forward = [&](const Scope& s, const std::vector<Output>& state,
                           const std::vector<Output>& row) {
    const Output through = WithTransitions(s, state[0], transitions);
    const Output reached = Add(s, ReduceMax(s, through, 1), row[0]);
    const Output from = Cast(s, ArgMax(s, through, 1), DType::kInt32);
    return std::vector<Output>{Where(s, row[1], reached, state[0]), Where(s, row[1], from, itself)};
  };
  const Output goes_on =
      Transpose(scope, Within(scope, lengths, 1, scores->steps, DType::kBool), {1, 0});
  ScanOptions options;
  options.initializer = {first, itself};
  const std::vector<Output> run =
      Scan(scope, forward, {TimeMajor(scope, potentials, scores->steps), goes_on}, options);
  if (run.size() != 2 || !scope.ok()) return CrfDecoded();
  const Output last = ElementAt(scope, run[0], scores->steps - 2);
  const Output best = Cast(scope, ArgMax(scope, last, 1), DType::kInt32);
  const auto backward = [&](const Scope& s, const Output& tag, const Output& from) {
    return ReduceSum(s, Multiply(s, from, OneHot(s, tag, scores->tags, DType::kInt32)), 1);
  };
  ScanOptions in_reverse;
  in_reverse.initializer = {best};
  in_reverse.reverse = true;
  const Output before = Scan(scope, backward, run[1], in_reverse);
  if (!scope.ok()) return CrfDecoded();
  const Output all = Concat(scope, {before, ExpandDims(scope, best, 0)}, 0);
  const Output within = Within(scope, lengths, 0, scores->steps, DType::kInt32);
  return {Multiply(scope, Transpose(scope, all, {1, 0}), within), ReduceMax(scope, last, 1)};
}

StatusOr<ViterbiDecoded> ViterbiDecode(const Tensor& score, const Tensor& transition_params) {
  const auto is_matrix = [](const Tensor& t) {
    return t.has_value() && t.dtype() == DType::kFloat && t.rank() == 2;
  };
  if (!is_matrix(score) || !is_matrix(transition_params) || score.shape().dim(0) < 1 ||
      score.shape().dim(1) < 1 || transition_params.shape().dim(0) != score.shape().dim(1) ||
      transition_params.shape().dim(1) != score.shape().dim(1)) {
    return InvalidArgument("ViterbiDecode takes floats [steps, tags] with one step and one tag or ",
                           "more, and their transitions [tags, tags]");
  }
  const int64_t steps = score.shape().dim(0), tags = score.shape().dim(1);
  const float* const scores = score.data<float>();
  const float* const transitions = transition_params.data<float>();
  std::vector<float> state(scores, scores + tags), next(tags);
  std::vector<std::vector<int32_t>> from(steps, std::vector<int32_t>(tags, 0));
  for (int64_t t = 1; t < steps; ++t) {
    for (int64_t j = 0; j < tags; ++j) {
      for (int64_t i = 1; i < tags; ++i) {
        const int64_t best = from[t][j];
        if (state[i] + transitions[i * tags + j] > state[best] + transitions[best * tags + j]) {
          from[t][j] = static_cast<int32_t>(i);
        }
      }
      const int64_t best = from[t][j];
      next[j] = state[best] + transitions[best * tags + j] + scores[t * tags + j];
    }
    state.swap(next);
  }
  ViterbiDecoded decoded;
  const auto best = std::max_element(state.begin(), state.end());
  decoded.viterbi_score = *best;
  decoded.viterbi.assign(steps, static_cast<int32_t>(best - state.begin()));
  for (int64_t t = steps - 1; t > 0; --t) decoded.viterbi[t - 1] = from[t][decoded.viterbi[t]];
  return decoded;
}

}  // namespace crf
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
