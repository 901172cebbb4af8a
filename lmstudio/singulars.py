"""English sentences with a count, as they are said of one thing: what `messages.tr` looks up.

SINGULARS: a sentence of the catalogue -> the value that counts, and the sentence where that is 1.
Chinese has one form for all numbers.
"""

SINGULARS: dict[str, tuple[str, str]] = {
    # of lists and of names
    "{names} and {count} older ones": ("count", "{names} and an older one"),
    "and {count} more kinds of problems": ("count", "and 1 more kind of problem"),
    "{count} things are in the trash: {names}": ("count", "One thing is in the trash: {names}"),
    "{count} more notes stand in the details.": ("count", "1 more note stands in the details."),
    "{count} rows in all; --csv writes them.": ("count", "1 row in all; --csv writes it."),
    "{count} points": ("count", "1 point"),
    "{count} parameters": ("count", "1 parameter"),
    # of corpora and their import
    "{count} documents": ("count", "1 document"),
    "{count} lines": ("count", "1 line"),
    "{count} characters": ("count", "1 character"),
    "{count} words": ("count", "1 word"),
    "{count} sentences": ("count", "1 sentence"),
    "{name} is imported: {documents} documents, {characters} characters, {encoding}.":
        ("documents", "{name} is imported: 1 document, {characters} characters, {encoding}."),
    "Drop to import {count} files into Corpora": ("count", "Drop to import 1 file into Corpora"),
    "{count} more files were left out.": ("count", "1 more file was left out."),
    "{count} more files were imported before.": ("count", "1 more file was imported before."),
    "{count} more things were left out of files.":
        ("count", "1 more thing was left out of a file."),
    "{count} empty lines were skipped.": ("count", "1 empty line was skipped."),
    "{count} line ends were joined.": ("count", "1 line end was joined."),
    "Lines of more than 4 million characters were cut, {count} times.":
        ("count", "A line of more than 4 million characters was cut."),
    "{count} lines hold <s>, </s> or <unk>. They are taken for marks, not for words.":
        ("count", "1 line holds <s>, </s> or <unk>. They are taken for marks, not for words."),
    "The files give {count} words. The segmenter “given” keeps them.":
        ("count", "The files give 1 word. The segmenter “given” keeps it."),
    "{count} characters were normalised.": ("count", "1 character was normalised."),
    "{step}: {count} characters changed.": ("count", "{step}: 1 character changed."),
    "{count} documents hold no text.": ("count", "1 document holds no text."),
    "{count} documents have the same text as another.":
        ("count", "1 document has the same text as another."),
    "{count} documents are nearly the same as another.":
        ("count", "1 document is nearly the same as another."),
    "{count} documents are exact copies of others.":
        ("count", "1 document is an exact copy of another."),
    "{count} documents are nearly the same as others.":
        ("count", "1 document is nearly the same as another."),
    "{count} documents were left out as duplicates.":
        ("count", "1 document was left out as a duplicate."),
    "{count} lines were taken out of the held-out parts, for they stand in the training part as "
    "well.": ("count", "1 line was taken out of the held-out parts, for it stands in the training "
                       "part as well."),
    "{leaked} of {lines} lines of the {part} part stand in the training part as well; with what "
    "nearly does, {share} of its characters.":
        ("leaked", "1 of {lines} lines of the {part} part stands in the training part as well; "
         "with what nearly does, {share} of its characters."),
    # of segmentations and dictionaries
    "{count} tokens are written <unk> in the text itself.":
        ("count", "1 token is written <unk> in the text itself."),
    "{count} pieces, none unknown": ("count", "1 piece, not unknown"),
    "{count} pieces, {unknown} of them unknown": ("count", "1 piece, {unknown} of them unknown"),
    "{count} strings that jieba does not know": ("count", "1 string that jieba does not know"),
    "{count} other words": ("count", "1 other word"),
    "{count} words were added.": ("count", "1 word was added."),
    "{name}, {count} words": ("count", "{name}, 1 word"),
    "user dictionary {name}: {count} words": ("count", "user dictionary {name}: 1 word"),
    "{count} gold words, {share} of them out of vocabulary.":
        ("count", "1 gold word, {share} of them out of vocabulary."),
    "{count} gold words; without training words no OOV recall.":
        ("count", "1 gold word; without training words no OOV recall."),
    "{path} has {count} lines, {gold} has {expected}. Only the same lines can be compared.":
        ("count", "{path} has 1 line, {gold} has {expected}. Only the same lines can be compared."),
    # of searches
    "{total} hits.": ("total", "1 hit."),
    "{total} hits, of which {shown} are kept: {kept}.": ("total", "1 hit, which is kept: {kept}."),
    "{word} stands {nodes} times.": ("nodes", "{word} stands once."),
    "{word}: {count} occurrences": ("count", "{word}: 1 occurrence"),
    "{shown} of {total} occurrences of {word}.": ("total", "The only occurrence of {word}."),
    "The corpus has {count} occurrences of {word}. Type sentences with it, two at least.":
        ("count", "The corpus has 1 occurrence of {word}. Type sentences with it, two at least."),
    "{count} times": ("count", "once"),
    "{count} times · number {rank} by frequency": ("count", "once · number {rank} by frequency"),
    "{count} words in the line": ("count", "1 word in the line"),
    # of runs
    "Delete {count} runs?": ("count", "Delete 1 run?"),
    "Queue {count} runs": ("count", "Queue 1 run"),
    "Import {count} runs": ("count", "Import 1 run"),
    "Drop to import {count} runs": ("count", "Drop to import 1 run"),
    "{count} runs are in the queue.": ("count", "1 run is in the queue."),
    "{count} runs for {name} are in the queue.": ("count", "1 run for {name} is in the queue."),
    "{count} runs of the sweep {name} are in the queue.":
        ("count", "1 run of the sweep {name} is in the queue."),
    "{count} of the runs score something else and are not on this axis":
        ("count", "1 of the runs scores something else and is not on this axis"),
    "{count} of the runs are not measured yet": ("count", "1 of the runs is not measured yet"),
    "{name} is a setting of {count} runs: {runs}. Name one of them.":
        ("count", "{name} is a setting of one run: {runs}. Name that."),
    "Its examples and {count} fine-tuned runs go to the trash.":
        ("count", "Its examples and 1 fine-tuned run go to the trash."),
    "Trained on {device}, {steps} steps.": ("steps", "Trained on {device}, 1 step."),
    "All {steps} steps are done.": ("steps", "The only step is done."),
    "about {minutes} min · {count} steps": ("count", "about {minutes} min · 1 step"),
    "{steps} steps of {time} each, measured on this computer":
        ("steps", "1 step of {time}, measured on this computer"),
    "Stopped early: no better validation loss in {looks} validations. The best is from step "
    "{step}.": ("looks", "Stopped early: no better validation loss in 1 validation. The best is "
                         "from step {step}."),
    "Stopped early: no better score on the valid part in {looks} validations. The best is from "
    "step {step}.": ("looks", "Stopped early: no better score on the valid part in 1 validation. "
                              "The best is from step {step}."),
    "Stopped: none of {looks} validations gave a finite loss.":
        ("looks", "Stopped: the only validation gave no finite loss."),
    "{count} events have probability zero": ("count", "1 event has probability zero"),
    "{count} events have no probability at all: their context was never seen.":
        ("count", "1 event has no probability at all: its context was never seen."),
    "{zero} events of zero probability: {words}.":
        ("zero", "1 event of zero probability: {words}."),
    "After {context}: seen {count} times, {followers} different words.":
        ("count", "After {context}: seen once."),
    "{count} runs, one after the other": ("count", "1 run"),
    "{run} goes on pre-training from {encoder} on the {texts} texts of {task}, cut as {encoder}'s "
    "text was.": ("texts", "{run} goes on pre-training from {encoder} on the one text of {task}, "
                           "cut as {encoder}'s text was."),
    "Of the {count} examples that also chose the checkpoint: optimistic.":
        ("count", "Of the one example that also chose the checkpoint: optimistic."),
    # of texts that a model reads
    "rollout of {layers} layers": ("layers", "rollout of 1 layer"),
    "{count} tokens · {speed} a second": ("count", "1 token · {speed} a second"),
    "{run}: entropy {bits} bits over {count} tokens; the sentence ends here: {end}.":
        ("count", "{run}: entropy {bits} bits over 1 token; the sentence ends here: {end}."),
    "Without a context: {count} tokens, {followers} different words.":
        ("count", "Without a context: 1 token, {followers} different words."),
    "Cache of {count} words": ("count", "Cache of 1 word"),
    "{count} tokens reach over several words and count whole where they begin.":
        ("count", "1 token reaches over several words and counts whole where it begins."),
    "{count} tokens were read; the text is longer.":
        ("count", "1 token was read; the text is longer."),
    "{count} spans found": ("count", "1 span found"),
    "{how} · {count} tokens": ("count", "{how} · 1 token"),
    "Ended by: {end}. {count} tokens, ln p = {log}.":
        ("count", "Ended by: {end}. 1 token, ln p = {log}."),
    "{texts} texts are longer than the length of {length} tokens: {pieces} tokens of them are cut "
    "off.": ("texts", "1 text is longer than the length of {length} tokens: {pieces} tokens of it "
                      "are cut off."),
    "{texts} texts are longer than the length of {length} tokens: {pieces} tokens of them, with "
    "{spans} labelled spans, are cut off.":
        ("texts", "1 text is longer than the length of {length} tokens: {pieces} tokens of it, "
                  "with {spans} labelled spans, are cut off."),
    "{count} spans begin or end inside a token. They are learned as whole tokens and cannot be "
    "found exactly: cut into characters for that.":
        ("count", "1 span begins or ends inside a token. It is learned as whole tokens and cannot "
                  "be found exactly: cut into characters for that."),
    "{count} examples have a label that no example to train with has.":
        ("count", "1 example has a label that no example to train with has."),
    "The {part} part has only {count} examples; its scores will jump about.":
        ("count", "The {part} part has only 1 example; its scores will jump about."),
    "Drop to import {count} files of labelled examples":
        ("count", "Drop to import 1 file of labelled examples"),
    # of files of other programs
    "{count} tensors have no place here and are left out: {names}.":
        ("count", "1 tensor has no place here and is left out: {names}."),
    "The head that fills blanks is not in the files ({count} tensors are missing): it is "
    "untrained, and blanks are not filled. Vectors, attention and fine-tuning work.":
        ("count", "The head that fills blanks is not whole in the files (1 tensor is missing): it "
                  "is untrained, and blanks are not filled. Vectors, attention and fine-tuning "
                  "work."),
    "{count} rows of the look-up table belong to no piece and are left out.":
        ("count", "1 row of the look-up table belongs to no piece and is left out."),
    "{count} new words begin with the mean of their pieces.":
        ("count", "1 new word begins with the mean of its pieces."),
    "{count} weight tables were taken from the other run.":
        ("count", "1 weight table was taken from the other run."),
    "{count} weight tables have another size or are new, and begin anew: {names}.":
        ("count", "1 weight table has another size or is new, and begins anew: {names}."),
    "{count} lines that are not a word and {size} numbers were left out.":
        ("count", "1 line that is not a word and {size} numbers was left out."),
    "{count} words came again; the first vector was kept.":
        ("count", "1 word came again; its first vector was kept."),
    "{count} words are not valid UTF-8; what is broken is shown as \ufffd.":
        ("count", "1 word is not valid UTF-8; what is broken is shown as \ufffd."),
    "{count} words hold white space, which is written as {mark}.":
        ("count", "1 word holds white space, which is written as {mark}."),
    "The file ends {count} vectors too early.": ("count", "The file ends 1 vector too early."),
    "{words} words of the look-up table.": ("words", "1 word of the look-up table."),
}  # fmt: skip
