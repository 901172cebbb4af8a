"""What a trained model can be asked; see Capabilities in the design."""

from collections.abc import Callable, Iterator
from typing import Literal, Protocol

import numpy as np

from lmstudio.models.reading import Reading


class LanguageModel(Protocol):
    """A model over the ids of one vocabulary. One that does not read from the left says so."""

    @property
    def context(self) -> Literal["sentence", "document"]:
        """What it may see before a token: its sentence, or all that was scored before too."""
        ...

    @property
    def proper(self) -> bool:
        """Whether its figures are probabilities of a text, so that they share the axis.

        False for scores that do not sum to one, and for pseudo log-likelihoods (both sides seen).
        """
        ...

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """Natural log p of every scored event of `<s> w ... </s> <s> ...` (int32), in order.

        float64, one for each position of the stream that is not `<s>`; -inf where p is zero. NaN at
        `</s>` where a model with `proper` False predicts no sentence ends. With the context
        "document", each call begins anew.
        """
        ...

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """(rows,) p of each id after `prefix` (ids after `<s>`); sums to 1, `<s>` has 0.

        All NaN where the model defines no distribution (maximum likelihood, unseen context; a
        model that reads both sides).
        """
        ...


class DocumentModel(LanguageModel, Protocol):
    """A model whose context is "document" can score a long stream piece by piece."""

    def read(self, stream: np.ndarray) -> Iterator[np.ndarray]:
        """`logprobs` of one stream in instalments of some thousand events, for progress."""
        ...

    def logprobs_apart(self, stream: np.ndarray) -> np.ndarray:
        """`logprobs`, each sentence by itself whatever the context."""
        ...


class WritingModel(LanguageModel, Protocol):
    """A model that reads from the left, and so can go on with a text."""

    def begin(self, prefix: np.ndarray) -> Reading:
        """What `next_probs` reads of `prefix`, to be read on. `</s>` may stand in it."""
        ...


class CountingModel(LanguageModel, Protocol):
    """Can score its whole vocabulary for a blank at once."""

    def fill_logs(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """(rows,) ln p of the text with each id between the ids `left` and `right`.

        Up to what is the same for all of them; -inf for `<s>`. `right` ends with `</s>` if the
        sentence does there.
        """
        ...


class BothSidesModel(LanguageModel, Protocol):
    """Guesses what stands in a blank from both its sides."""

    def fill_rows(self, ids: np.ndarray, hidden: np.ndarray, place: int) -> np.ndarray:
        """(B, rows) p of each id at `place` of the sentences `ids` (B, T), which have no marks.

        What is `hidden` (T,) bool is not looked at in any of them. Sums to 1; marks have 0.
        """
        ...


class ReadingModel(LanguageModel, Protocol):
    """Reads on in several ways from one beginning."""

    def continuations(self, prefix: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(B, K) ln p of each id of `rows` (B, K) after `<s>`, `prefix` and what is left of it."""
        ...


class BlankingModel(LanguageModel, Protocol):
    """One that can be kept from seeing any tokens: a masked language model."""

    def logprobs_hiding(
        self, stream: np.ndarray, ends: np.ndarray | None, check: Callable[[], None]
    ) -> np.ndarray:
        """`logprobs`, each token guessed without those behind it up to an end either.

        `ends` (N,) of the N tokens of the stream, marks left out: the number of the first that is
        shown again; None: only the token itself is hidden. `check` is called often.
        """
        ...


class NeuralModel(LanguageModel, Protocol):
    """What networks can be asked besides. T is the length of what is read, see `shown`."""

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """(T,) the ids that are read for the sentence `ids`: `<s>` before it, perhaps `</s>`."""
        ...

    def layers(self, ids: np.ndarray) -> np.ndarray:
        """(L + 1, T, D) float32: the vectors of a sentence; layer 0 is the look-up table's."""
        ...

    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """(L + 1, B, T, D) float32: the same of B sentences, read together.

        `rows` (B, T) are what `shown` makes of them, padded to the longest with any id; `sizes`
        (B,) of a row are real, what is beyond means nothing. No sentence knows of another, nor of
        those read before.
        """
        ...


class LayeredModel(NeuralModel, Protocol):
    """A network whose output can be made to read each of its layers: all but FFNN."""

    def streams(self, ids: np.ndarray) -> np.ndarray:
        """(L + 1, T, D) float32: what the first layer reads of a sentence, what each hands on.

        Of ELMo both directions, what was read from the left first; there D is 2 W.
        """
        ...

    def guesses(self, vectors: np.ndarray) -> np.ndarray:
        """(N, V) float64 p of each id where the output reads `vectors` (N, D); rows sum to 1.

        As of the last layer, whatever comes between it and the output included. ELMo reads those
        of one direction (N, W), or of both sides of a place (N, 2 W): the head "joint" only these.
        """
        ...


class HidingModel(LayeredModel, Protocol):
    """A network that learned from blanks, whose id is the one after the vocabulary's."""

    def hidden_streams(self, ids: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(L + 1, N, D) float32: `streams` at N `places` of the sentence, each hidden by itself."""
        ...


class SummingModel(LayeredModel, Protocol):
    """A transformer, by what it reads."""

    def terms(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """(T, D) float32 each: "token", "position" (if it knows any), of BERT "segment"; their
        "sum", of BERT its layer "norm", of ALBERT "projected". The first layer reads the last."""
        ...

    def position_table(self) -> np.ndarray | None:
        """(P, D) float32: the vector of each position; None for a model that knows of none."""
        ...

    def waves(self) -> np.ndarray:
        """(P, D) float32: what sinusoidal positions of the same size are."""
        ...


class AttendingModel(NeuralModel, Protocol):
    """A transformer. `heads` (L, H) bool: those that are not switched off, None for all."""

    def attention(self, ids: np.ndarray, heads: np.ndarray | None = None) -> np.ndarray:
        """(L, H, T, T) float32: how much of its look each position (third axis) gives to each."""
        ...

    def projections(
        self, ids: np.ndarray, layer: int, heads: np.ndarray | None = None
    ) -> tuple[np.ndarray, ...]:
        """Queries, keys and values of a layer's heads, (H, T, D / H) float32 each."""
        ...

    def guessed(self, ids: np.ndarray) -> np.ndarray:
        """(E,) places after `<s>` of the sentence `ids` that are guessed, in order."""
        ...

    def logprobs_with(
        self, ids: np.ndarray, places: np.ndarray, heads: np.ndarray,
        check: Callable[[], None] = ...,
    ) -> np.ndarray:  # fmt: skip
        """(N, E) ln p of what stands at `places` (E,) of those guessed, for heads (N, L, H) bool.

        What reads both sides guesses a place from all the others. `check` is called often.
        """
        ...

    def guess_with(self, ids: np.ndarray, place: int, heads: np.ndarray) -> np.ndarray:
        """(N, rows) p of each id at one of the places guessed, for heads (N, L, H) bool."""
        ...

    def norms(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """(L, T) by place: lengths of "input", "attention" (what it adds), "middle", "mlp",
        "output" of each layer."""
        ...


class GatedModel(NeuralModel, Protocol):
    """An LSTM or GRU, or ELMo, whose D is that of both directions together."""

    def gates(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """(L, T, D) by name: "input", "forget", "output", "candidate", "cell" ("reset", "update",
        "candidate" of a GRU), as they stand after each token."""
        ...
