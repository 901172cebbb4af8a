"""Files of every kind, made for tests; functions give bytes."""

import io
import tarfile
import zipfile


def zipped(members):
    """A zip of name -> bytes or text."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def tarred(members, mode="w:gz"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def docx(paragraphs, title="", table=()):
    import docx as library

    document = library.Document()
    document.core_properties.title = title
    for text in paragraphs:
        document.add_paragraph(text)
    for row in table:
        cells = document.add_table(1, len(row)).rows[0].cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = text
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def xlsx(sheets):
    """A workbook of name -> rows; a cell may be a (value, number format) pair."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows, 1):
            for column, value in enumerate(row, 1):
                cell = sheet.cell(number, column)
                if isinstance(value, tuple):
                    cell.value, cell.number_format = value
                else:
                    cell.value = value
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def epub(pages, title="", encryption=""):
    """A book of file name -> XHTML, in this order."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
    )
    items = "".join(
        f'<item id="p{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in reversed(list(enumerate(pages)))
    )
    spine = "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine></package>"
    )
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    if encryption:
        members["META-INF/encryption.xml"] = encryption
    members["OEBPS/content.opf"] = package
    return zipped(members | {f"OEBPS/{name}": text for name, text in pages.items()})


def pdf(pages, *, unicode_map=True):
    """A PDF whose pages are lists of lines; a font of squares whose ToUnicode names characters."""
    letters = sorted({letter for lines in pages for line in lines for letter in line})
    codes = {letter: number for number, letter in enumerate(letters, 1)}
    count = len(pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{_refs(range(7, 7 + 2 * count, 2))}] >>".encode(),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Squares /Encoding /Identity-H "
        b"/DescendantFonts [4 0 R]" + (b" /ToUnicode 6 0 R" if unicode_map else b"") + b" >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Squares /DW 1000 /FontDescriptor 5 0 R "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        b"<< /Type /FontDescriptor /FontName /Squares /Flags 4 /FontBBox [0 0 1000 1000] "
        b"/ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >>",
        _stream(_unicode_map(codes)),
    ]
    for number, lines in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {8 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        shown = "".join(
            f"1 0 0 1 72 {760 - 18 * row} Tm <{''.join(f'{codes[c]:04x}' for c in line)}> Tj\n"
            for row, line in enumerate(lines)
        )
        objects.append(_stream(f"BT /F1 12 Tf\n{shown}ET" if lines else ""))
    return _pdf_file(objects)


def _refs(numbers):
    return " ".join(f"{number} 0 R" for number in numbers)


def _stream(text):
    data = text.encode()
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def _unicode_map(codes):
    pairs = "\n".join(
        f"<{code:04x}> <{letter.encode('utf-16-be').hex()}>" for letter, code in codes.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}\nendbfchar\nendcmap end end"
    )


def _pdf_file(objects):
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        data
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF"
        ).encode()
    )


def locked(data, password="secret"):
    """A PDF with a password."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, algorithm="RC4-128")
    result = io.BytesIO()
    writer.write(result)
    return result.getvalue()
