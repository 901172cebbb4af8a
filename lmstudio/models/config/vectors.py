"""What a table of word vectors that came in a file is."""

from dataclasses import dataclass

from lmstudio.messages import msg
from lmstudio.models.config.terms import Term, table
from lmstudio.options import option


@dataclass(frozen=True)
class VectorsConfig:
    """A vector for each word, and nothing that predicts (Mikolov et al. 2013)."""

    width: int = option(64, msg("Width"), msg("Length of the embeddings"), low=1, high=100_000)

    def parameters(self, rows: int) -> list[Term]:
        """The table itself."""
        return [table(msg("Embedding"), rows, self.width)]
