#include "tools/report/page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "placement/short_names.h"
#include "tools/report/chart.h"

namespace warpbeam {
namespace report {
namespace {

constexpr char kStyle[] = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2330; --faint: #6a7486; --line: #e2e6ee; --card: #f7f8fb;
  --c0: #2463c4; --c1: #c2571a; --c2: #1d8a5b; --c3: #a0309c; --c4: #8a6d00; --c5: #c22f4e; --c6: #16808f; --c7: #7b8496; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161e; --ink: #e4e8f0; --faint: #97a1b3; --line: #2b3240; --card: #1a202b;
  --c0: #6ea4f5; --c1: #f2935c; --c2: #5cc99a; --c3: #dd86da; --c4: #d9bd4e; --c5: #f07a93; --c6: #5cc4d3; --c7: #8d97a9; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1640px; padding: 24px; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 10px; } h3 { font-size: 14px; margin: 0 0 4px; overflow-wrap: anywhere; }
p { margin: 4px 0 12px; } .faint, .legend { color: var(--faint); font-size: 13px; } .note { border-left: 3px solid var(--c1); padding-left: 10px; }
nav a { color: var(--c0); margin-right: 16px; } summary { cursor: pointer; font-weight: 600; margin: 10px 0; }
.grid-of-charts { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 370px), 1fr)); }
figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0; padding: 12px; }
figure svg { display: block; height: auto; width: 100%; } .wide { overflow-x: auto; } .wide svg { width: auto; }
.grid { stroke: var(--line); stroke-width: 1; fill: none; } .tick, .row, .axis { fill: var(--faint); font: 10.5px system-ui, sans-serif; } .axis { font-style: italic; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; } .raw { opacity: .3; stroke-width: 1.1; }
.hill { fill-opacity: .55; stroke-width: 1; stroke: var(--paper) !important; } .reading { color: var(--faint); font-size: 12px; min-height: 18px; margin: 2px 0 0; }
.c0 { stroke: var(--c0); --fill: var(--c0); } .c1 { stroke: var(--c1); --fill: var(--c1); } .c2 { stroke: var(--c2); --fill: var(--c2); }
.c3 { stroke: var(--c3); --fill: var(--c3); } .c4 { stroke: var(--c4); --fill: var(--c4); } .c5 { stroke: var(--c5); --fill: var(--c5); }
.c6 { stroke: var(--c6); --fill: var(--c6); } .c7 { stroke: var(--c7); --fill: var(--c7); }
.hill, .bar { fill: var(--fill); } .bar { stroke: none; } .key { background: var(--fill); border-radius: 3px; display: inline-block; height: 11px; margin: 0 5px 0 0; width: 11px; }
table { border-collapse: collapse; font-size: 13px; } th, td { border-bottom: 1px solid var(--line); padding: 4px 14px 4px 0; text-align: left; } td.n { text-align: right; font-variant-numeric: tabular-nums; } td.n, td.name { vertical-align: top; white-space: nowrap; }
.lead { font-size: 17px; } .tools { align-items: center; display: flex; flex-wrap: wrap; font-size: 13px; gap: 8px 26px; margin: 8px 0; } .tools input[type=range] { vertical-align: middle; width: 170px; }
.tools input[type=search] { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; color: inherit; font: inherit; padding: 3px 8px; width: 240px; }
iframe { background: #fff; border: 1px solid var(--line); border-radius: 8px; box-sizing: border-box; height: min(860px, 90vh); width: 100%; }
)css";

