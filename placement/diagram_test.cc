// Pictures of reports made by hand: what is folded, how it lies, and what a hostile graph gets.
#include "placement/diagram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "placement/short_names.h"
#include "placement/testing/picture_geometry.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HandMade {
 public:
  explicit HandMade(int gpus = 0) {
    for (const char* type : {"CPU", "GPU"}) {
      for (int i = 0; i < (type[0] == 'C' ? 1 : gpus); ++i) {
        report_.devices.push_back(
            absl::StrCat("/job:localhost/replica:0/task:0/device:", type, ":", i));
      }
    }
  }
  // A name with '^' before it is a control input.
  int32_t Node(const std::string& name, const std::string& op,
               const std::vector<std::string>& inputs = {}, int device = 0) {
    PlacementEntry entry;
    entry.node = name;
    entry.op = op;
    entry.assigned = report_.devices[device];
    const auto node = static_cast<int32_t>(report_.nodes.size());
    for (const std::string& input : inputs) {
      PlacementEdge edge;
      edge.control = input[0] == '^';
      edge.from = Find(edge.control ? input.substr(1) : input);
      edge.to = node;
      const std::string& from = report_.nodes[edge.from].assigned;
      if (!edge.control && from != entry.assigned) {
        edge.copy = static_cast<int32_t>(report_.copies.size());
        CopyEdge copy;
        copy.producer = input;
        copy.bytes = 1 << 20;
        report_.copies.push_back(copy);
      }
      report_.edges.push_back(edge);
    }
    report_.nodes.push_back(entry);
    return node;
  }
  int32_t Find(const std::string& name) const {
    for (size_t n = 0; n < report_.nodes.size(); ++n) {
      if (report_.nodes[n].node == name) return static_cast<int32_t>(n);
    }
    ADD_FAILURE() << name;
    return 0;
  }
  // A step in which a device's nodes run one after the other, the n-th for n + 1 milliseconds.
  void Predict() {
    PredictedStep step;
    std::vector<double> end_s(report_.devices.size(), 0);
    for (size_t n = 0; n < report_.nodes.size(); ++n) {
      PredictedStep::Item item;
      item.node = static_cast<int32_t>(n);
      const auto at =
          std::find(report_.devices.begin(), report_.devices.end(), report_.nodes[n].assigned);
      item.device =
          at == report_.devices.end() ? 0 : static_cast<int32_t>(at - report_.devices.begin());
      item.start_s = end_s[item.device];
      item.end_s = end_s[item.device] += 1e-3 * static_cast<double>(n + 1);
      step.items.push_back(item);
      step.step_s = std::max(step.step_s, item.end_s);
    }
    report_.predicted = step;
  }
  PlacementReport report_;
};

std::vector<std::string> Labels(const Diagram& diagram) {
  std::vector<std::string> labels;
  for (const DiagramBox& box : diagram.boxes) labels.push_back(box.label);
  std::sort(labels.begin(), labels.end());
  return labels;
}

TEST(Owners, ConstantsAndInitialisersAreFolded) {
  HandMade made;
  made.Node("zero", "Const");
  made.Node("v/Initializer/zeros", "Fill", {"zero"});
  made.Node("v", "VariableV2");
  made.Node("v/Assign", "Assign", {"v", "v/Initializer/zeros"});
  made.Node("v/read", "Identity", {"v"});
  made.Node("init", "NoOp", {"^v/Assign"});
  made.Node("one", "Const");
  made.Node("y", "Add", {"v/read", "one"});
  made.Node("save/Assign", "Assign", {"v", "y"});  // of no variable "save"
  made.Node("unread", "Const");
  const std::vector<int32_t> owners = OwnersOf(made.report_);
  const auto owner = [&](const char* name) {
    return made.report_.nodes[owners[made.Find(name)]].node;
  };
  for (const char* folded : {"zero", "v/Initializer/zeros", "v/Assign", "init"}) {
    EXPECT_EQ(owner(folded), "v") << folded;
  }
  EXPECT_EQ(owner("one"), "y");
  for (const char* own : {"v", "v/read", "y", "save/Assign", "unread"}) EXPECT_EQ(owner(own), own);
}

