#include "frontend/values/expected_values.h"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/golden/same_graph.h"
#include "frontend/gradients.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

struct Expected {
  DType dtype = DType::kInvalid;  // for a gradient: there is none
  std::vector<int64_t> dims;
  std::vector<std::string> values;
};

struct ExpectedCase {
  std::map<int, Expected> in, out, grad;
  std::map<std::string, std::string> nodes;
};

Expected ParseExpected(const std::vector<std::string>& fields) {
  Expected expected;
  if (fields[3] == "none") return expected;
  expected.dtype = ParseDType(fields[3]);
  for (const auto dim : absl::StrSplit(fields[4], ',', absl::SkipEmpty())) {
    expected.dims.push_back(std::strtoll(std::string(dim).c_str(), nullptr, 10));
  }
  expected.values = absl::StrSplit(fields[5], ' ', absl::SkipEmpty());
  return expected;
}

std::map<std::string, ExpectedCase> ReadCases(const std::string& area) {
  std::ifstream file(absl::StrCat("frontend/values/", area, ".tsv"));
  std::map<std::string, ExpectedCase> cases;
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ExpectedCase& found = cases[fields[0]];
    const std::string& kind = fields[1];
    if (kind == "node") {
      found.nodes[fields[2]] = absl::StrJoin(fields.begin() + 2, fields.end(), "\t");
    } else {
      auto& map = kind == "in" ? found.in : kind == "out" ? found.out : found.grad;
      map[std::atoi(fields[2].c_str())] = ParseExpected(fields);
    }
  }
  return cases;
}

std::string StringOf(const std::string& text) {
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '%') {
      value += text[i];
    } else {
      value += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    }
  }
  return value;
}

std::complex<double> NumberOf(const std::string& text) {
  const size_t comma = text.find(',');
  const double real = std::strtod(text.c_str(), nullptr);
  if (comma == std::string::npos) return real;
  return {real, std::strtod(text.c_str() + comma + 1, nullptr)};
}

// The number at `index` of a tensor of any type but string.
template <typename T>
std::complex<double> Widened(const Tensor& tensor, int64_t index) {
  return static_cast<double>(tensor.data<T>()[index]);
}

std::complex<double> NumberAt(const Tensor& tensor, int64_t index) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return Widened<float>(tensor, index);
    case DType::kDouble:
      return Widened<double>(tensor, index);
    case DType::kHalf:
      return static_cast<float>(tensor.data<Half>()[index]);
    case DType::kBFloat16:
      return static_cast<float>(tensor.data<BFloat16>()[index]);
    case DType::kInt8:
      return Widened<int8_t>(tensor, index);
    case DType::kUInt8:
      return Widened<uint8_t>(tensor, index);
    case DType::kInt16:
      return Widened<int16_t>(tensor, index);
    case DType::kUInt16:
      return Widened<uint16_t>(tensor, index);
    case DType::kInt32:
      return Widened<int32_t>(tensor, index);
    case DType::kUInt32:
      return Widened<uint32_t>(tensor, index);
    case DType::kInt64:
      return Widened<int64_t>(tensor, index);
    case DType::kUInt64:
      return Widened<uint64_t>(tensor, index);
    case DType::kBool:
      return Widened<bool>(tensor, index);
    case DType::kComplex64:
      return std::complex<double>(tensor.data<std::complex<float>>()[index]);
    case DType::kComplex128:
      return tensor.data<std::complex<double>>()[index];
    default:
      ADD_FAILURE() << "no numbers: " << DTypeName(tensor.dtype());
      return 0;
  }
}

// The tensor that a case's input is.
template <typename T>
Tensor Filled(const Expected& in, const std::function<T(const std::string&)>& convert) {
  std::vector<T> values;
  for (const std::string& text : in.values) values.push_back(convert(text));
  return Tensor::FromValues<T>(*Shape::Make(in.dims), MakeConstSpan(values));
}

template <typename T>
Tensor Reals(const Expected& in) {
  return Filled<T>(in,
                   [](const std::string& text) { return static_cast<T>(NumberOf(text).real()); });
}

Tensor TensorOf(const Expected& in) {
  switch (in.dtype) {
    case DType::kFloat:
      return Reals<float>(in);
    case DType::kDouble:
      return Reals<double>(in);
    case DType::kUInt8:
      return Reals<uint8_t>(in);
    case DType::kInt8:
      return Reals<int8_t>(in);
    case DType::kInt32:
      return Reals<int32_t>(in);
    case DType::kUInt32:
      return Reals<uint32_t>(in);
    case DType::kInt64:
      return Filled<int64_t>(in, [](const std::string& text) -> int64_t {
        return std::strtoll(text.c_str(), nullptr, 10);
      });
    case DType::kUInt64:
      return Filled<uint64_t>(in, [](const std::string& text) -> uint64_t {
        return std::strtoull(text.c_str(), nullptr, 10);
      });
    case DType::kString:
      return Filled<std::string>(in, StringOf);
    case DType::kComplex64:
      return Filled<std::complex<float>>(
          in, [](const std::string& text) { return std::complex<float>(NumberOf(text)); });
    case DType::kBool: {
      Tensor tensor = *Tensor::Allocate(DType::kBool, *Shape::Make(in.dims));
      for (size_t i = 0; i < in.values.size(); ++i) tensor.data<bool>()[i] = in.values[i] == "1";
      return tensor;
    }
    default:
      ADD_FAILURE() << "no input of type " << DTypeName(in.dtype) << " yet";
      return Tensor();
  }
}

