"""Word, HTML, EPUB and PDF give the text that a reader sees, in order."""

import pytest

from lmstudio.text.files import documents
from lmstudio.text.files.markup import page
from tests.text.files import made
from tests.text.files.reading import read, refusal, texts

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def write(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def test_word_paragraphs_and_tables_come_in_order(tmp_path):
    data = made.docx(["第一段。", "", "第二段，\t有制表符。"], "题 目", [["甲", "乙"]])
    (document,), _ = read(write(tmp_path, "a.docx", data))
    assert document.chunks == "第一段。\n第二段，\t有制表符。\n甲\n乙"
    assert (document.title, document.format, document.lines) == ("题 目", "docx", "paragraph")


def test_word_insertions_controls_and_boxes_are_text_and_deletions_are_not(tmp_path):
    import io
    import zipfile

    def run(text):
        return f"<w:r><w:t>{text}</w:t></w:r>"

    body = (
        f"<w:p>{run('一')}<w:ins>{run('二')}</w:ins><w:del><w:r><w:delText>删</w:delText></w:r>"
        f"</w:del>{run('三')}</w:p><w:sdt><w:sdtContent><w:p>{run('四')}</w:p></w:sdtContent>"
        f"</w:sdt><w:p>{run('五')}<w:r><w:pict><w:txbxContent><w:p>{run('框')}</w:p>"
        f"</w:txbxContent></w:pict></w:r>{run('六')}</w:p>"
    )
    old = zipfile.ZipFile(io.BytesIO(made.docx([])))
    members = {name: old.read(name) for name in old.namelist()}
    members["word/document.xml"] = f"<w:document {W}><w:body>{body}</w:body></w:document>"
    assert texts(write(tmp_path, "a.docx", made.zipped(members))) == ["一二三\n四\n框\n五六"]


def test_a_page_shows_its_blocks_as_lines():
    found = page(
        "<!doctype html><html><head><title> 题\n目 </title><style>p{}</style></head><body>前"
        "<script>no()</script><!-- no --><p>天下\n  大势，<b>分</b>久 必合&amp;&#24517;合。"
        "<p>two\nwords<br>三<ul><li>甲<li>乙</ul><table><tr><td>一<td>二</table>"
        "<ruby>漢<rp>(</rp><rt>kan</rt></ruby><pre>a\n  b\n</pre></body>"
    )
    assert found.title == "题 目"
    assert found.lines == [
        "前", "天下大势，分久 必合&必合。", "two words", "三", "甲", "乙", "一\t二", "漢", "a",
        "  b",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "<", "<p", "\0", "<" * 5000, "<div>" * 3000 + "字", "无标记"])
def test_pages_may_be_as_bad_as_they_like(text):
    assert page(text).title == ""


@pytest.mark.parametrize(
    ("declared", "encoding", "found"),
    [
        ("gb2312", "gb18030", "gb18030"),
        ("iso-8859-1", "utf-8", "utf-8"),  # wrong, as often
        ("nonsense", "big5", "big5"),
        ("utf-8", "gb18030", "gb18030"),
    ],
)
def test_the_encoding_of_a_page(tmp_path, declared, encoding, found):
    text = f'<html><meta charset="{declared}"><p>今天天氣很好，我們去北京看書。</p></html>'
    (document,), _ = read(write(tmp_path, "a.html", text.encode(encoding)))
    assert (document.encoding, document.chunks) == (found, "今天天氣很好，我們去北京看書。")


def test_nothing_outside_a_page_is_read(tmp_path):
    (tmp_path / "secret.txt").write_text("秘密", encoding="utf-8")
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">]>'
    (document,), _ = read(write(tmp_path, "a.html", f"{entity}<p>甲&e;".encode()))
    assert "秘密" not in document.chunks
    book = made.epub({"a.xhtml": f"{entity}<html><p>甲&e;</p></html>"})
    (document,), _ = read(write(tmp_path, "a.epub", book))
    assert "秘密" not in document.chunks


def test_a_book_is_read_along_its_spine(tmp_path):
    pages = {"z.xhtml": "<p>第一回</p><p>话说</p>", "b.xhtml": "<p>完</p>"}
    (document,), _ = read(write(tmp_path, "a.epub", made.epub(pages, "书名")))
    assert document.chunks == "第一回\n话说\n完\n"
    assert (document.title, document.format) == ("书名", "epub")


def test_a_locked_book_is_refused_but_locked_fonts_do_no_harm(tmp_path):
    def encryption(way):
        return (
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData>'
            f'<e:EncryptionMethod Algorithm="{way}"/></e:EncryptedData></encryption>'
        )

    pages = {"a.xhtml": "<p>甲</p>"}
    way = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    data = made.epub(pages, encryption=encryption(way))
    assert "locked (DRM)" in refusal(write(tmp_path, "a.epub", data))
    data = made.epub(pages, encryption=encryption("http://www.idpf.org/2008/embedding"))
    assert texts(write(tmp_path, "b.epub", data)) == ["甲\n"]


def test_the_text_layer_of_a_pdf_without_page_numbers(tmp_path):
    pages = [
        ["统计语言模型需要很多语料，今天天气", "很好。", "- 1 -"],
        ["第 2 页", "我们去北京。"],
        [],
    ]
    (document,), refused = read(write(tmp_path, "a.pdf", made.pdf(pages)))
    assert document.chunks == "统计语言模型需要很多语料，今天天气\n很好。\n我们去北京。\n"
    assert (document.format, document.lines) == ("pdf", "wrapped")
    assert refused == ["1 of 3 pages hold no text that can be read, perhaps pictures of it."]


def test_pdfs_without_text_say_so(tmp_path):
    scanned = write(tmp_path, "a.pdf", made.pdf([[], []]))
    assert refusal(scanned).startswith("The PDF holds no text, only pictures of it.")
    nameless = write(tmp_path, "b.pdf", made.pdf([["统计语言模型"]], unicode_map=False))
    assert refusal(nameless).startswith("The fonts of the PDF do not say")
    locked = write(tmp_path, "c.pdf", made.locked(made.pdf([["统计"]])))
    assert refusal(locked) == "The PDF has a password. Save a copy without one."
    opened = write(tmp_path, "d.pdf", made.locked(made.pdf([["统计"]]), password=""))
    assert texts(opened) == ["统计\n"]


def test_progress_follows_the_pages(tmp_path):
    shares = []
    path = write(tmp_path, "a.pdf", made.pdf([["甲"]] * 4))
    for document in documents(path, tick=shares.append):
        list(document.chunks)
    assert shares[-1] == 1
