"""python3 -m unittest discover Benchmarks/peers"""

import unittest

from figures import Run, alternate, compare, record, summary, table
from prompts import tokens


class FiguresTests(unittest.TestCase):
    def test_the_ratio_is_of_the_medians_and_the_range_of_the_rounds(self):
        result = compare([10, 30, 20], [5, 10, 20])
        self.assertEqual((result.ours, result.peer, result.ratio), (20, 10, 2))
        self.assertEqual((result.lowest_ratio, result.highest_ratio), (1, 3))

    def test_an_even_number_of_rounds_takes_the_middle_of_the_two(self):
        self.assertEqual(compare([1, 4, 2, 3], [1, 1, 1, 1]).ours, 2.5)

    def test_runs_without_a_partner_are_refused(self):
        for ours, peer in ([1], []), ([], []), ([1, 2], [1]):
            with self.assertRaises(ValueError):
                compare(ours, peer)

    def test_a_speed_of_zero_is_no_measurement(self):
        with self.assertRaises(ValueError):
            Run(prefill=0, decode=1)

    def test_the_engines_take_turns_and_ours_begins(self):
        order = []
        mine, theirs = alternate(3, lambda: order.append("A") or len(order), lambda: order.append("B") or len(order))
        self.assertEqual("".join(order), "ABABAB")
        self.assertEqual((mine, theirs), ([1, 3, 5], [2, 4, 6]))

    def test_prefill_and_decode_are_not_mixed_up(self):
        result = summary([Run(100, 10)], [Run(50, 20)])
        self.assertEqual((result["prefill"].ratio, result["decode"].ratio), (2, 0.5))
        self.assertIn("prefill 512          100.0          50.0    2.00   2.00 to 2.00", table(512, "peer", result))
        self.assertEqual(record("a against b", 512, result)["decode"]["ratio"], 0.5)


class PromptTests(unittest.TestCase):
    def test_the_prompt_is_the_one_of_gemma_bench(self):
        # The generator in Sources/GemmaCommand/VerifyCommand.swift, worked out by hand for the first step.
        state = (0x9E3779B97F4A7C15 * 6364136223846793005 + 1442695040888963407) % 2**64
        self.assertEqual(tokens(2, 262144), [2, (state >> 33) % 262144])
        self.assertEqual(tokens(4, 1000), tokens(9, 1000)[:4])


if __name__ == "__main__":
    unittest.main()
