// Interrupt: Ctrl-C as a question that long work may ask, and not the end of the program.
//
//   const Interrupt interrupt;                  // while it lives
//   options.stop = interrupt.asked();
//
// A second Ctrl-C ends the program, as without it. Ownership: at most one at a time. Thread safety:
// asked() from any thread.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_INTERRUPT_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_INTERRUPT_H_

#include <signal.h>

#include <atomic>

namespace warpbeam {
namespace cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>* asked() const;

 private:
  struct sigaction before_ = {};
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_INTERRUPT_H_
