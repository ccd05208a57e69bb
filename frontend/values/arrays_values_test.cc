// Shapes, order and places of elements are TensorFlow's: values, gradients and nodes.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

// What Python calls with a list of lists builds the constant under the op's name.
Tensor PairsTensor(const std::vector<int32_t>& values) {
  return Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(values.size() / 2), 2}),
                                     MakeConstSpan(values));
}

std::vector<ValueRow> LayoutRows() {
  return {
      {"identity_n",
       [](S s, X x) {
         return IdentityN(s, {x[0], x[1]});
       }},
      {"stop_gradient", [](S s, X x) { return StopGradient(s, x[0]); }},
      {"guarantee_const", [](S s, X x) { return GuaranteeConst(s, x[0]); }},
      {"bitcast", [](S s, X x) { return Bitcast(s, x[0], DType::kInt32); }},
      {"fill",
       [](S s, X x) {
         return Fill(s, {2, 3}, x[0]);
       }},
      {"broadcast_to",
       [](S s, X x) {
         return BroadcastTo(s, x[0], {2, 2, 3});
       }},
      {"broadcast_dynamic_shape", [](S s, X x) { return BroadcastDynamicShape(s, x[0], x[1]); }},
      {"ensure_shape",
       [](S s, X x) {
         return EnsureShape(s, x[0], {-1, 3});
       }},
      {"size", [](S s, X x) { return Size(s, x[0]); }},
      {"shape_n",
       [](S s, X x) {
         return ShapeN(s, {x[0], x[1]});
       }},
      {"squeeze", [](S s, X x) { return Squeeze(s, x[0]); }},
      {"squeeze_axis", [](S s, X x) { return Squeeze(s, x[0], {0}); }},
      {"tile",
       [](S s, X x) {
         return Tile(s, x[0], {2, 1});
       }},
      {"repeat", [](S s, X x) { return Repeat(s, x[0], 2, 1); }},
      {"repeat_each",
       [](S s, X x) {
         return Repeat(s, x[0], {2, 0, 1}, 1);
       }},
      {"repeat_all", [](S s, X x) { return Repeat(s, x[0], 2); }},
      {"pad",
       [](S s, X x) {
         return Pad(s, x[0], PairsTensor({1, 0, 0, 2}));
       }},
      {"pad_constant",
       [](S s, X x) {
         return Pad(s, x[0], PairsTensor({1, 0, 0, 2}), PadMode::kConstant, 9);
       }},
      {"pad_reflect",
       [](S s, X x) {
         return Pad(s, x[0], PairsTensor({1, 1, 0, 2}), PadMode::kReflect);
       }},
      {"pad_symmetric",
       [](S s, X x) {
         return Pad(s, x[0], PairsTensor({1, 1, 0, 2}), PadMode::kSymmetric);
       }},
      {"reverse", [](S s, X x) { return Reverse(s, x[0], std::vector<int>{1}); }},
      {"reverse_sequence", [](S s, X x) { return ReverseSequence(s, x[0], x[1], 1, 0); }},
      {"roll",
       [](S s, X x) {
         return Roll(s, x[0], {1, 2}, {0, 1});
       }},
      {"slice",
       [](S s, X x) {
         return Slice(s, x[0], {0, 1}, {2, 2});
       }},
      {"strided_slice",
       [](S s, X x) {
         return StridedSlice(s, x[0], {0, -1}, {2, 0}, {1, -1},
                             StridedSliceOptions().begin_mask(1));
       }},
  };
}

