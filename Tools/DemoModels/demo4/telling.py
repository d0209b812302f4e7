"""The target's own answers, told by this package's engine: many times as fast as transformers, and the same bits each
time."""
import json
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

LONGEST = 200  # pieces of an answer


def is_greedy(number):
    """One answer in four; the others are sampled as generation_config.json says."""
    return number % 4 == 3


def answer(gemma, folder, question, number, close):
    """(question ids, answer ids with the piece that ends it); the number is the seed."""
    how = ["--temperature", "0"] if is_greedy(number) else ["--seed", str(number)]
    command = [gemma, "run", folder, "-", "--format", "json", "--threads", "1", "--max-tokens", str(LONGEST),
               "--speculation", "off", *how]
    made = json.loads(subprocess.run(command, input=question.encode(), capture_output=True, check=True).stdout)
    ended = made["finish_reason"] == "end_of_turn"
    return made["prompt_token_ids"], made["token_ids"] + [close] * ended


def tell(gemma, folder, data, layout, count, held=128, workers=2, seed=0):
    """(made, held): so many answers in all to questions drawn from the corpus. No question is in both."""
    rng, start, pairs = random.Random(seed), time.time(), []
    close = data.tokenizer.token_to_id(layout.close)
    questions = [data.chat.draw(rng)[0] for _ in range(count)]
    with ThreadPoolExecutor(workers) as pool:
        told = pool.map(lambda n: answer(gemma, folder, questions[n], n, close), range(count))
        for pair in told:
            pairs.append(pair)
            if len(pairs) % 500 == 0:
                print(f"{len(pairs)} answers, {time.time() - start:.0f} s", flush=True)
    known = set(questions[:held])
    made = [pair for question, pair in zip(questions[held:], pairs[held:]) if question not in known]
    print(f"{len(made)} answers of {sum(len(a) for _, a in made)} pieces; {held} are held back", flush=True)
    return made, pairs[:held]
