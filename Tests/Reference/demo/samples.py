"""Stories from a transformers model, to be read by a human."""
import torch

PROMPTS = ["Once upon a time", "Continue: Once upon a time", "Tell me about a fox", "Tell a story about a princess.",
           "Who is Heidi?", "Tell me about a robot", "Hello"]


def show(model, tokenizer, recipe, prompts=PROMPTS, seed=1, longest=300):
    torch.manual_seed(seed)
    model.eval()
    for prompt in prompts:
        ids = [2] + tokenizer.encode(recipe.layout.turn(prompt), add_special_tokens=False).ids
        made = model.generate(torch.tensor([ids]), max_new_tokens=longest, **recipe.generation)[0, len(ids):].tolist()
        ended = "ends by itself" if made[-1] in recipe.generation["eos_token_id"] else "cut"
        print(f"--- {prompt} [{len(made)} tokens, {ended}]\n{tokenizer.decode(made)}", flush=True)