TEST(Owners, ACopiedConstantIsDrawn) {
  HandMade made(1);
  made.Node("c", "Const");
  made.Node("y", "Neg", {"c"}, 1);
  EXPECT_THAT(OwnersOf(made.report_), ElementsAre(0, 1));
}

TEST(Scopes, WhatIsAlikeIsOneBoxUnlessItFollows) {
  HandMade made;
  made.Node("x", "Placeholder");
  for (const char* n : {"", "_1", "_2"}) {
    made.Node(absl::StrCat("Mean", n), "Mean", {"x"});
    made.Node(absl::StrCat("Max", n), "Max", {"x"});
  }
  made.Node("Relu", "Relu", {"x"});
  made.Node("Relu_1", "Relu", {"Relu"});
  const ScopeTree tree(made.report_);
  EXPECT_THAT(Labels(Overview(tree, 5)), ElementsAre("Max", "Mean", "Relu", "Relu_1", "x"));
  EXPECT_EQ(Overview(tree, 100).boxes.size(), 9u) << "with room, all of them";
}

TEST(Scopes, TowersAreOpenedTogether) {
  HandMade made(2);
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < 10 + t; ++i) {
      made.Node(absl::StrCat("tower_", t, "/op", i), absl::StrCat("Op", i), {}, t + 1);
    }
  }
  const ScopeTree tree(made.report_);
  EXPECT_EQ(Overview(tree, 20).boxes.size(), 2u) << "one alone would fit";
  EXPECT_EQ(Overview(tree, 21).boxes.size(), 21u);
}

// Each node that is drawn is in exactly one box, and no item has too many children.
TEST(Scopes, EveryNodeIsInOneBox) {
  HandMade made(1);
  for (int i = 0; i < 2000; ++i) {
    made.Node(absl::StrCat(i % 3 == 0 ? "a/b/n" : "n", i), i % 2 == 0 ? "Even" : "Odd",
              i == 0 ? std::vector<std::string>()
                     : std::vector<std::string>{made.report_.nodes[i - 1].node},
              i % 7 == 0 ? 1 : 0);
  }
  const ScopeTree tree(made.report_);
  for (int i = 0; i < tree.size(); ++i) {
    EXPECT_LE(tree.item(i).children.size(), ScopeTree::kMostChildren) << tree.item(i).name;
  }
  for (const size_t most : {10, 50, 300}) {
    const Diagram diagram = Overview(tree, most);
    EXPECT_LE(diagram.boxes.size(), most);
    int nodes = 0;
    for (const DiagramBox& box : diagram.boxes) nodes += tree.item(box.item).count;
    EXPECT_EQ(nodes, 2000);
  }
}

