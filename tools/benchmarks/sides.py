"""The programs that are measured: how each is built, and how a job is run in it."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

import servers
from jobs import ClusterLoad, Job, Load, NATIVE, TENSORFLOW, WARPBEAM, sides_of

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TENSORFLOW_VERSION = '2.21.0'
TIMEOUT_SECONDS = 900
DTYPES = {'float32': 'f32', 'int32': 'i32', 'int64': 'i64'}


class BenchError(Exception):
    """Something is missing or a program failed; the message says what to do."""


def cache_folder():
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    folder = os.path.join(base, 'warpbeam', 'bench')
    os.makedirs(folder, exist_ok=True)
    return folder


def say(text):
    print('bench: ' + text, file=sys.stderr, flush=True)


def run_quietly(command, what, **kwargs):
    """Runs a build step; its output is shown only if it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)
    if result.returncode != 0:
        raise BenchError('%s failed:\n%s' % (what, result.stdout[-4000:]))
    return result.stdout


def parse_metrics(text):
    metrics = {}
    for line in text.splitlines():
        fields = line.split('\t')
        if len(fields) == 3:
            try:
                metrics[fields[0]] = float(fields[1])
            except ValueError:
                pass
    return metrics


def run_program(command, folder, environment=()):
    """Returns the metrics a program prints."""
    variables = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='2', **dict(environment))
    variables['WB_SPAWN_NS'] = str(time.monotonic_ns())
    try:
        result = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise BenchError('took longer than %d s' % TIMEOUT_SECONDS) from None
    except OSError as error:
        raise BenchError('cannot run %s: %s' % (command[0], error.strerror)) from None
    if result.returncode != 0:
        raise BenchError(result.stderr.strip()[-500:] or 'exit status %d' % result.returncode)
    return parse_metrics(result.stdout)


def digest_of(files):
    digest = hashlib.sha256()
    for name in files:
        with open(name, 'rb') as file:
            digest.update(file.read())
    return digest.hexdigest()


def is_stamped(stamp, digest):
    """Whether what the stamp's folder holds was written by what has that digest."""
    if not os.path.exists(stamp):
        return False
    with open(stamp) as file:
        return file.read() == digest


def write_stamp(stamp, digest):
    with open(stamp, 'w') as file:
        file.write(digest)


class Graphs:
    """The specs of all graphs; those that a script generates are written when first needed."""

    def __init__(self, folder):
        self._stored = os.path.join(HERE, 'graphs')
        self._generated = os.path.join(folder, 'graphs')
        generator = os.path.join(HERE, 'generate_graphs.py')
        stamp = os.path.join(self._generated, 'stamp')
        sources = [generator] + [os.path.join(HERE, name) for name in ('graph_def.py', 'network_graphs.py', 'op_graphs.py')]
        digest = digest_of(sources)
        if not is_stamped(stamp, digest):
            say('writing the synthetic graphs')
            run_quietly([sys.executable, generator, self._generated], 'generate_graphs.py')
            write_stamp(stamp, digest)

    def path(self, graph):
        for folder in (self._stored, self._generated):
            path = os.path.join(folder, graph + '.json')
            if os.path.exists(path):
                return path
        raise BenchError('no graph ' + graph)

    def specs(self):
        specs = {}
        for folder in (self._stored, self._generated):
            for name in sorted(os.listdir(folder)):
                if name.endswith('.json'):
                    with open(os.path.join(folder, name)) as file:
                        specs[name[:-len('.json')]] = json.load(file)
        return specs


def installed_mib(program):
    """What the program takes on disk with every library that it needs and glibc does not have."""
    glibc = ('libc.so', 'libm.so', 'libdl.so', 'libpthread.so', 'librt.so')
    files = {program}
    for line in run_quietly(['ldd', program], 'ldd').splitlines():
        name, arrow, rest = line.strip().partition(' => ')
        if arrow and not name.startswith(glibc):
            files.add(rest.split(' (')[0])
    return sum(os.path.getsize(os.path.realpath(file)) for file in files) / 2**20


def pinned(job, command):
    return ['taskset', '-c', job.cores] + command if job.cores else command


