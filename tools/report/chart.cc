#include "tools/report/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace report {
namespace {

constexpr double kWidth = 460, kHeight = 264;
constexpr double kLeft = 58, kRight = 12, kTop = 10, kBottom = 40;
constexpr size_t kMostPoints = 1000;
constexpr int kMostHills = 14, kBins = 64;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // A range that can be divided by; one value gets room on both sides.
  Range Widened(double share) const {
    if (empty()) return {0, 1};
    const double room = high > low ? (high - low) * share : std::max(std::abs(high) * 0.1, 1e-6);
    return {low - room, high + room};
  }
};

struct TimeUnit {
  double seconds;
  const char* name;
};
// The one in which a time has one to four digits before the point.
TimeUnit UnitOf(double seconds) {
  if (seconds >= 1) return {1, "s"};
  return seconds >= 1e-3 ? TimeUnit{1e-3, "ms"} : TimeUnit{1e-6, "µs"};
}

// 1, 2 or 5 times a power of ten, at most `most` steps of it in the range.
double TickStep(const Range& range, int most) {
  const double least = (range.high - range.low) / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

std::string AxisName(const std::string& name) {
  return absl::StrFormat(
      "<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
      (kLeft + kWidth - kRight) / 2, kHeight - 6, MarkupText(name));
}

class Frame {
 public:
  Frame(const Range& x, const Range& y) : x_(x), y_(y) {}

  double X(double value) const {
    return kLeft + (value - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight);
  }
  double Y(double value) const {
    return kHeight - kBottom - (value - y_.low) / (y_.high - y_.low) * (kHeight - kTop - kBottom);
  }

  // `x_name` stands below the axis; steps are whole.
  std::string Grid(const std::string& x_name) const {
    std::string out = AxisName(x_name);
    const double step_y = TickStep(y_, 5), step_x = std::max(1.0, TickStep(x_, 6));
    for (double v = std::ceil(y_.low / step_y) * step_y; v <= y_.high; v += step_y) {
      const double shown = std::abs(v) < step_y * 1e-9 ? 0 : v;
      absl::StrAppendFormat(&out,
                            "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"tick\" "
                            "x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                            kLeft, Y(v), kWidth - kRight, kLeft - 6, Y(v) + 3.5, Number(shown));
    }
    for (double v = std::ceil(x_.low / step_x) * step_x; v <= x_.high; v += step_x) {
      absl::StrAppendFormat(&out,
                            "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text class=\"tick\" "
                            "x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
                            X(v), kTop, kHeight - kBottom, X(v), kHeight - 22, Number(v));
    }
    return out;
  }

 private:
  const Range x_, y_;
};

std::string Polyline(const Frame& frame, const std::vector<ScalarPoint>& points,
                     const std::string& style, const std::string& name) {
  std::string d;
  int drawn = 0;
  bool is_down = false;
  for (const ScalarPoint& p : points) {
    if (!std::isfinite(p.value)) {
      is_down = false;
      continue;
    }
    absl::StrAppendFormat(&d, "%s%.1f %.1f", is_down ? "L" : "M",
                          frame.X(static_cast<double>(p.step)), frame.Y(p.value));
    is_down = true;
    ++drawn;
  }
  // One point alone is a dot: the line has round ends.
  if (drawn == 1) d += "h0";
  return absl::StrCat("<path class=\"", style, "\" d=\"", d, "\"><title>", MarkupText(name),
                      "</title></path>\n");
}

std::string Open(double width, double height, const std::string& more = "") {
  return absl::StrFormat(
      "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
      "role=\"img\"%s>\n",
      width, height, width, height, more);
}

}  // namespace

std::string Number(double value) {
  const double size = std::abs(value);
  if (size >= 1e6 && size < 1e15 && size == std::floor(size)) {
    return absl::StrFormat("%gM", value / 1e6);
  }
  // Not "2.02e+04".
  if (size >= 1e4 && size < 1e6) return absl::StrFormat("%.6g", value);
  return absl::StrFormat("%.4g", value);
}

std::string TimeText(double seconds) {
  if (seconds < 60) {
    const TimeUnit unit = UnitOf(seconds);
    return absl::StrFormat("%.3g %s", seconds / unit.seconds, unit.name);
  }
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 3600) return absl::StrFormat("%d min %d s", whole / 60, whole % 60);
  return absl::StrFormat("%d h %d min", whole / 3600, whole % 3600 / 60);
}

std::vector<ScalarPoint> Smoothed(const std::vector<ScalarPoint>& points, double weight) {
  std::vector<ScalarPoint> smooth;
  double average = 0, unbiased = 1;
  for (const ScalarPoint& p : points) {
    if (!std::isfinite(p.value)) continue;
    average = average * weight + p.value * (1 - weight);
    unbiased *= weight;
    smooth.push_back({p.step, average / (1 - unbiased)});
  }
  return smooth;
}

