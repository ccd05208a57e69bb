#include "frontend/arrays/indexing.h"

#include <utility>

#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

// The lists and masks of one StridedSlice.
class SliceBuild {
 public:
  SliceBuild(const Scope& scope, const Output& tensor) : scope_(scope), tensor_(tensor) {}

  Output Run(const std::vector<Index>& indices);

 private:
  void Add(const Index& index);
  void AddAt(const IndexNumber& at);
  void AddRange(const SliceRange& range);
  void AddKnown(int64_t begin, int64_t end, int64_t step);
  // A number that is left out where a tensor stands beside it.
  IndexNumber Filled(const IndexNumber& number, int fallback, DType dtype);
  bool IsWhole(const IndexNumber& number);
  Output List(const Scope& slice, const std::vector<IndexNumber>& numbers) const;

  const Scope& scope_;
  const Output& tensor_;
  std::vector<IndexNumber> begin_, end_, step_;
  int64_t begin_mask_ = 0, end_mask_ = 0, shrink_mask_ = 0, new_axis_mask_ = 0, ellipsis_mask_ = 0;
};

bool SliceBuild::IsWhole(const IndexNumber& number) {
  if (!number.is_tensor()) return true;
  if (!number.tensor().valid()) {
    scope_.Fail(InvalidArgument("an index of '", tensor_.name(), "' is an Output that ",
                                number.tensor().problem()));
    return false;
  }
  const DType dtype = number.tensor().dtype();
  const PartialShape shape = number.tensor().shape();
  if ((dtype == DType::kInt32 || dtype == DType::kInt64) &&
      (!shape.has_rank() || shape.rank() == 0)) {
    return true;
  }
  scope_.Fail(InvalidArgument("an index of '", tensor_.name(),
                              "' must be a scalar of int32 or int64, got '", number.tensor().name(),
                              "', ", DTypeName(dtype), " ", shape.ToString()));
  return false;
}

void SliceBuild::AddKnown(int64_t begin, int64_t end, int64_t step) {
  begin_.push_back(begin);
  end_.push_back(end);
  step_.push_back(step);
}

void SliceBuild::AddAt(const IndexNumber& at) {
  if (!IsWhole(at)) return;
  begin_.push_back(at);
  end_.push_back(at.is_tensor() ? IndexNumber(frontend::Add(scope_.Named("add"), at.tensor(), 1))
                                : IndexNumber(at.known() + 1));
  const bool is_int64 = at.is_tensor() && at.tensor().dtype() == DType::kInt64;
  step_.push_back(is_int64 ? IndexNumber(Constant(scope_.Named(""), 1, DType::kInt64)) : 1);
}

IndexNumber SliceBuild::Filled(const IndexNumber& number, int fallback, DType dtype) {
  if (!number.is_absent()) return number;
  if (dtype == DType::kInvalid) return fallback;
  return Constant(scope_.Named(""), fallback, dtype);
}

void SliceBuild::AddRange(const SliceRange& range) {
  DType dtype = DType::kInvalid;
  for (const IndexNumber* number : {&range.begin, &range.end, &range.step}) {
    if (!IsWhole(*number)) return;
    if (number->is_tensor() && dtype == DType::kInvalid) dtype = number->tensor().dtype();
  }
  const int64_t bit = int64_t{1} << begin_.size();
  begin_.push_back(Filled(range.begin, 0, dtype));
  end_.push_back(Filled(range.end, 0, dtype));
  step_.push_back(Filled(range.step, 1, dtype));
  if (range.begin.is_absent()) begin_mask_ |= bit;
  if (range.end.is_absent()) end_mask_ |= bit;
}

void SliceBuild::Add(const Index& index) {
  const int64_t bit = int64_t{1} << begin_.size();
  switch (index.kind()) {
    case Index::Kind::kAt:
      AddAt(index.at());
      shrink_mask_ |= bit;
      break;
    case Index::Kind::kRange:
      AddRange(index.range());
      break;
    case Index::Kind::kNewAxis:
      AddKnown(0, 0, 1);
      new_axis_mask_ |= bit;
      break;
    case Index::Kind::kEllipsis:
      AddKnown(0, 0, 1);
      ellipsis_mask_ |= bit;
      break;
  }
}

