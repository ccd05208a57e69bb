#include "placement/testing/picture_geometry.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr double kSlack = 0.15;  // numbers have one digit after the point
constexpr size_t kMostProblems = 20;

struct Rect {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string name;

  bool Overlaps(const Rect& o) const {
    return left + kSlack < o.right && o.left + kSlack < right && top + kSlack < o.bottom &&
           o.top + kSlack < bottom;
  }
  bool Contains(const Rect& o) const {
    return left <= o.left + kSlack && o.right <= right + kSlack && top <= o.top + kSlack &&
           o.bottom <= bottom + kSlack;
  }
  bool Holds(double x, double y) const {
    return left + 1 < x && x < right - 1 && top + 1 < y && y < bottom - 1;
  }
};

// The attribute of an element, "" where it is not there.
absl::string_view Attribute(absl::string_view element, absl::string_view name) {
  const std::string key = absl::StrCat(" ", name, "=\"");
  const size_t at = element.substr(0, element.find('>')).find(key);
  if (at == absl::string_view::npos) return "";
  element.remove_prefix(at + key.size());
  return element.substr(0, element.find('"'));
}

double Number(absl::string_view text) {
  double value = NAN;
  return absl::SimpleAtod(text, &value) ? value : NAN;
}

Rect RectOf(absl::string_view element) {
  Rect rect;
  rect.left = Number(Attribute(element, "x"));
  rect.top = Number(Attribute(element, "y"));
  rect.right = rect.left + Number(Attribute(element, "width"));
  rect.bottom = rect.top + Number(Attribute(element, "height"));
  return rect;
}

// A text of this size that begins at its x, or has it in the middle.
Rect TextRect(absl::string_view element, double size, bool is_centred) {
  const size_t begin = element.find('>') + 1;
  const std::string text = absl::StrReplaceAll(
      element.substr(begin, element.find("</text>") - begin),
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}});
  const double width = static_cast<double>(TextColumns(text)) * kColumnWidth * size;
  Rect rect;
  rect.left = Number(Attribute(element, "x")) - (is_centred ? width / 2 : 0);
  rect.right = rect.left + width;
  rect.bottom = Number(Attribute(element, "y"));
  rect.top = rect.bottom - 0.75 * size;
  rect.name = text;
  return rect;
}

// Tooltips have lines of their own.
std::string WithoutTitles(absl::string_view svg) {
  std::string out;
  while (true) {
    const size_t begin = svg.find("<title>");
    absl::StrAppend(&out, svg.substr(0, begin));
    if (begin == absl::string_view::npos) return out;
    svg.remove_prefix(std::min(svg.size(), svg.find("</title>", begin)));
    svg.remove_prefix(std::min(svg.size(), absl::string_view("</title>").size()));
  }
}

class Checker {
 public:
  std::vector<std::string> Check(absl::string_view picture) {
    CheckRatio(picture);
    const std::string svg = WithoutTitles(picture);
    std::vector<absl::string_view> lines;
    for (absl::string_view line : absl::StrSplit(absl::string_view(svg), '\n')) {
      if (absl::StrContains(line, "class=\"lane ")) AddLane(line);
      if (absl::StartsWith(line, "<g class=\"b ")) AddBox(line);
      if (absl::StartsWith(line, "<text class=\"bytes\"")) AddLabel(line);
      if (absl::StartsWith(line, "<path class=\"l") && Attribute(line, "data-from") != "") {
        lines.push_back(line);
      }
    }
    CheckOverlaps("boxes", boxes_);
    CheckOverlaps("lanes", lanes_);
    CheckOverlaps("labels", labels_);
    for (const Rect& label : labels_) {
      for (const Rect& box : boxes_) Expect(!label.Overlaps(box), "label on box", label, box);
    }
    for (absl::string_view line : lines) CheckLine(line);
    return problems_;
  }
  size_t num_boxes() const { return boxes_.size(); }

