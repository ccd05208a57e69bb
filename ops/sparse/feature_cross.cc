#include "ops/sparse/feature_cross.h"

#include <farmhash.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {

FeatureColumn FeatureColumn::Dense(const Tensor& values) {
  FeatureColumn c;
  c.values_ = &values;
  c.width_ = values.dim(1);
  return c;
}

FeatureColumn FeatureColumn::Ragged(const Tensor& values, std::vector<int64_t> splits) {
  FeatureColumn c;
  c.values_ = &values;
  c.starts_ = std::move(splits);
  return c;
}

FeatureColumn FeatureColumn::Sparse(const Tensor& values, std::vector<int64_t> rows,
                                    std::vector<int64_t> starts) {
  FeatureColumn c;
  c.values_ = &values;
  c.is_sparse_ = true;
  c.rows_ = std::move(rows);
  c.starts_ = std::move(starts);
  return c;
}

FeatureColumn::Run FeatureColumn::At(int64_t row) const {
  if (is_dense()) return {row * width_, width_};
  if (is_sparse_) {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), row);
    if (at == rows_.end() || *at != row) return {};
    row = at - rows_.begin();
  }
  return {starts_[row], starts_[row + 1] - starts_[row]};
}

namespace {

// How many crosses a row has; -1 when there are more than an int64 counts.
int64_t CountCrosses(const std::vector<FeatureColumn>& columns, int64_t row) {
  int64_t count = 1;
  bool is_too_many = false;
  for (const FeatureColumn& c : columns) {
    const int64_t features = c.At(row).count;
    if (features == 0) return 0;
    is_too_many |= __builtin_mul_overflow(count, features, &count);
  }
  return is_too_many ? -1 : count;
}

Status AddRow(const std::vector<FeatureColumn>& columns, int64_t row, CrossPlan* plan) {
  const int64_t count = CountCrosses(columns, row);
  if (count == 0) return OkStatus();
  int64_t end = 0;
  if (count < 0 || __builtin_add_overflow(plan->total(), count, &end)) {
    return InvalidArgument("there are more crosses than can be counted, up to row ", row);
  }
  plan->rows.push_back(row);
  plan->begins.push_back(end);
  plan->longest = std::max(plan->longest, count);
  return OkStatus();
}

// How many crosses pass until the kernel looks whether anyone waits for them.
constexpr int64_t kCrossesBetweenLooks = 1024;

// fn(position of the output, the value of each column) for each cross.
template <class Fn>
void ForEachCross(const KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                  const CrossPlan& plan, int64_t ns_per_row, Fn fn) {
  const auto count = static_cast<int64_t>(plan.rows.size());
  StoppableFor(ctx, count, ns_per_row, [&](int64_t begin, int64_t end) {
    std::vector<FeatureColumn::Run> runs(columns.size());
    std::vector<int64_t> at(columns.size());
    for (int64_t i = begin; i < end; ++i) {
      for (size_t c = 0; c < columns.size(); ++c) {
        runs[c] = columns[c].At(plan.rows[i]);
        at[c] = runs[c].begin;
      }
      for (int64_t out = plan.begins[i]; out < plan.begins[i + 1]; ++out) {
        if (out % kCrossesBetweenLooks == 0 && RunningStep::IsOver()) return;
        fn(out, MakeConstSpan(at));
        for (size_t c = columns.size(); c-- > 0;) {
          if (++at[c] < runs[c].begin + runs[c].count) break;
          at[c] = runs[c].begin;
        }
      }
    }
  });
}

int64_t CostOfRow(const CrossPlan& plan, int64_t ns_per_cross) {
  const auto rows = static_cast<int64_t>(plan.rows.size());
  return rows == 0 ? 0 : plan.total() / rows * ns_per_cross;
}

// Two fingerprints as one, as FarmHash's users join them.
uint64_t Join(uint64_t a, uint64_t b) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t x) { return x ^ (x >> 47); };
  uint64_t joined = (a ^ kMultiplier) ^ (mix(b * kMultiplier) * kMultiplier);
  joined *= kMultiplier;
  return mix(mix(joined) * kMultiplier);
}

}  // namespace

StatusOr<CrossPlan> PlanCrosses(const std::vector<FeatureColumn>& columns, int64_t batch) {
  CrossPlan plan;
  if (columns.empty()) return plan;
  // A batch size is only a number: its rows are walked through only where values stand behind them.
  const FeatureColumn* sparse = nullptr;
  for (const FeatureColumn& c : columns) {
    if (c.is_dense() && c.At(0).count == 0) return plan;
    if (c.is_sparse()) sparse = &c;
  }
  if (sparse != nullptr) {
    for (const int64_t row : sparse->rows()) {
      if (row < batch) WB_RETURN_IF_ERROR(AddRow(columns, row, &plan));
    }
    return plan;
  }
  for (int64_t row = 0; row < batch; ++row) WB_RETURN_IF_ERROR(AddRow(columns, row, &plan));
  return plan;
}

void CrossTexts(const KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                const CrossPlan& plan, absl::string_view separator, std::string* out) {
  const auto ns = static_cast<int64_t>(columns.size()) * 40;
  ForEachCross(ctx, columns, plan, CostOfRow(plan, ns), [&](int64_t to, Span<const int64_t> at) {
    std::string& text = out[to];
    text.clear();
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) absl::StrAppend(&text, separator);
      const Tensor& values = columns[c].values();
      if (values.dtype() == DType::kString) {
        text += values.data<std::string>()[at[c]];
      } else {
        absl::StrAppend(&text, values.data<int64_t>()[at[c]]);
      }
    }
  });
}

FeatureHashes PlainHashes(const Tensor& values) {
  FeatureHashes hashes;
  hashes.reserve(static_cast<size_t>(values.num_elements()));
  if (values.dtype() == DType::kString) {
    for (const std::string& s : values.flat<std::string>()) {
      hashes.push_back(util::Fingerprint64(s));
    }
  } else {
    for (const int64_t v : values.flat<int64_t>()) hashes.push_back(static_cast<uint64_t>(v));
  }
  return hashes;
}

void CrossHashes(const KernelContext& ctx, const std::vector<FeatureColumn>& columns,
                 const std::vector<FeatureHashes>& hashes, const CrossPlan& plan,
                 const HashCross& how, int64_t* out) {
  const uint64_t buckets = how.buckets > 0
                               ? static_cast<uint64_t>(how.buckets)
                               : static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const auto ns = static_cast<int64_t>(columns.size()) * 4;
  ForEachCross(ctx, columns, plan, CostOfRow(plan, ns), [&](int64_t to, Span<const int64_t> at) {
    uint64_t hash = how.has_first ? how.first : hashes[0][at[0]];
    for (size_t c = how.has_first ? 0 : 1; c < columns.size(); ++c) {
      hash = Join(hash, hashes[c][at[c]]);
    }
    out[to] = static_cast<int64_t>(hash % buckets);
  });
}

}  // namespace warpbeam
