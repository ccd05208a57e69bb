// Rows of products, reductions, segments, factors of matrices and Fourier transforms.
#include <vector>

#include "tests/gpu/finite_differences.h"

namespace warpbeam {
namespace finite_differences {
namespace {

Build Segments(const char* op) { return Op(op, {Ints({0, 0, 2, 2})}); }
Build UnsortedSegments(const char* op) { return Op(op, {Ints({1, 0, -1, 1}), Int(2)}); }

std::vector<Row> MathRows() {
  const std::vector<X> rows_of_2 = {{{4, 2}, 0.5, 2}};
  return {
      {"MatMul", {{{2, 3}}, {{4, 3}}}, Op("MatMul", {}, {{"transpose_b", true}})},
      {"BatchMatMul", {{{2, 2, 3}}, {{2, 3, 2}}}, Op("BatchMatMul")},
      {"BatchMatMulV2 Sum", {{{2, 2, 3}}, {{3, 2}}}, Op("BatchMatMulV2")},
      {"BatchMatMulV3",
       {{{2, 2, 3}}, {{2, 3, 2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("BatchMatMulV3", {x[0], x[1]}, {{"Tout", m.dtype()}});
       }},
      {"Einsum", {{{2, 3}}, {{2, 3, 2}}}, OpOfList("Einsum", {}, {{"equation", "ab,abc->ac"}})},
      {"Cross", {{{2, 3}}, {{2, 3}}}, Op("Cross")},
      {"Sum", {{{2, 3, 2}}}, Op("Sum", {Ints({0, 2})})},
      {"Mean", {{{2, 3, 2}}}, Op("Mean", {Ints({1})})},
      {"Max", {{{2, 3, 2}}}, Op("Max", {Ints({1})})},
      {"Min", {{{2, 3, 2}}}, Op("Min", {Ints({0, 1})})},
      {"Prod Cumprod", {{{2, 3}, 0.5, 2}}, Op("Prod", {Ints({1})})},
      {"EuclideanNorm", {{{2, 3}, 0.5, 2}}, Op("EuclideanNorm", {Ints({1})})},
      {"AddN", {{{2, 3}}, {{2, 3}}}, OpOfList("AddN")},
      {"AccumulateNV2",
       {{{2, 3}}, {{2, 3}}},
       OpOfList("AccumulateNV2", {}, {{"shape", Shape({2, 3})}})},
      {"Cumsum", {{{2, 4}}}, Op("Cumsum", {Int(1)}, {{"exclusive", true}})},
      {"Cumprod Cumsum", {{{2, 4}, 0.5, 2}}, Op("Cumprod", {Int(1)}, {{"reverse", true}})},
      {"CumulativeLogsumexp", {{{2, 4}}}, Op("CumulativeLogsumexp", {Int(1)})},
      {"SegmentSum", rows_of_2, Segments("SegmentSum")},
      {"SegmentMean", rows_of_2, Segments("SegmentMean")},
      {"SegmentMax", rows_of_2, Segments("SegmentMax")},
      {"SegmentMin", rows_of_2, Segments("SegmentMin")},
      {"SegmentProd", rows_of_2, Segments("SegmentProd")},
      {"UnsortedSegmentSum", rows_of_2, UnsortedSegments("UnsortedSegmentSum")},
      {"UnsortedSegmentMax", rows_of_2, UnsortedSegments("UnsortedSegmentMax")},
      {"UnsortedSegmentMin", rows_of_2, UnsortedSegments("UnsortedSegmentMin")},
      {"UnsortedSegmentProd", rows_of_2, UnsortedSegments("UnsortedSegmentProd")},
  };
}

// Signs of singular and eigenvectors are arbitrary: squares of all that there is.
Build Squares(const char* op) {
  return [=](Maker& m, const Refs& x) {
    Refs flat;
    for (const OutputRef part : m.Outputs(op, {x[0]})) {
      flat.push_back(m.Op("Reshape", {m.Op("Square", {part}), m.Constant(Ints({-1}))}));
    }
    return m.Op("ConcatV2", {flat, m.Constant(Int(0))});
  };
}

std::vector<Row> MatrixRows() {
  return {
      {"SelfAdjointEigV2", {{{2, 2}, 1, 3}}, Squares("SelfAdjointEigV2")},
      {"Svd", {{{3, 2}, 1, 3}}, Squares("Svd")},
      {"Cholesky",
       {{{2, 2}}},
       [](Maker& m, const Refs& x) {
         const OutputRef square = m.Op("MatMul", {x[0], x[0]}, {{"transpose_b", true}});
         return m.Op("Cholesky", {m.Op("AddV2", {square, m.Numbers({2, 2}, {2, 0, 0, 2})})});
       }},
      {"MatrixInverse", {{{2, 2}, 1, 3}}, Op("MatrixInverse")},
      {"MatrixDeterminant", {{{2, 2}, 1, 3}}, Op("MatrixDeterminant")},
      {"MatrixSolve", {{{2, 2}, 1, 3}, {{2, 3}}}, Op("MatrixSolve")},
      {"MatrixTriangularSolve", {{{3, 3}, 1, 2}, {{3, 2}}}, Op("MatrixTriangularSolve")},
      {"LogMatrixDeterminant",
       {{{2, 2}, 1, 3}},
       [](Maker& m, const Refs& x) { return m.Outputs("LogMatrixDeterminant", {x[0]})[1]; }},
      {"TridiagonalSolve", {{{3, 3}, 1, 2}, {{3, 2}}}, Op("TridiagonalSolve")},
      {"TridiagonalMatMul", {{{1, 3}}, {{1, 3}}, {{1, 3}}, {{3, 2}}}, Op("TridiagonalMatMul")},
  };
}

// The real and the imaginary part of a spectrum, which has weights for both.
OutputRef Parts(Maker& m, OutputRef spectrum) {
  const Attrs type = {{"Tout", m.dtype()}};
  return m.Op("ConcatV2", {Refs{m.Op("Real", {spectrum}, type), m.Op("Imag", {spectrum}, type)},
                           m.Constant(Int(-1))});
}

// A transform of complex numbers, whose parts are the xs.
Build Spectrum(const char* op) {
  return [=](Maker& m, const Refs& x) {
    return Parts(m, m.Op(op, {m.Op("Complex", {x[0], x[1]}, {{"Tout", m.complex()}})}));
  };
}
Build RealToSpectrum(const char* op, std::vector<int32_t> sizes) {
  return [=](Maker& m, const Refs& x) {
    return Parts(m, m.Op(op, {x[0], m.Constant(Ints(sizes))}, {{"Tcomplex", m.complex()}}));
  };
}
Build SpectrumToReal(const char* op, std::vector<int32_t> sizes) {
  return [=](Maker& m, const Refs& x) {
    const OutputRef spectrum = m.Op("Complex", {x[0], x[1]}, {{"Tout", m.complex()}});
    return m.Op(op, {spectrum, m.Constant(Ints(sizes))}, {{"Treal", m.dtype()}});
  };
}

std::vector<Row> SpectrumRows() {
  const std::vector<X> line = {{{3}}, {{3}}}, plane = {{{2, 3}}, {{2, 3}}};
  const std::vector<X> volume = {{{2, 1, 3}}, {{2, 1, 3}}};
  return {
      {"FFT IFFT", line, Spectrum("FFT")},
      {"IFFT FFT", line, Spectrum("IFFT")},
      {"FFT2D IFFT2D", plane, Spectrum("FFT2D")},
      {"IFFT2D FFT2D", plane, Spectrum("IFFT2D")},
      {"FFT3D IFFT3D", volume, Spectrum("FFT3D")},
      {"IFFT3D FFT3D", volume, Spectrum("IFFT3D")},
      {"RFFT IFFT", {{{2, 4}}}, RealToSpectrum("RFFT", {4})},
      {"RFFT2D IFFT2D", {{{2, 4}}}, RealToSpectrum("RFFT2D", {2, 4})},
      {"IRFFT RFFT", line, SpectrumToReal("IRFFT", {5})},
      {"IRFFT2D RFFT2D", plane, SpectrumToReal("IRFFT2D", {2, 5})},
  };
}

}  // namespace

std::vector<Row> RowsOfMath() { return Together({MathRows(), MatrixRows(), SpectrumRows()}); }

}  // namespace finite_differences
}  // namespace warpbeam