// Shows the values under the pointer, smooths curves anew, and hides what is not searched for. A
// moving average of places in the picture is the place of the average: both are linear.
constexpr char kScript[] = R"js(
const pointsOf = path => (path.getAttribute('d').match(/[-\d.]+ [-\d.]+/g) || []).map(p => p.split(' ').map(Number));
const readers = [];
for (const svg of document.querySelectorAll('svg.chart')) {
  const reading = svg.parentElement.querySelector('.reading');
  const range = [svg.dataset.x0, svg.dataset.x1, svg.dataset.y0, svg.dataset.y1].map(Number);
  const paths = [...svg.querySelectorAll('path.line:not(.raw)')];
  let curves = [];
  const read = () => { curves = paths.map(path => ({ name: path.querySelector('title').textContent, points: pointsOf(path) })); };
  read();
  readers.push(read);
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect(), x = (event.clientX - box.left) * 460 / box.width;
    reading.textContent = curves.filter(c => c.points.length).map(c => {
      const at = c.points.reduce((a, b) => Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a);
      const step = range[0] + (at[0] - 58) / 390 * (range[1] - range[0]);
      const value = range[2] + (224 - at[1]) / 214 * (range[3] - range[2]);
      return `${c.name}: ${value.toPrecision(4)} at step ${Math.round(step)}`;
    }).join(' · ');
  });
  svg.addEventListener('pointerleave', () => { reading.textContent = ''; });
}
const slider = document.getElementById('smoothing');
slider?.addEventListener('input', () => {
  const weight = Number(slider.value);
  document.getElementById('weight').textContent = weight.toFixed(2);
  for (const raw of document.querySelectorAll('svg.chart path.raw')) {
    let average = 0, unbiased = 1;
    const smooth = pointsOf(raw).map(([x, y]) => {
      average = average * weight + y * (1 - weight);
      unbiased *= weight;
      return `${x} ${(average / (1 - unbiased)).toFixed(1)}`;
    });
    raw.nextElementSibling.setAttribute('d', smooth.length ? 'M' + smooth.join('L') + (smooth.length === 1 ? 'h0' : '') : '');
  }
  for (const read of readers) read();
});
document.getElementById('search')?.addEventListener('input', event => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const figure of document.querySelectorAll('.grid-of-charts figure')) {
    const name = figure.querySelector('h3').textContent.toLowerCase();
    figure.hidden = !words.every(w => name.includes(w));
  }
  for (const group of document.querySelectorAll('details')) {
    const figures = [...group.querySelectorAll('.grid-of-charts figure')];
    group.hidden = figures.length > 0 && figures.every(f => f.hidden);
  }
});
)js";

// The curve that a training is about: one called loss, or else the first.
const std::vector<ScalarPoint>* MainCurve(const Run& run, std::string* tag) {
  const std::vector<ScalarPoint>* best = nullptr;
  int least = 4;
  for (const auto& [name, points] : run.scalars) {
    if (points.size() < 2) continue;
    const int rank = name == "loss"                       ? 0
                     : absl::EndsWith(name, "total_loss") ? 1
                     : absl::StrContains(name, "loss")    ? 2
                                                          : 3;
    if (rank >= least) continue;
    least = rank;
    best = &points;
    *tag = name;
  }
  return best;
}

