// Places the graphs of testdata/tensorflow_cases.tsv as TensorFlow did.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "placement/placer.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using Fields = std::vector<std::string>;

Fields Split(const std::string& line) { return absl::StrSplit(line, '\t'); }
std::string Field(const Fields& fields, size_t i) { return i < fields.size() ? fields[i] : ""; }
Fields Words(const std::string& text) { return absl::StrSplit(text, ' ', absl::SkipEmpty()); }

AttrValue ReadAttr(const std::string& text) {
  int64_t number;
  if (absl::SimpleAtoi(text, &number)) return number;
  if (text[0] != '[') return ParseDType(text);
  std::vector<DType> types;
  for (absl::string_view type :
       absl::StrSplit(text.substr(1, text.size() - 2), ',', absl::SkipEmpty())) {
    types.push_back(ParseDType(std::string(type)));
  }
  return types;
}

// One case: what the file says of it, and the graph it makes.
struct Case {
  std::string name;
  int cpus = 1;
  bool soft = false;
  bool refused = false;
  std::vector<Fields> nodes;
  std::map<std::string, std::string> expected;

  void Build(ToyGraph* toy) const {
    std::vector<std::array<std::string, 3>> later;  // loops: node, input, source
    for (const Fields& f : nodes) {
      Fields inputs = Words(Field(f, 4));
      for (size_t i = 0; i < inputs.size(); ++i) {
        const std::string source = inputs[i].substr(0, inputs[i].find(':'));
        if (inputs[i][0] == '^' || toy->graph.Find(source) != nullptr) continue;
        later.push_back({f[1], absl::StrCat(i), inputs[i]});
        inputs[i] = "?";
      }
      AttrMap attrs;
      for (const std::string& attr : Words(Field(f, 6))) {
        const size_t eq = attr.find('=');
        attrs.Set(attr.substr(0, eq), ReadAttr(attr.substr(eq + 1)));
      }
      toy->Node(f[1], f[2], inputs, Field(f, 3), Words(Field(f, 5)), attrs);
    }
    for (const auto& [node, input, source] : later) {
      ASSERT_TRUE(toy->SetInput(node, std::stoi(input), source).ok()) << name << ": " << node;
    }
  }
};

struct CaseFile {
  std::vector<Fields> ops;
  std::vector<Case> cases;
};

CaseFile Read() {
  CaseFile file;
  std::ifstream in("placement/testdata/tensorflow_cases.tsv");
  EXPECT_TRUE(in.is_open());
  for (std::string line; std::getline(in, line);) {
    const Fields f = Split(line);
    if (f[0] == "op") {
      file.ops.push_back(f);
    } else if (f[0] == "case") {
      file.cases.emplace_back();
      file.cases.back().name = f[1];
      file.cases.back().cpus = std::stoi(f[2].substr(5));
      file.cases.back().soft = f[3] == "soft=1";
      file.cases.back().refused = Field(f, 4) == "error=INVALID_ARGUMENT";
    } else if (f[0] == "node") {
      file.cases.back().nodes.push_back(f);
    } else if (f[0] == "at") {
      file.cases.back().expected[f[1]] = f[2];
    }
  }
  return file;
}

void DefineOps(const std::vector<Fields>& ops, ToyGraph* toy) {
  for (const Fields& f : ops) {
    toy->Op(f[1], Field(f, 2), Field(f, 3), "cpu", {}, Field(f, 4));
  }
}

void Check(const Case& c, const std::vector<Fields>& ops) {
  SCOPED_TRACE(c.name);
  ToyGraph toy;
  DefineOps(ops, &toy);
  c.Build(&toy);
  PlacerOptions options;
  options.allow_soft_placement = c.soft;
  Placer placer(&toy.catalog, ToyDevices(c.cpus, 0), options);
  const Status status = placer.Place(toy.graph);
  if (c.refused) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(placer.num_placed(), 0) << "a failed call places nothing";
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  for (const auto& [node, device] : c.expected) {
    EXPECT_EQ(placer.devices()[placer.sites()[toy.Find(node)]].ToString(), device) << node;
  }
}

TEST(TensorFlowCases, AreAllPlacedAlike) {
  const CaseFile file = Read();
  size_t refused = 0;
  for (const Case& c : file.cases) {
    Check(c, file.ops);
    refused += c.refused;
  }
  EXPECT_EQ(file.cases.size(), 76u);
  EXPECT_EQ(refused, 19u);
}

}  // namespace
}  // namespace warpbeam
