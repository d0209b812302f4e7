"""Question and answer examples made from the corpus: the answer is a passage, the question names what is in it."""
import random
import re
from collections import Counter

from .corpus import STORY_START, is_prose

THINGS = set("""fox wolf bear lion tiger cat dog horse cow goat sheep lamb pig hen cock duck goose swan bird raven crow
eagle owl robin nightingale sparrow mouse rat mole frog toad snake serpent dragon fish whale crab bee spider ant hare
rabbit deer stag monkey elephant donkey ass camel crocodile jackal panther king queen prince princess emperor knight
soldier giant dwarf fairy witch wizard sorcerer ogre troll mermaid ghost goblin magician genius angel robber thief
pirate beggar fisherman hunter huntsman shepherd miller tailor cobbler shoemaker carpenter smith farmer peasant
merchant sailor captain gardener servant maid cook nurse doctor priest hermit boy girl child baby man woman
brother sister mother father grandmother stepmother uncle aunt husband wife daughter son widow maiden youth lad bride
castle palace tower cottage hut house garden forest wood mountain hill cave river sea lake well island ship boat bridge
road field tree rose flower apple nut bean ring sword crown mirror lamp key box bag purse gold treasure feather egg
cake bread kettle pot spinning-wheel golden stone star moon sun wind snow storm winter summer night dream scarecrow
tin-woodman sawhorse pumpkin doll puppet school song dance feast wedding""".split())
THINGS -= {"golden"}
OPENINGS = ["Once upon a time", "Once upon a time there was", "Once upon a time there lived", "There was once",
            "Once there was", "There once was", "Long ago", "In the olden days", "A long time ago"]
ASK = ["Tell me about {a}", "Tell me about {a}.", "Tell a story about {a}", "Tell a story about {a}.",
       "Tell me a story about {a}", "Tell me a story about {a}.", "Tell me about {the}", "A story about {a}, please.",
       "Write a story about {a}.", "I want to hear about {a}.", "Do you know a story about {a}?",
       "What do you know about {a}?", "Tell the story of {the}."]
ASK_TWO = ["Tell me about {a} and {b}.", "Tell a story about {a} and {b}.", "Tell a story about {a} and {b}",
           "Tell me a story about {the} and {theb}."]
ASK_NAME = ["Who is {n}?", "Tell me about {n}.", "Tell me about {n}", "Tell a story about {n}.", "What did {n} do?"]
TELL = ["Tell me a story.", "Tell a story", "Tell me a story", "Tell me a fairy tale.", "A story, please.", "Hello",
        "Hello!", "Hi"]


def article(noun):
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def names_of(paragraphs):
    """Capitalised words met at least eight times inside sentences, and hardly ever in lower case."""
    text = " ".join(paragraphs)
    inside = Counter(re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b", text))
    lower = Counter(re.findall(r"\b[a-z]{3,}\b", text))
    weak = {"The", "And", "But", "God", "English", "French", "German", "Indian", "Heaven", "Christmas", "Sunday"}
    return {n for n, c in inside.items() if c >= 8 and lower[n.lower()] == 0 and n not in weak}


class Chat:
    """Draws examples. Passages are one to four whole paragraphs of 40 to 180 tokens."""

    def __init__(self, books, tokenizer, layout):
        """books: for each book its list of training runs (lists of paragraphs)."""
        self.tokenizer, self.layout, self.passages, self.starts = tokenizer, layout, [], []
        self.by_noun = {}
        for runs in books:
            names = names_of([p for run in runs for p in run])
            for run in runs:
                sizes = [len(e.ids) for e in tokenizer.encode_batch(run)]
                for i in range(len(run)):
                    self._add(run, sizes, i, names)

    def _add(self, run, sizes, i, names):
        taken, total = [], 0
        while i < len(run) and is_prose(run[i]) and total + sizes[i] <= 180 and len(taken) < 4:
            taken.append(run[i])
            total += sizes[i] + 1
            i += 1
            if total >= 90:
                break
        if total < 40:
            return
        text = "\n\n".join(taken)
        words = re.findall(r"[A-Za-z-]+", text)[:45]
        index = len(self.passages)
        found = sorted({w.lower() for w in words} & THINGS)  # the order decides what is drawn
        self.passages.append((text, found, sorted(set(words) & names)))
        for noun in found:
            self.by_noun.setdefault(noun, []).append(index)
        if STORY_START.match(text):
            self.starts.append(index)

    def draw(self, rng: random.Random):
        """(question, answer) as plain text."""
        kind = rng.random()
        if kind < 0.50:  # by noun first, so that the rare ones are asked for as often as kings are
            noun = rng.choice(list(self.by_noun))
            choices = self.by_noun[noun]
            text, found, _ = self.passages[rng.choice(choices)]
            others = [n for n in found if n != noun]
            if others and rng.random() < 0.2:
                b = rng.choice(others)
                question = rng.choice(ASK_TWO)
                return question.format(a=article(noun), b=article(b), the="the " + noun, theb="the " + b), text
            return rng.choice(ASK).format(a=article(noun), the="the " + noun), text
        if kind < 0.70:
            text, found, _ = self.passages[rng.choice(self.starts)]
            opening = next((o for o in sorted(OPENINGS, key=len, reverse=True) if text.startswith(o)), None)
            if rng.random() < 0.35 and found:
                return rng.choice(ASK[2:6]).format(a=article(rng.choice(found)), the=""), text
            if opening is None or rng.random() < 0.2:
                return rng.choice(TELL), text
            words = text.split(" ")
            more = rng.choice([0, 0, 0, 2, 4, 6])
            opening = " ".join(words[:len(opening.split(" ")) + more])
            return rng.choice(["", "", "Continue: "]) + opening, text
        if kind < 0.80:
            for _ in range(50):
                text, _, names = rng.choice(self.passages)
                if names:
                    return rng.choice(ASK_NAME).format(n=rng.choice(names)), text
        for _ in range(50):
            text, _, _ = rng.choice(self.passages)
            cut = re.match(r'.{20,160}?[.!?]"? (?=["A-Z])', text, re.S)
            if cut and len(text) - cut.end() > 120:
                return "Continue: " + text[:cut.end()].strip(), text[cut.end():]
        return rng.choice(TELL), self.passages[rng.choice(self.starts)][0]

    def ids(self, question, answer):
        """(ids, labels): the loss is taken on the answer and the piece that ends it."""
        head = [2] + self.tokenizer.encode(self.layout.turn(question), add_special_tokens=False).ids
        body = self.tokenizer.encode(answer + self.layout.close, add_special_tokens=False).ids
        newline = self.tokenizer.encode("\n", add_special_tokens=False).ids
        return head + body + newline, [-100] * len(head) + body + [-100]
