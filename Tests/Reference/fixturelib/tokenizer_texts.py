"""Texts that have broken tokenizers, by kind. Nothing here is specific to one vocabulary."""
import os

PLAIN = {
    "empty": [""],
    "words": ["a", "Hello, world!", " Linus", "Hannes", "Linus Torvalds and Hannes", "the", " the", "The quick brown fox "
              "jumps over the lazy dog.", "antidisestablishmentarianism", "don't won't can't I'll", "HELLO hello HeLLo"],
    "newlines": ["\n", "\n\n", "a\n\n\nb", "\n" * 31, "\n" * 32, "\n" * 33, "a\nb", " \n \n ", "line one\r\nline two\r\n",
                 "a\r\nb", "\r", "\n\r\n\r", "tail\n"],
    "tabs": ["\t", "\t\t\t", "a\tb\t\tc", "\t" * 32, " \t \t", "if x:\n\tif y:\n\t\treturn\n"],
    "spaces": ["a  b", " hi", "  hi", "hi ", "hi  ", " ", "a" + " " * 40 + "b", " . , ; ", "\u00a0\u2003\u3000", "a \u00a0 b"],
    "underscore": ["\u2581", "\u2581\u2581a", "a\u2581b", " \u2581 \u2581 ", "snake_case_name __init__"],
    "digits": ["12345", "3.14159", "1,000,000", "2026-11-30T04:52:18Z", "0x1F 0b101 007", "\u0661\u0662\u0663",
               "\u00b2\u00b3\u2082", "\u2167 \u00bd", "1" * 64],
    "german": ["Der s\u00fc\u00dfe B\u00e4r isst sch\u00f6ne \u00c4pfel.", "Stra\u00dfe STRASSE stra\u1e9ee",
               "Donaudampfschifffahrtsgesellschaftskapit\u00e4n"],
    "languages": ["\u0e01\u0e31", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01",
                  "\u4eca\u65e5\u306f\u3001\u4e16\u754c\uff01\u5143\u6c17\u3067\u3059\u304b\u3002", "\u4f60\u597d\uff0c\u4e16\u754c\u3002",
                  "\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!",
                  "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
                  "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e", "\u0393\u03b5\u03b9\u03ac \u03c3\u03bf\u03c5 \u039a\u03cc\u03c3\u03bc\u03b5",
                  "T\u00f4i kh\u00f4ng hi\u1ec3u ti\u1ebfng Vi\u1ec7t", "\u1200\u1230\u120b\u121d", "\u13e3\u13b3\u13a9",
                  "\U00012000\U00012031", "\U0001d573\U0001d58a\U0001d591\U0001d591\U0001d594", "\U00020000\u9fff\u3400"],
    "emoji": ["\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f44d\U0001f3fd",
              "\U0001f1e9\U0001f1ea\U0001f1eb", "\U0001f600\U0001f600\U0001f600", "a\U0001f98ab", "#\ufe0f\u20e3", "\u2764\ufe0f \u2764"],
    "combining": ["e\u0301 \u00e9", "Z\u0351\u036b\u0343a\u0320lgo", "\u1100\u1161\u11a8", "n\u0303o", "A\u030a\u212b\u00c5", "\ufb01 \uff21"],
    "marks": ["\ufeff", "\ufeffname", "a\ufeffb", "\u200b", "a\u200bb\u200c\u200d", "\u202eabc\u202c", "\u2028\u2029", "\u00ad"],
    "control": ["\0", "a\0b", "\x01\x02\x07\x08\x0b\x0c\x1b[31m", "\x7f\x80\x9f", "\ufffd", "\ufffe\uffff", "\ue000\uf8ff",
                "\U0010ffff", "\u0378"],
    "code": ["def f(x):\n    return x ** 2  # square\n", "for (int i = 0; i < n; ++i) { a[i] += b[i]; }",
             "{\"key\": [1, 2.5, null, true], \"s\": \"\\n\\u00e9\"}", "SELECT * FROM t WHERE a <> 'b';", "<div class=\"x\"><p>Hi</p></div>",
             "<table><tr><td>1</td></tr></table>", "a->b::c <=> d |> e || f", "https://example.org/a?b=c&d=%20#e",
             "$$\\frac{a}{b} \\neq \\alpha_{i}$$", "\\ / \\\\ // /* */"],
    "controls": ["<bos>", "<eos><pad><unk><mask>", "<bos>Hello<eos>", "<start_of_turn>user\nHi<end_of_turn>\n",
                 "Hi <turn|>\n<|turn>system\n", "<|turn>user\nHi<turn|>\n<|turn>model\n", "< bos>", "<bos", "bos>", "<<bos>>",
                 "<start_of_turn", "x<end_of_turn>y", "<unused0><unused1>", "<unused99999>", "[multimodal]", "<start_of_image>",
                 "<|tool_call>call:f{a:<|\"|>b<|\"|>}<tool_call|>", "<|channel>thought\n<channel|>", "<|think|>", "<|image|><|audio|>",
                 "<0x41>", "<0x0A><0xFF>", "<s></s>", "<|im_start|>", "\u2581<bos>\u2581", "<BOS>", "<h1>Title</h1>"],
    "long": ["a" * 300, "ab" * 200, "supercalifragilistic" * 12, "\u00e4" * 100, "\u4e16" * 90, "- " * 80, "=" * 100,
             "\U0001f600" * 40, "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 8, "." * 97, "\u2581" * 35, "0123456789" * 12],
}

# file of the corpus, first character, number of characters
CORPUS = [
    ("Alice-s-Adventures-in-Wonderland_11.txt", 2000, 400), ("Grimms-Fairy-Tales_2591.txt", 30000, 400),
    ("Peter-Pan_16.txt", 50000, 300), ("Just-So-Stories_2781.txt", 20000, 300), ("The-Jungle-Book_236.txt", 80000, 300),
    ("Japanese-Fairy-Tales_4018.txt", 60000, 300), ("Heidi_1448.txt", 100000, 300),
    ("Through-the-Looking-Glass_12.txt", 40000, 1500),
]


def texts(corpus):
    """[(kind, text)]: the lists above, 1 to 40 spaces, and pages of the corpus."""
    result = [(kind, text) for kind, group in PLAIN.items() for text in group]
    result += [("space runs", " " * count) for count in range(1, 41)]
    for file, start, count in CORPUS:
        with open(os.path.join(corpus, file), encoding="utf-8", newline="") as page:
            result.append(("corpus", page.read()[start:start + count]))
    return result
