"""What is measured: jobs (one program run), terms (a number from the metrics of jobs), figures (our number
beside a peer's)."""
import collections
import dataclasses
from typing import Any, Callable, Optional, Tuple

WARPBEAM = 'warpbeam'
TENSORFLOW = 'tensorflow'
LIMITS = 'limits'
IDEAL = 'ideal'
TRAINING = 'training'
CYCLES = 'cycles'
ECHO = 'echo'
GLOO = 'gloo'
PREDICTION = 'prediction'
SEARCH = 'search'
COST_GRAPH = 'cost graph'
NATIVE = {LIMITS: 'limits', IDEAL: 'ideal_exec', TRAINING: 'training_costs', CYCLES: 'server_cycles',
          GLOO: 'gloo_reduce', PREDICTION: 'step_prediction', SEARCH: 'placement_search',
          COST_GRAPH: 'cost_graph_search'}  # side: program
# Sides that are neither ours nor the peer's: they run whichever of the two is left out.
MACHINE = (*NATIVE, ECHO)


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a graph in one process. Equal jobs are run once however many figures use them."""
    graph: str
    passes: str = 'none'           # none | default
    devices: Optional[int] = None  # instead of the graph's own number
    inter: int = 0                 # 0: the runtime's own choice
    intra: int = 0
    cores: str = ''                # a list for taskset; empty: all
    budget: float = 1.0            # multiple of --budget; 0: only the first step
    environment: Tuple[Tuple[str, str], ...] = ()
    flags: Tuple[str, ...] = ()    # more flags, for this side only

    def describe(self):
        parts = [self.graph, 'passes=' + self.passes]
        parts += ['%s=%s' % (k, getattr(self, k)) for k in ('devices', 'inter', 'intra', 'cores')
                  if getattr(self, k)]
        return ' '.join(parts + ['%s=%s' % e for e in self.environment] + list(self.flags))


@dataclasses.dataclass(frozen=True)
class Load:
    """What a client asks of a side's server: `what` is grpc_load's."""
    what: str
    budget: float = 1.0  # multiple of --budget

    def describe(self):
        return 'server, ' + self.what


@dataclasses.dataclass(frozen=True)
class ClusterLoad(Load):
    """What a client asks of a cluster of a ps and two workers: `what` is cluster_load's."""
    ps: str = ''  # the side of the ps; empty: the workers'

    def describe(self):
        return 'cluster, ' + self.what + (', ps of ' + self.ps if self.ps else '')


def sides_of(need):
    """The sides whose programs a need runs."""
    side, job = need
    return {side, getattr(job, 'ps', '') or side}


@dataclasses.dataclass(frozen=True)
class Term:
    """A number computed from the medians of some runs: `compute` gets a dictionary for each of `needs`."""
    needs: Tuple[Tuple[str, Any], ...]  # (side, Job or Load) or (a side of NATIVE, its argument or a tuple of them)
    compute: Callable
    name: str = ''                      # of the peer, for the last column


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    unit: str
    ours: Term
    peer: Optional[Term] = None
    bar: Optional[float] = None  # on the ratio ours / peer, or on our value where there is no peer
    at_least: bool = False       # the bar is a least value, not a most


Group = collections.namedtuple('Group', 'name what figures rounds by_default')


def term(side, job, metric, scale=1.0, name=''):
    """`metric` of one run times `scale`."""
    return Term(((side, job),), lambda m: scale * m[metric], name or side)


def pair(name, unit, job, metric, scale=1.0, bar=None, peer_job=None, peer_name=TENSORFLOW, **kwargs):
    """A figure that compares the same metric of the same job on both sides."""
    return Figure(name, unit, term(WARPBEAM, job, metric, scale),
                  term(TENSORFLOW, peer_job or job, metric, scale, peer_name), bar, **kwargs)
