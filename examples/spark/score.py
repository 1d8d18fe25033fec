"""Scores a run that is a table of Spark: python score.py JUDGMENTS RUN LINES, each a folder of Parquet."""

import os
import shlex
import subprocess
import sys

import pyarrow as pa
from pyspark.sql import SparkSession, functions as F

METRICS = ["nDCG@10", "AP", "RR@10", "ERR@10", "Judged@10"]
COUNTS = "retrieved long, judged long, judged_retrieved long, tied_scores long, best_grade int, identical boolean"


def scorer(max_grade):
    """What a task does with its rows: all queries of a partition go through one process."""
    rankgate = shlex.split(os.environ.get("RANKGATE", "rankgate"))
    command = [*rankgate, "score", "--arrow", "-m", ",".join(METRICS), "--max-grade", str(max_grade)]

    def score(batches):
        process = None
        for batch in batches:
            if process is None:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                rows = pa.ipc.new_stream(process.stdin, batch.schema)
            rows.write_batch(batch)
        if process is None:
            return
        rows.close()
        process.stdin.close()
        # It writes when it has read everything, and nothing after an error.
        lines = process.stdout.read()
        if process.wait() != 0:
            raise RuntimeError("rankgate refused these rows; standard error of the executor says why")
        yield from pa.ipc.open_stream(lines)

    return score


def main(judgments, run, lines):
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    judged, retrieved = spark.read.parquet(judgments), spark.read.parquet(run)
    # Both sides are one table: no join can drop a query that was not answered or a document that was not judged.
    rows = retrieved.select("query", "document", "score", F.lit(None).cast("int").alias("grade")).unionByName(
        judged.select("query", "document", F.lit(None).cast("double").alias("score"), F.col("grade").cast("int"))
    )
    max_grade = judged.agg(F.max("grade")).first()[0]
    schema = ", ".join(["query string", *(f"`{metric}` double" for metric in METRICS), COUNTS])
    # All rows of a query are in one partition, and so in one process.
    scored = rows.repartition(7, "query").mapInArrow(scorer(max_grade), schema)
    scored.write.mode("overwrite").parquet(lines)
    kept = spark.read.parquet(lines).agg(F.sum("retrieved"), F.sum("judged")).first()
    if tuple(kept) != (retrieved.count(), judged.count()):
        raise SystemExit(f"rows were lost on the way: {tuple(kept)} of {retrieved.count()} and {judged.count()}")
    print(f"{run.rstrip('/').split('/')[-1]}: {kept[0]:,} retrieved and {kept[1]:,} judged rows, none lost")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
