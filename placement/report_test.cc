#include "placement/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "placement/placer.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(BytesTextTest, HasThreeDigitsAtMost) {
  const std::pair<int64_t, const char*> cases[] = {
      {-1, "? bytes"},
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1.0 KiB"},
      {1536, "1.5 KiB"},
      {10'200, "10 KiB"},
      {10'239, "10 KiB"},
      {100 << 10, "100 KiB"},
      {(1 << 20) - 1, "1.0 MiB"},
      {1 << 20, "1.0 MiB"},
      {(int64_t{1} << 30) - 1, "1.0 GiB"},
      {int64_t{3} << 40, "3.0 TiB"},
      {int64_t{1} << 62, "4.0 EiB"},
      {INT64_MAX, "8.0 EiB"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(BytesText(bytes), text) << bytes;
}

// Whether the text is UTF-8 of characters that XML may have, with tags that close each other.
bool IsWellFormed(absl::string_view xml) {
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size();) {
    const auto byte = static_cast<unsigned char>(xml[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\t') return false;
    if (byte >= 0x80) {
      const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (byte < 0xc2 || i + length > xml.size()) return false;
      for (size_t k = 1; k < length; ++k) {
        if ((static_cast<unsigned char>(xml[i + k]) & 0xc0) != 0x80) return false;
      }
      i += length;
      continue;
    }
    if (byte == '&' && !absl::StartsWith(xml.substr(i), "&amp;") &&
        !absl::StartsWith(xml.substr(i), "&lt;") && !absl::StartsWith(xml.substr(i), "&gt;") &&
        !absl::StartsWith(xml.substr(i), "&quot;") && !absl::StartsWith(xml.substr(i), "&#")) {
      return false;
    }
    if (byte != '<') {
      ++i;
      continue;
    }
    const size_t end = xml.find('>', i);
    if (end == absl::string_view::npos) return false;
    absl::string_view tag = xml.substr(i + 1, end - i - 1);
    const bool closes = absl::ConsumePrefix(&tag, "/"), is_empty = absl::ConsumeSuffix(&tag, "/");
    const std::string name(tag.substr(0, tag.find_first_of(" \n")));
    if (closes) {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (!is_empty) {
      open.push_back(name);
    }
    i = end + 1;
  }
  return open.empty();
}

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() { toy_.UsualOps(); }
  PlacementReport Report(int cpus = 1, int gpus = 2) {
    Placer placer(&toy_.catalog, ToyDevices(cpus, gpus), PlacerOptions());
    const Status s = placer.Place(toy_.graph);
    EXPECT_TRUE(s.ok()) << s;
    return placer.Report(toy_.graph);
  }

  ToyGraph toy_;
};

TEST_F(ReportTest, CountsWhatCrossesDevices) {
  toy_.Node("x", "Source", {}, "/cpu:0");
  toy_.Node("a", "Unary", {"x"}, "/gpu:0");
  toy_.Node("b", "Unary", {"x"}, "/gpu:0");
  toy_.Node("c", "Binary", {"a", "b"}, "/gpu:1");
  toy_.Node("end", "NoOp", {"^c"}, "/cpu:0");
  const PlacementReport report = Report();
  ASSERT_EQ(report.nodes.size(), 5u);
  ASSERT_EQ(report.copies.size(), 3u);
  EXPECT_EQ(report.copies[0].producer, "x:0");
  EXPECT_THAT(report.copies[0].consumers, ElementsAre("a", "b"));
  EXPECT_EQ(report.copies[0].kind, "host to device");
  EXPECT_EQ(report.copies[0].bytes, -1);
  EXPECT_EQ(report.copies[1].kind, "device to device");
  EXPECT_THAT(report.ToText(),
              AllOf(HasSubstr("5 nodes:"), HasSubstr("3 tensors, 0 B and 3 of unknown size"),
                    HasSubstr("a and 1 more"), HasSubstr("GPU:1")));
  EXPECT_EQ(report.ToLog().substr(0, report.ToLog().find('\n')),
            "x: (Source): /job:localhost/replica:0/task:0/device:CPU:0");
  int controls = 0;
  for (const PlacementEdge& edge : report.edges) {
    controls += edge.control ? 1 : 0;
    EXPECT_LT(edge.copy, static_cast<int32_t>(report.copies.size()));
  }
  EXPECT_EQ(controls, 1);
}

TEST_F(ReportTest, CpusReadWhereTensorsLie) {
  toy_.Node("x", "Source", {}, "/cpu:0");
  toy_.Node("y", "Unary", {"x"}, "/cpu:1");
  const PlacementReport report = Report(/*cpus=*/2, /*gpus=*/0);
  ASSERT_EQ(report.copies.size(), 1u);
  EXPECT_TRUE(report.copies[0].shared);
  EXPECT_THAT(report.ToText(), HasSubstr("Nothing is copied between devices; 1 tensor"));
}

TEST_F(ReportTest, ARequestThatWasNotMetIsTold) {
  toy_.Node("x", "Source", {}, "/cpu:0");
  toy_.Node("y", "CpuUnary", {"x"}, "/gpu:0");
  const PlacementReport report = Report();
  EXPECT_EQ(report.nodes[1].rule, PlacementRule::kSoftFallback);
  EXPECT_EQ(report.nodes[1].requested, "/gpu:0");
  EXPECT_THAT(report.ToText(), HasSubstr("1 request not met (soft placement)"));
  EXPECT_THAT(report.ToJson(), HasSubstr("\"rule\": \"soft fallback\""));
}

TEST_F(ReportTest, NothingToPlace) {
  const PlacementReport report = Report();
  EXPECT_THAT(report.ToText(), HasSubstr("0 nodes"));
  EXPECT_TRUE(IsWellFormed(report.ToSvg())) << report.ToSvg();
  EXPECT_THAT(report.ToJson(), HasSubstr("\"nodes\": []"));
}

// Names and what is told of nodes: pictures and JSON hold them without breaking.
TEST_F(ReportTest, AnyTextCanBeShown) {
  const std::string texts[] = {"plain/name", "a<b>&\"c\"",          "back\\slash", "line\nbreak",
                               "tab\t",      std::string(300, 'y'), "äöü €€€ 😀"};
  toy_.Node("x", "Source");
  toy_.Node("long/" + std::string(200, 'z') + "->end", "Unary", {"x"});
  PlacementReport report = Report();
  for (const std::string& text : texts) {
    PlacementEntry entry = report.nodes[1];
    entry.node = absl::StrCat("n", report.nodes.size());
    entry.op = entry.requested = entry.reason = entry.forced_by = entry.location = text;
    entry.kernels = {text};
    report.nodes.push_back(entry);
  }
  EXPECT_TRUE(IsWellFormed(report.ToSvg())) << report.ToSvg();
  const std::string json = report.ToJson();
  for (const char c : json) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  EXPECT_THAT(json, AllOf(HasSubstr("\"a<b>&\\\"c\\\"\""), HasSubstr("\"back\\\\slash\""),
                          HasSubstr("\"line\\u000abreak\""), HasSubstr("äöü €€€ 😀")));
  // Of DOT, quotes and backslashes would end a text.
  for (const absl::string_view line : absl::StrSplit(report.ToDot(), '\n')) {
    int quotes = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        ++quotes;
      }
    }
    EXPECT_EQ(quotes % 2, 0) << line;
  }
}

// A picture of a large graph has few boxes, in which every node is counted once.
TEST_F(ReportTest, LargeGraphsAreCollapsed) {
  toy_.Node("x", "Source");
  for (int i = 0; i < 2000; ++i) {
    toy_.Node(absl::StrCat("layer", i / 100, "/cell", i / 10, "/op", i), "Unary", {"x"},
              i % 2 == 0 ? "/gpu:0" : "/cpu:0");
  }
  const PlacementReport report = Report();
  const std::string svg = report.ToSvg();
  EXPECT_TRUE(IsWellFormed(svg));
  size_t boxes = 0;
  for (size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) {
    ++boxes;
  }
  EXPECT_LT(boxes, 1000u);
  EXPECT_THAT(svg, Not(HasSubstr("op1999")));
  EXPECT_THAT(svg, HasSubstr("layer19"));
  EXPECT_THAT(report.ToText(), HasSubstr("op1999")) << "a text has all of them";
}

}  // namespace
}  // namespace warpbeam
