#!/usr/bin/env bash
# history.sh FOLDER RANKGATE URL: a repository of thirty commits, each measured and pushed. Eighty queries have one
# good document each. From the fifth commit on, ten commits in a row push it down by a rank for two queries each, and
# are blessed, which nobody notices; the twentieth breaks a fourth of what is left at once.
set -euo pipefail
folder=$1 rankgate=$2 url=$3

# The same ids of commits everywhere.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=shop GIT_AUTHOR_EMAIL=shop@example.org GIT_COMMITTER_NAME=shop GIT_COMMITTER_EMAIL=shop@example.org

mkdir -p "$folder/benchmarks"
cd "$folder"
git init --quiet --initial-branch=main .
printf 'target\nanswers.run\n' > .gitignore
seq 0 79 | awk '{ printf "q%02d\twhat about %d?\n", $1, $1 }' > benchmarks/queries.tsv
seq 0 79 | awk '{ printf "q%02d 0 good-%02d 1\n", $1, $1 }' > benchmarks/judgments.txt
cat > benchmarks/shop.yaml <<'END'
version: 1
benchmark: shop
collection: {trec: {queries: queries.tsv, qrels: judgments.txt}}
configurations:
  words: {run: ../answers.run}
metrics: [RR@10]
thresholds:
  - {metric: RR@10, min: 0.5}
END

# What the search of a commit answers, by what has gone into it: DRIFT queries moved down by one rank, STEP by three.
answer() {
    awk -v drift="$1" -v step="$2" 'BEGIN {
        for (query = good = 0; query < 80; query++) {
            rank = 2
            if (query % 4) {
                rank = 1
                if (good < drift) rank = 2
                else if (good >= 20 && good < 20 + step) rank = 4
                good++
            }
            for (place = 1; place <= 6; place++)
                printf "q%02d Q0 %s %d %d shop\n", query,
                    place == rank ? sprintf("good-%02d", query) : sprintf("other-%02d-%d", query, place), place, 10 - place
        }
    }' > answers.run
}

drift=0 step=0
for number in $(seq 0 29); do
    subject="Change $number"
    case $number in
        0) subject="Begin" ;;
        [5-9] | 1[0-4]) drift=$((drift + 2)) subject="Tidy up, part $((number - 4))" ;;
        20) step=15 subject="Rewrite the tokenizer" ;;
    esac
    answer "$drift" "$step"
    echo "$number" > change
    # Small losses are accepted, one after the other.
    if [ "$number" -le 14 ]; then "$rankgate" --quiet bless --force benchmarks > /dev/null; fi
    git add --all
    GIT_AUTHOR_DATE="$((1767225600 + 86400 * number)) +0000" GIT_COMMITTER_DATE="$((1767225600 + 86400 * number)) +0000" \
        git commit --quiet --message "$subject"
    case $number in 0 | 17) git tag "v1.$number" ;; esac

    # What CI does at each commit.
    echo "== $number: $subject"
    rm -rf target
    "$rankgate" --quiet run benchmarks --output target/rankgate > /dev/null || [ $? -eq 1 ]
    "$rankgate" --quiet push target/rankgate --to "$url" --project shop
done
