#!/usr/bin/env python3
"""Times the training steps of `tools/bench gpu` in PyTorch, as its users write them, on a GPU.

    torch_peer.py [--seconds=S] [--compile] NAME ...      prints NAME<TAB>seconds<TAB>s (of one step, a median)

Each net is that of graphs/NAME.pb: the same sizes, batch, optimizer, and averages of the weights where the graph
keeps some. Data lie on the GPU, as they do in the graphs' variables; the loss is fetched in every step.
"""
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = torch.device("cuda")


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(784, 500), nn.Linear(500, 10)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.fc1, self.fc2 = nn.Linear(3136, 512), nn.Linear(512, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class Cifar(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 64, 5, padding=2), nn.Conv2d(64, 64, 5, padding=2)
        self.norm = nn.LocalResponseNorm(9, alpha=0.009, beta=0.75, k=1.0)
        self.local3, self.local4, self.out = nn.Linear(2304, 384), nn.Linear(384, 192), nn.Linear(192, 10)

    def forward(self, x):
        x = self.norm(F.max_pool2d(F.relu(self.conv1(x)), 3, 2, 1))
        x = F.max_pool2d(self.norm(F.relu(self.conv2(x))), 3, 2, 1)
        x = F.relu(self.local4(F.relu(self.local3(x.flatten(1)))))
        return self.out(x)


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.c1, self.n1 = nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width)
        self.c2, self.n2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.c3, self.n3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != 4 * width:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, 4 * width, 1, stride, bias=False),
                                          nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.n1(self.c1(x)))
        y = F.relu(self.n2(self.c2(y)))
        return F.relu(self.n3(self.c3(y)) + self.shortcut(x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        layers, channels = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
        for stage, (width, count) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
            for b in range(count):
                layers.append(Bottleneck(channels, width, 2 if stage > 0 and b == 0 else 1))
                channels = 4 * width
        self.body, self.fc = nn.Sequential(*layers), nn.Linear(2048, 1000)

    def forward(self, x):
        return self.fc(self.body(x).mean((2, 3)))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        split = lambda y: y.view(*y.shape[:2], self.heads, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(split(self.q(x)), split(self.k(x)), split(self.v(x)))
        return self.o(y.transpose(1, 2).reshape(x.shape))


class Transformer(nn.Module):
    def __init__(self, words=1000, length=128, width=256, heads=4, depth=4):
        super().__init__()
        self.emb, self.pos = nn.Embedding(words, width), nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.ModuleList(nn.ModuleList([nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width),
                                                   nn.Linear(width, 4 * width), nn.Linear(4 * width, width)])
                                    for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.emb(ids) + self.pos
        for n1, attend, n2, f1, f2 in self.blocks:
            x = x + attend(n1(x))
            x = x + f2(F.relu(f1(n2(x))))
        return self.head(self.norm(x)).flatten(0, 1)


class LSTM(nn.Module):
    def __init__(self, words=10000, width=512):
        super().__init__()
        self.emb, self.lstm = nn.Embedding(words, width), nn.LSTM(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        return self.head(self.lstm(self.emb(ids))[0]).flatten(0, 1)


def images(batch, channels, size):
    return torch.rand(batch, channels, size, size, device=DEVICE)


def integers(shape, below):
    return torch.randint(below, shape, device=DEVICE)


class Trainer:
    """One model with its data; `step` trains once and returns the loss."""

    def __init__(self, model, x, y, optimizer, averages=False, bf16=False, compiled=False):
        self.model = model.to(DEVICE)
        if x.dim() == 4:
            self.model, x = self.model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
        self.run = torch.compile(self.model) if compiled else self.model
        self.x, self.y, self.bf16 = x, y, bf16
        self.weights = list(self.model.parameters())
        self.optimizer = optimizer(self.weights)
        self.averages = [w.detach().clone() for w in self.weights] if averages else None

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.bf16):
            loss = F.cross_entropy(self.run(self.x), self.y)
        loss.backward()
        self.optimizer.step()
        if self.averages is not None:
            torch._foreach_lerp_(self.averages, [w.detach() for w in self.weights], 0.01)
        return loss.item()


class Inference:
    def __init__(self, model, x, compiled=False):
        self.model = model.to(DEVICE).eval().to(memory_format=torch.channels_last)
        self.run = torch.compile(self.model) if compiled else self.model
        self.x = x.contiguous(memory_format=torch.channels_last)

    @torch.no_grad()
    def step(self):
        return self.run(self.x).softmax(-1).cpu()


def sgd(weights):
    return torch.optim.SGD(weights, 0.1)


def momentum(weights):
    return torch.optim.SGD(weights, 0.01, 0.9)


def adam(weights):
    return torch.optim.Adam(weights, 1e-3)


def resnet50(bf16, compiled):
    return Trainer(ResNet50(), images(256, 3, 224), integers([256], 1000), momentum, bf16=bf16, compiled=compiled)


MODELS = {
    "mlp_t1": lambda c: Trainer(MLP(), torch.rand(32, 784, device=DEVICE), integers([32], 10), sgd, True, compiled=c),
    "lenet_t1": lambda c: Trainer(LeNet(), images(64, 3, 28), integers([64], 10), adam, True, compiled=c),
    "cifar_b128_t1": lambda c: Trainer(Cifar(), images(128, 3, 24), integers([128], 10), sgd, True, compiled=c),
    "transformer_l4": lambda c: Trainer(Transformer(), integers([8, 128], 1000), integers([1024], 1000), adam, compiled=c),
    "lstm_b64": lambda c: Trainer(LSTM(), integers([64, 64], 10000), integers([4096], 10000), adam, compiled=c),
    "resnet50_b256_f32": lambda c: resnet50(False, c),
    "resnet50_b256_bf16": lambda c: resnet50(True, c),
    "resnet50_b1_infer": lambda c: Inference(ResNet50(), images(1, 3, 224), c),
}


def median_step(trainer, seconds):
    for _ in range(5):
        trainer.step()
    torch.cuda.synchronize()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        trainer.step()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    seconds, compiled, names = 3.0, False, []
    for word in sys.argv[1:]:
        if word.startswith("--seconds="):
            seconds = float(word.split("=")[1])
        elif word == "--compile":
            compiled = True
        else:
            names.append(word)
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    for name in names or MODELS:
        print(f"{name}\t{median_step(MODELS[name](compiled), seconds):.6g}\ts", flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
