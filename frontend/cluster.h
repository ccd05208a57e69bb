// What a program of a cluster needs besides frontend/warpbeam.h: tasks, sessions on them, and where
// a graph's nodes go.
//
//   #include "frontend/cluster.h"                        // and link //frontend:cluster
//   namespace wb = warpbeam::frontend;
//   auto cluster = wb::train::ClusterSpec::Parse("ps=a:2222;worker=b:2222,c:2222");
//   auto server = wb::train::Server::Create(*cluster, "worker", 0);
//   wb::SessionConfig config;
//   config.target = (*server)->target();
//   wb::ClientSession session(root, config);
//
// Programs that link it can open sessions on "grpc://" targets, their own or those of TensorFlow's
// servers. Ownership, thread safety and errors: see the headers below.
#ifndef WARPBEAM_FRONTEND_CLUSTER_H_
#define WARPBEAM_FRONTEND_CLUSTER_H_

#include "frontend/cluster/cluster_spec.h"
#include "frontend/cluster/device_setter.h"
#include "frontend/cluster/server.h"

#endif  // WARPBEAM_FRONTEND_CLUSTER_H_
