// CTCBeamSearchDecoder: the likeliest label sequences of frames of logits, found by a search that
// keeps the `beam_width` likeliest prefixes after every frame.
//
// A prefix is a node of a tree of labels. Its probability is the sum over all ways of spelling it,
// with blanks and repetitions: of those that end in a blank, and of those that end in its label.
// Prefixes of equal probability are ordered as in TensorFlow, whose order is that of a heap.

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/ctc_decoding.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

template <class T>
constexpr T kImpossible = -std::numeric_limits<T>::infinity();

// log(exp(a) + exp(b)). TensorFlow computes what is added to the larger one in float, of doubles
// too.
template <class T>
T LogSum(T a, T b) {
  if (a == kImpossible<T>) return b;
  if (b == kImpossible<T>) return a;
  const T more = a > b ? a : b, less = a > b ? b : a;
  return more + std::log1p(std::exp(static_cast<float>(less - more)));
}

// Logarithms of probabilities.
template <class T>
struct Likelihood {
  T total = kImpossible<T>;
  T blank = kImpossible<T>;  // of what ends in a blank
  T label = kImpossible<T>;  // of what ends in the prefix's label
};

template <class T>
struct Prefix {
  Prefix* parent;
  int64_t label;
  Likelihood<T> before, now;  // with the frames up to the latest, and with it
  absl::flat_hash_map<int64_t, Prefix*> children;

  bool IsKept() const { return now.total != kImpossible<T>; }
};

// NaN is less than all else, so that it cannot upset an order.
template <class T>
bool IsLikelier(const Prefix<T>* a, const Prefix<T>* b) {
  return a->now.total > b->now.total || (std::isnan(b->now.total) && !std::isnan(a->now.total));
}

// The likeliest prefixes. While there is room they stand in the order in which they came, with the
// least likely one in front once that has been asked for; then they are a heap with it in front.
template <class T>
class Beam {
 public:
  explicit Beam(size_t width) : width_(width) {}

  bool IsFull() const { return all_.size() >= width_; }
  const std::vector<Prefix<T>*>& unsorted() const { return all_; }

  void Add(Prefix<T>* prefix) {
    if (is_heap_) {
      if (!IsLikelier(prefix, all_.front())) return;
      std::pop_heap(all_.begin(), all_.end(), IsLikelier<T>);
      all_.back() = prefix;
      std::push_heap(all_.begin(), all_.end(), IsLikelier<T>);
      return;
    }
    all_.push_back(prefix);
    if (least_is_first_ && !IsLikelier(all_.back(), all_.front())) {
      std::swap(all_.front(), all_.back());
    }
    if (all_.size() <= width_) return;
    std::make_heap(all_.begin(), all_.end(), IsLikelier<T>);
    std::pop_heap(all_.begin(), all_.end(), IsLikelier<T>);
    all_.pop_back();
    is_heap_ = true;
  }

  Prefix<T>* Least() {
    if (!is_heap_ && !least_is_first_) {
      // The first of equals.
      size_t least = 0;
      for (size_t i = 1; i < all_.size(); ++i) {
        if (IsLikelier(all_[least], all_[i])) least = i;
      }
      std::swap(all_.front(), all_[least]);
      least_is_first_ = true;
    }
    return all_.front();
  }

  // All of them, the likeliest first; the beam is empty then.
  std::vector<Prefix<T>*> Take() {
    std::vector<Prefix<T>*> sorted;
    sorted.swap(all_);
    if (is_heap_) {
      std::sort_heap(sorted.begin(), sorted.end(), IsLikelier<T>);
    } else {
      std::sort(sorted.begin(), sorted.end(), IsLikelier<T>);
    }
    least_is_first_ = is_heap_ = false;
    return sorted;
  }

 private:
  const size_t width_;
  std::vector<Prefix<T>*> all_;
  bool least_is_first_ = false;
  bool is_heap_ = false;
};

// One sequence.
template <class T>
class Search {
 public:
  Search(size_t width, int64_t classes) : classes_(classes), beam_(width) {
    Prefix<T>* root = NewPrefix(nullptr, -1);
    root->now.total = root->now.blank = 0;
    beam_.Add(root);
  }

