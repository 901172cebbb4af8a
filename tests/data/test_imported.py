"""What an import found travels from the worker to the window."""

import pickle
import time

from lmstudio.data.importing import Imported
from lmstudio.data.parts import Document
from lmstudio.messages import Message
from lmstudio.text.document import Refusal


def test_documents_arrive_as_they_were():
    documents = [Document(f"{n}.txt", "utf-8", "sentence", 9, n, part="train", title=str(n))
                 for n in range(5)]  # fmt: skip
    sent = Imported(documents, skipped=[Refusal("a", Message("no"))], split="files")
    arrived = pickle.loads(pickle.dumps(sent))
    assert arrived == sent
    assert pickle.loads(pickle.dumps(Imported())) == Imported()


def test_many_documents_do_not_hold_up_the_window():
    """While a list of objects is unpickled no other thread runs: the documents are no such list."""
    documents = [Document(f"{n}", "utf-8", "sentence", 9, n) for n in range(20_000)]
    plain, sent = pickle.dumps(documents), pickle.dumps(Imported(documents).__getstate__())
    start = time.thread_time()
    pickle.loads(sent)
    middle = time.thread_time()
    pickle.loads(plain)
    assert middle - start < (time.thread_time() - middle) / 2
