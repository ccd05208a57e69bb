// Pictures of a report as inline SVG, whose colours the page's style sheet gives: it has a light
// and a dark form.
//
//   std::string svg = LineChart({{"train", points}, {"eval", other}}, /*smoothing=*/0.6);
//
// Curves of more than a thousand points are thinned out so that every peak stays. What is not
// finite is left out of the curve. Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TOOLS_REPORT_CHART_H_
#define WARPBEAM_TOOLS_REPORT_CHART_H_

#include <string>
#include <vector>

#include "tools/report/events.h"

namespace warpbeam {
namespace report {

// A curve, and the number of its colour.
struct Curve {
  std::string name;
  const std::vector<ScalarPoint>* points;
  int colour = 0;
};

std::string Number(double value);
// "350 µs", "12.5 ms", "41 s", "5 min 10 s", "3 h 20 min".
std::string TimeText(double seconds);

// Where a moving average that forgets by `weight` stands at each point, without its bias towards 0
// at the beginning; 0: the points themselves.
std::vector<ScalarPoint> Smoothed(const std::vector<ScalarPoint>& points, double weight);
// At most about `most` points: of each stretch the lowest and the highest.
std::vector<ScalarPoint> Thinned(const std::vector<ScalarPoint>& points, size_t most);
// How many of the histogram's values fall into each of `bins` parts of [low, high].
std::vector<double> Rebinned(const HistogramPoint& histogram, double low, double high, int bins);

// Raw values thin, smoothed ones bold; both always, for the page's script smooths them anew.
std::string LineChart(const std::vector<Curve>& curves, double smoothing);
// A row of hills, the earliest behind.
std::string HistogramChart(const std::vector<HistogramPoint>& points, int colour);
// A row for each thread of each device.
std::string TimelineChart(const TracedStep& trace);

}  // namespace report
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_REPORT_CHART_H_
