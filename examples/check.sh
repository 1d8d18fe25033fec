#!/usr/bin/env bash
# Runs the examples that are crates or folders of their own, and compares what they print with what their
# READMEs show:
#
#     examples/check.sh                  # all
#     examples/check.sh sqlite plain     # these
#     examples/check.sh --write plain    # put the output into the README instead of comparing
#     examples/check.sh --strict         # an example that lacks what it needs is a failure, not skipped
#
# What an example has to do with it:
#
# - examples/NAME/check is executable. It is run in its own folder, says on stdout what the README shows, with
#   times and absolute paths replaced, and exits 0 when everything was as the README promises, 77 when something
#   it needs is absent (it says what on stderr), anything else when something is wrong.
# - The README shows that output between the lines `<!-- output -->` and `<!-- /output -->`, as a fenced block.
#   Where it shows several pieces, `check` prints a line `%%` between them, and each has markers of its own.
#
# Exit: 0 all as promised, 1 one was not.
set -uo pipefail

examples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
write=no strict=no chosen=()
for argument in "$@"; do
    case $argument in
        --write) write=yes ;;
        --strict) strict=yes ;;
        -*) echo "check.sh: unknown option $argument" >&2; exit 1 ;;
        *) chosen+=("$(basename "$argument")") ;;
    esac
done
if [ ${#chosen[@]} -eq 0 ]; then
    for check in "$examples"/*/check; do chosen+=("$(basename "$(dirname "$check")")"); done
fi

# The same output everywhere: no colours, nothing of the surroundings, no files beside the goldens.
unset CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY "${!RANKGATE_@}" "${!INSTA_@}" "${!NEXTEST@}"
export NO_COLOR=1 CARGO_TERM_COLOR=never RUST_BACKTRACE=0 INSTA_UPDATE=no LC_ALL=C.UTF-8

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The README with the pieces of the output in place of what stands between its markers.
filled() { # README OUTPUT
    awk -v output="$2" '
        BEGIN {
            last = 1
            while ((getline line < output) > 0)
                if (line == "%%") last++; else piece[last] = piece[last] line "\n"
        }
        /^<!-- output -->$/ { inside = 1; print; printf "```text\n%s```\n", piece[++shown]; next }
        /^<!-- \/output -->$/ { inside = 0 }
        !inside { print }
        END { if (shown != last || inside) exit 1 }
    ' "$1"
}

failed=()
for name in "${chosen[@]}"; do
    folder=$examples/$name
    echo "== $name" >&2
    if [ ! -x "$folder/check" ]; then
        echo "$name: there is no program $folder/check" >&2
        failed+=("$name")
        continue
    fi
    begun=$SECONDS
    (cd "$folder" && exec ./check) > "$scratch/output" < /dev/null
    status=$?
    echo "$name: took $((SECONDS - begun)) s" >&2
    if [ $status -eq 77 ] && [ $strict = no ]; then
        echo "$name: SKIPPED" >&2
        continue
    fi
    if [ $status -ne 0 ]; then
        cat "$scratch/output" >&2
        echo "$name: FAILED, its check exited with $status" >&2
        failed+=("$name")
        continue
    fi
    if ! filled "$folder/README.md" "$scratch/output" > "$scratch/readme"; then
        echo "$name: FAILED, README.md and the output have different numbers of pieces" >&2
        failed+=("$name")
    elif cmp -s "$folder/README.md" "$scratch/readme"; then
        echo "$name: as shown" >&2
    elif [ $write = yes ]; then
        cat "$scratch/readme" > "$folder/README.md"
        echo "$name: README.md rewritten" >&2
    else
        diff -u --label "$name/README.md" --label "as it is now" "$folder/README.md" "$scratch/readme" >&2
        echo "$name: FAILED, the README shows something else; examples/check.sh --write $name" >&2
        failed+=("$name")
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "examples/check.sh: not as promised: ${failed[*]}" >&2
    exit 1
fi
