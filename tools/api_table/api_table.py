#!/usr/bin/env python3
"""docs/api.md: which of TensorFlow 1's names is which here, or why it is none.

  api_table.py                       writes docs/api.md again
  api_table.py --match               first looks for names that have no answer yet in the headers of frontend/
  api_table.py --check               ends with status 1 where the page or a list is not current
  api_table.py --probes              prints a C++ source that compiles if every name of ours exists

api/AREA.tsv has a line for each name of names.tsv (list_names.py): TensorFlow's name, ours without
`warpbeam::frontend::`, the header that has it, a note. Ours is `-` where there is none; the note then says why there
will never be one (such names do not count), or is empty while it is missing.
"""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
sys.path.insert(0, FOLDER)
import declared_names  # pylint: disable=wrong-import-position

COMMAND = 'tools/api_table/api_table.py'
PAGE = 'docs/api.md'
Row = collections.namedtuple('Row', 'name ours header note')

# What an area's names are called on the page.
TITLES = {
    'top': 'tf',
    'rnn_cell': 'tf.nn.rnn_cell',
    'Graph': 'Graphs, sessions and tensors',
    'Variable': 'Variables',
    'Optimizer': 'Optimizers',
}


def title(area):
    return TITLES.get(area, 'tf.' + area)


def read_names():
    """{area: [(name, kind)]} of names.tsv."""
    names = collections.defaultdict(list)
    with open(os.path.join(FOLDER, 'names.tsv'), encoding='utf-8') as file:
        for line in file:
            area, name, kind = line.rstrip('\n').split('\t')
            names[area].append((name, kind))
    return names


def area_file(area):
    return os.path.join(FOLDER, 'api', area + '.tsv')


def read_rows(area):
    if not os.path.exists(area_file(area)):
        return []
    with open(area_file(area), encoding='utf-8') as file:
        return [Row(*(line.rstrip('\n') + '\t\t\t').split('\t')[:4]) for line in file]


def write_rows(area, rows):
    with open(area_file(area), 'w', encoding='utf-8') as file:
        for row in rows:
            file.write('\t'.join(row) + '\n')


def findings(names, rows):
    """What is wrong with the lists, a line each."""
    for area in sorted(names):
        wanted = [name for name, _ in names[area]]
        listed = [row.name for row in rows[area]]
        for name in sorted(set(wanted) - set(listed)):
            yield f'api/{area}.tsv has no line for {name}; `{COMMAND} --match` adds it'
        for name in sorted(set(listed) - set(wanted)):
            yield f'api/{area}.tsv: TensorFlow has no {name}'
        if listed != sorted(set(listed)):
            yield f'api/{area}.tsv is not sorted by name, or has one twice; `{COMMAND} --match` sorts it'
        for row in rows[area]:
            if row.ours == '-' and row.header:
                yield f'api/{area}.tsv: {row.name} has a header but no name'
            elif row.ours != '-' and not row.header:
                yield f'api/{area}.tsv: {row.name}: which header?'


def counts(rows):
    """How many of the rows are there, missing, and not counted."""
    there = sum(row.ours != '-' for row in rows)
    missing = sum(row.ours == '-' and not row.note for row in rows)
    return there, missing, len(rows) - there - missing


def percent(there, missing):
    return f'{100.0 * there / max(there + missing, 1):.1f} %'


def page(rows):
    there, missing, never = counts([row for area in rows.values() for row in area])
    lines = [
        '# TensorFlow 1\'s names',
        '',
        f'**{percent(there, missing)}** of the names of `tf.compat.v1` (2.21) that a graph runtime can have are functions,',
        'classes and methods of the C++ frontend, written by hand: ' + f'{there} of {there + missing}. {never} names more',
        'are of Python, or of parts of TensorFlow that are no graphs; each says so.',
        '',
        'Names here are in `warpbeam::frontend::`, which programs call `wb::`. Every op has a function in `wb::ops::` besides',
        f'([ops.md](ops.md)), which does not count. This page is written by `{COMMAND}` from the lists in',
        '`tools/api_table/api`; a test compiles every name in it.',
        '',
        '| area | names | here | missing | not counted |',
        '|---|---|---|---|---|',
    ]
    for area in sorted(rows, key=title):
        there, missing, never = counts(rows[area])
        anchor = re.sub(r'[^a-z0-9_ -]', '', title(area).lower()).replace(' ', '-')
        lines.append(f'| [{title(area)}](#{anchor}) | {len(rows[area])} | {percent(there, missing)} | {missing} | {never} |')
    for area in sorted(rows, key=title):
        lines += ['', f'## {title(area)}', '', '| TensorFlow | here | header |', '|---|---|---|']
        for row in rows[area]:
            ours = '`' + row.ours + '`' if row.ours != '-' else row.note or 'missing'
            if row.ours != '-' and row.note:
                ours += ' (' + row.note + ')'
            header = '`' + row.header + '`' if row.header else ''
            lines.append(f'| `tf.{row.name}` | {ours} | {header} |')
    return '\n'.join(lines) + '\n'