class TensorFlow:
    """TensorFlow's C++ session: a virtual environment and tfrun, both made here and kept."""

    def __init__(self, folder):
        self._folder = folder
        self._python = os.environ.get('WB_TF_PYTHON')
        self._tfrun = None

    def python(self):
        if not self._python:
            self._python = self.virtual_environment()
        return self._python

    def prepare(self, needs_data, needs_models):
        self.python()
        self._build_tfrun()
        if needs_data:
            self._make('data', 'make_data.py', 'input data for the pipelines (350 MB, once)')
        if needs_models:
            self._make('models', 'make_models.py', 'models to load (100 MB, once)')

    def virtual_environment(self):
        """The Python of a virtual environment with TensorFlow, which is made first if need be."""
        folder = os.path.join(self._folder, 'tensorflow-' + TENSORFLOW_VERSION)
        python, stamp = os.path.join(folder, 'bin', 'python'), os.path.join(folder, 'complete')
        if os.path.exists(stamp):
            return python
        say('installing tensorflow-cpu %s into %s (1.3 GB, once; or set WB_TF_PYTHON)'
            % (TENSORFLOW_VERSION, folder))
        hint = 'making a virtual environment (apt-get install python3-venv?)'
        run_quietly([sys.executable, '-m', 'venv', '--clear', folder], hint)
        run_quietly([python, '-m', 'pip', 'install', '--quiet', 'tensorflow-cpu==' + TENSORFLOW_VERSION],
                    'pip install tensorflow-cpu')
        open(stamp, 'w').close()
        return python

    def _build_tfrun(self):
        where = 'import importlib.util as u; print(u.find_spec("tensorflow").submodule_search_locations[0])'
        site = run_quietly([self._python, '-c', where], 'looking for tensorflow').strip()
        sources = ['tfrun.cc', 'process_stats.cc', 'disk.cc']
        digest = hashlib.sha256(site.encode())
        for name in sources + ['measure.h', 'process_stats.h', 'disk.h', 'feeds.h']:
            with open(os.path.join(HERE, name), 'rb') as file:
                digest.update(file.read())
        self._tfrun = os.path.join(self._folder, 'tfrun-' + digest.hexdigest()[:16])
        if os.path.exists(self._tfrun):
            return
        say('building tfrun')
        command = ['g++', '-O2', '-w', '-std=c++17', '-D_GLIBCXX_USE_CXX11_ABI=1',
                   '-DEIGEN_MAX_ALIGN_BYTES=64', '-I' + ROOT, '-I' + site + '/include']
        command += [os.path.join(HERE, name) for name in sources]
        command += ['-o', self._tfrun + '.new', '-L' + site, '-Wl,--no-as-needed',
                    '-l:libtensorflow_cc.so.2', '-l:libtensorflow_framework.so.2', '-Wl,-rpath,' + site,
                    '-lpthread']
        run_quietly(command, 'building tfrun')
        os.rename(self._tfrun + '.new', self._tfrun)

    def _make(self, name, script, what):
        """Runs a script that writes a folder, unless it has done so before."""
        folder, script = os.path.join(self._folder, name), os.path.join(HERE, script)
        stamp, digest = os.path.join(folder, 'stamp'), digest_of([script])
        if not is_stamped(stamp, digest):
            say('writing ' + what)
            run_quietly([self._python, script, folder], os.path.basename(script))
            write_stamp(stamp, digest)

    def run(self, job, spec, path, budget):
        feeds = ['%s|%s|%s|%s' % (f['name'], DTYPES[f['dtype']], 'x'.join(map(str, f['shape'])), f['kind'])
                 for f in spec.get('feeds', [])]
        flags = dict(init=','.join(spec['init']), feed=';'.join(feeds), fetch=','.join(spec['fetches']),
                     target=','.join(spec['targets']), background=','.join(spec.get('queue_runners', [])),
                     devices=job.devices or spec['devices'], inter=job.inter, intra=job.intra,
                     grappler=int(job.passes == 'default'), save=spec.get('save', ''), budget=budget)
        if 'saved_model' in spec:
            flags['saved_model'] = spec['saved_model']
        else:
            flags['graph'] = os.path.join(os.path.dirname(path), spec['graph'])
        command = [self._tfrun] + ['--%s=%s' % flag for flag in flags.items()] + list(job.flags)
        metrics = run_program(pinned(job, command), self._folder, job.environment)
        metrics['installed'] = installed_mib(self._tfrun)
        return metrics


class Warpbeam:
    """`warpbeam bench` of this repository."""
    TARGET = '//tools:warpbeam'

    def __init__(self, folder):
        self._folder = folder
        self.program = os.path.join(ROOT, 'bazel-bin', 'tools', 'warpbeam')

    def prepare(self, build):
        if build:
            build_with_bazel([self.TARGET])
        if not os.path.exists(self.program):
            raise BenchError('%s is not there: build it with "bazel build %s"' % (self.program, self.TARGET))

    def run(self, job, spec, path, budget):
        command = [self.program, 'bench', path, '--budget=%g' % budget, '--passes=' + job.passes]
        if job.devices:
            command.append('--devices=cpu:%d' % job.devices)
        for name in ('inter', 'intra'):
            if getattr(job, name):
                command.append('--%s=%d' % (name, getattr(job, name)))
        metrics = run_program(pinned(job, command + list(job.flags)), self._folder, job.environment)
        metrics['installed'] = installed_mib(self.program)
        return metrics


