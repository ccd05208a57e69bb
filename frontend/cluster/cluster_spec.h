// ClusterSpec (tf.train.ClusterSpec): the tasks of a cluster, as programs name it, and the cluster
// that a program is started in. For what builds graphs for a cluster without talking to it: it
// needs no gRPC.
//
//   WB_ASSIGN_OR_RETURN(const ClusterSpec cluster, ClusterSpec::Parse("ps=a:1,b:1;worker=c:1"));
//   WB_ASSIGN_OR_RETURN(const int num_ps, cluster.num_tasks("ps"));
//
//   WB_ASSIGN_OR_RETURN(const auto here, FindCluster(ProcessEnvironment(), ClusterRules()));
//   if (here.has_value() && here->is_chief()) …          // TF_CONFIG, Slurm or MPI says so
//
// Ownership, thread safety and errors: runtime/dist/cluster_spec.h and cluster_env.h there.
#ifndef WARPBEAM_FRONTEND_CLUSTER_CLUSTER_SPEC_H_
#define WARPBEAM_FRONTEND_CLUSTER_CLUSTER_SPEC_H_

#include "runtime/dist/cluster_env.h"
#include "runtime/dist/cluster_spec.h"

namespace warpbeam {
namespace frontend {
namespace train {

using ::warpbeam::ClusterRules;
using ::warpbeam::ClusterSpec;
using ::warpbeam::ClusterTask;
using ::warpbeam::FindCluster;
using ::warpbeam::ProcessEnvironment;

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CLUSTER_CLUSTER_SPEC_H_