std::vector<ScalarPoint> Thinned(const std::vector<ScalarPoint>& points, size_t most) {
  if (points.size() <= most || most < 4) return points;
  const size_t stretches = most / 2;
  std::vector<ScalarPoint> kept;
  for (size_t i = 0; i < stretches; ++i) {
    const size_t begin = points.size() * i / stretches, end = points.size() * (i + 1) / stretches;
    size_t low = end, high = end;
    for (size_t k = begin; k < end; ++k) {
      if (!std::isfinite(points[k].value)) continue;
      if (low == end || points[k].value < points[low].value) low = k;
      if (high == end || points[k].value > points[high].value) high = k;
    }
    if (low == end) continue;
    kept.push_back(points[std::min(low, high)]);
    if (low != high) kept.push_back(points[std::max(low, high)]);
  }
  return kept;
}

std::vector<double> Rebinned(const HistogramPoint& histogram, double low, double high, int bins) {
  std::vector<double> counts(static_cast<size_t>(bins), 0);
  const double width = (high - low) / bins;
  if (!(width > 0) || !std::isfinite(width)) return counts;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    const double count = histogram.counts[i];
    if (!(count > 0) || !std::isfinite(count)) continue;
    // A bucket holds nothing beyond the least and the greatest value.
    const double from = i == 0 ? histogram.min : std::max(histogram.limits[i - 1], histogram.min);
    const double to = std::min(histogram.limits[i], histogram.max);
    const auto bin_of = [&](double v) {
      const double bin = std::floor((v - low) / width);
      return static_cast<int>(std::min(std::max(bin, 0.0), static_cast<double>(bins - 1)));
    };
    if (!(to > from)) {
      counts[static_cast<size_t>(bin_of(std::isfinite(to) ? to : from))] += count;
      continue;
    }
    for (int b = bin_of(from); b <= bin_of(to); ++b) {
      const double overlap = std::min(to, low + (b + 1) * width) - std::max(from, low + b * width);
      if (overlap > 0) counts[static_cast<size_t>(b)] += count * overlap / (to - from);
    }
  }
  return counts;
}

std::string LineChart(const std::vector<Curve>& curves, double smoothing) {
  Range x, y;
  for (const Curve& curve : curves) {
    for (const ScalarPoint& p : *curve.points) {
      x.Take(static_cast<double>(p.step));
      y.Take(p.value);
    }
  }
  x = x.low < x.high ? x : x.Widened(0);
  y = y.Widened(0.05);
  const Frame frame(x, y);
  std::string out = Open(kWidth, kHeight,
                         absl::StrFormat(" class=\"chart\" data-x0=\"%.17g\" data-x1=\"%.17g\" "
                                         "data-y0=\"%.17g\" data-y1=\"%.17g\"",
                                         x.low, x.high, y.low, y.high));
  out += frame.Grid("step");
  for (const Curve& curve : curves) {
    const std::string colour = absl::StrCat(" c", curve.colour % 8);
    out += Polyline(frame, Thinned(*curve.points, kMostPoints), "line raw" + colour,
                    curve.name + " (raw)");
    out += Polyline(frame, Thinned(Smoothed(*curve.points, smoothing), kMostPoints),
                    "line" + colour, curve.name);
  }
  return out + "</svg>\n";
}

