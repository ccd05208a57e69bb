#!/usr/bin/env python3
"""Prints `N passed, N failed` from files that `bazel test --build_event_json_file=FILE` wrote.

Counts test targets, each once a file. A test that was asked for and has no result (it did not build, or Bazel stopped
before it) has failed. Ends with status 1 when one failed or none ran.
"""

import json
import sys


def outcomes(path):
  """Maps the label of each test of one Bazel run to whether it passed."""
  found = {}
  with open(path, encoding='utf-8') as file:
    for line in file:
      event = json.loads(line)
      identity = event.get('id', {})
      if 'testSummary' in identity:
        status = event.get('testSummary', {}).get('overallStatus')
        found[identity['testSummary']['label']] = status == 'PASSED'
      elif 'targetConfigured' in identity:
        kind = event.get('configured', {}).get('targetKind', '')
        if kind.endswith('_test rule'):
          found.setdefault(identity['targetConfigured']['label'], False)
      elif 'targetCompleted' in identity:
        # A test left out on purpose (it needs CUDA) is neither.
        reason = event.get('aborted', {}).get('reason')
        if reason == 'SKIPPED':
          found.pop(identity['targetCompleted']['label'], None)
  return found


def main(paths):
  results = [passed for path in paths for passed in outcomes(path).values()]
  passed = sum(results)
  print(f'{passed} passed, {len(results) - passed} failed')
  return 0 if results and passed == len(results) else 1


if __name__ == '__main__':
  sys.exit(main(sys.argv[1:]))
