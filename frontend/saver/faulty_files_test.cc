// A save that fails or ends at any of its file system calls leaves a checkpoint that restores.
//
// The calls that change files are replaced in this binary. Outside of a test's folder, and without
// a fault, they do what they always do.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/saver/saver.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/checkpoint/block_file.h"
#include "runtime/checkpoint/bundle_reader.h"

namespace warpbeam {
namespace {

enum class Fault {
  kNone,
  kFails,      // one call does nothing and says EIO
  kDiskFull,   // from that call on, whatever takes room says ENOSPC
  kKilled,     // from that call on nothing happens any more
  kPowerLost,  // the same, and what was not synced is gone
};

// The files of one folder, as they would be on a disk.
class FaultyFiles {
 public:
  static FaultyFiles& Get() {
    static auto* const files = new FaultyFiles();
    return *files;
  }
  void Begin(const std::string& folder, Fault fault, int at_call) {
    std::lock_guard<std::mutex> lock(mutex_);
    folder_ = folder;
    fault_ = fault;
    at_call_ = at_call;
    calls_ = 0;
    has_hit_ = is_dead_ = false;
    unsynced_.clear();
    open_.clear();
  }
  // Whether the fault came.
  bool End() {
    std::lock_guard<std::mutex> lock(mutex_);
    folder_.clear();
    if (is_dead_ && fault_ == Fault::kPowerLost) {
      for (const std::string& path : unsynced_) {
        if (::truncate(path.c_str(), 0) != 0) continue;
      }
    }
    return has_hit_;
  }

  // 0, or the errno that the call is to fail with.
  int Meet(bool takes_room) {
    ++calls_;
    if (is_dead_) return EIO;
    const bool is_now = calls_ == at_call_;
    has_hit_ = has_hit_ || is_now;
    switch (fault_) {
      case Fault::kNone:
        return 0;
      case Fault::kFails:
        return is_now ? EIO : 0;
      case Fault::kDiskFull:
        return takes_room && calls_ >= at_call_ ? ENOSPC : 0;
      case Fault::kKilled:
      case Fault::kPowerLost:
        is_dead_ = is_now;
        return is_now ? EIO : 0;
    }
    return 0;
  }
  // From now on nothing is opened for writing in the folder until Release: a very slow disk.
  void Hold(const std::string& folder) {
    std::lock_guard<std::mutex> lock(mutex_);
    held_folder_ = folder;
  }
  void Release() {
    std::lock_guard<std::mutex> lock(mutex_);
    held_folder_.clear();
    released_.notify_all();
  }
  void PassGate(const std::string& path) {
    std::unique_lock<std::mutex> lock(mutex_);
    released_.wait(lock, [&] {
      return held_folder_.empty() || path.compare(0, held_folder_.size(), held_folder_) != 0;
    });
  }
  bool IsInside(const char* path) const {
    return !folder_.empty() && std::string(path).compare(0, folder_.size(), folder_) == 0;
  }
  bool IsOpen(int descriptor) const { return !folder_.empty() && open_.count(descriptor) > 0; }

  std::mutex mutex_;
  std::map<int, std::string> open_;  // for writing
  std::set<std::string> unsynced_;

 private:
  std::string folder_, held_folder_;
  std::condition_variable released_;
  Fault fault_ = Fault::kNone;
  int at_call_ = 0, calls_ = 0;
  bool has_hit_ = false, is_dead_ = false;
};

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The real call on a path, unless the fault comes.
template <typename Call>
int OnPath(const char* path, bool takes_room, Call call) {
  FaultyFiles& files = FaultyFiles::Get();
  std::lock_guard<std::mutex> lock(files.mutex_);
  const int error = files.IsInside(path) ? files.Meet(takes_room) : 0;
  if (error == 0) return call(files);
  errno = error;
  return -1;
}

}  // namespace
}  // namespace warpbeam

