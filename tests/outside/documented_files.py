"""Writes the files that a page of docs shows: an indented block after a line that is only the file's name.

    `hello.cc`:

        int main() {}

becomes FOLDER/hello.cc; a block after "`BUILD`, further:" is added at the end of BUILD.

    documented_files.py PAGE FOLDER
"""
import os
import re
import sys

_NAME = re.compile(r'`([\w./]+)`(, further)?:$')


def files(page):
    """The pairs of a file's name and its text."""
    texts, name, block = {}, None, []
    for line in page.split('\n') + ['end']:
        match = _NAME.match(line)
        if name and (line.startswith('    ') or not line):
            block.append(line[4:])
            continue
        if name:
            texts[name] = texts.get(name, '') + '\n'.join(block).strip('\n') + '\n'
            name, block = None, []
        if match:
            name = match.group(1)
            if bool(match.group(2)) != (name in texts):
                raise ValueError('%s: the first block of a file has the name alone, others have ", further"' % name)
    return texts


def main(page, folder):
    with open(page, encoding='utf-8') as file:
        texts = files(file.read())
    if not texts:
        sys.exit('%s shows no file' % page)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
