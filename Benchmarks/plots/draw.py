#!/usr/bin/env python3
"""Draws the pictures of README.md and SPEED.md beside this script: speed.svg, roofline.svg, memory.svg.

    pip install matplotlib
    python3 Benchmarks/plots/draw.py

Every number comes from a file: ../Results/*.csv as the benchmarks wrote them, and figures.csv, which repeats what only
the speed log has: each row names its entry, in which the number must stand. Text stays text; the pictures carry a light
and a dark set of colours.
"""
import csv
import re
import statistics
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (after the choice of the back end)
from matplotlib.patches import Patch  # noqa: E402

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "Results"
DEPTHS = {"Gemma 4 E2B": "2026-11-30-model-gemma4-e2b.csv", "Gemma 3n E2B": "2026-11-30-model-gemma3n-e2b.csv"}
KERNELS = "2026-11-30-kernels.csv"
PEER = "llama.cpp (llama-cpp-python 0.3.36)"

# Two colours of Okabe and Ito's set, which colour-blind readers tell apart, legible on white and on black.
COLOURS = {"Gemma 4 E2B": "#0078c0", "Gemma 3n E2B": "#d55e00"}
INK, FAINT, PAPER = "#24292f", "#d0d7de", "#ffffff"
DARK = {INK: "#e6edf3", FAINT: "#30363d", PAPER: "#0d1117"}
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "swift-gemma", "font.size": 10, "axes.titlesize": 11,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.grid": True, "axes.axisbelow": True, "grid.color": FAINT, "grid.linewidth": 0.8,
    "axes.facecolor": PAPER, "figure.facecolor": PAPER, "legend.frameon": False, "lines.linewidth": 2,
    "lines.markersize": 6,
})


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(path):
    """{column: values} of a file of the benchmarks; columns of words are left out."""
    table = rows(path)
    return {name: [float(row[name]) for row in table] for name in table[0] if table[0][name][:1].isdigit()}


def panels():
    """Two panels side by side, as wide as a README's column."""
    return plt.subplots(1, 2, figsize=(8.6, 3.7), layout="constrained")


def depth_axis(axis, ticks, label):
    axis.set_xscale("log", base=2)
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.set_xticks([], minor=True)
    axis.set_xlabel(label)


def save(figure, name):
    """Writes the picture with the fonts and the dark colours of the reader's system."""
    path = HERE / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    dark = "".join(f'[style*="{kind}: {light}"] {{ {kind}: {other} !important }} '
                   for light, other in DARK.items() for kind in ("fill", "stroke"))
    style = f"<style>@media (prefers-color-scheme: dark) {{ {dark}}}</style>"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"'DejaVu Sans',[^;\"]*sans-serif", FONT, text)
    text = text.replace("<defs>", style + "\n <defs>", 1)
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


def figures(engine, model, measure, runs):
    """(tokens, value) of figures.csv, in its order."""
    found = [row for row in rows(HERE / "figures.csv") if row["run"] in runs
             and (row["engine"], row["model"], row["measure"]) == (engine, model, measure)]
    for row in found:
        log = (HERE.parent / "log" / row["log"]).read_text(encoding="utf-8")
        entries = re.split(r"^## ", log, flags=re.MULTILINE)
        entry = next((text for text in entries if row["entry"] in text.split("\n")[0]), "")
        if not re.search(rf"(?<![\d.,]){re.escape(row['value'])}(?![\d]|[.,]\d)", entry.replace(",", "")):
            raise SystemExit(f"figures.csv: {row['value']} does not stand in the entry \"{row['entry']}\"")
    return [(int(row["tokens"] or 0), float(row["value"])) for row in found]