  void Step(const T* logits) {
    const T offset = LogNormaliser(logits);
    const std::vector<Prefix<T>*> prefixes = beam_.Take();
    for (Prefix<T>* p : prefixes) p->before = p->now;
    for (Prefix<T>* p : prefixes) {
      Stay(logits, offset, p);
      beam_.Add(p);
    }
    for (Prefix<T>* p : prefixes) {
      if (RunningStep::IsOver()) return;
      if (!IsCandidate(p->before.total)) continue;
      for (int64_t label = 0; label < classes_ - 1; ++label) Grow(logits, offset, label, p);
    }
  }

  // The `count` likeliest; fewer where there are no more.
  std::vector<const Prefix<T>*> Likeliest(size_t count) const {
    Beam<T> best(count);
    for (Prefix<T>* prefix : beam_.unsorted()) best.Add(prefix);
    const std::vector<Prefix<T>*> sorted = best.Take();
    return {sorted.begin(), sorted.end()};
  }

 private:
  Prefix<T>* NewPrefix(Prefix<T>* parent, int64_t label) {
    prefixes_.push_back({parent, label, {}, {}, {}});
    return &prefixes_.back();
  }

  T LogNormaliser(const T* logits) const {
    const T max = *std::max_element(logits, logits + classes_);
    T sum = 0;
    for (int64_t k = 0; k < classes_; ++k) sum += std::exp(logits[k] - max);
    return max + std::log(sum);
  }

  // The frame repeats the prefix's label, or is a blank, or spells its label for the first time.
  void Stay(const T* logits, T offset, Prefix<T>* p) const {
    if (p->parent != nullptr) {
      if (p->parent->IsKept()) {
        const Likelihood<T>& shorter = p->parent->before;
        p->now.label =
            LogSum(p->now.label, p->label == p->parent->label ? shorter.blank : shorter.total);
      }
      p->now.label += logits[p->label] - offset;
    }
    p->now.blank = p->before.total + logits[classes_ - 1] - offset;
    p->now.total = LogSum(p->now.blank, p->now.label);
  }

  // The frame adds a label to what had been spelt.
  void Grow(const T* logits, T offset, int64_t label, Prefix<T>* p) {
    const auto known = p->children.find(label);
    Prefix<T>* child = known == p->children.end() ? nullptr : known->second;
    if (child != nullptr && child->IsKept()) return;
    const T spelt = label == p->label ? p->before.blank : p->before.total;
    const T likelihood = logits[label] - offset + spelt;
    if (!IsCandidate(likelihood)) {
      // It may have been dropped in this frame, and then it stands among the prefixes that are
      // still to be grown. Having failed here, it has no children either.
      if (child != nullptr) child->before = child->now = {};
      return;
    }
    if (child == nullptr) child = p->children[label] = NewPrefix(p, label);
    child->now = {likelihood, kImpossible<T>, likelihood};
    if (beam_.IsFull()) beam_.Least()->now = {};
    beam_.Add(child);
  }

  bool IsCandidate(T likelihood) {
    return likelihood > kImpossible<T> &&
           (!beam_.IsFull() || likelihood > beam_.Least()->now.total);
  }

  const int64_t classes_;
  std::deque<Prefix<T>> prefixes_;
  Beam<T> beam_;
};