class Native:
    """limits and ideal_exec, what the machine can do, and training_costs, what training pays beside its steps."""

    def __init__(self, folder):
        self._folder = folder
        self._bin = os.path.join(ROOT, 'bazel-bin', 'tools', 'benchmarks')

    def prepare(self, build, sides):
        if build:
            build_with_bazel(sorted('//tools/benchmarks:' + NATIVE[side] for side in sides))

    def run(self, side, part):
        words = list(part) if isinstance(part, tuple) else [part] if part else []
        return run_program([os.path.join(self._bin, NATIVE[side])] + words, self._folder)


class Served:
    """Each side's server, and grpc_load, which is its client."""

    def __init__(self, warpbeam, tensorflow):
        self._bin = os.path.join(ROOT, 'bazel-bin', 'tools', 'benchmarks')
        self._warpbeam, self._tensorflow, self._servers = warpbeam, tensorflow, None

    def prepare(self, build, sides):
        if build:
            build_with_bazel(['//tools/benchmarks:' + name for name in ('grpc_load', 'grpc_echo', 'cluster_load')])
        python = self._tensorflow.python() if TENSORFLOW in sides else None
        self._servers = servers.Servers(servers.commands(self._bin, self._warpbeam.program, python))

    def run(self, side, load, budget):
        try:
            if isinstance(load, ClusterLoad):
                program, to = 'cluster_load', ['--targets=' + ','.join(self._servers.cluster(side, load.ps))]
                to.append('--processes=' + ','.join(str(pid) for pid in self._servers.processes(side, load.ps)))
            else:
                program, to = 'grpc_load', ['--target=' + self._servers.target(side)]
        except servers.ServerError as error:
            raise BenchError(str(error)) from None
        return run_program([os.path.join(self._bin, program), *to, '--what=' + load.what, '--budget=%g' % budget], ROOT)

    def close(self):
        if self._servers:
            self._servers.close()


def build_with_bazel(targets):
    if shutil.which('bazel') is None:
        raise BenchError('bazel is not installed: run tools/setup, or give --no_build')
    say('building ' + ' '.join(targets))
    disk_cache = os.path.join(os.path.dirname(cache_folder()), 'bazel')
    run_quietly(['bazel', 'build', '--disk_cache=' + disk_cache] + targets, 'bazel build', cwd=ROOT)


def read_all(folder):
    """Reads a folder's files, so that whoever reads them next does not wait for the disk."""
    for parent, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(parent, name), 'rb') as file:
                while file.read(1 << 20):
                    pass


class Sides:
    """Runs a need, (side, Job or Load) or (a side of NATIVE, part or graph), whichever side it is of."""

    def __init__(self, wanted, needs, specs, graphs, build):
        folder = cache_folder()
        self._specs, self._graphs = specs, graphs
        self.tensorflow, self.warpbeam, self.native = TensorFlow(folder), Warpbeam(folder), Native(folder)
        self.served = Served(self.warpbeam, self.tensorflow)
        jobs = [need for need in needs if isinstance(need[1], Job)]
        reads_data = any(specs[job.graph].get('reads_data') for _, job in jobs)
        reads_models = any('saved_model' in specs[job.graph] for _, job in jobs)
        if any(side == TENSORFLOW for side, _ in jobs) or reads_data or reads_models:
            self.tensorflow.prepare(reads_data, reads_models)
        native = {side for side, _ in needs if side in NATIVE}
        if native:
            self.native.prepare(build, native)
        if WARPBEAM in wanted:
            self.warpbeam.prepare(build)
        if any(isinstance(job, Load) for _, job in needs):
            self.served.prepare(build, set().union(*map(sides_of, needs)))

    def run(self, need, budget):
        side, job = need
        if side in NATIVE:
            return self.native.run(side, self._graphs.path(job) if job in self._specs else job)
        if isinstance(job, Load):
            return self.served.run(side, job, budget * job.budget)
        program = self.warpbeam if side == WARPBEAM else self.tensorflow
        spec, path = self._specs[job.graph], self._graphs.path(job.graph)
        if 'saved_model' in spec:
            read_all(os.path.join(cache_folder(), spec['saved_model']))
        return program.run(job, spec, path, budget * job.budget)

    def close(self):
        self.served.close()