using warpbeam::FaultyFiles;
using warpbeam::OnPath;
using warpbeam::Real;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  static const auto real = Real<int (*)(const char*, int, ...)>("open");
  if ((flags & O_ACCMODE) == O_RDONLY) return real(path, flags, mode);
  FaultyFiles::Get().PassGate(path);
  return OnPath(path, true, [&](FaultyFiles& files) {
    const int descriptor = real(path, flags, mode);
    if (descriptor >= 0 && files.IsInside(path)) {
      files.open_[descriptor] = path;
      files.unsynced_.insert(path);
    }
    return descriptor;
  });
}

ssize_t write(int descriptor, const void* data, size_t size) {
  static const auto real = Real<ssize_t (*)(int, const void*, size_t)>("write");
  FaultyFiles& files = FaultyFiles::Get();
  {
    std::lock_guard<std::mutex> lock(files.mutex_);
    if (files.IsOpen(descriptor)) {
      const int error = files.Meet(true);
      if (error != 0) {
        // Half of it gets there.
        if (error == ENOSPC && real(descriptor, data, size / 2) < 0) return -1;
        errno = error;
        return -1;
      }
      files.unsynced_.insert(files.open_[descriptor]);
    }
  }
  return real(descriptor, data, size);
}

int fsync(int descriptor) {
  FaultyFiles& files = FaultyFiles::Get();
  std::lock_guard<std::mutex> lock(files.mutex_);
  if (!files.IsOpen(descriptor)) return 0;  // a directory: its names are never lost here
  errno = files.Meet(false);
  if (errno != 0) return -1;
  files.unsynced_.erase(files.open_[descriptor]);
  return 0;
}

int close(int descriptor) {
  static const auto real = Real<int (*)(int)>("close");
  FaultyFiles& files = FaultyFiles::Get();
  std::lock_guard<std::mutex> lock(files.mutex_);
  int error = 0;
  if (files.IsOpen(descriptor)) {
    error = files.Meet(false);
    files.open_.erase(descriptor);
  }
  const int result = real(descriptor);
  if (error == 0) return result;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = Real<int (*)(const char*, const char*)>("rename");
  return OnPath(from, false, [&](FaultyFiles& files) {
    const int result = real(from, to);
    if (result == 0) {
      files.unsynced_.erase(to);
      if (files.unsynced_.erase(from) > 0) files.unsynced_.insert(to);
    }
    return result;
  });
}

int unlink(const char* path) noexcept {
  static const auto real = Real<int (*)(const char*)>("unlink");
  return OnPath(path, false, [&](FaultyFiles& files) {
    files.unsynced_.erase(path);
    return real(path);
  });
}

int remove(const char* path) noexcept {
  static const auto real = Real<int (*)(const char*)>("remove");
  return OnPath(path, false, [&](FaultyFiles& files) {
    files.unsynced_.erase(path);
    return real(path);
  });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = Real<int (*)(const char*, mode_t)>("mkdir");
  return OnPath(path, true, [&](FaultyFiles&) { return real(path, mode); });
}

int rmdir(const char* path) noexcept {
  static const auto real = Real<int (*)(const char*)>("rmdir");
  return OnPath(path, false, [&](FaultyFiles&) { return real(path); });
}

}  // extern "C"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;

std::string FaultyFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/faulty_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