bool Near(std::complex<double> got, std::complex<double> want, double tolerance) {
  const auto near = [tolerance](double a, double b) {
    if (std::isnan(b)) return std::isnan(a);
    return a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b));
  };
  return near(got.real(), want.real()) && near(got.imag(), want.imag());
}

void ExpectTensor(const Tensor& got, const Expected& want, double tolerance) {
  ASSERT_EQ(DTypeName(got.dtype()), DTypeName(want.dtype));
  ASSERT_EQ(absl::StrJoin(got.shape().dims(), ","), absl::StrJoin(want.dims, ","));
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    if (want.dtype == DType::kString) {
      EXPECT_EQ(got.data<std::string>()[i], StringOf(want.values[i])) << "at " << i;
    } else {
      EXPECT_TRUE(Near(NumberAt(got, i), NumberOf(want.values[i]), tolerance))
          << "at " << i << ": " << NumberAt(got, i) << " instead of " << want.values[i];
    }
  }
}

// What a gradient of `y` is multiplied by: (index % 5 + 1) / 4.
Output Weights(const Scope& scope, const Output& y) {
  const Output size = BuildOutput(scope, "Size", {y});
  const Output range = BuildOutput(scope, "Range", {0, size, 1});
  const Output count = BuildOutput(scope, "AddV2", {BuildOutput(scope, "FloorMod", {range, 5}), 1});
  const Output shaped = BuildOutput(scope, "Reshape", {count, BuildOutput(scope, "Shape", {y})});
  const Output number = BuildOutput(scope, "Cast", {shaped}, OpAttrs().Set("DstT", y.dtype()));
  return BuildOutput(scope, "RealDiv", {number, 4});
}

bool HasSlope(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

std::vector<Gradient> BuildGradients(const Scope& root, const std::vector<Output>& outputs,
                                     const std::vector<Output>& xs) {
  GradientsOptions options;
  std::vector<Output> ys;
  for (const Output& y : outputs) {
    if (!HasSlope(y.dtype())) continue;
    ys.push_back(y);
    options.grad_ys.push_back(Weights(root.NameScope("weights"), y));
  }
  return Gradients(root, ys, xs, options);
}

void ExpectNodes(const Scope& root, const ExpectedCase& want) {
  const auto placeholder = [](const std::string& node) {
    return node.rfind("in", 0) == 0 && node.find_first_not_of("0123456789", 2) == std::string::npos;
  };
  EXPECT_EQ(DifferencesFromNodes(root, want.nodes, placeholder), "");
}

void ExpectCase(const ValueRow& row, const ExpectedCase& want) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(7);
  std::vector<Output> x;
  ClientSession::Feeds feeds;
  for (const auto& in : want.in) {
    const Scope named = root.Named(absl::StrCat("in", in.first));
    x.push_back(BuildOutput(
        named, "Placeholder", {},
        OpAttrs().Set("dtype", in.second.dtype).Set("shape", PartialShape(in.second.dims))));
    feeds.push_back({x.back(), TensorOf(in.second)});
  }
  const std::vector<Output> outputs = row.build(root, x).outputs();
  ASSERT_TRUE(root.ok()) << root.status();
  if (!want.nodes.empty()) ExpectNodes(root, want);
  ASSERT_EQ(outputs.size(), want.out.size());
  std::vector<Fetch> fetches(outputs.begin(), outputs.end());
  std::vector<Output> asked;
  for (const auto& grad : want.grad) asked.push_back(x[grad.first]);
  std::vector<const Expected*> slopes;
  if (!asked.empty()) {
    const std::vector<Gradient> gradients = BuildGradients(root, outputs, asked);
    ASSERT_TRUE(root.ok()) << root.status();
    size_t i = 0;
    for (const auto& grad : want.grad) {
      const bool none = grad.second.dtype == DType::kInvalid;
      EXPECT_EQ(gradients[i].has_value(), !none) << "the gradient of in" << grad.first;
      if (!none && gradients[i].has_value()) {
        fetches.push_back(gradients[i].dense());
        slopes.push_back(&grad.second);
      }
      ++i;
    }
  }
  ClientSession session(root);
  const auto run = session.Run(feeds, fetches);
  ASSERT_TRUE(run.ok()) << run.status();
  for (size_t i = 0; i < outputs.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("output ", i));
    ExpectTensor((*run)[i], want.out.at(static_cast<int>(i)), row.tolerance);
  }
  for (size_t i = 0; i < slopes.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("gradient ", i));
    ExpectTensor((*run)[outputs.size() + i], *slopes[i], row.tolerance);
  }
}

}  // namespace

void ExpectTensorFlowsValues(const std::string& area, const std::vector<ValueRow>& rows) {
  const std::map<std::string, ExpectedCase> cases = ReadCases(area);
  ASSERT_FALSE(cases.empty()) << "no cases of " << area;
  std::set<std::string> seen;
  for (const ValueRow& row : rows) {
    SCOPED_TRACE(row.name);
    seen.insert(row.name);
    const auto found = cases.find(row.name);
    if (found == cases.end()) {
      ADD_FAILURE() << "no such case in " << area << ".tsv; write_values.py writes it";
      continue;
    }
    ExpectCase(row, found->second);
  }
  for (const auto& entry : cases) {
    EXPECT_EQ(seen.count(entry.first), 1u) << "no row for the case " << entry.first;
  }
}

}  // namespace frontend
}  // namespace warpbeam
