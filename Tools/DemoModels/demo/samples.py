"""Stories from a transformers model: some to be read by a human, and figures over many."""
import torch

PROMPTS = ["Once upon a time", "Continue: Once upon a time", "Tell me about a fox", "Tell a story about a princess.",
           "Who is Heidi?", "Tell me about a robot", "Hello"]
WANTED = {"Once upon a time": "Once upon a time", "Tell me about a fox": "fox",
          "Tell a story about a princess.": "rincess", "Tell a story about a wolf and a bear.": "wolf"}


def answers(model, tokenizer, recipe, prompt, count, longest):
    """[ids] of so many answers, each with the piece that ends it if there is one."""
    ids = [2] + tokenizer.encode(recipe.layout.turn(prompt), add_special_tokens=False).ids
    made = model.generate(torch.tensor([ids] * count), max_new_tokens=longest, **recipe.generation).tolist()
    return [until_stop(row[len(ids):], recipe.generation["eos_token_id"]) for row in made]


def until_stop(ids, stops):
    """The ids with the first of the stops, or all of them."""
    return ids[:next((i + 1 for i, piece in enumerate(ids) if piece in stops), len(ids))]


def show(model, tokenizer, recipe, seed=1, longest=300):
    torch.manual_seed(seed)
    model.eval()
    stops = recipe.generation["eos_token_id"]
    for prompt in PROMPTS:
        made, = answers(model, tokenizer, recipe, prompt, 1, longest)
        ended = "ends by itself" if made[-1] in stops else "cut"
        print(f"--- {prompt} [{len(made)} tokens, {ended}]\n{tokenizer.decode(made)}", flush=True)
    for prompt, wanted in WANTED.items():
        made = answers(model, tokenizer, recipe, prompt, 24, 256)
        ended, named = sum(row[-1] in stops for row in made), sum(wanted in tokenizer.decode(row) for row in made)
        print(f"{prompt!r}: of {len(made)} answers {ended} ended by themselves, {named} have {wanted!r}", flush=True)