struct FaultyModel {
  explicit FaultyModel(const SaverOptions& options, int64_t size = 3) {
    w = GetVariable(root.Device("/cpu:0"), "w", {size}, ConstantInitializer(1));
    b = GetVariable(root.Device("/gpu:0"), "b", {}, ConstantInitializer(1));
    const Output one = Constant(root, 1, DType::kFloat, *Shape::Make({size}));
    up = Group(root, {BuildOp(root, "AssignAdd", {w, one}), BuildOp(root, "AssignAdd", {b, 1.0f})});
    init = GlobalVariablesInitializer(root);
    saver.emplace(root, options);
    session.emplace(root);
  }
  // What both variables are; 0 where they differ.
  int Value() {
    const auto out = session->Run({w, b});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return 0;
    const float value = (*out)[0].data<float>()[2];
    return value == (*out)[1].scalar<float>() ? static_cast<int>(value) : 0;
  }
  int Restored(const std::string& folder) {
    const auto latest = LatestCheckpoint(folder);
    EXPECT_TRUE(latest.ok()) << latest.status();
    if (!latest.ok()) return 0;
    const Status s = saver->Restore(*session, *latest);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? Value() : 0;
  }

  const Scope root = Scope::NewRoot();
  Variable w, b;
  Operation up, init;
  std::optional<Saver> saver;
  std::optional<ClientSession> session;
};

struct Case {
  const char* name;
  SaverOptions options;
  bool has_steps;  // a new prefix for each save, or the same one
  bool in_background = false;
  int64_t size = 3;  // of a variable
  int stride = 1;    // a fault at every so manieth call
};

// Saves 1, then 2 with a fault at every call in turn.
void ExpectSurvives(const Case& c, Fault fault) {
  bool is_over = false;
  int at = 1;
  for (; !is_over && at < 400; at += c.stride) {
    SCOPED_TRACE(absl::StrCat(c.name, ", fault ", static_cast<int>(fault), " at call ", at));
    const std::string folder = FaultyFolder("disk"), path = folder + "/m";
    FaultyModel model(c.options, c.size);
    ASSERT_TRUE(model.session->Run({model.init}).ok());
    const auto step = [&](int64_t n) {
      return c.has_steps ? std::optional<int64_t>(n) : std::nullopt;
    };
    ASSERT_TRUE(model.saver->Save(*model.session, path, step(1)).ok());
    ASSERT_TRUE(model.session->Run({model.up}).ok());
    FaultyFiles::Get().Begin(folder, fault, at);
    Status saved;
    if (c.in_background) {
      saved = model.saver->SaveInBackground(*model.session, path, step(2)).status();
      ASSERT_TRUE(model.session->Run({model.up}).ok());  // what is saved stays 2
      if (saved.ok()) saved = model.saver->Wait();
    } else {
      saved = model.saver->Save(*model.session, path, step(2)).status();
    }
    is_over = !FaultyFiles::Get().End();
    if (is_over) {
      ASSERT_TRUE(saved.ok()) << saved;
    }
    // Another process begins where this one ended.
    model.saver.reset();
    FaultyModel next(c.options, c.size);
    const int value = next.Restored(folder);
    EXPECT_TRUE(value == 1 || value == 2) << value;
    if (saved.ok() && fault != Fault::kPowerLost) {
      EXPECT_EQ(value, 2);
    }
    // The next save repairs everything.
    ASSERT_TRUE(next.session->Run({next.init}).ok());
    const auto again = next.saver->Save(*next.session, path, step(3));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(next.Restored(folder), 1);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      // Half a list of checkpoints stays as long as its writer, this process, lives.
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name[0] != 'm' || name.find(".writing-") == std::string::npos) << name;
    }
  }
  EXPECT_GT(at, 15);
  EXPECT_TRUE(is_over);
}

const Case kCases[] = {
    {"same prefix", SaverOptions(), false},
    {"same prefix, sharded", SaverOptions().sharded(true), false},
    {"new prefix, one kept", SaverOptions().max_to_keep(1), true},
    {"new prefix, sharded, one kept", SaverOptions().sharded(true).max_to_keep(1), true},
    {"in the background", SaverOptions().max_to_keep(1), true, true},
    {"in the background, same prefix, sharded", SaverOptions().sharded(true), false, true},
};
// Of several blocks (runtime/checkpoint/block_file.h).
const Case kLarge = {"large, in the background",
                     SaverOptions().max_to_keep(1),
                     true,
                     true,
                     (2 * BlockFile::kBlockBytes + 12345) / 4,
                     5};

