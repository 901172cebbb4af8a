"""A probabilistic grammar of Chinese -> documents, and the exact probability of each sentence.

The sample corpora come from here (grammar files: resources/samples/grammar). Since the process
that makes them is known, so is the least number of bits per character that any model can need.

The process. What is drawn from a list is drawn by falling weights, what stands first most often
(`ranks` has the two laws). A document draws a topic (in the order of their files), its length (6
to 20 sentences, uniformly) and its variables: a protagonist, a friend, and what else the topic
carries from sentence to sentence (the animal, the country, the town), each from its table, all
anew until no two are alike. Its first sentence comes from the topic's openings, its last from
the closings, all between from the body: with probability `general_share` from sentences that fit
every topic, else from the topic's own. Then a template is drawn, and each choice and each slot
from left to right, without replacement: two animals of a sentence differ. A slot of a variable
that already has its value repeats it or names one of its attributes (agreement). The order of
the sentences between first and last carries nothing: what links them is the hidden state.

The oracle. A sentence may have several derivations; its probability is the sum over all of them
and counts the sentence end, since only whole sentences are generated. Two figures:

sentence   -log2 p(s), with p the distribution of a sentence taken at random from an endless
           corpus: the hidden state (topic, variables, opening / body / closing) is summed out
           with the frequencies the process gives it.
document   -log2 p(s_t | s_1 ... s_t-1, there is a sentence t), by exact forward filtering of the
           hidden state over the document.

Both are summed over the sentences of a text and divided by its characters (code points without
white space), the axis of all charts. Why no model gets below: let q be any distribution over
sentences that was fixed before the text was drawn, such as a product of next-character or
next-word probabilities with state reset at each sentence start. By Gibbs' inequality
E[-log2 q(s)] >= E[-log2 p(s)], with equality only for q = p. Words do not help: a deterministic
segmentation of s has at most the probability of the string s. For models that carry context on,
the same holds for the conditional distributions and the second figure, which is the smaller one
since conditioning lowers entropy. Both are statements about expectations: on a finite test part
a model can lie below only by the luck of the draw.
"""

from lmstudio.text.grammar.documents import Document, documents
from lmstudio.text.grammar.oracle import Oracle
from lmstudio.text.grammar.reading import load

__all__ = ["Document", "Oracle", "documents", "load"]
