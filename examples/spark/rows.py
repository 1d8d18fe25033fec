"""Writes judgments and two runs as Parquet: shuffled rows in several files, ids that are numbers, scores that tie."""

import pathlib
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

QUERIES, DEPTH, FILES = 300, 100, 7


def written(folder, columns):
    folder.mkdir(parents=True)
    table = pa.table(columns)
    for part in range(FILES):
        begin, end = (table.num_rows * at // FILES for at in (part, part + 1))
        pq.write_table(table.slice(begin, end - begin), folder / f"part-{part:05}.snappy.parquet", row_group_size=1000)
    (folder / "_SUCCESS").touch()


def main(folder):
    draw = random.Random(7)
    judged, runs = [], {"old": [], "new": []}
    for query in range(1, QUERIES + 1):
        *documents, missed, missing = draw.sample(range(100_000), DEPTH + 2)
        pooled = [missed, missing, *draw.sample(documents, 15)]
        grades = {document: draw.choice([0, 0, 1, 2, 3]) for document in pooled}
        judged += [(query, document, grade) for document, grade in grades.items()]
        for name, skill in (("old", 0.5), ("new", 0.7)):
            # Some queries are not answered, and one that was is not judged.
            if query % 50 != (9 if name == "new" else 17):
                score = lambda document: round(skill * grades.get(document, 0) + draw.gauss(0, 1), 1)
                runs[name] += [(query, document, score(document)) for document in documents]
    for rows in runs.values():
        rows.append((0, 1, 1.0))
    for rows in (judged, *runs.values()):
        draw.shuffle(rows)
    columns = lambda rows, number: dict(zip(("query", "document", number), map(list, zip(*rows))))
    written(folder / "judgments", columns(judged, "grade"))
    for name, rows in runs.items():
        written(folder / name, columns(rows, "score"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
