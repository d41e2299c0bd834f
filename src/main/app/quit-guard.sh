# Waits beside the app for its end and goes with it, or ends it when the time is over. What was at work then and which step was begun last
# goes to its error output, which is the log, opened by the app. Arguments: the app's process id, seconds. Read by any POSIX shell.
exec 3>&2 2>/dev/null
note() {
  printf '[%s] [error] %s\n' "$(date '+%Y-%m-%d %H:%M:%S')" "$1" >&3
}
(
  trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
  sleep "$2" < /dev/null &
  sleeper=$!
  wait "$sleeper"
  # It may be told that the app has ended just now: the note and the signal belong together.
  trap '' TERM
  busy=
  for stat in /proc/"$1"/task/*/stat; do
    IFS= read -r line < "$stat" || continue
    name=${line#*(}
    # The state follows the name, which may hold anything.
    case "${line##*) }" in R* | D*) busy="$busy, ${name%)*}" ;; esac
  done
  note "The app did not end within $2 s after it was quit, and was ended from outside. Threads at work: ${busy#, }"
  kill -9 "$1"
  exit 7
) &
timer=$!
step='the beginning'
while IFS= read -r line; do step=$line; done
# The runtime closes our input when it takes itself down, and can hang after that: only a process that is gone has ended.
lives() {
  kill -0 "$1" || return 1
  case "$(ps -o stat= -p "$1")" in Z*) return 1 ;; esac
}
while lives "$1" && kill -0 "$timer"; do sleep 1; done
kill "$timer" 2>/dev/null
wait "$timer"
[ $? -ne 7 ] || note "That quit stood at: $step. What was told to be saved is on the disk."
