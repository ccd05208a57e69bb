// What most sources include of the standard library and of Abseil, parsed once
// (tools/bazel/precompiled_header.bzl) instead of five hundred times. The build puts it before the
// first line of every source; no file includes it, and a source still includes what it uses: the
// sanitizer builds compile without it. System headers only, so that no change in the repository
// compiles everything again. A header belongs here if a fifth of the sources see it.
#ifndef WARPBEAM_TOOLS_PCH_SYSTEM_H_
#define WARPBEAM_TOOLS_PCH_SYSTEM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#endif  // WARPBEAM_TOOLS_PCH_SYSTEM_H_