// "12,000" of 12000.
std::string WithCommas(int64_t count) {
  std::string digits = absl::StrCat(count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

int64_t LastStep(const Run& run) {
  int64_t last = 0;
  for (const auto& [tag, points] : run.scalars) {
    if (!points.empty()) last = std::max(last, points.back().step);
  }
  for (const auto& [tag, points] : run.histograms) {
    if (!points.empty()) last = std::max(last, points.back().step);
  }
  return last;
}

// What, how long, how it ended: "lenet5: up to step 2,000 in 41 s; loss went from 17.1 to 0.39."
std::string RunSentence(const Run& run) {
  std::string text = absl::StrCat(run.name, ": up to step ", WithCommas(LastStep(run)));
  if (run.last_time > run.first_time) {
    absl::StrAppend(&text, " in ", TimeText(run.last_time - run.first_time));
  }
  std::string tag;
  const std::vector<ScalarPoint>* curve = MainCurve(run, &tag);
  if (curve != nullptr && std::isfinite(curve->back().value)) {
    absl::StrAppendFormat(&text, "; %s went from %s to %s", tag, Number(curve->front().value),
                          Number(curve->back().value));
  } else if (curve != nullptr) {
    absl::StrAppend(&text, "; ", tag, " ended as no number");
  }
  return absl::StrCat(text, run.has_stopped ? "; it ended as it was to." : ".");
}

// "a" of "a/b/c"; what has no '/' stands alone.
std::string GroupOf(const std::string& tag) {
  const size_t slash = tag.find('/');
  return slash == std::string::npos ? "" : tag.substr(0, slash);
}

class Page {
 public:
  Page(const std::vector<Run>& runs, const PageOptions& options) : runs_(runs), options_(options) {}

  std::string Write() {
    absl::StrAppend(&out_,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>",
                    MarkupText(options_.title), "</title>\n<style>", kStyle,
                    "</style>\n</head>\n<body>\n<h1>", MarkupText(options_.title), "</h1>\n");
    Lead();
    Contents();
    Runs();
    Scalars();
    Histograms();
    Timelines();
    Placements();
    absl::StrAppend(&out_, "<script>", kScript, "</script>\n</body>\n</html>\n");
    return std::move(out_);
  }

 private:
  template <typename Has>
  bool Any(Has has) const {
    return std::any_of(runs_.begin(), runs_.end(), has);
  }
  bool HasScalars() const {
    return Any([](const Run& r) { return !r.scalars.empty(); });
  }
  bool HasHistograms() const {
    return Any([](const Run& r) { return !r.histograms.empty(); });
  }
  bool HasTraces() const {
    return Any([](const Run& r) { return !r.traces.empty(); });
  }
  bool HasGraphs() const {
    return Any([](const Run& r) { return !r.graph.empty(); });
  }

  // One sentence for each of the first runs.
  void Lead() {
    constexpr size_t kMostRuns = 4;
    out_ += "<p class=\"lead\">";
    for (size_t i = 0; i < std::min(kMostRuns, runs_.size()); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : "<br>", MarkupText(RunSentence(runs_[i])));
    }
    if (runs_.size() > kMostRuns) {
      absl::StrAppend(&out_, "<br>", runs_.size() - kMostRuns, " more runs are below.");
    }
    out_ += "</p>\n";
  }

  void Contents() {
    out_ += "<nav>";
    if (HasScalars()) out_ += "<a href=\"#scalars\">Scalars</a>";
    if (HasHistograms()) out_ += "<a href=\"#histograms\">Histograms</a>";
    if (HasTraces()) out_ += "<a href=\"#timeline\">Timeline</a>";
    if (HasGraphs()) out_ += "<a href=\"#placement\">Placement</a>";
    out_ += "</nav>\n";
    if (!HasScalars() && !HasHistograms()) return;
    out_ += "<div class=\"tools\">";
    if (HasScalars()) {
      absl::StrAppendFormat(
          &out_,
          "<label>Smoothing <input id=\"smoothing\" type=\"range\" min=\"0\" max=\"0.99\" "
          "step=\"0.01\" value=\"%g\"> <output id=\"weight\">%.2f</output></label>",
          options_.smoothing, options_.smoothing);
    }
    out_ +=
        "<label>Search <input id=\"search\" type=\"search\" placeholder=\"tags\" "
        "autocomplete=\"off\"></label></div>\n";
  }

  void Runs() {
    // A program may save without a word of it in its events.
    const bool has_saved = std::any_of(runs_.begin(), runs_.end(),
                                       [](const Run& run) { return !run.checkpoints.empty(); });
    absl::StrAppend(&out_, "<h2>Runs</h2>\n<table><tr><th>run</th><th>steps</th>",
                    "<th>last values</th>", has_saved ? "<th>checkpoints</th>" : "", "</tr>\n");
    for (size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      int64_t first = INT64_MAX, last = 0;
      std::string values;
      for (const auto& [tag, points] : run.scalars) {
        if (points.empty()) continue;
        first = std::min(first, points.front().step);
        last = std::max(last, points.back().step);
        absl::StrAppend(&values, values.empty() ? "" : ", ", MarkupText(tag), " ",
                        Number(points.back().value));
      }
      for (const auto& [tag, points] : run.histograms) {
        if (points.empty()) continue;
        first = std::min(first, points.front().step);
        last = std::max(last, points.back().step);
      }
      absl::StrAppend(&out_, "<tr><td class=\"name\"><span class=\"key c", i % 8, "\"></span>",
                      MarkupText(run.name), "</td><td class=\"n\">",
                      first > last ? "" : absl::StrCat(first, " – ", last), "</td><td>", values);
      if (has_saved) absl::StrAppend(&out_, "</td><td class=\"n\">", run.checkpoints.size());
      out_ += "</td></tr>\n";
    }
    out_ += "</table>\n";
    for (const Run& run : runs_) {
      for (const std::string& note : run.notes) {
        absl::StrAppend(&out_, "<p class=\"note\">", MarkupText(run.name), ": ", MarkupText(note),
                        "</p>\n");
      }
    }
  }

  // Tags by group, those without one first; all in one where groups would be rows of one or two.
  template <typename Series>
  std::map<std::string, std::set<std::string>> Tags(Series series) const {
    std::map<std::string, std::set<std::string>> tags;
    for (const Run& run : runs_) {
      for (const auto& entry : run.*series) tags[GroupOf(entry.first)].insert(entry.first);
    }
    size_t count = 0;
    for (const auto& group : tags) count += group.second.size();
    if (tags.size() > 1 && count < 3 * tags.size()) {
      std::set<std::string> all;
      for (auto& group : tags) all.merge(group.second);
      tags = {{"", std::move(all)}};
    }
    return tags;
  }
  void OpenGroup(const std::string& group) {
    absl::StrAppend(&out_, "<details open><summary>", group.empty() ? "all" : MarkupText(group),
                    "</summary>\n<div class=\"grid-of-charts\">\n");
  }

  void Scalars() {
    if (!HasScalars()) return;
    out_ += "<h2 id=\"scalars\">Scalars</h2>\n";
    for (const auto& [group, tags] : Tags(&Run::scalars)) {
      OpenGroup(group);
      for (const std::string& tag : tags) ScalarFigure(tag);
      out_ += "</div></details>\n";
    }
  }

  void ScalarFigure(const std::string& tag) {
    std::vector<Curve> curves;
    size_t broken = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const auto found = runs_[i].scalars.find(tag);
      if (found == runs_[i].scalars.end()) continue;
      curves.push_back({runs_[i].name, &found->second, static_cast<int>(i)});
      for (const ScalarPoint& p : found->second) broken += std::isfinite(p.value) ? 0 : 1;
    }
    absl::StrAppend(&out_, "<figure><h3>", MarkupText(tag), "</h3>\n",
                    LineChart(curves, options_.smoothing));
    out_ += "<p class=\"reading\"></p>\n";
    out_ += "<p class=\"legend\">";
    for (const Curve& curve : curves) {
      absl::StrAppend(&out_, "<span class=\"key c", curve.colour % 8, "\"></span>",
                      MarkupText(curve.name), " ");
    }
    out_ += "</p>\n";
    if (broken > 0) {
      absl::StrAppend(&out_, "<p class=\"note\">", broken, " values are NaN or infinite</p>\n");
    }
    out_ += "</figure>\n";
  }

  void Histograms() {
    if (!HasHistograms()) return;
    out_ +=
        "<h2 id=\"histograms\">Histograms</h2>\n<p class=\"faint\">A hill for each step, the "
        "earliest behind.</p>\n";
    for (const auto& [group, tags] : Tags(&Run::histograms)) {
      OpenGroup(group);
      for (const std::string& tag : tags) {
        for (size_t i = 0; i < runs_.size(); ++i) {
          const auto found = runs_[i].histograms.find(tag);
          if (found == runs_[i].histograms.end() || found->second.empty()) continue;
          absl::StrAppend(&out_, "<figure><h3>", MarkupText(tag),
                          runs_.size() > 1 ? absl::StrCat(" · ", MarkupText(runs_[i].name)) : "",
                          "</h3>\n", HistogramChart(found->second, static_cast<int>(i)),
                          "</figure>\n");
        }
      }
      out_ += "</div></details>\n";
    }
  }

  void Timelines() {
    if (!HasTraces()) return;
    out_ += "<h2 id=\"timeline\">Timeline</h2>\n";
    for (const Run& run : runs_) {
      for (size_t i = 0; i < run.traces.size(); ++i) {
        const TracedStep& trace = run.traces[i];
        // The last one is open: the first steps are seldom typical.
        absl::StrAppend(&out_, "<details", i + 1 == run.traces.size() ? " open" : "", "><summary>",
                        MarkupText(run.name), " · ", MarkupText(trace.tag), " · ",
                        TimeText(static_cast<double>(trace.length_ns) * 1e-9),
                        "</summary>\n<figure class=\"wide\">", TimelineChart(trace),
                        "</figure></details>\n");
      }
    }
  }

  void Placements() {
    if (!HasGraphs()) return;
    out_ += "<h2 id=\"placement\">Placement</h2>\n";
    std::set<std::string> drawn;
    for (const Run& run : runs_) {
      if (run.graph.empty() || !drawn.insert(run.graph).second) continue;
      absl::StrAppend(&out_, "<h3>", MarkupText(run.name), "</h3>\n");
      const auto picture = PlacementPicture(run.graph);
      if (!picture.ok()) {
        absl::StrAppend(&out_, "<p class=\"note\">The graph cannot be placed here: ",
                        MarkupText(picture.status().message()), "</p>\n");
        continue;
      }
      // In a document of its own, of no origin: its style sheet is not this page's, and its script
      // reaches nothing of it.
      absl::StrAppend(&out_, "<iframe title=\"placement\" sandbox=\"allow-scripts\" srcdoc=\"",
                      MarkupText(*picture), "\"></iframe>\n");
    }
  }

  const std::vector<Run>& runs_;
  const PageOptions& options_;
  std::string out_;
};

}  // namespace

StatusOr<std::string> ReportPage(const std::vector<Run>& runs, const PageOptions& options) {
  if (!(options.smoothing >= 0 && options.smoothing < 1)) {
    return InvalidArgument("smoothing is from 0 to below 1, not ", options.smoothing);
  }
  return Page(runs, options).Write();
}

}  // namespace report
}  // namespace warpbeam
