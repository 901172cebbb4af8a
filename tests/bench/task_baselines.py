"""Labelled examples -> what is reached without a network: "majority" and "bag of words".

    kind             majority                       bag of words
    classify, pair   the commonest class            logistic regression on counts: of characters and
                                                    pairs of them, of words in English
    tag              each token's commonest tag     logistic regression on the token, two on each
                                                    side of it, and pairs of neighbours
    qa               the passage's first sentence   that which shares most characters with the
                                                    question, for its length

Figures are those of the program: accuracy, strict F1 of spans, F1 of answers by the rule of CMRC.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from lmstudio.analysis.tasks.scores import answers, entities
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import strict_spans, tags_of

Figures = dict[str, float]

_SENTENCE = re.compile(r"[^。！？；.!?]+")
_EDGE = ("<s>", "<s>")
_SEED = 1


def baselines(kind: str, train: Sequence[Example], test: Sequence[Example]) -> Figures:
    """The figure of each baseline on the test part."""
    if kind == "tag":
        return {"majority": _commonest_tags(train, test), "bag of words": _tagged(train, test)}
    if kind == "qa":
        return {"majority": _answered(test, by_question=False),
                "bag of words": _answered(test, by_question=True)}  # fmt: skip
    most = Counter(example.label for example in train).most_common(1)[0][0]
    majority = sum(example.label == most for example in test) / len(test)
    return {"majority": majority, "bag of words": _classified(train, test)}


# --- classes ----------------------------------------------------------------------------------


def _classified(train: Sequence[Example], test: Sequence[Example]) -> float:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    def text(example: Example) -> str:
        return f"{example.text} \n {example.other}"

    english = train[0].text.isascii()
    how = {"analyzer": "word"} if english else {"analyzer": "char", "ngram_range": (1, 2)}
    counts = CountVectorizer(min_df=2, **how)
    found = counts.fit_transform(map(text, train))
    classes = LogisticRegression(max_iter=300).fit(found, [one.label for one in train])
    return float(classes.score(counts.transform(map(text, test)), [one.label for one in test]))


# --- tags -------------------------------------------------------------------------------------


def _commonest_tags(train: Sequence[Example], test: Sequence[Example]) -> float:
    seen = defaultdict[str, Counter[str]](Counter)
    for example in train:
        for word, tag in zip(_words(example), _tags(example), strict=True):
            seen[word][tag] += 1
    best = {word: tags.most_common(1)[0][0] for word, tags in seen.items()}
    return _f1(test, [[best.get(word, "O") for word in _words(one)] for one in test])


def _tagged(train: Sequence[Example], test: Sequence[Example]) -> float:
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import SGDClassifier

    hasher = FeatureHasher(2**18, input_type="string", alternate_sign=False)
    features = hasher.transform([row for one in train for row in _features(_words(one))])
    classes = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=5, tol=None, random_state=_SEED)
    classes.fit(features, [tag for one in train for tag in _tags(one)])
    found = []
    for one in test:
        rows = _features(_words(one))
        found.append(list(classes.predict(hasher.transform(rows))) if rows else [])
    return _f1(test, found)


def _features(words: Sequence[str]) -> list[list[str]]:
    """What is known of each word: itself and its neighbours, by their place."""
    padded = [*_EDGE, *words, *_EDGE]
    found = []
    for at in range(2, len(padded) - 2):
        near = padded[at - 2 : at + 3]
        pairs = [f"{n}:{near[n]} {near[n + 1]}" for n in range(4)]
        found.append([*(f"{n}={word}" for n, word in enumerate(near)), *pairs])
    return found


def _places(example: Example) -> list[tuple[int, int]]:
    """Where the words of the file stand; characters where it has none."""
    characters = [(n, n + 1) for n, c in enumerate(example.text) if not c.isspace()]
    return list(example.words) or characters


def _words(example: Example) -> list[str]:
    return [example.text[start:end] for start, end in _places(example)]


def _tags(example: Example) -> list[str]:
    places = _places(example)
    starts, ends = ({place[side]: n for n, place in enumerate(places)} for side in (0, 1))
    spans = [Span(starts[s.start], ends[s.end] + 1, s.type) for s in example.spans]
    return tags_of(spans, len(places), "BIO")


def _f1(test: Sequence[Example], tags: Sequence[Sequence[str]]) -> float:
    found = []
    for example, mine in zip(test, tags, strict=True):
        places = _places(example)
        found.append({Span(places[s.start][0], places[s.end - 1][1], s.type)
                      for s in strict_spans(mine, "BIO")})  # fmt: skip
    return entities.score([one.spans for one in test], found).all.f1


# --- answers ----------------------------------------------------------------------------------


def _answered(test: Sequence[Example], *, by_question: bool) -> float:
    given = []
    for example in test:
        sentences = _SENTENCE.findall(example.text)
        asked = set(example.other) if by_question else set()
        given.append(max(sentences, key=lambda one: len(asked & set(one)) / len(one) ** 0.5))
    right = [[one.text[s.start : s.end] for s in one.spans] for one in test]
    return answers.score(right, given).figures["f1"]