TEST(FaultyFilesTest, ACallThatFails) {
  for (const Case& c : kCases) ExpectSurvives(c, Fault::kFails);
}
TEST(FaultyFilesTest, AFullDisk) {
  for (const Case& c : kCases) ExpectSurvives(c, Fault::kDiskFull);
}
TEST(FaultyFilesTest, ALargeSaveFails) {
  ExpectSurvives(kLarge, Fault::kDiskFull);
  ExpectSurvives(kLarge, Fault::kKilled);
}
TEST(FaultyFilesTest, KilledAtACall) {
  for (const Case& c : kCases) ExpectSurvives(c, Fault::kKilled);
}
TEST(FaultyFilesTest, ThePowerGoesAtACall) {
  for (const Case& c : kCases) ExpectSurvives(c, Fault::kPowerLost);
}

TEST(FaultyFilesTest, AFullDiskIsSaidSo) {
  const std::string folder = FaultyFolder("full");
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  ASSERT_TRUE(model.saver->Save(*model.session, folder + "/m").ok());
  FaultyFiles::Get().Begin(folder, Fault::kDiskFull, 1);
  const Status s = model.saver->Save(*model.session, folder + "/m").status();
  EXPECT_TRUE(FaultyFiles::Get().End());
  EXPECT_TRUE(IsResourceExhausted(s)) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr(folder));
}

// Nothing of the checkpoint has been read or written yet when steps go on.
TEST(BackgroundTest, StepsGoOnWhileTheDiskIsSlow) {
  const std::string folder = FaultyFolder("slow"), path = folder + "/m";
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  ASSERT_TRUE(model.saver->SaveInBackground(*model.session, path, 1).ok());
  ASSERT_TRUE(model.saver->Wait().ok());
  FaultyFiles::Get().Hold(folder);
  const auto saved = model.saver->SaveInBackground(*model.session, path, 2);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_EQ(*saved, path + "-2");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(model.session->Run({model.up}).ok());
  EXPECT_TRUE(model.saver->IsSaving());
  EXPECT_FALSE(CheckpointExists(path + "-2"));
  EXPECT_EQ(*LatestCheckpoint(folder), path + "-1");
  const Status late = model.saver->Wait(0.02);
  EXPECT_TRUE(IsDeadlineExceeded(late)) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("m-2' is still being written"));
  // The session is not needed any more.
  EXPECT_EQ(model.Value(), 6);
  model.session.reset();
  FaultyFiles::Get().Release();
  const Status written = model.saver->Wait();
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_FALSE(model.saver->IsSaving());
  EXPECT_EQ(*LatestCheckpoint(folder), path + "-2");
  FaultyModel next((SaverOptions()));
  EXPECT_EQ(next.Restored(folder), 1);
}

TEST(BackgroundTest, ASecondSaveWaitsForTheFirst) {
  const std::string folder = FaultyFolder("second"), path = folder + "/m";
  FaultyModel model(SaverOptions().max_to_keep(2));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  FaultyFiles::Get().Hold(folder);
  ASSERT_TRUE(model.saver->SaveInBackground(*model.session, path, 1).ok());
  std::atomic<bool> is_first_written{false};
  std::thread disk([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    is_first_written = true;
    FaultyFiles::Get().Release();
  });
  ASSERT_TRUE(model.session->Run({model.up}).ok());
  ASSERT_TRUE(model.saver->SaveInBackground(*model.session, path, 2).ok());
  EXPECT_TRUE(is_first_written);
  EXPECT_TRUE(CheckpointExists(path + "-1"));
  disk.join();
  ASSERT_TRUE(model.session->Run({model.up}).ok());
  ASSERT_TRUE(model.saver->Save(*model.session, path, 3).ok());
  const auto state = ReadCheckpointState(folder);
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->all.size(), 2u);
  EXPECT_EQ(state->all[0].prefix, path + "-2");
  EXPECT_FALSE(CheckpointExists(path + "-1"));
  EXPECT_EQ(model.Restored(folder), 3);
}

