#include "runtime/dist/config_proto.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/config.pb.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ConfigProtoTest, SaysWhatAClientWants) {
  SessionOptions options;
  options.cpu_devices = 3;
  options.gpus = 1;
  options.inter_op_threads = 4;
  options.intra_op_threads = 5;
  options.use_per_session_threads = true;
  options.allow_soft_placement = false;
  options.log_device_placement = [](const std::string&) {};
  options.operation_timeout_ms = 700;
  options.passes = "none";
  tensorflow::ConfigProto config;
  ASSERT_TRUE(ConfigToProto(options, /*is_isolated=*/true, &config).ok());
  EXPECT_EQ(config.device_count().at("CPU"), 3);
  EXPECT_EQ(config.device_count().at("GPU"), 1);
  EXPECT_EQ(config.inter_op_parallelism_threads(), 4);
  EXPECT_EQ(config.intra_op_parallelism_threads(), 5);
  EXPECT_TRUE(config.use_per_session_threads());
  EXPECT_TRUE(config.log_device_placement());
  EXPECT_TRUE(config.isolate_session_state());
  // Without it TensorFlow's servers extend no graph.
  EXPECT_TRUE(config.experimental().disable_optimize_for_static_graph());
  // A server of ours reads the same.
  SessionOptions read;
  ASSERT_TRUE(ApplyConfig(config, &read).ok());
  EXPECT_FALSE(read.allow_soft_placement);
  EXPECT_EQ(read.operation_timeout_ms, 700);
  EXPECT_EQ(read.passes, "none");

  ASSERT_TRUE(ConfigToProto(SessionOptions(), /*is_isolated=*/false, &(config = {})).ok());
  EXPECT_EQ(config.device_count().count("GPU"), 0u) << "as many as there are";
  EXPECT_FALSE(config.log_device_placement());
  EXPECT_FALSE(config.isolate_session_state());
  SessionOptions defaults;
  ASSERT_TRUE(ApplyConfig(config, &defaults).ok());
  EXPECT_TRUE(defaults.allow_soft_placement);
  EXPECT_EQ(defaults.passes, SessionOptions().passes);
}

TEST(ConfigProtoTest, RunsAndCallablesReadBack) {
  CallableOptions options;
  options.feeds = {"x:0"};
  options.fetches = {"y:0", "z:1"};
  options.targets = {"train"};
  options.feed_devices["x:0"] = "/gpu:0";
  options.fetch_devices["y:0"] = "/gpu:1";
  options.connections = {{"a:0", "b:0"}};
  options.run.timeout_ms = 9;
  options.run.trace = TraceLevel::kFull;
  options.run.partition_graphs = true;
  options.run.inter_op_thread_pool = -1;
  options.run.collective_graph_key = 6;
  tensorflow::CallableOptions proto;
  CallableOptionsToProto(options, &proto);
  const auto read = CallableOptionsFromProto(proto);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->feeds, ElementsAre("x:0"));
  EXPECT_THAT(read->fetches, ElementsAre("y:0", "z:1"));
  EXPECT_THAT(read->targets, ElementsAre("train"));
  EXPECT_THAT(read->feed_devices, ElementsAre(Pair("x:0", "/gpu:0")));
  EXPECT_THAT(read->fetch_devices, ElementsAre(Pair("y:0", "/gpu:1")));
  EXPECT_THAT(read->connections, ElementsAre(Pair("a:0", "b:0")));
  EXPECT_EQ(read->run.timeout_ms, 9);
  EXPECT_EQ(read->run.trace, TraceLevel::kFull);
  EXPECT_TRUE(read->run.partition_graphs);
  EXPECT_EQ(read->run.inter_op_thread_pool, -1);
  EXPECT_EQ(read->run.collective_graph_key, 6);
  for (const TraceLevel level : {TraceLevel::kNone, TraceLevel::kSoftware, TraceLevel::kFull}) {
    RunOptions run;
    run.trace = level;
    tensorflow::RunOptions run_proto;
    RunOptionsToProto(run, &run_proto);
    EXPECT_EQ(RunOptionsFromProto(run_proto).trace, level);
  }
}

}  // namespace
}  // namespace warpbeam
