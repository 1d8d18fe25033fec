"""Scores a run that is a table of Spark: python score.py JUDGMENTS RUN SCORES, each a folder of Parquet."""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import SparkSession, functions as F

METRICS = ["nDCG@10", "AP", "RR@10", "Judged@10"]


def score(batches):
    """What a task does with its rows: all queries of a partition go through one process."""
    batches = list(batches)
    if not batches:
        return
    rows = pa.Table.from_batches(batches)
    judged = pc.is_valid(rows["grade"])
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: str(pathlib.Path(folder, name + ".parquet"))
        pq.write_table(rows.filter(judged).select(["query", "document", "grade"]), at("judgments"))
        pq.write_table(rows.filter(pc.invert(judged)).select(["query", "document", "score"]), at("run"))
        rankgate = shlex.split(os.environ.get("RANKGATE", "rankgate"))
        options = ["-m", ",".join(METRICS), "--write-scores", at("scores"), "--quiet"]
        subprocess.run([*rankgate, "eval", at("judgments"), at("run"), *options], check=True, stdout=subprocess.DEVNULL)
        # Spark takes columns by position, and the file has them by name.
        yield from pq.read_table(at("scores")).select(["query", *METRICS]).to_batches()


def main(judgments, run, scores):
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    judged, retrieved = spark.read.parquet(judgments), spark.read.parquet(run)
    # Both sides are one table: no join can drop a query that was not answered or a document that was not judged.
    rows = retrieved.select("query", "document", "score", F.lit(None).cast("int").alias("grade")).unionByName(
        judged.select("query", "document", F.lit(None).cast("double").alias("score"), F.col("grade").cast("int"))
    )
    schema = ", ".join(["query string", *(f"`{metric}` double" for metric in METRICS)])
    # All rows of a query are in one partition, and so in one process.
    rows.repartition(7, "query").mapInArrow(score, schema).write.mode("overwrite").parquet(scores)
    kept, queries = spark.read.parquet(scores).count(), judged.select("query").distinct().count()
    if kept != queries:
        raise SystemExit(f"queries were lost on the way: {kept} of {queries}")
    print(f"{run.rstrip('/').split('/')[-1]}: {kept:,} judged queries scored, none lost")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
