"""A tokenizer.json of the Gemma kind (BPE, byte fallback, control pieces at Gemma's ids), trained on the corpus."""
import json
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SIZE = 4096
LEADING = dict(enumerate(["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]))
NEWLINES = {107: "\n", 108: "\n\n"}


@dataclass(frozen=True)
class Layout:
    """Where a generation of Gemma keeps its control pieces, and how it writes a turn."""
    control: dict                    # id -> piece, besides the leading five
    media: tuple                     # the last ids of the vocabulary, in this order
    open: str
    close: str
    unmarked: frozenset = frozenset()  # control pieces that the published file does not mark as special

    @property
    def fixed(self):
        first = SIZE - len(self.media)
        return LEADING | self.control | {first + i: piece for i, piece in enumerate(self.media)}

    def turn(self, question):
        """A user's turn and the opening of the model's."""
        return f"{self.open}user\n{question}{self.close}\n{self.open}model\n"


# As in Gemma 3n the closing and soft pieces lie beyond the rows of the per-layer embedding table.
GEMMA3N = Layout({105: "<start_of_turn>", 106: "<end_of_turn>"},
                 ("<start_of_image>", "<start_of_audio>", "<end_of_image>", "<image_soft_token>", "<end_of_audio>",
                  "<audio_soft_token>"), "<start_of_turn>", "<end_of_turn>")
PER_LAYER_ROWS = SIZE - 4  # of the Gemma 3n model
TOOLS = {46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>", 49: "<tool_call|>", 50: "<|tool_response>",
         51: "<tool_response|>", 52: '<|"|>', 98: "<|think|>", 100: "<|channel>", 101: "<channel|>"}
GEMMA4 = Layout(TOOLS | {105: "<|turn>", 106: "<turn|>"},
                ("<|image>", "<|audio>", "<|image|>", "<|audio|>", "<image|>", "<audio|>", "<|video|>"),
                "<|turn>", "<turn|>", frozenset(TOOLS.values()) - {"<|tool>", "<tool|>", "<|think|>"})
BYTES = [f"<0x{b:02X}>" for b in range(256)]


def train(texts, layout):
    """Learns the merges. Only here the text is pre-split at word borders, so that no merge crosses a space."""
    learner = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    learner.normalizer = normalizers.Replace(" ", "▁")
    learner.pre_tokenizer = pre_tokenizers.Split(Regex(r"▁?\p{L}+|'(s|t|ll|d|re|ve|m)\b|\n+|▁?[^\p{L}▁\n]"), "isolated")
    room = SIZE - len(layout.fixed) - len(BYTES)
    learner.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=room, limit_alphabet=120, show_progress=False))
    learned = json.loads(learner.to_str())["model"]
    pieces = sorted(learned["vocab"], key=learned["vocab"].get)
    merges = [m if isinstance(m, list) else m.split(" ") for m in learned["merges"]]
    return Tokenizer.from_str(json.dumps(document(pieces, merges, layout), ensure_ascii=False))


def document(pieces, merges, layout):
    """The file in Gemma's layout: control pieces and newlines at Gemma's ids, everything else around them."""
    missing = set(NEWLINES.values()) - set(pieces)
    if missing:
        raise SystemExit(f"the corpus gave no piece for {missing}: paragraphs must be separated by a blank line")
    fixed = layout.fixed | NEWLINES
    rest = iter([p for p in pieces if p not in NEWLINES.values()] + BYTES)
    vocab = {}
    for index in range(SIZE):
        piece = fixed.get(index) or next(rest, f"<unused{index}>")
        vocab[piece] = index
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": vocab[p], "content": p, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": p not in layout.unmarked} for p in layout.fixed.values()],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
                          "invert": False},
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
            {"type": "Fuse"}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                  "vocab": vocab, "merges": merges},
    }


def check(tokenizer, layout):
    """Raises if text does not come back unchanged or a control piece sits at another id than Gemma's."""
    for text in ("Once upon a time, there was a fox.\n\n\"Who?\" said he.", "Der süße Bär 🦊 isst  Äpfel.\n\n\n12345\t"):
        back = tokenizer.decode(tokenizer.encode(text, add_special_tokens=False).ids, skip_special_tokens=False)
        if back != text:
            raise SystemExit(f"the tokenizer does not round-trip {text!r}: {back!r}")
    for index, piece in (layout.fixed | NEWLINES).items():
        if tokenizer.token_to_id(piece) != index:
            raise SystemExit(f"{piece!r} is not at id {index}")
