"""A tokenizer.json of the Gemma kind (BPE, byte fallback, control pieces at Gemma's ids), trained on the corpus."""
import json

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SIZE = 4096
LEADING = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]                     # ids 0-4
TURNS = {105: "<start_of_turn>", 106: "<end_of_turn>"}
NEWLINES = {107: "\n", 108: "\n\n"}
# As in Gemma 3n the closing and soft pieces lie beyond the rows of the per-layer embedding table.
MEDIA = ["<start_of_image>", "<start_of_audio>", "<end_of_image>", "<image_soft_token>",
         "<end_of_audio>", "<audio_soft_token>"]                             # the last six ids
PER_LAYER_ROWS = SIZE - 4
BYTES = [f"<0x{b:02X}>" for b in range(256)]


def train(texts):
    """Learns the merges. Only here the text is pre-split at word borders, so that no merge crosses a space."""
    control = LEADING + list(TURNS.values()) + MEDIA
    learner = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    learner.normalizer = normalizers.Replace(" ", "▁")
    learner.pre_tokenizer = pre_tokenizers.Split(Regex(r"▁?\p{L}+|'(s|t|ll|d|re|ve|m)\b|\n+|▁?[^\p{L}▁\n]"), "isolated")
    room = SIZE - len(control) - len(BYTES)
    learner.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=room, limit_alphabet=120, show_progress=False))
    learned = json.loads(learner.to_str())["model"]
    pieces = sorted(learned["vocab"], key=learned["vocab"].get)
    merges = [m if isinstance(m, list) else m.split(" ") for m in learned["merges"]]
    return Tokenizer.from_str(json.dumps(document(pieces, merges, control), ensure_ascii=False))


def document(pieces, merges, control):
    """The file in Gemma's layout: control pieces and newlines at Gemma's ids, everything else around them."""
    missing = set(NEWLINES.values()) - set(pieces)
    if missing:
        raise SystemExit(f"the corpus gave no piece for {missing}: paragraphs must be separated by a blank line")
    fixed = dict(enumerate(LEADING)) | TURNS | NEWLINES
    fixed |= {SIZE - len(MEDIA) + i: piece for i, piece in enumerate(MEDIA)}
    rest = iter([p for p in pieces if p not in NEWLINES.values()] + BYTES)
    vocab = {}
    for index in range(SIZE):
        piece = fixed.get(index) or next(rest, f"<unused{index}>")
        vocab[piece] = index
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": vocab[p], "content": p, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for p in control],
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


def check(tokenizer):
    """Raises if text does not come back unchanged or a control piece sits at another id than Gemma's."""
    for text in ("Once upon a time, there was a fox.\n\n\"Who?\" said he.", "Der süße Bär 🦊 isst  Äpfel.\n\n\n12345\t"):
        back = tokenizer.decode(tokenizer.encode(text, add_special_tokens=False).ids, skip_special_tokens=False)
        if back != text:
            raise SystemExit(f"the tokenizer does not round-trip {text!r}: {back!r}")
    for index, piece in (dict(enumerate(LEADING)) | TURNS | NEWLINES).items():
        if tokenizer.token_to_id(piece) != index:
            raise SystemExit(f"{piece!r} is not at id {index}")
