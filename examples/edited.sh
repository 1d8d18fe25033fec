# For the checks of the examples: `edited FILE SED-SCRIPT COMMAND...` runs the command while the file is changed,
# puts the file back whatever happens, and returns the command's status.

edited() {
    edited_file=$1 edited_kept=$(mktemp)
    cp -p "$edited_file" "$edited_kept"
    trap edited_back EXIT
    trap 'exit 130' INT TERM
    sed -i.edited "$2" "$edited_file"
    rm -f "$edited_file.edited"
    local unchanged=no status
    cmp -s "$edited_file" "$edited_kept" && unchanged=yes
    shift 2
    if [ $unchanged = yes ]; then
        echo "sed changed nothing in $edited_file" >&2
        edited_back
        return 99
    fi
    "$@"
    status=$?
    edited_back
    trap - EXIT INT TERM
    return $status
}

edited_back() {
    # Without its times the file would look older than what was built from the change.
    cp "$edited_kept" "$edited_file"
    rm -f "$edited_kept"
}
