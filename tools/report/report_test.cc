// Event files as the frontend writes them become a page.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "frontend/summary/event.h"
#include "gmock/gmock.h"
#include "graph/io/graph_export.h"
#include "gtest/gtest.h"
#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "runtime/record/record_writer.h"
#include "tools/report/chart.h"
#include "tools/report/page.h"

namespace warpbeam {
namespace report {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string NewFolder(const std::string& name) {
  const fs::path path = fs::path(::testing::TempDir()) / ("report_" + name);
  fs::remove_all(path);
  fs::create_directories(path);
  return path.string();
}

class EventFile {
 public:
  EventFile(const std::string& folder, int number) {
    fs::create_directories(folder);
    path_ = absl::StrCat(folder, "/events.out.tfevents.000000000", number, ".host");
    auto writer = RecordWriter::Create(path_);
    EXPECT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
  }
  ~EventFile() { EXPECT_TRUE(writer_->Close().ok()); }
  void Add(const std::string& event) { EXPECT_TRUE(writer_->Write(event).ok()); }
  void Add(const tensorflow::Event& event) { Add(event.SerializeAsString()); }
  void Scalar(int64_t step, const std::string& tag, float value) {
    Add(frontend::summary::ScalarEvent(1, step, tag, value));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<RecordWriter> writer_;
};

tensorflow::Event HistogramEvent(int64_t step, const std::string& tag) {
  tensorflow::Event event;
  event.set_step(step);
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(tag);
  auto* h = value->mutable_histo();
  h->set_min(-1);
  h->set_max(3);
  h->set_num(4);
  h->set_sum(4);
  for (const double limit : {0.0, 2.0, 1e308}) h->add_bucket_limit(limit);
  for (const double count : {1.0, 2.0, 1.0}) h->add_bucket(count);
  return event;
}

std::string Trace(int64_t step) {
  tensorflow::RunMetadata metadata;
  auto* device = metadata.mutable_step_stats()->add_dev_stats();
  device->set_device("/job:localhost/replica:0/task:0/device:GPU:1");
  for (int i = 0; i < 2; ++i) {
    auto* node = device->add_node_stats();
    node->set_node_name(absl::StrCat("layer", i, "/MatMul"));
    node->set_timeline_label(absl::StrCat("layer", i, "/MatMul = MatMul(x, w)"));
    node->set_all_start_micros(1000 + 50 * i);
    node->set_all_end_rel_micros(40);
    node->set_thread_id(3);
  }
  return frontend::summary::RunMetadataEvent(1, step, absl::StrCat("step_", step),
                                             metadata.SerializeAsString());
}

std::string SmallGraph() {
  Graph graph;
  EXPECT_TRUE(graph.AddNode({"x", "NoOp", {}, "/gpu:1", {}, {}, {}}, {}, {}).ok());
  return *ExportGraphDef(graph);
}

TEST(ReadRuns, FindsEveryRun) {
  const std::string folder = NewFolder("runs");
  {
    EventFile train(folder + "/a/train", 1), eval(folder, 1);
    for (int step = 0; step < 5; ++step) train.Scalar(step, "loss", static_cast<float>(5 - step));
    train.Add(HistogramEvent(2, "w"));
    train.Add(Trace(7));
    train.Add(frontend::summary::SessionLogEvent(
        1, 3, frontend::summary::SessionStatus::kCheckpoint, "/tmp/m-3"));
    eval.Scalar(4, "accuracy", 0.5f);
  }
  std::ofstream(folder + "/notes.txt") << "no events";
  const auto runs = ReadRuns(folder);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ((*runs)[0].name, "report_runs") << "the folder's own name";
  const report::Run& train = (*runs)[1];
  EXPECT_EQ(train.name, "a/train");
  ASSERT_EQ(train.scalars.at("loss").size(), 5u);
  EXPECT_EQ(train.scalars.at("loss")[4].value, 1);
  EXPECT_EQ(train.histograms.at("w")[0].limits.size(), 3u);
  EXPECT_THAT(train.checkpoints, ElementsAre("/tmp/m-3"));
  ASSERT_EQ(train.traces.size(), 1u);
  EXPECT_EQ(train.traces[0].length_ns, 90'000);
  const auto& bars = train.traces[0].rows.begin()->second;
  EXPECT_EQ(bars[1].op, "MatMul");
  EXPECT_EQ(bars[1].start_ns, 50'000);
}

// A program that was killed at step 6 and went on from the checkpoint of step 4.
TEST(ReadRuns, LeavesOutWhatWasDoneAgain) {
  const std::string folder = NewFolder("again");
  {
    EventFile first(folder, 1), second(folder, 2);
    for (int step = 1; step <= 6; ++step) first.Scalar(step, "loss", 100);
    second.Add(
        frontend::summary::SessionLogEvent(1, 4, frontend::summary::SessionStatus::kStart, ""));
    for (int step = 4; step <= 8; ++step) second.Scalar(step, "loss", 1);
  }
  const auto runs = ReadRuns(folder);
  ASSERT_TRUE(runs.ok()) << runs.status();
  const auto& points = (*runs)[0].scalars.at("loss");
  ASSERT_EQ(points.size(), 8u);
  EXPECT_EQ(points[2].value, 100);
  EXPECT_EQ(points[3].value, 1);
}

TEST(ReadRuns, DamagedFilesCountUpToThere) {
  const std::string folder = NewFolder("damaged");
  std::string path;
  {
    EventFile file(folder, 1);
    path = file.path();
    for (int step = 0; step < 3; ++step) file.Scalar(step, "loss", 1);
  }
  fs::resize_file(path, fs::file_size(path) - 3);
  const auto runs = ReadRuns(folder);
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ((*runs)[0].scalars.at("loss").size(), 2u);
  ASSERT_EQ((*runs)[0].notes.size(), 1u);
  EXPECT_THAT((*runs)[0].notes[0], HasSubstr(path));
  EXPECT_TRUE(IsNotFound(ReadRuns(NewFolder("none")).status()));
  EXPECT_TRUE(IsNotFound(ReadRuns(folder + "/nowhere").status()));
}

TEST(Charts, SmoothingHasNoBias) {
  const std::vector<ScalarPoint> flat = {{0, 2}, {1, 2}, {2, std::nan("")}, {3, 2}};
  const auto smooth = Smoothed(flat, 0.9);
  ASSERT_EQ(smooth.size(), 3u);
  for (const ScalarPoint& p : smooth) EXPECT_NEAR(p.value, 2, 1e-12);
  const auto step = Smoothed({{0, 0}, {1, 1}}, 0.5);
  EXPECT_NEAR(step[1].value, 2.0 / 3, 1e-12);
}

TEST(Charts, TimesHaveUnits) {
  EXPECT_EQ(TimeText(90e-6), "90 µs");
  EXPECT_EQ(TimeText(12.5e-3), "12.5 ms");
  EXPECT_EQ(TimeText(41.26), "41.3 s");
  EXPECT_EQ(TimeText(310), "5 min 10 s");
  EXPECT_EQ(TimeText(12'000), "3 h 20 min");
  TracedStep trace{"t", 1, {}, 12'000'000};
  trace.rows[{"/device:CPU:0", 1}] = {{"n", "Op", 0, 12'000'000}};
  const std::string svg = TimelineChart(trace);
  EXPECT_THAT(svg, HasSubstr(">2 ms</text>"));
  EXPECT_THAT(svg, HasSubstr("n (Op), 12 ms"));
}

TEST(Charts, ThinningKeepsPeaks) {
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({i, i == 51'234 ? 9.0 : std::sin(i * 1e-3)});
  const auto thin = Thinned(points, 1000);
  EXPECT_LE(thin.size(), 1000u);
  EXPECT_EQ(std::count_if(thin.begin(), thin.end(), [](auto& p) { return p.value == 9.0; }), 1);
  for (size_t i = 1; i < thin.size(); ++i) EXPECT_LT(thin[i - 1].step, thin[i].step);
}

TEST(Charts, HistogramsAreSpreadOverBins) {
  HistogramPoint h{0, -1, 3, 4, 4, {0, 2, 1e308}, {1, 2, 1}};
  EXPECT_THAT(Rebinned(h, -1, 3, 4), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Rebinned(h, -1, 3, 2), ElementsAre(2, 2));
  // A single value.
  EXPECT_THAT(Rebinned({0, 1, 1, 5, 5, {1.1}, {5}}, 0, 2, 4), ElementsAre(0, 0, 5, 0));
  EXPECT_THAT(Rebinned(h, 1, 1, 2), ElementsAre(0, 0));
}

TEST(Charts, LinesBreakWhereAValueIsNone) {
  const std::vector<ScalarPoint> points = {{0, 1}, {1, std::nan("")}, {2, 3}, {3, 4}};
  const std::string svg = LineChart({{"a<b", &points, 0}}, 0);
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  // One value, and no value at all.
  const std::vector<ScalarPoint> one = {{5, 1}}, none;
  EXPECT_THAT(LineChart({{"one", &one, 0}}, 0.6), HasSubstr("h0"));
  EXPECT_THAT(LineChart({{"none", &none, 0}}, 0.6), Not(HasSubstr("inf")));
}

TEST(Pages, HaveEverything) {
  const std::string folder = NewFolder("page");
  {
    EventFile a(folder + "/a", 1), b(folder + "/b<", 1);
    for (int step = 0; step < 30; ++step) {
      a.Scalar(step, "train/loss", 1.0f / static_cast<float>(step + 1));
      b.Scalar(step, "train/loss", step == 7 ? NAN : 2.0f / static_cast<float>(step + 1));
      if (step % 10 == 0) a.Add(HistogramEvent(step, "w&b"));
    }
    a.Add(Trace(20));
    tensorflow::Event graph;
    graph.set_graph_def(SmallGraph());
    a.Add(graph);
    graph.set_graph_def("\x0a\xff no graph");
    b.Add(graph);
  }
  const auto runs = ReadRuns(folder);
  ASSERT_TRUE(runs.ok()) << runs.status();
  const auto page = ReportPage(*runs, PageOptions());
  ASSERT_TRUE(page.ok()) << page.status();
  for (const char* part :
       {"<h3>train/loss</h3>", "<h3>w&amp;b", "b&lt;", "layer1/MatMul (MatMul), 40 µs",
        ">step</text>", ">value</text>", "id=\"smoothing\"", "id=\"search\"",
        "a: up to step 29; train/loss went from 1 to 0.03333.", "b&lt;: up to step 29",
        "srcdoc=", "GPU:1", "1 values are NaN or infinite", "The graph cannot be placed here",
        "prefers-color-scheme: dark"}) {
    EXPECT_THAT(*page, HasSubstr(part));
  }
  // Nothing is fetched from anywhere.
  for (const char* part : {"src=\"", "href=\"http", "@import", "<link"}) {
    EXPECT_THAT(*page, Not(HasSubstr(part)));
  }
  PageOptions wrong;
  wrong.smoothing = 1;
  EXPECT_TRUE(IsInvalidArgument(ReportPage(*runs, wrong).status()));
}

}  // namespace
}  // namespace report
}  // namespace warpbeam