std::string HistogramChart(const std::vector<HistogramPoint>& points, int colour) {
  Range values;
  std::vector<const HistogramPoint*> hills;
  const size_t count = std::min<size_t>(kMostHills, points.size());
  for (size_t i = 0; i < count; ++i) {
    // The first and the last are among them.
    hills.push_back(&points[count == 1 ? 0 : i * (points.size() - 1) / (count - 1)]);
    values.Take(hills.back()->min);
    values.Take(hills.back()->max);
  }
  values = values.Widened(0.02);
  const double room = count > 1 ? (kHeight - kTop - kBottom) * 0.62 : 0;
  const double tall = kHeight - kTop - kBottom - room;
  const Frame frame(values, {0, 1});
  std::vector<std::vector<double>> bins;
  double highest = 0;
  for (const HistogramPoint* hill : hills) {
    bins.push_back(Rebinned(*hill, values.low, values.high, kBins));
    highest = std::max(highest, *std::max_element(bins.back().begin(), bins.back().end()));
  }
  std::string out = Open(kWidth, kHeight, " class=\"hills\"");
  for (size_t i = 0; i < hills.size(); ++i) {
    const double base =
        kTop + tall +
        (count > 1 ? room * static_cast<double>(i) / static_cast<double>(count - 1) : 0);
    std::string d = absl::StrFormat("M%.1f %.1f", kLeft, base);
    for (int b = 0; b < kBins; ++b) {
      const double middle = values.low + (b + 0.5) * (values.high - values.low) / kBins;
      const double height = highest > 0 ? bins[i][static_cast<size_t>(b)] / highest * tall : 0;
      absl::StrAppendFormat(&d, "L%.1f %.1f", frame.X(middle), base - height);
    }
    absl::StrAppendFormat(&d, "L%.1f %.1fZ", kWidth - kRight, base);
    const HistogramPoint& h = *hills[i];
    absl::StrAppendFormat(
        &out,
        "<path class=\"hill c%d\" d=\"%s\"><title>step %d: %s values from %s to %s, mean "
        "%s</title></path>\n",
        colour % 8, d, h.step, Number(h.count), Number(h.min), Number(h.max),
        Number(h.count > 0 ? h.sum / h.count : 0));
    if (i == 0 || i + 1 == hills.size() || i % 3 == 0) {
      absl::StrAppendFormat(
          &out, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          kLeft - 6, base + 3, Number(static_cast<double>(h.step)));
    }
  }
  const double step = TickStep(values, 6);
  for (double v = std::ceil(values.low / step) * step; v <= values.high; v += step) {
    absl::StrAppendFormat(
        &out, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
        frame.X(v), kHeight - 22, Number(std::abs(v) < step * 1e-9 ? 0 : v));
  }
  out += AxisName("value");
  absl::StrAppendFormat(&out,
                        "<text class=\"axis\" x=\"12\" y=\"%.1f\" text-anchor=\"middle\" "
                        "transform=\"rotate(-90 12 %.1f)\">step</text>",
                        kHeight / 2, kHeight / 2);
  return out + "</svg>\n";
}

std::string TimelineChart(const TracedStep& trace) {
  constexpr double kLabel = 210, kWide = 1100, kRow = 20, kBar = 14;
  const double scale = (kWide - kLabel - 10) / static_cast<double>(trace.length_ns);
  const double height = kRow * static_cast<double>(trace.rows.size()) + 34;
  std::map<std::string, double> time_of;  // by op
  for (const auto& row : trace.rows) {
    for (const NodeRun& n : row.second) time_of[n.op] += static_cast<double>(n.end_ns - n.start_ns);
  }
  std::vector<std::pair<double, std::string>> ops;
  for (const auto& op : time_of) ops.emplace_back(-op.second, op.first);
  std::sort(ops.begin(), ops.end());
  std::map<std::string, int> colour_of;
  for (size_t i = 0; i < ops.size() && i < 7; ++i) {
    colour_of[ops[i].second] = static_cast<int>(i);
  }
  std::string out = Open(kWide, height, " class=\"timeline\"");
  const TimeUnit unit = UnitOf(static_cast<double>(trace.length_ns) * 1e-9);
  const Range time{0, static_cast<double>(trace.length_ns) * 1e-9 / unit.seconds};
  const double tick = TickStep(time, 10);
  for (double at = 0; at <= time.high; at += tick) {
    const double x = kLabel + at * unit.seconds * 1e9 * scale;
    absl::StrAppendFormat(&out,
                          "<path class=\"grid\" d=\"M%.1f 4V%.1f\"/><text class=\"tick\" x=\"%.1f\""
                          " y=\"%.1f\" text-anchor=\"middle\">%s %s</text>",
                          x, height - 22, x, height - 8, Number(at), unit.name);
  }
  double y = 6;
  for (const auto& [key, nodes] : trace.rows) {
    std::string device = key.first;
    const size_t cut = device.find("/device:");
    if (cut != std::string::npos) device = device.substr(cut + 8);
    absl::StrAppendFormat(&out, "<text class=\"row\" x=\"4\" y=\"%.1f\">%s · %u</text>\n", y + 11,
                          MarkupText(device), key.second);
    for (const NodeRun& n : nodes) {
      const auto colour = colour_of.find(n.op);
      absl::StrAppendFormat(
          &out,
          "<rect class=\"bar c%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\"><title>%s "
          "(%s), %s</title></rect>\n",
          colour == colour_of.end() ? 7 : colour->second,
          kLabel + static_cast<double>(n.start_ns) * scale, y,
          std::max(0.6, static_cast<double>(n.end_ns - n.start_ns) * scale), kBar,
          MarkupText(n.name), MarkupText(n.op),
          TimeText(static_cast<double>(n.end_ns - n.start_ns) * 1e-9));
    }
    y += kRow;
  }
  out += "</svg>\n<p class=\"legend\">";
  for (const auto& [op, colour] : colour_of) {
    absl::StrAppend(&out, "<span class=\"key c", colour, "\"></span>", MarkupText(op), " ",
                    TimeText(time_of[op] * 1e-9), " ");
  }
  return out + "</p>\n";
}

}  // namespace report
}  // namespace warpbeam
