// What training leaves on the disk, read as other programs read it: as the messages themselves.
#include <filesystem>
#include <fstream>

#include "frontend/warpbeam.h"
#include "graph/graph.h"
#include "gtest/gtest.h"
#include "proto/event.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/queue_runner.pb.h"
#include "proto/variable.pb.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/saved_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::vector<tensorflow::Event> EventsOf(const std::string& path) {
  std::vector<tensorflow::Event> events;
  auto reader = RecordReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  absl::string_view record;
  while (reader.ok()) {
    const auto more = (*reader)->Next(&record);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    events.emplace_back();
    EXPECT_TRUE(events.back().ParseFromArray(record.data(), static_cast<int>(record.size())));
  }
  return events;
}

TEST(EventFileTest, HoldsVersionGraphAndSummaries) {
  const Scope root = Scope::NewRoot();
  summary::Scalar(root, "loss", 1.5f);
  summary::Text(root, "note", "hello");
  const Output all = summary::MergeAll(root);
  ClientSession session(root);
  const auto fetched = session.Run({all});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  auto writer = summary::FileWriter::Open(NewFolder("events"));
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->AddGraph(root).ok());
  ASSERT_TRUE((*writer)->AddSummary((*fetched)[0], 42).ok());
  ASSERT_TRUE((*writer)->AddScalar("rate", 0.25f, 43).ok());
  ASSERT_TRUE((*writer)->AddRunMetadata("", "step 43", 43).ok());
  ASSERT_TRUE((*writer)->AddSessionLog(summary::SessionStatus::kCheckpoint, 44, "/m-44").ok());
  ASSERT_TRUE((*writer)->Close().ok());

  const std::vector<tensorflow::Event> events = EventsOf((*writer)->path());
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  tensorflow::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString(events[1].graph_def()));
  EXPECT_EQ(graph.node_size(), root.graph()->num_nodes());
  EXPECT_EQ(events[2].step(), 42);
  EXPECT_GT(events[2].wall_time(), 1.7e9);
  ASSERT_EQ(events[2].summary().value_size(), 2);
  EXPECT_EQ(events[2].summary().value(0).tag(), "loss");
  EXPECT_EQ(events[2].summary().value(0).simple_value(), 1.5f);
  EXPECT_EQ(events[2].summary().value(1).tag(), "note");
  EXPECT_EQ(events[2].summary().value(1).metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(events[2].summary().value(1).tensor().string_val(0), "hello");
  EXPECT_EQ(events[3].summary().value(0).simple_value(), 0.25f);
  EXPECT_EQ(events[4].tagged_run_metadata().tag(), "step 43");
  EXPECT_EQ(events[5].session_log().checkpoint_path(), "/m-44");
  EXPECT_EQ(events[5].session_log().status(), tensorflow::SessionLog::CHECKPOINT);
}

TEST(MetaGraphFileTest, SaysWhatTensorFlowNeeds) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {2}, ZerosInitializer());
  const Variable fixed = GetVariable(root, "fixed", {2}, GetVariableOptions().trainable(false));
  const Operation train = NoOp(root.Named("train"));
  AddToCollection(root, GraphKeys::kTrainOp, train);
  train::StringInputProducer(root, {"a", "b"});
  train::Saver saver(root);
  const std::string path = NewFolder("meta") + "/m.meta";
  const Status exported = train::ExportMetaGraph(root, path, &saver);
  ASSERT_TRUE(exported.ok()) << exported;

  std::ifstream file(path, std::ios::binary);
  tensorflow::MetaGraphDef meta;
  ASSERT_TRUE(meta.ParseFromIstream(&file));
  EXPECT_EQ(meta.graph_def().node_size(), root.graph()->num_nodes());
  EXPECT_EQ(meta.saver_def().restore_op_name(), "save/restore_all");
  EXPECT_GT(meta.meta_info_def().stripped_op_list().op_size(), 5);
  const auto& collections = meta.collection_def();
  EXPECT_EQ(collections.at("train_op").node_list().value(0), "train");
  ASSERT_EQ(collections.at("variables").bytes_list().value_size(), 2);
  ASSERT_EQ(collections.at("trainable_variables").bytes_list().value_size(), 1);
  tensorflow::VariableDef variable;
  ASSERT_TRUE(variable.ParseFromString(collections.at("variables").bytes_list().value(0)));
  EXPECT_EQ(variable.variable_name(), "w:0");
  EXPECT_EQ(variable.initializer_name(), "w/Assign");
  EXPECT_EQ(variable.snapshot_name(), "w/read:0");
  EXPECT_EQ(variable.initial_value_name(), w.initial_value().name());
  EXPECT_TRUE(variable.trainable());
  ASSERT_TRUE(variable.ParseFromString(collections.at("variables").bytes_list().value(1)));
  EXPECT_EQ(variable.variable_name(), fixed.name() + ":0");
  EXPECT_FALSE(variable.trainable());
  tensorflow::QueueRunnerDef runner;
  ASSERT_TRUE(runner.ParseFromString(collections.at("queue_runners").bytes_list().value(0)));
  EXPECT_EQ(runner.enqueue_op_name_size(), 1);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
