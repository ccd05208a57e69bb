#include "examples/speed_up.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace warpbeam {
namespace examples {
namespace {

constexpr double kWidth = 480, kHeight = 360, kMargin = 56;

double SpeedUp(const std::vector<SpeedOfDevices>& speeds, size_t i) {
  const double first = speeds[0].examples_per_second;
  return first > 0 ? speeds[i].examples_per_second / first : 0;
}

// The perfect one.
double Ideal(const std::vector<SpeedOfDevices>& speeds, size_t i) {
  return static_cast<double>(speeds[i].devices) / speeds[0].devices;
}

// Where numbers are in the picture.
class Axes {
 public:
  explicit Axes(const std::vector<SpeedOfDevices>& speeds) {
    for (size_t i = 0; i < speeds.size(); ++i) {
      most_devices_ = std::max(most_devices_, speeds[i].devices);
      most_speed_up_ = std::max({most_speed_up_, SpeedUp(speeds, i), Ideal(speeds, i)});
    }
  }
  double X(double devices) const {
    return kMargin + devices / most_devices_ * (kWidth - 2 * kMargin);
  }
  double Y(double speed_up) const {
    return kHeight - kMargin - speed_up / most_speed_up_ * (kHeight - 2 * kMargin);
  }
  int most_devices() const { return most_devices_; }
  double most_speed_up() const { return most_speed_up_; }

 private:
  int most_devices_ = 1;
  double most_speed_up_ = 1;
};

void Text(std::string* svg, double x, double y, const char* anchor, const std::string& text) {
  absl::StrAppendFormat(svg,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-family=\"sans-serif\" "
                        "font-size=\"13\" fill=\"#333\">%s</text>\n",
                        x, y, anchor, text);
}

void Line(std::string* svg, const std::vector<std::pair<double, double>>& points,
          const char* style) {
  absl::StrAppend(svg, "<polyline fill=\"none\" ", style, " points=\"");
  for (const auto& [x, y] : points) absl::StrAppendFormat(svg, "%.1f,%.1f ", x, y);
  absl::StrAppend(svg, "\"/>\n");
}

void DrawAxes(std::string* svg, const Axes& axes) {
  Line(svg,
       {{kMargin, kMargin}, {kMargin, kHeight - kMargin}, {kWidth - kMargin, kHeight - kMargin}},
       "stroke=\"#333\"");
  for (int devices = 1; devices <= axes.most_devices(); ++devices) {
    Text(svg, axes.X(devices), kHeight - kMargin + 18, "middle", absl::StrCat(devices));
  }
  for (int speed_up = 1; speed_up <= axes.most_speed_up(); ++speed_up) {
    Text(svg, kMargin - 8, axes.Y(speed_up) + 4, "end", absl::StrCat(speed_up, "x"));
    Line(svg, {{kMargin, axes.Y(speed_up)}, {kWidth - kMargin, axes.Y(speed_up)}},
         "stroke=\"#ddd\"");
  }
  Text(svg, kWidth / 2, kHeight - 14, "middle", "devices");
  Text(svg, kWidth / 2, kMargin / 2 + 4, "middle",
       "speed-up of training (dashed: as many times as devices)");
}

}  // namespace

std::string SpeedUpTable(const std::vector<SpeedOfDevices>& speeds) {
  std::string table = "devices  examples/sec  speed-up\n";
  for (size_t i = 0; i < speeds.size(); ++i) {
    absl::StrAppendFormat(&table, "%7d  %12.1f  %7.2fx\n", speeds[i].devices,
                          speeds[i].examples_per_second, SpeedUp(speeds, i));
  }
  return table;
}

std::string SpeedUpPlot(const std::vector<SpeedOfDevices>& speeds) {
  const Axes axes(speeds);
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  DrawAxes(&svg, axes);
  std::vector<std::pair<double, double>> ideal, measured;
  for (size_t i = 0; i < speeds.size(); ++i) {
    ideal.emplace_back(axes.X(speeds[i].devices), axes.Y(Ideal(speeds, i)));
    measured.emplace_back(axes.X(speeds[i].devices), axes.Y(SpeedUp(speeds, i)));
  }
  Line(&svg, ideal, "stroke=\"#888\" stroke-dasharray=\"6 4\"");
  Line(&svg, measured, "stroke=\"#1f6fb4\" stroke-width=\"2\"");
  for (size_t i = 0; i < speeds.size(); ++i) {
    const auto& [x, y] = measured[i];
    absl::StrAppendFormat(&svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#1f6fb4\"/>\n", x,
                          y);
    Text(&svg, x, y - 10, "middle", absl::StrFormat("%.2fx", SpeedUp(speeds, i)));
  }
  return svg + "</svg>\n";
}

Status WriteSpeedUpPlot(const std::vector<SpeedOfDevices>& speeds, const std::string& path) {
  if (speeds.empty()) return InvalidArgument("no speeds to plot");
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  const std::string svg = SpeedUpPlot(speeds);
  const bool whole = std::fwrite(svg.data(), 1, svg.size(), file) == svg.size();
  if (std::fclose(file) != 0 || !whole) {
    return ErrnoToStatus(errno != 0 ? errno : EIO, absl::StrCat("cannot write ", path));
  }
  return OkStatus();
}

}  // namespace examples
}  // namespace warpbeam