std::vector<ValueRow> SequenceRows() {
  return {
      {"unstack", [](S s, X x) { return Unstack(s, x[0], -1, 1); }},
      {"parallel_stack",
       [](S s, X x) {
         return ParallelStack(s, {x[0], x[1]});
       }},
      {"range", [](S s, X x) { return Range(s, x[0]); }},
      {"range_from", [](S s, X x) { return Range(s, x[0], x[1], 2); }},
      {"lin_space", [](S s, X x) { return LinSpace(s, x[0], x[1], 5); }},
      {"meshgrid",
       [](S s, X x) {
         return Meshgrid(s, {x[0], x[1]});
       }},
      {"meshgrid_ij",
       [](S s, X x) {
         return Meshgrid(s, {x[0], x[1], x[2]}, Indexing::kIJ);
       }},
      {"sequence_mask", [](S s, X x) { return SequenceMask(s, x[0]); }},
      {"sequence_mask_maxlen", [](S s, X x) { return SequenceMask(s, x[0], 5, DType::kFloat); }},
      {"space_to_batch",
       [](S s, X x) {
         return SpaceToBatch(s, x[0], PairsTensor({0, 0, 0, 0}), 2);
       }},
      {"space_to_batch_nd",
       [](S s, X x) {
         return SpaceToBatchND(s, x[0], {2, 2}, PairsTensor({0, 0, 2, 0}));
       }},
      {"batch_to_space",
       [](S s, X x) {
         return BatchToSpace(s, x[0], PairsTensor({0, 0, 0, 0}), 2);
       }},
      {"batch_to_space_nd",
       [](S s, X x) {
         return BatchToSpaceND(s, x[0], {2, 2}, PairsTensor({0, 0, 1, 0}));
       }},
      {"space_to_depth", [](S s, X x) { return SpaceToDepth(s, x[0], 2); }},
      {"depth_to_space", [](S s, X x) { return DepthToSpace(s, x[0], 2); }},
      {"required_space_to_batch_paddings",
       [](S s, X x) {
         const auto [paddings, crops] =
             RequiredSpaceToBatchPaddings(s, {7, 8}, {2, 3}, {{1, 0}, {0, 0}});
         return Built{paddings, crops};
       }},
      {"extract_volume_patches",
       [](S s, X x) {
         return ExtractVolumePatches(s, x[0], {1, 1, 2, 2, 1}, {1, 1, 1, 1, 1}, "VALID");
       }},
  };
}

std::vector<ValueRow> JoinRows() {
  return {
      {"one_hot", [](S s, X x) { return OneHot(s, x[0], 3); }},
      {"one_hot_values",
       [](S s, X x) {
         return OneHot(s, x[0], 3, OneHotOptions().on_value(5.0).off_value(-1.0).axis(0));
       }},
      {"one_hot_int",
       [](S s, X x) { return OneHot(s, x[0], x[0][1] + 1, OneHotOptions().dtype(DType::kInt64)); }},
      {"expand_dims", [](S s, X x) { return ExpandDims(s, x[0], 1); }},
      {"concat",
       [](S s, X x) {
         return Concat(s, {x[0], x[1]}, 1);
       }},
      {"stack",
       [](S s, X x) {
         return Stack(s, {x[0], x[1]}, 1);
       }},
      {"split", [](S s, X x) { return Split(s, x[0], 3, 1); }},
      {"transpose", [](S s, X x) { return Transpose(s, x[0]); }},
      {"zeros_like", [](S s, X x) { return ZerosOfShapeOf(s, x[0]); }},
      {"ones_like", [](S s, X x) { return OnesLike(s, x[0]); }},
  };
}

std::vector<ValueRow> PlaceRows() {
  return {
      {"gather", [](S s, X x) { return Gather(s, x[0], x[1]); }},
      {"gather_axis", [](S s, X x) { return Gather(s, x[0], x[1], 1); }},
      {"gather_batch", [](S s, X x) { return Gather(s, x[0], x[1], std::nullopt, 1); }},
      {"gather_nd", [](S s, X x) { return GatherNd(s, x[0], x[1]); }},
      {"batch_gather", [](S s, X x) { return BatchGather(s, x[0], x[1]); }},
      {"scatter_nd",
       [](S s, X x) {
         return ScatterNd(s, x[0], x[1], {4, 3});
       }},
      {"tensor_scatter_update",
       [](S s, X x) { return TensorScatterNdUpdate(s, x[0], x[1], x[2]); }},
      {"tensor_scatter_add", [](S s, X x) { return TensorScatterNdAdd(s, x[0], x[1], x[2]); }},
      {"tensor_scatter_sub", [](S s, X x) { return TensorScatterNdSub(s, x[0], x[1], x[2]); }},
      {"tensor_scatter_max", [](S s, X x) { return TensorScatterNdMax(s, x[0], x[1], x[2]); }},
      {"tensor_scatter_min", [](S s, X x) { return TensorScatterNdMin(s, x[0], x[1], x[2]); }},
      {"boolean_mask", [](S s, X x) { return BooleanMask(s, x[0], x[1]); }},
      {"boolean_mask_axis", [](S s, X x) { return BooleanMask(s, x[0], x[1], 1); }},
      {"where", [](S s, X x) { return Where(s, x[0]); }},
      {"where_select", [](S s, X x) { return Where(s, x[0], x[1], x[2]); }},
      {"where_v2", [](S s, X x) { return WhereV2(s, x[0], x[1], x[2]); }},
      {"dynamic_partition", [](S s, X x) { return DynamicPartition(s, x[0], x[1], 3); }},
      {"dynamic_stitch",
       [](S s, X x) {
         return DynamicStitch(s, {x[0], x[1]}, {x[2], x[3]});
       }},
      {"unravel_index",
       [](S s, X x) {
         return UnravelIndex(s, x[0], {3, 4});
       }},
      {"sort", [](S s, X x) { return Sort(s, x[0]); }},
      {"sort_descending", [](S s, X x) { return Sort(s, x[0], 0, SortDirection::kDescending); }},
      {"sort_integers", [](S s, X x) { return Sort(s, x[0]); }},
      {"argsort", [](S s, X x) { return Argsort(s, x[0], 0); }},
      {"searchsorted", [](S s, X x) { return Searchsorted(s, x[0], x[1]); }},
      {"searchsorted_right",
       [](S s, X x) { return Searchsorted(s, x[0], x[1], SearchSide::kRight); }},
  };
}

