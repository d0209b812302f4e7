"""The two sides of a comparison as seen by `compare.py`: `gemma bench`, and a peer in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from figures import Run

HERE = Path(__file__).parent
WARM_UP_TOKENS = 16


class Gemma:
    """One `gemma bench` per measurement. A short prompt before the measured one touches the mapped weights."""

    def __init__(self, command, folder, threads, kernels, extra):
        self.command = [command, "bench", folder, "--threads", str(threads), "--format", "json", "--quiet"]
        self.command += (["--kernels", kernels] if kernels else []) + extra
        files = Path(folder).glob("*.safetensors") if Path(folder).is_dir() else [Path(folder)]
        self.bytes = sum(file.stat().st_size for file in files)
        self.kernels = None

    def measure(self, prompt, response):
        command = self.command + ["--prompt-tokens", f"{WARM_UP_TOKENS},{prompt}", "--repetitions", "1"]
        command += ["--response-tokens", str(response)]
        done = subprocess.run(command, stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed with code {done.returncode}")
        report = json.loads(done.stdout)
        self.kernels = report["kernels"]
        figures = report["figures"][-1]
        return Run(figures["prefill_tokens_per_second"], figures["decode_tokens_per_second"])


class Peer:
    """A worker script that was started once and waits between the measurements."""

    def __init__(self, python, script, *arguments):
        self.script = script
        self.process = subprocess.Popen(
            [python, str(HERE / script), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.about = self.answer()["about"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.script} ended with code {self.process.wait()}; its message is above")
        return json.loads(line)

    def request(self, prompt, response, prepare):
        line = json.dumps({"prompt": prompt, "response": response, "prepare": prepare})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def prepare(self, prompt, response):
        self.request(prompt, response, prepare=True)

    def measure(self, prompt, response):
        answer = self.request(prompt, response, prepare=False)
        return Run(answer["prefill"], answer["decode"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
