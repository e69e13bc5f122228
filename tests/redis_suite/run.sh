#!/bin/bash
# Runs Redis's own tests, as they are, against picklock-server: tests/redis_suite/run.sh SERVER DIRECTORY [UNIT...]
#
# The tests come with the source package of redis-server, which apt-get brings into DIRECTORY. A server that one of them
# starts is SERVER, on real time. Each test that fails must stand in excused.txt with its reason, and must fail then,
# unless the reason begins with "sometimes".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
server=$(realpath "$1")
directory=$2
shift 2
units=("$@")
first_port=21111
# Those that are about what an emulator has. Not: AOF, RDB files, clusters of several processes, TLS, MIGRATE,
# memory as the allocator counts it, and options of the command line.
[ ${#units[@]} -gt 0 ] || units=(
  unit/{protocol,keyspace,scan,info,info-command,sort,expire,quit,multi,acl,acl-v2,pubsub,pubsubshard,slowlog}
  unit/type/{string,incr,list,list-3,set,zset,hash,stream,stream-cgroups}
  unit/{scripting,functions,introspection-2,limits,bitops,bitfield,geo,hyperloglog,pause,wait,tracking,violations}
  integration/{replication-2,replication-3,replication-4,block-repl,psync2-reg,psync2-pingoff})

fail() {
  echo "redis_suite: $1" >&2
  exit 1
}

# stand_in: what the tests start instead of redis-server. They wait for lines of its log.
stand_in() {
  cat >redis/src/redis-server <<END
#!/bin/bash
echo "\$\$:M PID: \$\$"
port=\$(sed -n 's/^port //p' "\$1" | tail -1)
for _ in {1..500}; do
  if (: >"/dev/tcp/127.0.0.1/\$port") 2>/dev/null; then echo "Ready to accept connections"; break; fi
  sleep 0.02
done &
exec "$server" "\$@" --clock system --script-budget 2000000
END
  chmod +x redis/src/redis-server
  ln -sf "$(command -v redis-cli)" redis/src/redis-cli
  ln -sf "$(command -v redis-benchmark)" redis/src/redis-benchmark
}

# run UNIT: its output in LOG, without colours.
run() {
  setsid timeout --kill-after=5 600 ./runtest --single "$1" --clients 1 --durable --tags "-slow -large-memory" |
    sed 's/\x1b\[[0-9;]*m//g' >"$2" || true
}

mkdir -p "$directory"
cd "$directory"
if [ ! -f redis/runtest ]; then
  "$here/../../cmake/fetch_source.sh" redis-server .
  mkdir -p redis
  tar xf redis_*.orig.tar.gz -C redis --strip-components=1
fi
stand_in
if (: >"/dev/tcp/127.0.0.1/$first_port") 2>/dev/null; then
  fail "something listens on port $first_port, which the tests need: stop it"
fi
cd redis
passed=0 excused=0 wrong=0
for unit in "${units[@]}"; do
  log=$PWD/../$(echo "$unit" | tr / _).log
  started=$SECONDS
  run "$unit" "$log"
  good=$(grep -c '^\[ok\]' "$log" || true)
  # Each that failed once; what ends a unit is named by its message.
  sed -n -e '/The following tests failed/q' -e 's/ in tests\/[a-z0-9/-]*\.tcl$//' \
    -e 's/^\[err\]: //p' -e 's/^\[exception\]: Executing test client: /ended by /p' "$log" | sort -u >failed
  sed -n "s|^$unit\t\([^\t]*\)\t.*|\1|p" "$here/excused.txt" | sort -u >known
  sed -n "/\tsometimes/d; s|^$unit\t\([^\t]*\)\t.*|\1|p" "$here/excused.txt" | sort -u >firm
  grep -q 'The End' "$log" || echo "the unit did not end" >>failed
  comm -23 <(sort -u failed) known >unexpected
  comm -13 <(sort -u failed) firm >mended
  count=$(comm -12 <(sort -u failed) known | wc -l)
  echo "$unit: $good passed, $count excused, $((SECONDS - started)) s"
  sed 's/^/   failed: /' unexpected
  sed 's/^/   passes now, so take it out of excused.txt: /' mended
  passed=$((passed + good)) excused=$((excused + count)) wrong=$((wrong + $(cat unexpected mended | wc -l)))
done
echo "== $passed of Redis's own tests passed, $excused are excused, $wrong are not as they should be"
[ "$wrong" -eq 0 ]
