#!/usr/bin/env python3
"""mnist_towers links the ops of its own graph alone: those that the tool names for what it saved."""

import re
import subprocess
import tempfile
import unittest

_EXAMPLES = 'examples/'


class MnistTowersOpsTest(unittest.TestCase):

  def test_it_links_what_the_tool_names(self):
    with tempfile.TemporaryDirectory() as folder:
      digits = folder + '/train.tfrecord'
      self.run_program('create_tfrecord', f'--data_dir={_EXAMPLES}data', '--split=train', f'--output={digits}')
      self.run_program('mnist_towers', f'--train_file={digits}', f'--test_file={digits}', '--num_gpus=2',
                       '--simulated_gpus=2', '--train_steps=1', f'--model_dir={folder}/model', f'--log_dir={folder}')
      tool = ['tools/warpbeam', 'ops', f'{folder}/model/model.ckpt.meta', '--bazel']
      named = subprocess.run(tool, check=True, capture_output=True, text=True).stdout
    with open(_EXAMPLES + 'BUILD', encoding='utf-8') as file:
      target = re.search(r'name = "mnist_towers",\n.*?\n\)', file.read(), re.DOTALL).group()
    self.assertEqual(re.findall(r'"@warpbeam(//ops/\S+)"', named), re.findall(r'"(//ops/\S+)"', target))

  def run_program(self, name, *flags):
    ran = subprocess.run([_EXAMPLES + name, *flags], capture_output=True, text=True, check=False)
    self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == '__main__':
  unittest.main()
