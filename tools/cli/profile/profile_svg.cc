#include "tools/cli/profile/profile_svg.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace warpbeam {
namespace cli {
namespace {

// Colours of the ops that took longest, in turn; the rest is grey.
constexpr const char* kColours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1",
                                    "#edc948", "#76b7b2", "#9c755f", "#ff9da7"};
constexpr const char* kOther = "#bab0ac";
constexpr const char* kCopy = "#8d99ae";
constexpr const char* kCritical = "#c1121f";
constexpr size_t kNumColours = sizeof(kColours) / sizeof(kColours[0]);

constexpr double kWidth = 1200, kLeft = 250, kRight = 40, kRow = 26, kBar = 18;

std::string Escaped(const std::string& s) {
  return absl::StrReplaceAll(s, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// "/job:localhost/replica:0/task:0/device:GPU:1" as "GPU:1".
std::string ShortName(absl::string_view device) {
  const size_t at = device.rfind("device:");
  return std::string(at == absl::string_view::npos ? device : device.substr(at + 7));
}

class Picture {
 public:
  Picture(const Profile& profile, const StepStats& step) : profile_(profile), step_(step) {
    for (size_t i = 0; i < std::min(kNumColours, profile.ops.size()); ++i) {
      colour_of_[profile.ops[i].op] = kColours[i];
    }
    length_ns_ = std::max<double>(1, static_cast<double>(step.end_ns - step.start_ns));
  }

  std::string Draw() {
    Title();
    Timeline();
    Ops();
    Devices();
    return absl::StrFormat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
        "font-size=\"12\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"white\"/>\n%s</svg>\n",
        kWidth, y_ + 10, kWidth, y_ + 10, out_);
  }

 private:
  // Device; thread, or one of these.
  using RowKey = std::pair<absl::string_view, int32_t>;
  static constexpr int32_t kCopiesOut = -2, kCopiesIn = -1;

  void Text(double x, double y, const std::string& text, const char* more = "") {
    absl::StrAppendFormat(&out_, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, more,
                          Escaped(text));
  }
  void Bar(double x, double y, double width, const std::string& colour, const std::string& tip,
           const char* more = "") {
    absl::StrAppendFormat(&out_,
                          "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
                          "fill=\"%s\" %s><title>%s</title></rect>\n",
                          x, y, std::max(0.6, width), kBar, colour, more, Escaped(tip));
  }
  double X(int64_t ns) const {
    return kLeft +
           (kWidth - kLeft - kRight) * static_cast<double>(ns - step_.start_ns) / length_ns_;
  }
  std::string ColourOf(absl::string_view op) const {
    const auto found = colour_of_.find(op);
    return found == colour_of_.end() ? kOther : found->second;
  }
  RowKey RowOf(const NodeStats& n) const {
    if (n.is_copy) return {n.device, n.copy_to.empty() ? kCopiesOut : kCopiesIn};
    return {n.device, absl::StrContains(n.device, "GPU") ? 0 : n.thread};
  }
  static std::string RowName(const RowKey& key) {
    const std::string device = ShortName(key.first);
    if (key.second == kCopiesOut) return device + " copies to host";
    if (key.second == kCopiesIn) return device + " copies in";
    if (absl::StrContains(key.first, "GPU")) return device + " compute";
    return absl::StrCat(device, " thread ", key.second);
  }

  void Title() {
    Text(20, 30,
         absl::StrFormat("A step of %.0f µs; average of %d: %.0f µs, critical path %.0f µs",
                         length_ns_ / 1000, profile_.steps, profile_.step_ns / 1000,
                         profile_.critical_ns / 1000),
         "font-size=\"16\" font-weight=\"bold\"");
    y_ = 50;
  }

  void Timeline() {
    std::map<RowKey, double> rows;
    for (const NodeStats& n : step_.nodes) rows.emplace(RowOf(n), 0);
    const double top = y_;
    for (auto& [key, at] : rows) {
      at = y_;
      Text(20, y_ + 13, RowName(key));
      y_ += kRow;
    }
    Grid(top);
    const std::vector<int32_t> path = CriticalPath(step_);
    const std::set<int32_t> critical(path.begin(), path.end());
    for (size_t i = 0; i < step_.nodes.size(); ++i) {
      const NodeStats& n = step_.nodes[i];
      const bool is_critical = critical.count(static_cast<int32_t>(i)) > 0;
      const std::string outline =
          is_critical ? absl::StrCat("stroke=\"", kCritical, "\" stroke-width=\"1.5\"") : "";
      Bar(X(n.start_ns), rows[RowOf(n)], X(n.end_ns) - X(n.start_ns),
          n.is_copy ? kCopy : ColourOf(n.op),
          absl::StrFormat("%s (%s), %.1f µs%s", n.node, n.op,
                          static_cast<double>(n.end_ns - n.start_ns) / 1000,
                          is_critical ? ", on the critical path" : ""),
          outline.c_str());
      for (int32_t p : n.predecessors) {
        if (n.is_copy || step_.nodes[p].is_copy) Arrow(step_.nodes[p], n, rows);
      }
    }
    y_ += 24;
  }

  void Grid(double top) {
    for (int i = 0; i <= 10; ++i) {
      const double x = kLeft + (kWidth - kLeft - kRight) * i / 10;
      absl::StrAppendFormat(&out_,
                            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                            "stroke=\"#ddd\"/>\n",
                            x, top - 4, x, y_);
      Text(x, y_ + 14, absl::StrFormat("%.0f µs", length_ns_ / 10000 * i),
           "text-anchor=\"middle\" fill=\"#777\" font-size=\"10\"");
    }
  }

  void Arrow(const NodeStats& from, const NodeStats& to, const std::map<RowKey, double>& rows) {
    const double x1 = X(from.end_ns), x2 = std::max(X(to.start_ns), x1);
    const double y1 = rows.at(RowOf(from)) + kBar / 2, y2 = rows.at(RowOf(to)) + kBar / 2;
    absl::StrAppendFormat(&out_,
                          "<path d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" "
                          "stroke=\"#555\" stroke-width=\"0.7\"/>\n",
                          x1, y1, x1 + 12, y1, x2 - 12, y2, x2, y2);
  }

  void Heading(const std::string& text) {
    y_ += 22;
    Text(20, y_, text, "font-size=\"14\" font-weight=\"bold\"");
    y_ += 12;
  }

  void Ops() {
    Heading("Top ops");
    const size_t rows = std::min<size_t>(12, profile_.ops.size());
    const double most = rows > 0 ? std::max(1.0, profile_.ops[0].ns) : 1;
    for (size_t i = 0; i < rows; ++i) {
      const Profile::Op& op = profile_.ops[i];
      const double width = 560 * op.ns / most;
      Text(20, y_ + 13, op.op);
      Bar(kLeft, y_, width, ColourOf(op.op), op.op);
      Text(kLeft + width + 8, y_ + 13,
           absl::StrFormat("%.1f µs in %.10g, %.1f µs on the critical path", op.ns / 1000, op.count,
                           op.critical_ns / 1000));
      y_ += kRow - 4;
    }
  }

  void Devices() {
    Heading("Devices: busy alone, busy while another one is, idle");
    for (const Profile::Device& d : profile_.devices) {
      const double scale = 560 / std::max(1.0, profile_.step_ns);
      const double alone = (d.busy_ns - d.overlap_ns) * scale, both = d.overlap_ns * scale;
      Text(20, y_ + 13, ShortName(d.device));
      Bar(kLeft, y_, alone, kColours[0], "busy alone");
      Bar(kLeft + alone, y_, both, kColours[2], "busy while another device is");
      Bar(kLeft + alone + both, y_, d.idle_ns * scale, "#eee", "idle");
      Text(kLeft + 568, y_ + 13,
           absl::StrFormat("busy %.0f µs, overlapped %.0f µs, idle %.0f µs, copies %.0f µs",
                           d.busy_ns / 1000, d.overlap_ns / 1000, d.idle_ns / 1000,
                           d.copy_ns / 1000));
      y_ += kRow - 4;
    }
  }

  const Profile& profile_;
  const StepStats& step_;
  std::map<std::string, std::string, std::less<>> colour_of_;
  double length_ns_ = 1;
  double y_ = 0;
  std::string out_;
};

}  // namespace

std::string ProfileSvg(const Profile& profile, const StepStats& step) {
  return Picture(profile, step).Draw();
}

}  // namespace cli
}  // namespace warpbeam