TEST(ArraysValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = LayoutRows();
  for (const auto& more : {SequenceRows(), JoinRows(), PlaceRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  ExpectTensorFlowsValues("arrays", rows);
}

TEST(ArraysValuesTest, BadArgumentsAreErrorsOfTheScope) {
  for (const auto& build : std::vector<std::function<void(S)>>{
           [](S s) { Repeat(s, Placeholder(s, DType::kFloat), 2, 0); },
           [](S s) { Repeat(s, Zeros(s, {2}), -1, 0); },
           [](S s) { Unstack(s, Placeholder(s, DType::kFloat, {-1})); },
           [](S s) { ParallelStack(s, {}); },
           [](S s) { RequiredSpaceToBatchPaddings(s, {2}, {0}); },
           [](S s) {
             RequiredSpaceToBatchPaddings(s, {2, 3}, {1});
           },
           [](S s) { BooleanMask(s, Zeros(s, {2}), Zeros(s, {3}, DType::kBool)); },
           [](S s) { BooleanMask(s, Zeros(s, {2}), Zeros(s, {}, DType::kBool)); },
           [](S s) { Sort(s, Zeros(s, {2}), 1); },
           [](S s) { Argsort(s, Placeholder(s, DType::kFloat)); },
           [](S s) { BatchGather(s, Zeros(s, {2}), Placeholder(s, DType::kInt32)); },
           [](S s) { GatherNd(s, Zeros(s, {2}), Zeros(s, {2}, DType::kInt32), 1); },
       }) {
    const Scope root = Scope::NewRoot();
    build(root);
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
  }
}

TEST(ArraysValuesTest, NothingDereferencesAnOutputThatIsNotValid) {
  const Scope root = Scope::NewRoot();
  root.Fail(InvalidArgument("first"));
  const Output none;
  Repeat(root, none, 2, 0);
  Unstack(root, none);
  ParallelStack(root, {none});
  Meshgrid(root, {none, none});
  SequenceMask(root, none);
  Size(root, none);
  BooleanMask(root, none, none);
  BatchGather(root, none, none);
  Sort(root, none);
  Searchsorted(root, none, none);
  EXPECT_EQ(root.status().message().find("first"), 0u) << root.status();
}

TEST(ArraysValuesTest, ShapesBroadcastWithoutATensor) {
  EXPECT_EQ(BroadcastStaticShape({2, 1, 3}, {5, 1})->ToString(),
            PartialShape({2, 5, 3}).ToString());
  EXPECT_EQ(BroadcastStaticShape({-1, 3}, {4, 1})->ToString(), PartialShape({4, 3}).ToString());
  EXPECT_EQ(BroadcastStaticShape({-1}, {1})->ToString(), PartialShape({-1}).ToString());
  EXPECT_EQ(BroadcastStaticShape({2}, {3}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_LT(BroadcastStaticShape(PartialShape(), {3})->rank(), 0);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