def probe(number, ours):
    """A declaration that compiles if warpbeam::frontend::OURS exists."""
    scope, _, name = ours.rpartition('::')
    owner = scope.rpartition('::')[2]
    whole = 'wb::' + ours
    if re.match(r'k[A-Z]', name):
        return f'static_assert(sizeof({whole}) > 0, "");'
    if re.match(r'[A-Z]', owner):
        return f'struct Probe{number} : wb::{scope} {{ using wb::{scope}::{name}; }};'
    return f'namespace probe{number} {{ using {whole}; }}'


def probes(rows):
    lines = ['// Compiles if every name of docs/api.md exists.', '#include "frontend/cluster.h"', '#include "frontend/warpbeam.h"',
             '', 'namespace wb = ::warpbeam::frontend;', '']
    for area in sorted(rows):
        for row in rows[area]:
            if row.ours != '-':
                lines += [f'#line 1 "{row.name} (tools/api_table/api/{area}.tsv)"']
                lines += [probe(len(lines), row.ours)]
    return '\n'.join(lines) + '\n'


# Where the names of an area are looked for; '' is warpbeam::frontend itself.
NAMESPACES = {
    'initializers': ['initializers', ''],
    'saved_model': ['saved_model', ''],
    'rnn_cell': ['nn', 'rnn_cell', 'nn::rnn_cell', ''],
    'io': ['io', '', 'image', 'train'],
    'linalg': ['linalg', ''],
    'math': ['math', '', 'nn'],
    'nn': ['nn', ''],
    'top': ['', 'nn'],
}


def camel(name):
    """TensorFlow's name as ours are written: reduce_sum, ReduceSum."""
    return ''.join(part[:1].upper() + part[1:] for part in name.split('_'))


def candidates(area, name, kind):
    """Names that ours may have."""
    path, _, last = name.rpartition('.')
    spaces = NAMESPACES.get(area, [path.replace('.', '::')] if path else [''])
    owner = path.rpartition('.')[2]
    if owner[:1].isupper():
        outer = path.rpartition('.')[0].replace('.', '::')
        owners = [owner] + {'Graph': ['Scope', 'GraphKeys'], 'Session': ['ClientSession'], 'Tensor': ['Output'],
                            'TensorShape': ['PartialShape']}.get(owner, [])
        if owner == 'GraphKeys':
            return ['GraphKeys::k' + camel(last.lower())]
        wanted = [owned + '::' + form for owned in owners for form in (camel(last), last)]
        return [prefix + whole for whole in wanted for prefix in ((outer + '::', '') if outer else ('',))]
    forms = [last if kind == 'class' and last[0].isupper() else camel(last)]
    forms += [form.replace('2d', '2D').replace('1d', '1D').replace('3d', '3D') for form in forms]
    if area == 'initializers':
        forms = [form + 'Initializer' for form in forms] + forms
    if kind == 'value' and area == 'top':
        forms += ['DType::k' + {'Bfloat16': 'BFloat16', 'Float32': 'Float', 'Float64': 'Double', 'Float16': 'Half',
                                'Uint8': 'UInt8', 'Uint16': 'UInt16', 'Uint32': 'UInt32', 'Uint64': 'UInt64',
                                'Qint8': 'QInt8', 'Qint16': 'QInt16', 'Qint32': 'QInt32', 'Quint8': 'QUInt8',
                                'Quint16': 'QUInt16'}.get(forms[0], forms[0])]
    return [(space + '::' if space else '') + form for space in spaces for form in forms]


def match(names, rows):
    """Gives every name a line, and those without an answer the first candidate that a header declares."""
    declared = declared_names.declared_names(ROOT)
    for area, wanted in names.items():
        known = {row.name: row for row in rows[area]}
        lines = []
        for name, kind in wanted:
            row = known.get(name, Row(name, '-', '', ''))
            if row.ours == '-' and not row.note:
                found = [ours for ours in candidates(area, name, kind) if ours in declared]
                if found:
                    row = Row(name, found[0], declared[found[0]], '')
            lines.append(row)
        rows[area] = sorted(lines)
        write_rows(area, rows[area])


def main(arguments):
    names = read_names()
    rows = {area: read_rows(area) for area in names}
    if arguments == ['--match']:
        match(names, rows)
    elif arguments == ['--probes']:
        sys.stdout.write(probes(rows))
        return 0
    wrong = list(findings(names, rows))
    text = page(rows)
    file_name = os.path.join(ROOT, PAGE)
    if arguments == ['--check']:
        with open(file_name, encoding='utf-8') as file:
            if file.read() != text:
                wrong.append(f'{PAGE} is not current; `{COMMAND}` writes it')
    else:
        with open(file_name, 'w', encoding='utf-8') as file:
            file.write(text)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
