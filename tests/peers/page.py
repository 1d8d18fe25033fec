"""Tables that stand in a page of docs/ between marks, as scripts beside this one make them."""


def table(head, rows):
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rows])


def kept(page, name, text, write):
    """Whether the page has the table between its marks."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    content = page.read_text()
    before, rest = content.split(begin)
    old, after = rest.split(end)
    if write:
        page.write_text(before + begin + text + end + after)
    return write or old == text
