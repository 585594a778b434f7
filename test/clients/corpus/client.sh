#!/usr/bin/env bash
# A client of the corpus for the shell: see README.md.
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
mapfile -t headers <<<"$CLIENT_HEADERS"

# send PATH FILE: saves the body in FILE and the head in FILE.head; fails without a whole response.
send() {
  case "$CLIENT_LIBRARY" in
    curl) curl --silent --max-time 10 --dump-header "$2.head" --output "$2" "${headers[@]/#/-H}" "$SEO_SANDBOX_URL$1" ;;
    wget)
      wget --quiet --tries 1 --timeout 10 --content-on-error --save-headers --output-document "$2.all" \
        "${headers[@]/#/--header=}" "$SEO_SANDBOX_URL$1"
      local code=$?
      sed '/^\r$/,$d' "$2.all" >"$2.head"
      sed '1,/^\r$/d' "$2.all" >"$2"
      # After a 401 (code 6) it writes nothing; code 8 is any other error of the server.
      [ $code -ne 6 ] || echo 'HTTP/1.1 401' >"$2.head"
      [ $code -eq 0 ] || [ $code -eq 6 ] || [ $code -eq 8 ]
      ;;
  esac
}

# read_path PATH FILE: reads a path as CLIENT_RETRY says; fails if there is nothing to read.
read_path() {
  local attempt status told seconds
  for attempt in 1 2 3 4 5 6 7 8; do
    rm -f "$2" "$2.head"
    status=0
    if send "$1" "$2"; then status="$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$2.head")"; fi
    [ "$status" != 200 ] || [ "$(tail -c 1 "$2")" != '}' ] || return 0
    [ "$CLIENT_RETRY" != none ] || return 1
    case "$status:$CLIENT_RETRY" in
      *:stubborn) ;;
      401:* | 403:*) exit 1 ;;
      0:* | 200:* | 408:* | 429:* | 5??:*) ;;
      *) return 1 ;;
    esac
    told="$(sed -n 's/^Retry-After: *\([0-9]*\).*/\1/Ip' "$2.head" 2>/dev/null)"
    seconds="$(awk "BEGIN { srand($RANDOM); print 0.3 * 3 ^ ($attempt - 1) * (1 + rand() / 2) }")"
    if [ "$CLIENT_RETRY" = flat ] || [ "$CLIENT_RETRY" = stubborn ]; then
      seconds=0.3
    elif [ -n "$told" ] && [ "$CLIENT_RETRY" != impatient ]; then
      # The client leaves a longer wait to another day.
      [ "$told" -le 5 ] || exit 1
      seconds="$told"
    fi
    sleep "$seconds"
  done
  return 1
}

# work NUMBER WORD…: handles every CLIENT_WORKERS-th word, starting with word NUMBER (from 0).
work() {
  local at=-1 word path
  for word in "${@:2}"; do
    at=$((at + 1))
    [ $((at % CLIENT_WORKERS)) -eq "$1" ] || continue
    case "$word" in
      sleep:*) sleep "${word#sleep:}" ;;
      next:*)
        path="${word#next:}"
        while [ -n "$path" ] && read_path "$path" "$folder/$1"; do
          path="$(sed -n 's/.*"next":"\([^"]*\)".*/\1/p' "$folder/$1")"
        done
        ;;
      *) read_path "$word" "$folder/$1" ;;
    esac
  done
}

for ((number = 0; number < CLIENT_WORKERS; number++)); do work "$number" "$@" & done
wait
exit 0