def speed():
    figure, (prefill, decode) = panels()
    columns = {model: numbers(RESULTS / file) for model, file in DEPTHS.items()}
    for model, shift in (("Gemma 4 E2B", 0.94), ("Gemma 3n E2B", 1.06)):
        theirs = dict(color=COLOURS[model], linestyle="--", marker="s", markerfacecolor=PAPER, label=f"{model}, {PEER}")
        ours = dict(color=COLOURS[model], marker="o", label=f"{model}, swift-gemma")
        prefill.plot(*zip(*figures("swift-gemma", model, "prefill", ["long-prompts"])), **ours)
        prefill.plot(*zip(*figures("llama.cpp", model, "prefill", ["compare", "llama-4096"])), **theirs)
        # Both models of the peer give nearly the same: side by side they can be seen.
        points = figures("llama.cpp", model, "decode", ["compare"])
        decode.plot([tokens * shift for tokens, _ in points], [value for _, value in points], **theirs)
        depths, values, reads = (columns[model][name] for name in ("depth", "decode_tokens_per_s", "read_gb_per_s"))
        decode.plot(depths, values, **ours)
        for place, (depth, value, read) in enumerate(zip(depths, values, reads)):
            lower = value == min(other["decode_tokens_per_s"][place] for other in columns.values())
            decode.annotate(f"{read:.0f}", (depth, value), xytext=(0, -16 if lower else 7), textcoords="offset points",
                            ha="center", fontsize=9)
    prefill.set_title("Reading a prompt")
    depth_axis(prefill, [512, 1024, 2048, 4096, 8192], "tokens in the prompt")
    prefill.set_ylim(0, 600)
    decode.set_title("Generating")
    decode.text(0.01, 0.03, "small figures: GB/s that memory gave meanwhile", transform=decode.transAxes, fontsize=9)
    depth_axis(decode, [128, 512, 2048, 8192], "tokens in the context")
    decode.set_ylim(0, 40)
    prefill.set_ylabel("tokens per second")
    figure.legend(*prefill.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    save(figure, "speed")


def roofline():
    # Files of November have the kernel's name of then.
    products = [row for row in rows(RESULTS / KERNELS) if row["kernel"] in ("quantized_product", "affine_product")]
    formats = {"q4g64": ("4 bits, groups of 64", "#0078c0", "o"), "q8g32": ("8 bits, groups of 32", "#d55e00", "^")}
    figure, axes = panels()
    for axis, level in zip(axes, ("avx512vnni", "avx2")):
        here = [row for row in products if row["level"] == level and row["shape"].split()[0] in formats]
        read = statistics.median(float(row["read_gb_per_s"]) for row in here)
        peak = statistics.median(float(row["peak_gmac_per_s"]) for row in here)
        axis.plot([0.7, peak / read, 700], [0.7 * read, peak, peak], color=INK, linewidth=1.5)
        axis.text(1.15, 1.65 * read, f"memory: {read:.0f} GB/s", rotation=52, rotation_mode="anchor")
        axis.text(650, peak * 1.08, f"8-bit peak: {peak:.0f}", ha="right")
        # A row reads the same weights as many do: so many multiply-adds a byte does one row make.
        one = {row["shape"]: float(row["gop_per_s"]) / float(row["gb_per_s"]) for row in here if row["rows"] == "1"}
        for form, (label, colour, marker) in formats.items():
            points = [(int(row["rows"]) * one[row["shape"]], float(row["gop_per_s"]))
                      for row in here if row["shape"].startswith(form)]
            axis.plot(*zip(*points), linestyle="none", marker=marker, markersize=4, markeredgewidth=0, color=colour,
                      label=label)
        axis.set(xscale="log", yscale="log", xlim=(0.7, 700), ylim=(20, 700), title=f"Quantised products, {level}",
                 xlabel="multiply-adds per byte of weights (log scale)")
        axis.set_xticks([1, 10, 100], ["1", "10", "100"])
        axis.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
        axis.minorticks_off()
    for count, label, place in ((1, "1 row", (15, -14)), (4, "4", (7, -24)), (8, "8", (5, -18)), (64, "64", (0, -19)),
                                (256, "256", (0, -17))):
        values = [float(row["gop_per_s"]) for row in products if row["rows"] == str(count)
                  and row["level"] == "avx512vnni" and row["shape"].startswith("q4g64")]
        axes[0].annotate(label, (count * 8 / 4.5, statistics.median(values)), xytext=place, ha="center", fontsize=9,
                         textcoords="offset points")
    axes[0].set_ylabel("10⁹ multiply-adds per second (log scale)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    save(figure, "roofline")


def memory():
    figure, axes = panels()
    for axis, (model, file) in zip(axes, DEPTHS.items()):
        columns = numbers(RESULTS / file)
        mapped, own = ([count / 1e6 for count in columns[name]] for name in ("rss_file_bytes", "rss_anon_bytes"))
        places = range(len(mapped))
        axis.bar(places, mapped, 0.6, color=PAPER)
        axis.bar(places, mapped, 0.6, color=COLOURS[model], alpha=0.4)
        axis.bar(places, own, 0.6, bottom=mapped, color=COLOURS[model])
        for place, below, above in zip(places, mapped, own):
            axis.annotate(f"{below:,.0f} + {above:.0f}", (place, below + above), xytext=(0, 4), ha="center", fontsize=9,
                          textcoords="offset points")
        [(_, size)] = figures("swift-gemma", model, "file", ["files"])
        axis.set_xticks(places, [f"{depth:,.0f}" for depth in columns["depth"]])
        axis.set_yticks(range(0, 3001, 500), [f"{tick:,}" for tick in range(0, 3001, 500)])
        axis.grid(axis="x", visible=False)
        axis.set(ylim=(0, 3000), title=f"{model}, a file of {size:,.0f} MB", xlabel="tokens in the context")
    axes[0].set_ylabel("resident memory, MB")
    keys = [Patch(color=INK, alpha=0.4, label="pages of the mapped file"),
            Patch(color=INK, label="of the process alone: caches, activations, tables")]
    figure.legend(handles=keys, loc="outside lower center", ncols=2)
    save(figure, "memory")


if __name__ == "__main__":
    speed()
    roofline()
    memory()
