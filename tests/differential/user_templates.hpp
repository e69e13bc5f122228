// What the generator makes commands from that make users, ask what they may do, and become one: data
// only. Nobody subscribes: redis-server 7.0.15 does not survive that a subscriber changes his own user.
//
// As in templates.hpp; besides, %U is a user, %R a rule of ACL SETUSER. The default user stays as it is:
// the test's own connections are his.
#pragma once

#include <array>
#include <string_view>

namespace picklock::test {

inline constexpr auto kUserTemplates = std::to_array<std::string_view>({
    "ACL SETUSER %U on >p ~* &* +@all",
    "ACL SETUSER %U on >p %R %R %R",
    "ACL SETUSER %U on nopass ~k* +@read|+@write|-@dangerous +@connection %R",
    "ACL SETUSER %U [%R] [%R] [%R] [%R]",
    "ACL SETUSER %U +@all %R %R",
    "ACL SETUSER %U -@all %R %R [%R]",
    "ACL SETUSER %U %R",
    "ACL GETUSER %U",
    "ACL LIST",
    "ACL USERS",
    "ACL WHOAMI",
    "ACL WHOAMI [%v]",
    "ACL CAT [string|hash|zz]",
    "ACL DELUSER %U [%U]",
    "ACL LOG [0|1|2|RESET|-1|zz]",
    "ACL LOG",
    "ACL GENPASS -1|abc|5000",
    "ACL DRYRUN %U GET %k",
    "ACL DRYRUN %U SET %k %v",
    "ACL DRYRUN %U MGET %k %k",
    "ACL DRYRUN %U RENAME|COPY %k %k",
    "ACL DRYRUN %U CONFIG|CLIENT GET|ID|ZZ x",
    "ACL DRYRUN %U PUBLISH %u %v",
    "ACL DRYRUN %U ZUNIONSTORE %k 2 %k z",
    "ACL DRYRUN %U XREADGROUP GROUP g c STREAMS x %k > >",
    "ACL DRYRUN %U EVAL \"return 1\" 1 %k",
    "ACL DRYRUN %U SORT %k BY *",
    "ACL DRYRUN %U nonsense|get",
    "ACL ZZ|GETUSER|DRYRUN",
    "AUTH %U p",
    "AUTH %U p",
    "AUTH %U p|q",
    "AUTH default x",
    "HELLO 2|3 AUTH %U p",
    "RESET",
    "GET %k",
    "MGET %k %k",
    "SET %k %v",
    "RENAME %k %k",
    "COPY %k %k",
    "DEL %k %k",
    "HSET %k %f %v",
    "LMOVE l %k LEFT RIGHT",
    "SORT l BY nosort",
    "CONFIG GET maxmemory",
    "SELECT 0|1",
    "PUBLISH %u %v",
    "EVAL \"return redis.call('set', KEYS[1], ARGV[1])\" 1 %k %v",
    "EVAL \"return redis.pcall('get', ARGV[1])\" 0 %k",
    "EVAL \"return redis.acl_check_cmd('set', KEYS[1], 'v')\" 1 %k",
});

inline constexpr auto kUserRules = std::to_array<std::string_view>({
    "on", "off", ">p", ">q", "<p", "<q", "nopass", "resetpass", "~k*", "~h*", "~*", "allkeys",
    "%R~k", "%W~h*", "%RW~n", "%Z~k", "resetkeys", "&news", "&n*", "&*", "allchannels",
    "resetchannels", "+@all", "-@all", "+@string", "-@string", "+@hash", "-@hash", "+@read", "-@write",
    "+@keyspace", "-@dangerous", "+@zz", "+get", "-get", "+set", "-set", "+mget", "-rename", "+eval",
    "+publish", "+subscribe", "+config|get", "-config|get", "+config", "-client|id", "+client",
    "+select|0", "+nosuch", "+config|zz", "(+get ~n)", "(+@all ~h2)", "(-@all +set %W~s)", "(zz)", "(",
    "clearselectors", "reset", "zz", "", "allcommands", "nocommands", "sanitize-payload",
    "skip-sanitize-payload", "#1234", "!1234", "+debug", "+acl|whoami", "-acl",
});

}  // namespace picklock::test
