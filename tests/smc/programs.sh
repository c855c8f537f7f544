#!/usr/bin/env bash
# Foreign programs over SMC-R, beside plain TCP: each result is compared, and each speed shown. Minutes; Debian packages redis-server
# redis-tools iperf3 sockperf nginx-light curl postgresql python3; as root where PostgreSQL is to run, which runs as postgres.
# programs.sh [COMMAND]: the shipped command, target/ship/halftrack, unless another one is named.
set -euo pipefail
cd "$(dirname "$0")/../.."
command=$(realpath "${1:-target/ship/halftrack}")
place=$(mktemp --directory)
chmod 755 "$place"
port=$((20000 + RANDOM % 8000))
started=()

end() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$place"
}
trap end EXIT

# using tcp|shm|roce-udp: sets what goes before commands that are to run over that, so that `$!` names the program itself.
using() {
  if [[ $1 == tcp ]]; then over=(); else over=("$command" smc run --fabric "$1"); fi
}

# serve COMMAND...: starts a server, and waits until its port, $port, is open.
serve() {
  "${over[@]}" "$@" >"$place/server.log" 2>&1 &
  started+=($!)
  for _ in {1..200}; do
    if grep -qi "$(printf ':%04X 00000000:0000 0A' "$port")" /proc/net/tcp; then return; fi
    sleep 0.05
  done
  cat "$place/server.log"
  return 1
}

stop() {
  kill "${started[-1]}" 2>/dev/null || true
  wait "${started[-1]}" 2>/dev/null || true
  unset 'started[-1]'
  port=$((port + 1))
}

there() { command -v "$1" >/dev/null || { echo "NOT CHECKED: $1 is not installed"; return 1; }; }

if there sockperf; then
  for fabric in tcp shm; do
    using "$fabric"
    serve sockperf server --tcp -i 127.0.0.1 -p "$port"
    echo "sockperf, 1K/1K, $fabric: $("${over[@]}" sockperf ping-pong --tcp -i 127.0.0.1 -p "$port" -m 1024 -t 3 2>&1 | grep -o 'percentile 50.*')"
    stop
  done
fi

if there redis-server; then
  for fabric in tcp shm; do
    using "$fabric"
    serve redis-server --port "$port" --save '' --bind 127.0.0.1
    for clients in 1 50; do
      echo "redis GET, $clients connections, $fabric: $("${over[@]}" redis-benchmark -p "$port" -t get -n 100000 -c "$clients" -q | tr '\r' '\n' | grep requests)"
    done
    stop
  done
fi

if there iperf3; then
  for fabric in tcp shm; do
    using "$fabric"
    serve iperf3 -s -B 127.0.0.1 -p "$port"
    echo "iperf3, $fabric: $("${over[@]}" iperf3 -c 127.0.0.1 -p "$port" -t 3 | grep receiver)"
    stop
  done
fi

if there nginx && there curl; then
  mkdir "$place/pages"
  head -c 1073741824 /dev/urandom >"$place/pages/gib"
  sum=$(sha256sum <"$place/pages/gib")
  for fabric in tcp shm roce-udp; do
    using "$fabric"
    {
      echo "daemon off; pid $place/nginx.pid; error_log $place/errors; worker_processes 2; events {}"
      [[ $EUID -ne 0 ]] || echo 'user root root;'
      echo "env HALFTRACK_SMC_FABRIC; http { access_log off; sendfile on;"
      for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $place/$kind;"; done
      echo "server { listen 127.0.0.1:$port; root $place/pages; } }"
    } >"$place/nginx.conf"
    serve nginx -c "$place/nginx.conf"
    SECONDS=0
    "${over[@]}" curl --silent --fail --output "$place/got" "http://127.0.0.1:$port/gib" &
    transfer=$!
    if [[ $fabric == roce-udp ]]; then
      for turn in {1..10}; do
        sleep 0.5
        "$command" smc port "$transfer" $((1 + turn % 2)) down >/dev/null || break
        sleep 0.5
        "$command" smc port "$transfer" $((1 + turn % 2)) up >/dev/null || break
      done
      echo "pulled $turn times"
      "$command" smc stat | grep --after-context=3 'link group' || true
    fi
    wait "$transfer"
    [[ $(sha256sum <"$place/got") == "$sum" ]] || { echo "nginx and curl, 1 GiB, $fabric: OTHER OCTETS"; exit 1; }
    echo "nginx and curl, 1 GiB, $fabric: the same octets, $SECONDS s"
    kill "$(cat "$place/nginx.pid")"
    stop
  done
fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [[ -n $bin && $EUID -eq 0 ]]; then
  as() { su postgres --shell /bin/sh --command "$*"; }
  install --directory --owner postgres "$place/pg"
  as "$bin/initdb --pgdata $place/pg/data --auth trust" >/dev/null
  export PGHOST=127.0.0.1 PGUSER=postgres
  for fabric in tcp shm; do
    using "$fabric"
    export PGPORT=$port
    start="$bin/postgres -D $place/pg/data -p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$place/pg"
    [[ $fabric == tcp ]] || start="$command smc run --fabric $fabric $start"
    as "exec $start" >"$place/server.log" 2>&1 &
    started+=($!)
    for _ in {1..100}; do "$bin/pg_isready" --quiet && break; sleep 0.1; done
    "${over[@]}" "$bin/pgbench" --initialize --quiet postgres >/dev/null 2>&1
    [[ $("${over[@]}" psql --tuples-only --no-align --command 'select sum(aid) from pgbench_accounts' postgres) == 5000050000 ]]
    for clients in 1 4; do
      echo "pgbench -S, $clients clients, $fabric: $("${over[@]}" "$bin/pgbench" -S -c "$clients" -T 3 postgres 2>/dev/null | grep tps)"
    done
    as "$bin/pg_ctl --pgdata $place/pg/data stop --mode fast" >/dev/null
    stop
  done
else
  echo 'NOT CHECKED: PostgreSQL, which needs its package and root'
fi