TEST(BackgroundTest, AnErrorIsToldOnce) {
  const std::string folder = FaultyFolder("told"), path = folder + "/m";
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  const auto fail = [&](int step) {
    FaultyFiles::Get().Begin(folder, Fault::kDiskFull, 1);
    ASSERT_TRUE(model.saver->SaveInBackground(*model.session, path, step).ok());
    model.saver->WaitUntilIdle();
    EXPECT_TRUE(FaultyFiles::Get().End());
  };
  ASSERT_TRUE(model.saver->Save(*model.session, path, 0).ok());
  fail(1);
  const Status next = model.saver->SaveInBackground(*model.session, path, 2).status();
  EXPECT_TRUE(IsResourceExhausted(next)) << next;
  EXPECT_THAT(std::string(next.message()), HasSubstr("m-1' was not saved in the background"));
  EXPECT_FALSE(model.saver->IsSaving());
  EXPECT_TRUE(model.saver->Wait().ok());
  EXPECT_EQ(*LatestCheckpoint(folder), path + "-0");
  fail(3);
  EXPECT_TRUE(IsResourceExhausted(model.saver->Save(*model.session, path, 4).status()));
  EXPECT_FALSE(CheckpointExists(path + "-4"));
  EXPECT_TRUE(model.saver->Save(*model.session, path, 5).ok());
  fail(6);
  EXPECT_TRUE(IsResourceExhausted(model.saver->Wait()));
  fail(7);
  ::testing::internal::CaptureStderr();
  model.saver.reset();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("m-7' was not saved"));
}

TEST(BackgroundTest, TheSaverWaitsAtItsEnd) {
  const std::string folder = FaultyFolder("end"), path = folder + "/m";
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  ASSERT_TRUE(model.saver->SaveInBackground(*model.session, path, 1).ok());
  model.saver.reset();
  EXPECT_EQ(*LatestCheckpoint(folder), path + "-1");
}

// Saved over, the data has the other of two names, in turn, and nothing is left over.
TEST(SaveOverTest, TakesTheOtherName) {
  const std::string folder = FaultyFolder("over"), path = folder + "/m";
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(model.saver->Save(*model.session, path).ok());
    const auto reader = BundleReader::Open(path);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ((*reader)->header().num_shards, i % 2 == 0 ? 1 : 2);
    EXPECT_EQ(std::filesystem::exists(path + ".data-00000-of-00001"), i % 2 == 0);
    EXPECT_EQ(std::filesystem::exists(path + ".data-00000-of-00002"), i % 2 == 1);
    EXPECT_EQ(model.Restored(folder), 1);
  }
}

TEST(WriterLockTest, AnotherWriterIsRefused) {
  const std::string folder = FaultyFolder("lock"), path = folder + "/m";
  FaultyModel model((SaverOptions()));
  ASSERT_TRUE(model.session->Run({model.init}).ok());
  // What another process would do.
  const int other = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_GE(other, 0);
  ASSERT_EQ(::write(other, "4711\n", 5), 5);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const Status s = model.saver->Save(*model.session, path, 1).status();
  EXPECT_TRUE(IsFailedPrecondition(s)) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("another writer (process 4711)"));
  EXPECT_FALSE(CheckpointExists(path + "-1"));
  ::close(other);
  EXPECT_TRUE(model.saver->Save(*model.session, path, 1).ok());
  // Savers of one process share it; the last one lets go.
  FaultyModel second((SaverOptions()));
  ASSERT_TRUE(second.session->Run({second.init}).ok());
  EXPECT_TRUE(second.saver->Save(*second.session, path, 2).ok());
  model.saver.reset();
  EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
  second.saver.reset();
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
