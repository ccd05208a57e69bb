#include "tests/runtime/allocation_counter.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace warpbeam {
namespace {

constexpr int kFrames = 24;
constexpr int kSites = 1024;
constexpr size_t kShownFrames = 6;

struct Entry {
  void* frames[kFrames];
  int num_frames;
  int64_t count;
  int64_t bytes;
};

std::atomic<bool> counting{false};
std::mutex table_mutex;
Entry table[kSites];  // the last one is for what finds no place
int num_entries = 0;

// Looking at the stack may allocate, too.
thread_local bool inside = false;

__attribute__((noinline)) void Enter(size_t bytes) {
  if (!counting.load(std::memory_order_relaxed) || inside) return;
  inside = true;
  void* frames[kFrames];
  const int n = backtrace(frames, kFrames);
  {
    std::lock_guard<std::mutex> lock(table_mutex);
    int at = 0;
    while (at < num_entries && !(table[at].num_frames == n &&
                                 memcmp(table[at].frames, frames, n * sizeof(void*)) == 0)) {
      ++at;
    }
    if (at == num_entries) {
      at = std::min(num_entries, kSites - 1);
      num_entries = at + 1;
      table[at].num_frames = at == kSites - 1 ? 0 : n;
      std::copy(frames, frames + n, table[at].frames);
    }
    ++table[at].count;
    table[at].bytes += static_cast<int64_t>(bytes);
  }
  inside = false;
}

// The functions of this program, by address: dladdr knows only what is exported.
class Symbols {
 public:
  Symbols() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    Dl_info own;
    if (bytes_.size() < sizeof(Elf64_Ehdr) || dladdr(reinterpret_cast<void*>(&Enter), &own) == 0) {
      return;
    }
    base_ = own.dli_fbase;
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes_.data());
    const uint64_t shift = header->e_type == ET_DYN ? reinterpret_cast<uint64_t>(base_) : 0;
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes_.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB) continue;
      const char* names = bytes_.data() + sections[sections[i].sh_link].sh_offset;
      const auto* first = reinterpret_cast<const Elf64_Sym*>(bytes_.data() + sections[i].sh_offset);
      for (const auto* s = first; s < first + sections[i].sh_size / sizeof(Elf64_Sym); ++s) {
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_value == 0) continue;
        symbols_.push_back({s->st_value + shift, names + s->st_name});
      }
    }
    std::sort(symbols_.begin(), symbols_.end());
  }

  bool IsOwn(const Dl_info& info) const { return info.dli_fbase == base_; }
  // What is returned to at `address`; the call is right before.
  std::string NameOf(const Dl_info& info, void* address) const {
    const char* name = info.dli_sname;
    if (IsOwn(info)) {
      const auto after =
          std::upper_bound(symbols_.begin(), symbols_.end(),
                           std::make_pair(reinterpret_cast<uint64_t>(address) - 1,
                                          static_cast<const char*>(nullptr)),
                           [](const auto& a, const auto& b) { return a.first < b.first; });
      name = after == symbols_.begin() ? nullptr : std::prev(after)->second;
    }
    const std::string module = info.dli_fname == nullptr ? "?" : info.dli_fname;
    const std::string where =
        IsOwn(info) ? "" : absl::StrCat(" in ", module.substr(module.rfind('/') + 1));
    if (name == nullptr) return absl::StrCat("?", where);
    int status = 0;
    char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = absl::StrCat(status == 0 ? readable : name, where);
    free(readable);
    return text;
  }

 private:
  std::string bytes_;
  const void* base_ = nullptr;
  std::vector<std::pair<uint64_t, const char*>> symbols_;
};

bool IsRunTime(const Dl_info& info) {
  if (info.dli_fname == nullptr) return false;
  for (const char* part : {"libstdc++", "libc.so", "libm.so", "libgcc_s", "ld-linux", "libabsl_"}) {
    if (absl::StrContains(info.dli_fname, part)) return true;
  }
  return false;
}

AllocationSite SiteOf(const Entry& entry, const Symbols& symbols) {
  AllocationSite site;
  site.count = entry.count;
  site.bytes = entry.bytes;
  site.ours = entry.num_frames == 0;
  // The first frames are this hook and the function that it stands for.
  constexpr int kHookFrames = 2;
  for (int i = kHookFrames; i < entry.num_frames && site.frames.size() < kShownFrames; ++i) {
    Dl_info info = {};
    dladdr(entry.frames[i], &info);
    if (site.frames.empty()) {
      if (IsRunTime(info)) continue;
      site.ours = symbols.IsOwn(info);
    }
    site.frames.push_back(symbols.NameOf(info, entry.frames[i]));
  }
  return site;
}

}  // namespace

std::string AllocationSite::ToString() const {
  return absl::StrCat(ours ? "ours" : "a library's", ": ", count, " allocations of ", bytes,
                      " bytes at\n    ", absl::StrJoin(frames, "\n    called by "), "\n");
}

void AllocationCounter::Start() {
  void* frames[kFrames];
  backtrace(frames, kFrames);  // the first time, it loads what it needs
  std::lock_guard<std::mutex> lock(table_mutex);
  memset(table, 0, sizeof(table));
  num_entries = 0;
  counting.store(true);
}

std::vector<AllocationSite> AllocationCounter::Stop() {
  counting.store(false);
  static const auto* const symbols = new Symbols;
  std::lock_guard<std::mutex> lock(table_mutex);
  std::vector<AllocationSite> sites;
  for (int i = 0; i < num_entries; ++i) sites.push_back(SiteOf(table[i], *symbols));
  std::stable_sort(
      sites.begin(), sites.end(),
      [](const AllocationSite& a, const AllocationSite& b) { return a.count > b.count; });
  return sites;
}

}  // namespace warpbeam

// In the place of the C library's functions, which go on under these names.
extern "C" {

void* __libc_malloc(size_t bytes);
void __libc_free(void* block);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) noexcept {
  warpbeam::Enter(bytes);
  return __libc_malloc(bytes);
}
void free(void* block) noexcept { __libc_free(block); }
void* calloc(size_t count, size_t bytes) noexcept {
  warpbeam::Enter(count * bytes);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) noexcept {
  warpbeam::Enter(bytes);
  return __libc_realloc(block, bytes);
}
void* memalign(size_t alignment, size_t bytes) noexcept {
  warpbeam::Enter(bytes);
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  warpbeam::Enter(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  warpbeam::Enter(bytes);
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

}  // extern "C"