template <class T>
std::vector<int64_t> LabelsOf(const Prefix<T>* prefix, bool merge_repeated) {
  std::vector<int64_t> labels;
  int64_t next = -1;
  for (; prefix->parent != nullptr; prefix = prefix->parent) {
    if (!merge_repeated || prefix->label != next) labels.push_back(prefix->label);
    next = prefix->label;
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

class CtcBeamSearchDecoderKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CtcBeamSearchDecoderKernel>();
    WB_ASSIGN_OR_RETURN(kernel->beam_width_, init.attr<int64_t>("beam_width"));
    WB_ASSIGN_OR_RETURN(kernel->top_paths_, init.attr<int64_t>("top_paths"));
    WB_ASSIGN_OR_RETURN(kernel->merge_, init.attr<bool>("merge_repeated"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckCtcInputs(ctx));
    if (top_paths_ > beam_width_) {
      return InvalidArgument("requested more paths than the beam width: ", top_paths_, " of ",
                             beam_width_);
    }
    return DispatchTypes<float, double>(
        ctx.input(0).dtype(), [&](auto tag) { return Decode<typename decltype(tag)::type>(ctx); });
  }

 private:
  template <class T>
  Status Decode(KernelContext& ctx) const {
    const Tensor& logits = ctx.input(0);
    const int64_t batch = logits.dim(1), classes = logits.dim(2);
    const size_t paths = static_cast<size_t>(top_paths_);
    WB_ASSIGN_OR_RETURN(Tensor * scores,
                        ctx.Allocate(static_cast<int>(3 * top_paths_), Shape({batch, top_paths_})));
    std::vector<std::vector<std::vector<int64_t>>> found(
        paths, std::vector<std::vector<int64_t>>(static_cast<size_t>(batch)));
    std::mutex mutex;
    Status status;
    // About what a frame costs: every kept prefix is tried with every label.
    const int64_t cost = 20 * logits.dim(0) * classes * std::min<int64_t>(beam_width_, 1000);
    ctx.ParallelFor(batch, cost, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end && !ctx.IsCancelled(); ++b) {
        Search<T> search(static_cast<size_t>(beam_width_), classes);
        for (int64_t t = 0; t < ctx.input(1).data<int32_t>()[b] && !ctx.IsCancelled(); ++t) {
          search.Step(logits.data<T>() + (t * batch + b) * classes);
        }
        const std::vector<const Prefix<T>*> best = search.Likeliest(paths);
        if (best.size() < paths) {
          std::lock_guard<std::mutex> lock(mutex);
          status = InvalidArgument("Less leaves in the beam search than requested: ", best.size(),
                                   " for ", paths, " paths of sequence ", b);
          continue;
        }
        for (size_t p = 0; p < paths; ++p) {
          found[p][static_cast<size_t>(b)] = LabelsOf(best[p], merge_);
          scores->data<T>()[b * top_paths_ + static_cast<int64_t>(p)] = best[p]->now.total;
        }
      }
    });
    WB_RETURN_IF_ERROR(status);
    if (ctx.IsCancelled()) return Cancelled("the step has been cancelled");
    for (size_t p = 0; p < paths; ++p) {
      WB_RETURN_IF_ERROR(
          StorePath(ctx, static_cast<int>(p), static_cast<int>(top_paths_), found[p]));
    }
    return OkStatus();
  }

  int64_t beam_width_ = 1;
  int64_t top_paths_ = 1;
  bool merge_ = true;
};

Status CtcBeamSearchDecoderShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape logits, c.WithRank(0, 3));
  WB_ASSIGN_OR_RETURN(const PartialShape frames, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      PartialShape::Merge(PartialShape({logits.dim(1)}), frames));
  WB_ASSIGN_OR_RETURN(const int64_t paths, c.attr<int64_t>("top_paths"));
  int output = 0;
  for (int64_t p = 0; p < paths; ++p) c.set_output(output++, PartialShape({-1, 2}));
  for (int64_t p = 0; p < paths; ++p) c.set_output(output++, PartialShape({-1}));
  for (int64_t p = 0; p < paths; ++p) c.set_output(output++, PartialShape({2}));
  c.set_output(output, PartialShape({batch.dim(0), paths}));
  return OkStatus();
}

constexpr TypeSet kCtcTypes = {DType::kFloat, DType::kDouble};

}  // namespace

WB_OP("CTCBeamSearchDecoder")
    .Input("inputs: T")
    .Input("sequence_length: int32")
    .Output("decoded_indices: top_paths * int64")
    .Output("decoded_values: top_paths * int64")
    .Output("decoded_shape: top_paths * int64")
    .Output("log_probability: T")
    .Attr("beam_width: int >= 1")
    .Attr("top_paths: int >= 1")
    .Attr("merge_repeated: bool = true")
    .Attr("T: {float, double} = float")
    .Shape(CtcBeamSearchDecoderShape);
WB_KERNEL("CTCBeamSearchDecoder", CtcBeamSearchDecoderKernel).Cpu({{"T", kCtcTypes}});
WB_NO_GRADIENT("CTCBeamSearchDecoder");

}  // namespace warpbeam
