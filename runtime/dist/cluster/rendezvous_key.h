// RendezvousKey: what the name says under which tasks send each other a tensor.
//
//   const RendezvousKey key = RendezvousKey::Parse(request.rendezvous_key());
//   // "weights/read" from /job:ps/replica:0/task:0/device:CPU:0 to …
//
// Ownership: views of what was parsed. Thread safety: pure. Errors: none; what is not of
// TensorFlow's form ("from;incarnation;to;tensor;frame:iteration") is all tensor.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_RENDEZVOUS_KEY_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_RENDEZVOUS_KEY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace warpbeam {

struct RendezvousKey {
  absl::string_view from;  // devices; empty: it does not say
  absl::string_view to;
  absl::string_view tensor;
  absl::string_view iteration;  // "0:0" outside of loops

  static RendezvousKey Parse(absl::string_view text);
  // "'weights/read' from /job:ps/… to /job:worker/…", for people.
  std::string ToString() const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_RENDEZVOUS_KEY_H_
