"""What the inputs may hold, for editors and type checkers: dicts whose keys are known. Every key may be left out, but for a workload's `task`.

    job = steelyard.Workload(task="lora", model="Qwen/Qwen2.5-7B", batch={"micro": 1, "global": 64})

The forms are those of workload and configuration files. A unit stands in the key's name; where a figure is not known, leave its key out.
"""
from __future__ import annotations

from typing import Any, Literal, TypedDict

__all__ = ["Configuration", "Stack", "Workload"]

Auto = Literal["auto"]

Batch = TypedDict("Batch", {"micro": "int | Auto", "global": "int | Auto"}, total=False)
"""Sequences or samples: of one GPU at once (micro), of one step (global)."""


class Parallel(TypedDict, total=False):
    """Degrees; "auto": the plan search chooses."""

    tensor: int | Auto
    pipeline: int | Auto
    context: int | Auto
    expert: int | Auto
    virtual_pipeline: int | Auto
    data: int | Auto
    sequence_parallel: bool | Auto


class Work(TypedDict, total=False):
    """How much is to be done: one of these, or epochs with dataset_samples."""

    tokens: float
    samples: float
    steps: float
    requests: float
    hours: float
    epochs: float
    dataset_samples: float


class Serving(TypedDict, total=False):
    """A request has input and output tokens; `concurrency` of them run at a time ("auto": what gives the highest throughput that fits)."""

    engine: str
    input_tokens: int | Auto
    output_tokens: int | Auto
    concurrency: int | Auto
    requests_per_s: float
    latency_p99_ms: float
    max_model_len: int | Auto
    weight_only: str


class Lora(TypedDict, total=False):
    """`targets`: "all_linear", or names of modules."""

    rank: int
    targets: str | list[str]


class Inputs(TypedDict, total=False):
    """The size of one sample where it is no text."""

    image_px: int
    images: int
    residues: int
    tokens: int
    frames: int


class Needs(TypedDict, total=False):
    """What the machine must have or must not exceed."""

    fp64: bool
    os: Literal["linux", "windows", "wsl2"]
    windows_native: bool
    power_w_max: float
    memory_gib: float


class Software(TypedDict, total=False):
    """`cuda`: a toolkit (12.1) or wheel variant (cu121); `packages`: "flash-attn==2.8.0"."""

    framework: str
    version: str
    cuda: str
    image: str
    release_date: str
    packages: list[str]


class GpuLimits(TypedDict, total=False):
    """Boards by name, and how many GPUs in all."""

    names: list[str]
    min: int
    max: int


class Constraints(TypedDict, total=False):
    """`budget`: "500000 CNY"; `deadline`: "36 h" or "90 d", or `deadline_h`; `markets`: cn, eu, us."""

    budget: str
    deadline: str
    deadline_h: float
    gpus: GpuLimits
    nodes_max: int
    markets: list[str]
    providers: list[str]
    spot: Literal["allowed", "required", "forbidden"]
    resumable: bool


class Data(TypedDict, total=False):
    """Volumes that a provider may charge for."""

    storage_gib: float
    egress_gib: float


class Checkpoint(TypedDict, total=False):
    """Size, rate of writing, and paid seconds until a job goes on after an interruption."""

    gib: float
    gb_per_s: float
    restart_s: float


class Workload(TypedDict, total=False):
    """A job. `model`: an id or alias, or a dict of facts (params_b, layers, hidden ...; {"base": id, ...} changes some)."""

    name: str
    task: str
    model: str | dict[str, Any]
    precision: str
    quantization: str
    method: str
    optimizer: str
    sharding: str
    offload: str
    load: str
    unified_memory: bool
    activation_checkpointing: str
    lora: Lora
    parallel: Parallel | Auto
    batch: Batch
    sequence_length: int | Auto
    work: Work
    serving: Serving
    inputs: Inputs
    needs: Needs
    software: Software
    constraints: Constraints
    data: Data
    checkpoint: Checkpoint
    roles: list[dict[str, Any]]


class InterNode(TypedDict, total=False):
    """The network between nodes; rates in one direction."""

    kind: Literal["infiniband", "roce", "efa", "tcpx", "omnipath", "ethernet", "none"]
    gbit_per_s_per_node: float
    ports_per_node: int
    gbit_per_s_per_port: float
    gpudirect: bool


class Measured(TypedDict, total=False):
    """Rates measured with this very job on this very configuration: they outrank every estimate."""

    samples_per_s: float
    requests_per_s: float
    tokens_per_s: float


class Price(TypedDict, total=False):
    """`amount` in `currency` (USD) for an hour of a node or a GPU; the terms are those of docs/reference/cost.md."""

    amount: float
    currency: str
    per: Literal["node_hour", "gpu_hour"]
    purchase: Literal["on_demand", "spot", "reserved"]
    date: str
    billing_increment_s: float
    minimum_h: float
    commitment_h: float
    discount: float
    storage: dict[str, Any]
    egress: dict[str, Any]
    interruptions_per_h: float


class Configuration(TypedDict, total=False):
    """Machines: `gpu` by any name, `gpus_per_node` of them in each of `nodes`. What is left out is not known, and never guessed."""

    gpu: str
    gpus_per_node: int
    nodes: int
    intra_node: Literal["nvlink", "nvlink_pairs", "pcie", "none"]
    gpu_peer_access: bool
    nvlink_domain_gpus: int
    inter_node: InterNode | str
    host_memory_gib: float
    shm_gib: float
    os: Literal["linux", "windows", "wsl2"]
    driver: str
    price: Price
    measured: Measured


class Stack(TypedDict, total=False):
    """Software on a board. `symptom`: the text of an error."""

    gpu: str
    gpu_count: int
    driver: str
    cuda: str
    framework: str
    framework_version: str
    image: str
    os: str
    glibc: str
    kernel_module: str
    packages: list[str]
    symptom: str