TEST(Texts, AreCutInTheMiddleAndCounted) {
  EXPECT_EQ(CutInTheMiddle("data_augmentation/random_crop/Slice", 20), "data_augme…rop/Slice");
  EXPECT_EQ(CutInTheMiddle("short", 20), "short");
  EXPECT_EQ(TextColumns("äö€…"), 4u);
  EXPECT_EQ(TextColumns("漢字"), 4u);
  for (const char* text : {"漢字漢字漢字漢字漢字", "äääääääääääää", "a😀b😀c😀d😀e😀f"}) {
    const std::string cut = CutInTheMiddle(text, 9);
    EXPECT_LE(TextColumns(cut), 9u) << cut;
    EXPECT_GE(TextColumns(cut), 7u) << cut;
  }
  EXPECT_EQ(MarkupText("a<b> & \"c\" 'd'\x01"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;?");
  EXPECT_EQ(MarkupText("\xff<"), "\\377&lt;");
}

// Graphs of any form, with cycles and on many devices, lie as they should.
TEST(Layout, HoldsForAnyGraph) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const int gpus = round % 20 == 19 ? 40 : round % 5;
    HandMade made(gpus);
    const int count = 1 + static_cast<int>(random() % 150);
    for (int i = 0; i < count; ++i) {
      std::vector<std::string> inputs;
      for (size_t k = random() % 3; k > 0 && i > 0; --k) {
        inputs.push_back(made.report_.nodes[random() % static_cast<size_t>(i)].node);
      }
      made.Node(absl::StrCat("s", random() % 4, "/", std::string(random() % 40, 'w'), i),
                absl::StrCat("Op", random() % 5), inputs,
                static_cast<int>(random() % static_cast<size_t>(gpus + 1)));
    }
    for (int i = 0; i < count / 20; ++i) {
      made.report_.edges.push_back({static_cast<int32_t>(random() % static_cast<size_t>(count)),
                                    static_cast<int32_t>(random() % static_cast<size_t>(count)), -1,
                                    false});
    }
    EXPECT_THAT(PictureProblems(made.report_.ToSvg()), IsEmpty()) << round;
    HandMade timed = made;
    timed.Predict();
    EXPECT_THAT(PictureProblems(timed.report_.ToSvg()), IsEmpty()) << round << ", with times";
    if (round % 4 != 3) continue;
    const std::string page = PlacementPage(made.report_);
    for (absl::string_view svg : PicturesOf(page)) {
      EXPECT_THAT(PictureProblems(svg), IsEmpty()) << round;
    }
    EXPECT_EQ(page, PlacementPage(made.report_)) << "the same report, the same page";
  }
}

TEST(Layout, TheCheckerSees) {
  const std::string box =
      "<g class=\"b one\"><rect x=\"0.0\" y=\"0.0\" width=\"10.0\" height=\"34.0\"/><text "
      "class=\"n\" x=\"5.0\" y=\"14.0\">a long name</text><text class=\"op\" x=\"5.0\" "
      "y=\"27.0\">o</text></g>\n";
  const std::string line =
      "<path class=\"l\" data-from=\"1\" data-to=\"2\" d=\"M5.0 0.0L5.0 34.0\"/>\n<text "
      "class=\"bytes\" x=\"5.0\" y=\"14.0\">1 MiB</text>\n";
  const auto problems =
      PictureProblems(absl::StrCat("<svg viewBox=\"0 0 300 100\">\n", box, box, line));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("line through box")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("label on box")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("wider than twice")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("text outside of its box")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("boxes: ")));
  EXPECT_THAT(problems, ::testing::Contains(HasSubstr("box in no lane")));
}