 private:
  void Expect(bool holds, const char* what, const Rect& a, const Rect& b) {
    if (holds || problems_.size() >= kMostProblems) return;
    problems_.push_back(absl::StrCat(what, ": ", a.name, " at ", a.left, " ", a.top, ", ", b.name,
                                     " at ", b.left, " ", b.top));
  }
  void CheckOverlaps(const char* what, const std::vector<Rect>& rects) {
    for (size_t i = 0; i < rects.size(); ++i) {
      for (size_t k = 0; k < i; ++k) Expect(!rects[i].Overlaps(rects[k]), what, rects[k], rects[i]);
    }
  }
  void CheckRatio(absl::string_view svg) {
    const std::vector<absl::string_view> box = absl::StrSplit(Attribute(svg, "viewBox"), ' ');
    if (box.size() != 4 || !(Number(box[2]) <= 2 * Number(box[3]) + 2)) {
      problems_.push_back(absl::StrCat("wider than twice its height: ", Attribute(svg, "viewBox")));
    }
  }
  void AddLane(absl::string_view line) {
    Rect lane = RectOf(line.substr(line.find("<rect")));
    for (const auto& [style, size] : {std::pair<const char*, double>{"t", 13}, {"td", 9.5}}) {
      const size_t at = line.find(absl::StrCat("<text class=\"", style, "\""));
      const Rect text = TextRect(line.substr(at), size, false);
      if (lane.name.empty()) lane.name = text.name;
      Expect(lane.Contains(text), "text outside of its lane", text, lane);
    }
    lanes_.push_back(lane);
  }
  void AddBox(absl::string_view line) {
    Rect box = RectOf(line.substr(line.find("<rect")));
    for (const auto& [style, size] : {std::pair<const char*, double>{"n", 11}, {"op", 9.5}}) {
      const size_t at = line.find(absl::StrCat("<text class=\"", style, "\""));
      const Rect text = TextRect(line.substr(at), size, true);
      if (box.name.empty()) box.name = text.name;
      Expect(box.Contains(text), "text outside of its box", text, box);
    }
    bool is_in_lane = false;
    for (const Rect& lane : lanes_) is_in_lane = is_in_lane || lane.Contains(box);
    Expect(is_in_lane, "box in no lane", box, box);
    boxes_.push_back(box);
  }
  void AddLabel(absl::string_view line) { labels_.push_back(TextRect(line, 10, true)); }
  void CheckLine(absl::string_view line);
  void CheckPoint(double x, double y, absl::string_view line) {
    Rect at{x, y, x, y, std::string(line.substr(0, 80))};
    for (const Rect& box : boxes_) Expect(!box.Holds(x, y), "line through box", at, box);
  }

  std::vector<Rect> boxes_, lanes_, labels_;
  std::vector<std::string> problems_;
};

// Points along the straight and curved parts of "M1 2L3 4C5 6 7 8 9 10…".
void Checker::CheckLine(absl::string_view line) {
  const std::string path(Attribute(line, "d"));
  double x = NAN, y = NAN;
  for (size_t at = 0; at < path.size();) {
    const char command = path[at];
    size_t end = path.find_first_of("MLC", at + 1);
    if (end == std::string::npos) end = path.size();
    std::vector<double> p;
    for (absl::string_view number :
         absl::StrSplit(path.substr(at + 1, end - at - 1), ' ', absl::SkipEmpty())) {
      p.push_back(Number(number));
    }
    if (p.size() != (command == 'C' ? 6u : 2u)) {
      problems_.push_back(absl::StrCat("no path: ", path.substr(0, 80)));
      return;
    }
    for (int i = 1; i < 16 && command != 'M'; ++i) {
      const double t = i / 16.0, u = 1 - t;
      if (command == 'L') {
        CheckPoint(u * x + t * p[0], u * y + t * p[1], line);
      } else {
        CheckPoint(u * u * u * x + 3 * u * u * t * p[0] + 3 * u * t * t * p[2] + t * t * t * p[4],
                   u * u * u * y + 3 * u * u * t * p[1] + 3 * u * t * t * p[3] + t * t * t * p[5],
                   line);
      }
    }
    x = p[p.size() - 2];
    y = p[p.size() - 1];
    at = end;
  }
}

}  // namespace

std::vector<std::string> PictureProblems(absl::string_view svg) { return Checker().Check(svg); }

std::vector<absl::string_view> PicturesOf(absl::string_view page) {
  std::vector<absl::string_view> pictures;
  const absl::string_view open = "<template>", close = "</template>";
  for (size_t at = page.find(open); at != absl::string_view::npos; at = page.find(open, at)) {
    at += open.size();
    pictures.push_back(page.substr(at, page.find(close, at) - at));
  }
  return pictures;
}

size_t BoxesOf(absl::string_view svg) {
  Checker checker;
  checker.Check(svg);
  return checker.num_boxes();
}

}  // namespace warpbeam
