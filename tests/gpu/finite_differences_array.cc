// Rows of what moves numbers: arrays, indices, sparse tensors, images and lists.
#include <vector>

#include "tests/gpu/finite_differences.h"

namespace warpbeam {
namespace finite_differences {
namespace {

// All outputs, the last first, so that each element has a weight of its own.
OutputRef Joined(Maker& m, const Refs& outputs, int32_t axis) {
  const Refs turned(outputs.rbegin(), outputs.rend());
  return m.Op("ConcatV2", {turned, m.Constant(Int(axis))});
}

Build Diagonals(const char* op) {
  return [=](Maker& m, const Refs& x) {
    std::vector<NodeInput> inputs(x.begin(), x.end());
    inputs.push_back(m.Constant(Ints({-1, 1})));
    inputs.push_back(m.Numbers({}, {0}));
    return m.Op(op, inputs);
  };
}

Build DiagonalsV(const char* op) {
  return [=](Maker& m, const Refs& x) {
    const OutputRef from_row = m.Constant(Int(-1)), size = m.Constant(Int(3));
    return m.Op(op, {x[0], from_row, size, size, m.Numbers({}, {0})});
  };
}

Build Scattered(const char* op) {
  return [=](Maker& m, const Refs& x) {
    const OutputRef at = m.Constant(Tensor::FromValues<int32_t>(Shape({2, 1}), {{2, 0}}));
    return m.Op(op, {x[0], at, x[1]});
  };
}

std::vector<Row> ArrayRows() {
  return {
      {"Concat",
       {{{2, 1}}, {{2, 2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("Concat", {m.Constant(Int(1)), x});
       }},
      {"ConcatV2", {{{2, 1}}, {{2, 2}}}, OpOfList("ConcatV2", {Int(1)})},
      {"Pack Unpack", {{{2, 2}}, {{2, 2}}}, OpOfList("Pack", {}, {{"axis", 1}})},
      {"Unpack Pack",
       {{{2, 3}}},
       [](Maker& m, const Refs& x) {
         return Joined(m, m.Outputs("Unpack", {x[0]}, {{"num", 3}, {"axis", 1}}), 0);
       }},
      {"Split ConcatV2",
       {{{2, 4}}},
       [](Maker& m, const Refs& x) {
         return Joined(m, m.Outputs("Split", {m.Constant(Int(1)), x[0]}, {{"num_split", 2}}), 1);
       }},
      {"SplitV ConcatV2",
       {{{2, 4}}},
       [](Maker& m, const Refs& x) {
         const OutputRef sizes = m.Constant(Ints({1, 3})), axis = m.Constant(Int(1));
         return Joined(m, m.Outputs("SplitV", {x[0], sizes, axis}, {{"num_split", 2}}), 1);
       }},
      {"Slice Pad", {{{3, 4}}}, Op("Slice", {Ints({1, 0}), Ints({-1, 2})})},
      {"StridedSlice StridedSliceGrad",
       {{{3, 4}}},
       Op("StridedSlice", {Ints({1, 3}), Ints({2, 0}), Ints({1, -2})}, {{"shrink_axis_mask", 1}})},
      {"Pad Slice", {{{2, 2}}}, Op("Pad", {Pairs({1, 0, 0, 2})})},
      {"PadV2 Slice",
       {{{2, 2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("PadV2", {x[0], m.Constant(Pairs({1, 0, 0, 2})), m.Numbers({}, {0.5})});
       }},
      {"MirrorPad MirrorPadGrad",
       {{{3, 2}}},
       Op("MirrorPad", {Pairs({2, 1, 1, 0})}, {{"mode", "REFLECT"}})},
      {"Transpose", {{{2, 3, 2}}}, Op("Transpose", {Ints({2, 0, 1})})},
      {"ConjugateTranspose", {{{2, 3}}}, Op("ConjugateTranspose", {Ints({1, 0})})},
      {"Tile", {{{2, 3}}}, Op("Tile", {Ints({2, 2})})},
      {"BroadcastTo", {{{2, 1}}}, Op("BroadcastTo", {Ints({3, 2, 2})})},
      {"Gather", {{{3, 2}}}, Op("Gather", {Ints({2, 0, 2})})},
      {"GatherV2", {{{3, 2}}}, Op("GatherV2", {Ints({2, 0, 2}), Int(0)})},
      {"GatherNd ScatterNd", {{{3, 2}}}, Op("GatherNd", {Pairs({2, 0, 2, 0, 1, 1})})},
      {"ScatterNd GatherNd",
       {{{2}}},
       [](Maker& m, const Refs& x) {
         const OutputRef at = m.Constant(Tensor::FromValues<int32_t>(Shape({2, 1}), {{2, 0}}));
         return m.Op("ScatterNd", {at, x[0], m.Constant(Ints({4}))});
       }},
      {"ScatterNdNonAliasingAdd", {{{4}}, {{2}}}, Scattered("ScatterNdNonAliasingAdd")},
      {"TensorScatterUpdate", {{{4}}, {{2}}}, Scattered("TensorScatterUpdate")},
      {"TensorScatterAdd", {{{4}}, {{2}}}, Scattered("TensorScatterAdd")},
      {"TensorScatterSub", {{{4}}, {{2}}}, Scattered("TensorScatterSub")},
      {"TensorScatterMax", {{{4}}, {{2}, 0, 2}}, Scattered("TensorScatterMax")},
      {"TensorScatterMin", {{{4}}, {{2}, -2, 0}}, Scattered("TensorScatterMin")},
      {"TensorStridedSliceUpdate StridedSlice",
       {{{3, 4}}, {{2, 2}}},
       [](Maker& m, const Refs& x) {
         const OutputRef begin = m.Constant(Ints({1, 3})), end = m.Constant(Ints({3, 0}));
         return m.Op("TensorStridedSliceUpdate",
                     {x[0], begin, end, m.Constant(Ints({1, -2})), x[1]});
       }},
  };
}

std::vector<Row> OrderRows() {
  return {
      {"Reverse",
       {{{2, 3}}},
       Op("Reverse", {Tensor::FromValues<bool>(Shape({2}), {{false, true}})})},
      {"ReverseV2", {{{2, 3}}}, Op("ReverseV2", {Ints({1})})},
      {"ReverseSequence", {{{2, 3}}}, Op("ReverseSequence", {Ints({2, 3})}, {{"seq_dim", 1}})},
      {"Roll", {{{2, 3}}}, Op("Roll", {Ints({2}), Ints({1})})},
      {"SpaceToDepth DepthToSpace", {{{1, 2, 4, 1}}}, Op("SpaceToDepth", {}, {{"block_size", 2}})},
      {"DepthToSpace SpaceToDepth", {{{1, 1, 2, 4}}}, Op("DepthToSpace", {}, {{"block_size", 2}})},
      {"SpaceToBatchND BatchToSpaceND",
       {{{1, 3, 1}}},
       Op("SpaceToBatchND", {Ints({2}), Pairs({1, 0})})},
      {"BatchToSpaceND SpaceToBatchND",
       {{{2, 2, 1}}},
       Op("BatchToSpaceND", {Ints({2}), Pairs({1, 0})})},
      {"SpaceToBatch BatchToSpace",
       {{{1, 2, 2, 1}}},
       Op("SpaceToBatch", {Pairs({0, 0, 1, 1})}, {{"block_size", 2}})},
      {"BatchToSpace SpaceToBatch",
       {{{4, 1, 2, 1}}},
       Op("BatchToSpace", {Pairs({0, 0, 1, 1})}, {{"block_size", 2}})},
  };
}

std::vector<Row> DiagonalRows() {
  return {
      {"Diag DiagPart", {{{3}}}, Op("Diag")},
      {"DiagPart Diag", {{{3, 3}}}, Op("DiagPart")},
      {"MatrixDiag MatrixDiagPart", {{{2, 2}}}, Op("MatrixDiag")},
      {"MatrixDiagPart MatrixSetDiag", {{{2, 3}}}, Op("MatrixDiagPart")},
      {"MatrixDiagPartV3", {{{3, 4}}}, Diagonals("MatrixDiagPartV3")},
      {"MatrixDiagPartV2", {{{3, 4}}}, Diagonals("MatrixDiagPartV2")},
      {"MatrixDiagV2 MatrixDiagPartV2", {{{2}}}, DiagonalsV("MatrixDiagV2")},
      {"MatrixSetDiagV2 MatrixDiagPartV2", {{{3, 3}}, {{2}}}, Op("MatrixSetDiagV2", {Int(1)})},
      {"MatrixDiagV3 MatrixDiagPartV3", {{{2}}}, DiagonalsV("MatrixDiagV3")},
      {"MatrixSetDiag MatrixDiagPart", {{{3, 3}}, {{3}}}, Op("MatrixSetDiag")},
      {"MatrixSetDiagV3 MatrixDiagPartV3", {{{3, 3}}, {{2}}}, Op("MatrixSetDiagV3", {Int(1)})},
      {"MatrixBandPart",
       {{{3, 3}}},
       Op("MatrixBandPart", {Tensor::Scalar<int64_t>(1), Tensor::Scalar<int64_t>(0)})},
  };
}

std::vector<Row> ChosenRows() {
  return {
      {"DynamicPartition",
       {{{4, 2}}},
       [](Maker& m, const Refs& x) {
         return Joined(m,
                       m.Outputs("DynamicPartition", {x[0], m.Constant(Ints({1, 0, 1, 1}))},
                                 {{"num_partitions", 2}}),
                       0);
       }},
      {"DynamicStitch",
       {{{2, 2}}, {{2, 2}}},
       [](Maker& m, const Refs& x) {
         const Refs at = {m.Constant(Ints({3, 0})), m.Constant(Ints({1, 2}))};
         return m.Op("DynamicStitch", {at, x});
       }},
      {"TopKV2", {{{2, 4}}}, Op("TopKV2", {Int(2)})},
      {"TopK", {{{2, 4}}}, Op("TopK", {}, {{"k", 2}})},
      {"ApproxTopK", {{{2, 4}}}, Op("ApproxTopK", {}, {{"k", 2}}), Forward::kFloat},
      {"EnsureShape", {{{2, 3}}}, Op("EnsureShape", {}, {{"shape", Shape({2, 3})}})},
      {"CheckNumerics", {{{2, 3}}}, Op("CheckNumerics", {}, {{"message", "x"}})},
      {"CheckNumericsV2", {{{2, 3}}}, Op("CheckNumericsV2", {}, {{"message", "x"}})},
      {"Fill",
       {{{}}},
       [](Maker& m, const Refs& x) {
         return m.Op("Fill", {m.Constant(Ints({2, 3})), x[0]});
       }},
  };
}

Build SparseSegments(const char* op, std::vector<Tensor> count = {}) {
  std::vector<Tensor> constants = {Ints({2, 0, 1, 2}), Ints({0, 0, 1, 1})};
  constants.insert(constants.end(), count.begin(), count.end());
  return Op(op, constants);
}

std::vector<Row> SparseRows() {
  return {
      {"SparseSegmentSum SparseSegmentSumGrad", {{{3, 2}}}, SparseSegments("SparseSegmentSum")},
      {"SparseSegmentMean SparseSegmentMeanGrad", {{{3, 2}}}, SparseSegments("SparseSegmentMean")},
      {"SparseSegmentSqrtN SparseSegmentSqrtNGrad",
       {{{3, 2}}},
       SparseSegments("SparseSegmentSqrtN")},
      {"SparseSegmentSumWithNumSegments SparseSegmentSumGrad",
       {{{3, 2}}},
       SparseSegments("SparseSegmentSumWithNumSegments", {Int(3)})},
      {"SparseSegmentMeanWithNumSegments SparseSegmentMeanGrad",
       {{{3, 2}}},
       SparseSegments("SparseSegmentMeanWithNumSegments", {Int(3)})},
      {"SparseSegmentSqrtNWithNumSegments SparseSegmentSqrtNGrad",
       {{{3, 2}}},
       SparseSegments("SparseSegmentSqrtNWithNumSegments", {Int(3)})},
      {"SparseReorder",
       {{{3}}},
       [](Maker& m, const Refs& x) {
         const OutputRef at = m.Constant(LongPairs({1, 2, 0, 1, 1, 0}));
         return m.Outputs("SparseReorder", {at, x[0], m.Constant(Longs({2, 3}))})[1];
       }},
      {"SparseSlice SparseSliceGrad",
       {{{3}}},
       [](Maker& m, const Refs& x) {
         const OutputRef at = m.Constant(LongPairs({0, 1, 1, 0, 1, 2}));
         return m.Outputs("SparseSlice", {at, x[0], m.Constant(Longs({2, 3})),
                                          m.Constant(Longs({0, 1})), m.Constant(Longs({2, 2}))})[1];
       }},
      {"SparseFillEmptyRows SparseFillEmptyRowsGrad",
       {{{2}}, {{}}},
       [](Maker& m, const Refs& x) {
         const OutputRef at = m.Constant(LongPairs({2, 1, 0, 1}));
         return m.Outputs("SparseFillEmptyRows", {at, x[0], m.Constant(Longs({4, 2})), x[1]})[1];
       }},
      {"RaggedFillEmptyRows RaggedFillEmptyRowsGrad",
       {{{2}}, {{}}},
       [](Maker& m, const Refs& x) {
         const OutputRef rows = m.Constant(Longs({0, 2}));
         return m.Outputs("RaggedFillEmptyRows",
                          {rows, x[0], m.Constant(Tensor::Scalar<int64_t>(4)), x[1]})[1];
       }},
      {"SparseTensorDenseMatMul",
       {{{3}}, {{3, 2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("SparseTensorDenseMatMul", {m.Constant(LongPairs({0, 1, 1, 0, 1, 2})), x[0],
                                                 m.Constant(Longs({2, 3})), x[1]});
       }},
      {"SparseToDense",
       {{{2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("SparseToDense", {m.Constant(LongPairs({0, 1, 1, 0})),
                                       m.Constant(Longs({2, 2})), x[0], m.Numbers({}, {0})});
       }},
  };
}

std::vector<Row> ImageRows() {
  // Gradients are moved back, and not shared out: they are exact where pixels stay as they are.
  const Tensor move = Tensor::FromValues<float>(Shape({1, 8}), {{1, 0, 1, 0, 1, -1, 0, 0}});
  return {
      {"ImageProjectiveTransformV2",
       {{{1, 3, 3, 1}}},
       Op("ImageProjectiveTransformV2", {move, Ints({3, 3})}, {{"interpolation", "NEAREST"}})},
      {"ImageProjectiveTransformV3",
       {{{1, 3, 3, 1}}},
       Op("ImageProjectiveTransformV3", {move, Ints({3, 3}), Tensor::Scalar(0.5f)},
          {{"interpolation", "NEAREST"}})},
      {"ResizeBilinear ResizeBilinearGrad",
       {{{1, 2, 3, 1}}},
       Op("ResizeBilinear", {Ints({3, 4})}),
       Forward::kFloat},
      {"ResizeNearestNeighbor ResizeNearestNeighborGrad",
       {{{1, 2, 3, 1}}},
       Op("ResizeNearestNeighbor", {Ints({3, 4})})},
      {"CropAndResize CropAndResizeGradImage CropAndResizeGradBoxes",
       {{{1, 4, 4, 1}}, {{1, 4}, 0.1, 0.9}},
       Op("CropAndResize", {Ints({0}), Ints({2, 3})}),
       Forward::kFloat},
  };
}

Attrs OfList(const Maker& m) { return {{"element_dtype", m.dtype()}}; }

// What is in a list of rows, by way of each op that takes of lists or puts into them.
OutputRef ThroughLists(Maker& m, const Refs& x) {
  const OutputRef row = m.Constant(Ints({2}));
  OutputRef list = m.Op("TensorListFromTensor", {x[0], row}, OfList(m));
  list = m.Op("TensorListSetItem", {list, m.Constant(Int(1)), x[1]}, OfList(m));
  list = m.Op("TensorListPushBack", {list, x[1]}, OfList(m));
  const Refs popped = m.Outputs("TensorListPopBack", {list, row}, OfList(m));
  const OutputRef item = m.Op("TensorListGetItem", {popped[0], m.Constant(Int(0)), row}, OfList(m));
  const OutputRef some =
      m.Op("TensorListGather", {popped[0], m.Constant(Ints({2, 1})), row}, OfList(m));
  const OutputRef all = m.Op("TensorListStack", {popped[0], row}, OfList(m));
  const OutputRef items = m.Op("Pack", {Refs{item, popped[1]}});
  return m.Op("ConcatV2", {Refs{all, some, items}, m.Constant(Int(0))});
}

OutputRef ThroughPieces(Maker& m, const Refs& x) {
  const OutputRef row = m.Constant(Ints({2})), rows = m.Constant(Ints({-1, 2}));
  OutputRef list = m.Op("TensorListScatterV2",
                        {x[0], m.Constant(Ints({2, 0, 1})), row, m.Constant(Int(3))}, OfList(m));
  list = m.Op("TensorListScatterIntoExistingList", {list, x[1], m.Constant(Ints({1}))}, OfList(m));
  const OutputRef all = m.Op("TensorListStack", {list, row}, OfList(m));
  const OutputRef pieces =
      m.Op("TensorListSplit", {x[0], rows, m.Constant(Longs({1, 2}))}, OfList(m));
  const OutputRef joined =
      m.Op("TensorListConcatV2", {pieces, rows, m.Constant(Longs({}))}, OfList(m));
  return m.Op("ConcatV2", {Refs{all, joined}, m.Constant(Int(0))});
}

// The same for ops that others have taken the place of.
OutputRef ThroughEarlierPieces(Maker& m, const Refs& x) {
  const OutputRef row = m.Constant(Ints({2})), rows = m.Constant(Ints({-1, 2}));
  const OutputRef list =
      m.Op("TensorListScatter", {x[0], m.Constant(Ints({2, 0, 1})), row}, OfList(m));
  const OutputRef pieces =
      m.Op("TensorListSplit", {x[0], rows, m.Constant(Longs({1, 2}))}, OfList(m));
  const OutputRef joined = m.Op("TensorListConcat", {pieces}, OfList(m));
  return m.Op("ConcatV2",
              {Refs{m.Op("TensorListStack", {list, row}, OfList(m)), joined}, m.Constant(Int(0))});
}

OutputRef ThroughArrays(Maker& m, const Refs& x) {
  const Attrs type = {{"dtype", m.dtype()}};
  const Attrs kept = {{"dtype", m.dtype()}, {"clear_after_read", false}};
  const Refs one = m.Outputs("TensorArrayV3", {m.Constant(Int(3))}, kept);
  OutputRef flow = m.Op("TensorArrayScatterV3", {one[0], m.Constant(Ints({2, 0})), x[0], one[1]});
  flow = m.Op("TensorArrayWriteV3", {one[0], m.Constant(Int(1)), x[1], flow});
  const OutputRef item = m.Op("TensorArrayReadV3", {one[0], m.Constant(Int(2)), flow}, type);
  const OutputRef some =
      m.Op("TensorArrayGatherV3", {one[0], m.Constant(Ints({1, 0})), flow}, type);
  const Refs other = m.Outputs("TensorArrayV3", {m.Constant(Int(2))}, kept);
  flow = m.Op("TensorArraySplitV3", {other[0], x[0], m.Constant(Longs({1, 1})), other[1]});
  const OutputRef joined = m.Op("TensorArrayConcatV3", {other[0], flow}, type);
  return m.Op("ConcatV2", {Refs{some, joined, m.Op("Pack", {Refs{item}})}, m.Constant(Int(0))});
}

std::vector<Row> ListRows() {
  return {
      {"TensorListFromTensor TensorListSetItem TensorListPushBack TensorListPopBack "
       "TensorListGetItem TensorListGather TensorListStack",
       {{{3, 2}}, {{2}}},
       ThroughLists},
      {"TensorListScatterV2 TensorListScatterIntoExistingList TensorListSplit TensorListConcatV2",
       {{{3, 2}}, {{1, 2}}},
       ThroughPieces},
      {"TensorListScatter TensorListConcat", {{{3, 2}}}, ThroughEarlierPieces},
      {"TensorArrayScatterV3 TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3 "
       "TensorArraySplitV3 TensorArrayConcatV3",
       {{{2, 2}}, {{2}}},
       ThroughArrays},
  };
}

}  // namespace

std::vector<Row> RowsOfArrays() {
  return Together({ArrayRows(), OrderRows(), DiagonalRows(), ChosenRows(), SparseRows(),
                   ImageRows(), ListRows()});
}

}  // namespace finite_differences
}  // namespace warpbeam