// Whatever a graph names is text, in the picture and in the page's script.
TEST(Pages, AHostileGraphNamesNothingButText) {
  const std::string texts[] = {"</script><script>alert(1)</script>",
                               "</title><img src=x onerror=alert(1)>",
                               "\"><svg onload=alert(1)>",
                               "</template><b>",
                               "<!--",
                               "]]>",
                               "\xff\xfe",
                               std::string("nul\0nul", 7)};
  HandMade made(1);
  for (const std::string& text : texts) {
    made.Node(absl::StrCat("scope", text, "/a"), text);
    made.Node(absl::StrCat("scope", text, "/b"), text);
    made.report_.nodes.back().reason = made.report_.nodes.back().location = text;
    made.report_.nodes.back().requested = text;
  }
  made.report_.devices[1] = "/job:<script>alert(1)</script>";
  made.Node("onthere", "Neg", {}, 1);
  made.Predict();
  const std::string page = PlacementPage(made.report_), svg = made.report_.ToSvg();
  for (const std::string* out : {&page, &svg}) {
    for (const char* part : {"<script>alert", "<img", "<b>", "<!--", "<svg onload", "]]>"}) {
      EXPECT_THAT(*out, Not(HasSubstr(part)));
    }
  }
  // The page has its own script and its data, nothing else, and fetches nothing.
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 2u);
  for (const char* part :
       {"src=\"", "href=", "@import", "<link", "url(http", "fetch(", "innerHTML"}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

TEST(Pages, FindEveryNode) {
  HandMade made(1);
  for (int i = 0; i < 300; ++i) {
    made.Node(absl::StrCat("s", i % 9, "/t", i % 31, "/n", i), "Neg", {}, i % 2);
  }
  const std::string page = PlacementPage(made.report_);
  for (int i = 0; i < 300; ++i) {
    EXPECT_THAT(page, HasSubstr(absl::StrCat("[\"s", i % 9, "/t", i % 31, "/n", i, "\", 0, ")));
  }
  EXPECT_THAT(page, Not(HasSubstr("\", 0, -1, "))) << "each is in some picture";
}

TEST(Pages, APredictedStepIsTheLastPicture) {
  HandMade made(1);
  made.Node("a/x", "Neg");
  made.Node("a/y", "Neg", {}, 1);
  EXPECT_THAT(PlacementPage(made.report_), Not(HasSubstr("id=\"time\"")));
  made.Predict();
  const std::string page = PlacementPage(made.report_);
  EXPECT_THAT(page, HasSubstr("id=\"time\""));
  EXPECT_THAT(page, HasSubstr("\"timeline\", 0]], \"ops\""));
  EXPECT_THAT(page, HasSubstr("a step is predicted to take 2 ms"));
  EXPECT_THAT(std::string(PicturesOf(page).back()), HasSubstr("1 ms from 0"));
}

TEST(Pages, OfNothing) {
  HandMade made;
  EXPECT_THAT(PictureProblems(made.report_.ToSvg()), IsEmpty());
  EXPECT_THAT(PlacementPage(made.report_), HasSubstr("0 nodes on 1 device"));
}

TEST(DiagramDrawing, CopiesAreAsWideAsTheyMoveBytes) {
  HandMade made(2);
  made.Node("a", "Input");
  made.Node("small", "Relu", {"a"}, 1);
  made.Node("large", "Relu", {"a"}, 2);
  made.report_.copies[0].bytes = 10;
  made.report_.copies[1].bytes = 10'000'000;
  const ScopeTree tree(made.report_);
  const Diagram diagram = ReadableOverview(tree);
  const std::string drawn = DiagramDrawing(made.report_, diagram).elements();
  EXPECT_THAT(drawn, HasSubstr("style=\"stroke-width:5.6\""));
  size_t count = 0;
  for (size_t at = 0; (at = drawn.find("stroke-width", at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, 1u) << "the small one is drawn as usual";
}

TEST(DiagramDrawing, BoxesAreAsWideAsTheyTakeTime) {
  HandMade made;
  made.Node("short", "Relu");
  for (int i = 0; i < 98; ++i) made.Node("middle", "Relu", {"short"});
  made.Node("long", "Conv2D", {"short"});
  const auto width_of = [&](const std::string& name) {
    const std::string svg = made.report_.ToSvg();
    const size_t label = svg.find(absl::StrCat(">", name, "</text>"));
    const size_t rect = svg.rfind("<rect", label);
    const size_t width = svg.find("width=\"", rect) + 7;
    return std::stod(svg.substr(width));
  };
  made.report_.nodes.erase(made.report_.nodes.begin() + 1, made.report_.nodes.end() - 1);
  made.report_.edges = {{0, 1, -1, false}};
  EXPECT_EQ(width_of("short"), width_of("long"));
  made.Predict();
  made.report_.predicted->items[1].end_s += 0.097;
  EXPECT_EQ(width_of("long"), 320);
  EXPECT_LT(width_of("short"), 120);
  EXPECT_THAT(made.report_.ToSvg(), HasSubstr(">Conv2D, 99 ms</text>"));
}

}  // namespace
}  // namespace warpbeam
