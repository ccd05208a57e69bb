"""The names that the headers of frontend/ declare by hand, for api_table.py to find them.

A reader of declarations, not a compiler: it follows namespaces and classes by their braces and takes what looks like a
function, a class, an alias or a constant. What it finds in error, the probes of api_table.py show.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import cpp_text  # pylint: disable=wrong-import-position

ROOM = 'warpbeam::frontend'

# Generated, or no part of what programs include.
LEFT_OUT = ('frontend/ops/', 'frontend/gen/', 'frontend/golden/', 'frontend/values/', 'frontend/image_checks.h')
# What programs name as wb::X, declared further left (frontend/types.h).
TYPES = ('graph/types/dtype.h', 'graph/types/shape.h', 'graph/types/tensor.h')

_NAMESPACE = re.compile(r'(?:inline\s+)?namespace\s+([\w:]+)\s*$')
_CLASS = re.compile(r'(?:^|\s)(class|struct|enum class|enum)\s+(\w+)(?:\s*final)?\s*(?::[^;{]*)?$', re.DOTALL)
_ALIAS = re.compile(r'using\s+(\w+)\s*=')
_USING = re.compile(r'using\s+(?:\w*::)*(\w+)\s*$')
_CONSTANT = re.compile(r'(?:constexpr|const)\b.*?(\w+)\s*(?:=.*|\[\].*)?$', re.DOTALL)
_FUNCTION = re.compile(r'(?:^|[\s*&>])(~?\w+)\s*\(', re.DOTALL)
_WORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'decltype', 'defined', 'operator', 'static_assert', 'friend'}


def _declaration(text, inside):
    """The name that a piece of code between semicolons and braces declares, or None."""
    text = re.sub(r'^\s*(public|private|protected)\s*:', '', text.strip())
    text = re.sub(r'template\s*<[^{};]*?>\s*(?=(class|struct|using|static|std|inline|\w))', '', text, count=1).strip()
    if not text or text.startswith(('friend ', '#', 'typedef')):
        return None
    for pattern in (_ALIAS, _USING):
        found = pattern.match(text)
        if found:
            return found.group(1)
    found = _FUNCTION.search(text)
    if found and found.group(1) not in _WORDS:
        return found.group(1)
    found = _CONSTANT.match(text.replace('static ', '').replace('inline ', ''))
    if found:
        return found.group(1)
    if inside == 'class':
        found = re.match(r'[\w:<>,\s*&]+[\s*&>](\w+)\s*(=.*)?$', text, re.DOTALL)
        return found.group(1) if found else None
    return None


def names_of(text):
    """The qualified names that a header's text declares in public."""
    text = cpp_text.blank_literals(text)
    text = re.sub(r'^\s*#(?:.*\\\n)*.*$', '', text, flags=re.MULTILINE)
    stack = []  # (kind, name); of what is no namespace or class, its contents are skipped
    piece, names, private = '', [], [False]

    def here(name):
        return '::'.join([part for _, part in stack if part] + [name])

    for token in re.split(r'([{};]|\b(?:public|private|protected)\s*:(?!:))', text):
        word = token.strip()
        if word[:-1].strip() in ('public', 'private', 'protected') and word.endswith(':'):
            private[-1] = not word.startswith('public')
            piece = ''
        elif token == '{':
            opened = _NAMESPACE.search(piece.strip())
            kind = _CLASS.search(piece.strip())
            skipped = any(kind_ == 'body' for kind_, _ in stack)
            if skipped or private[-1]:
                stack.append(('body', ''))
            elif opened:
                stack.append(('namespace', opened.group(1)))
            elif kind and '(' not in piece:
                names.append(here(kind.group(2)))
                stack.append(('enum' if 'enum' in kind.group(1) else 'class', kind.group(2)))
            else:
                name = _declaration(piece, stack[-1][0] if stack else '')
                if name:
                    names.append(here(name))
                stack.append(('body', ''))
            private.append(False if not kind else kind.group(1) == 'class')
            piece = ''
        elif token in ('}', ';'):
            inside = stack[-1][0] if stack else ''
            if inside == 'enum':
                names += [here(name) for name in re.findall(r'(?:^|,)\s*(\w+)', piece)]
            elif inside != 'body' and not private[-1]:
                name = _declaration(piece, inside)
                if name:
                    names.append(here(name))
            if token == '}' and stack:
                stack.pop()
                private.pop()
            piece = ''
        else:
            piece += token
    return names


def declared_names(root):
    """{name without warpbeam::frontend::: header} of the headers of frontend/."""
    result = {}
    headers = [os.path.relpath(path, root) for path in glob.glob(os.path.join(root, 'frontend', '**', '*.h'), recursive=True)]
    for header in list(TYPES) + sorted(headers):
        if header.startswith(LEFT_OUT):
            continue
        with open(os.path.join(root, header), encoding='utf-8') as file:
            for name in names_of(file.read()):
                room = ROOM if header.startswith('frontend/') else 'warpbeam'
                if name.startswith(room + '::'):
                    result.setdefault(name[len(room) + 2:], header)
    return result
