// What the sanitizers do at run time, linked into tests and programs with --config=asan and
// --config=tsan. Environment variables (ASAN_OPTIONS, ...) still come on top.

extern "C" {

const char* __asan_default_options() {
  return "detect_leaks=1:strict_init_order=1:check_initialization_order=1:"
         "detect_stack_use_after_return=1:allocator_may_return_null=1";
}

const char* __lsan_default_suppressions() {
  // Libraries only: names that gRPC's resolver keeps for the life of the process.
  return "leak:libcares.so\n";
}

const char* __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }

const char* __tsan_default_options() {
  // The distribution's libraries are not instrumented: TSan sees the memory they copy, but neither
  // their locks nor OpenMP's barriers, and would take the copies for races.
  // What a kernel that does not end in time still uses is left behind on purpose, its thread too.
  return "ignore_noninstrumented_modules=1:halt_on_error=1:second_deadlock_stack=1:"
         "allocator_may_return_null=1:report_thread_leaks=0";
}

const char* __tsan_default_suppressions() {
  // Libraries only. A name of this project has no place here: a race in its code is mended.
  return "called_from_lib:libgrpc.so\n"
         "called_from_lib:libgrpc++.so\n"
         "called_from_lib:libgomp.so\n"
         "race:libabsl_\n"
         "race:libgrpc\n"
         "race:grpc::internal::\n";  // in headers
}

}  // extern "C"