// A constant where all numbers are known, else a Pack of them.
Output SliceBuild::List(const Scope& slice, const std::vector<IndexNumber>& numbers) const {
  const Scope named = slice.Named("stack");
  std::vector<int64_t> known;
  std::vector<Output> tensors;
  DType dtype = DType::kInt32;
  for (const IndexNumber& number : numbers) {
    known.push_back(number.known());
    if (number.is_tensor()) tensors.push_back(number.tensor());
  }
  if (tensors.empty()) {
    for (const int64_t number : known) {
      if (number != static_cast<int32_t>(number)) dtype = DType::kInt64;
    }
    return Constant(named, known, dtype);
  }
  for (const Output& tensor : tensors) dtype = tensor.dtype();
  const Scope pack = slice.OpenScope("stack");
  std::vector<Input> items;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i].is_tensor()) {
      items.push_back(numbers[i].tensor());
    } else {
      items.push_back(Constant(pack.Named(absl::StrCat(i)), numbers[i].known(), dtype));
    }
  }
  return BuildOutput(pack.Named(pack.name_scope()), "Pack", {InputList(items)});
}

Output SliceBuild::Run(const std::vector<Index>& indices) {
  constexpr size_t kMost = 31;
  if (indices.size() > kMost) {
    scope_.Fail(InvalidArgument(indices.size(), " indices of '", tensor_.name(), "', at most ",
                                kMost, " are possible"));
  }
  for (const Index& index : indices) {
    if (!scope_.ok()) return Output();
    Add(index);
  }
  if (!scope_.ok()) return Output();
  const Scope slice = scope_.NameScope(scope_.OpNameOr("strided_slice"));
  std::vector<Output> lists;
  bool is_int64 = false;
  if (indices.empty()) {
    const Output none = Constant(slice, std::vector<int32_t>());
    lists = {none, none, none};
  } else {
    for (const auto* numbers : {&begin_, &end_, &step_}) {
      lists.push_back(List(slice.Named("stack"), *numbers));
      is_int64 = is_int64 || lists.back().dtype() == DType::kInt64;
    }
  }
  // All three are of one type.
  if (is_int64) {
    for (Output& list : lists) list = Cast(slice.Named(""), list, DType::kInt64);
  }
  return scope_.Named("")(BuildOutput(slice.Named(slice.name_scope()), "StridedSlice",
                                      {tensor_, lists[0], lists[1], lists[2]},
                                      OpAttrs()
                                          .Set("begin_mask", begin_mask_)
                                          .Set("end_mask", end_mask_)
                                          .Set("shrink_axis_mask", shrink_mask_)
                                          .Set("new_axis_mask", new_axis_mask_)
                                          .Set("ellipsis_mask", ellipsis_mask_)));
}

}  // namespace

Output ElementsOf(ScopeRef scope_ref, const Output& tensor, const std::vector<Index>& indices) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (!tensor.valid()) {
    scope.Fail(InvalidArgument("brackets on an Output that ", tensor.problem()));
    return Output();
  }
  return SliceBuild(scope, tensor).Run(indices);
}

Output ElementsOf(const Output& tensor, const std::vector<Index>& indices) {
  if (!tensor.valid() || !tensor.graph()->status().ok()) return Output();
  const SourceLocation where = indices.empty() ? SourceLocation() : indices[0].where();
  if (tensor.used_in() == nullptr) {
    tensor.graph()->Fail(
        InvalidArgument(where.ToString(), ": brackets on '", tensor.name(),
                        "' do not know in which scope to build; write scope(output)[…]"));
    return Output();
  }
  const Scope scope(tensor.graph()->shared_from_this(), tensor.used_in(), where);
  return ElementsOf(scope, tensor, indices);
}

Output Output::operator[](const Index& index) const { return ElementsOf(*this, {index}); }
Output Variable::operator[](const Index& index) const { return ElementsOf(read(), {index}); }

}  // namespace frontend
}  // namespace warpbeam
