#!/usr/bin/env python3
"""Writes what man and bash show of the command line: command_pages.py PROGRAM VERSION SHARE_FOLDER.

Both say what the program's own --help says: SHARE_FOLDER/man/man1/warpbeam.1 and
SHARE_FOLDER/bash-completion/completions/warpbeam.
"""

import os
import re
import subprocess
import sys

_COMMAND = re.compile(r'^  (\w+) +(\S.*)$', re.M)
_FLAG = re.compile(r'^  (--[\w]+)(=\S*)? +(\S.*)$', re.M)


def help_of(program, *words):
  return subprocess.run([program, *words, '--help'], check=True, capture_output=True, text=True).stdout


def troff(text):
  """`text` for troff, which reads backslashes, hyphens, and dots and quotes that begin a line."""
  text = text.replace('\\', '\\e').replace('-', '\\-')
  return re.sub(r"^([.'])", r'\\&\1', text, flags=re.M)


def man_page(version, summary, commands, helps):
  lines = [f'.TH WARPBEAM 1 "" "Warpbeam {version}" "User Commands"', '.SH NAME',
           f'warpbeam \\- {troff(summary)}', '.SH SYNOPSIS', '.B warpbeam', '.I COMMAND', '.RI [ WORDS ... ]',
           '.SH COMMANDS']
  for name, what in commands:
    usage, _, rest = helps[name].partition('\n\n')
    about, _, _ = rest.partition('\n\nFlags:')
    lines += [f'.SS {name}', f'{troff(what[0].upper() + what[1:])}.', '.PP', '.nf', troff(usage), '.fi', '.PP',
              troff(about.strip())]
    for flag, value, says in _FLAG.findall(helps[name]):
      lines += ['.TP', f'.B {troff(flag + value)}', troff(says)]
  lines += ['.SH EXIT STATUS', '0: all went well. 1: something failed; the message says what. 2: the call was wrong.']
  return '\n'.join(lines) + '\n'


def completion(commands, helps):
  cases = []
  for name, _ in commands:
    flags = [flag + ('=' if value else '') for flag, value, _ in _FLAG.findall(helps[name])]
    cases.append(f'    {name}) words="{" ".join(flags)}" ;;')
  names = ' '.join(name for name, _ in commands)
  return f'''# Completion of warpbeam's commands and flags for bash.
_warpbeam() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{names} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{chr(10).join(cases)}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words --help" -- "$word")) ;;
    *) compopt -o default ;;
  esac
  case ${{COMPREPLY[0]-}} in *=) compopt -o nospace ;; esac
}}
complete -F _warpbeam warpbeam
'''


def write(path, text):
  os.makedirs(os.path.dirname(path), exist_ok=True)
  with open(path, 'w', encoding='utf-8') as file:
    file.write(text)


def main(program, version, share):
  top = help_of(program)
  summary = top.split('\n')[0].split(': ', 1)[1].rstrip('.')
  commands = _COMMAND.findall(top.partition('Commands:')[2])
  if not commands:
    raise SystemExit(f'{program} --help names no commands')
  helps = {name: help_of(program, name) for name, _ in commands}
  write(os.path.join(share, 'man/man1/warpbeam.1'), man_page(version, summary, commands, helps))
  write(os.path.join(share, 'bash-completion/completions/warpbeam'), completion(commands, helps))


if __name__ == '__main__':
  if len(sys.argv) != 4:
    raise SystemExit(__doc__)
  main(*sys.argv[1:])
