// What scripts are written from: data only.
//
// In a form @n stands for a number, @s for a string, @t for a table, @a for anything, @b for a
// condition, @j for a JSON text in quotes, @f for a format of struct, @p for a pattern; in a call @k
// for a key, @v for a word, @w for a number; in a JSON text a lone @ for a value.
#pragma once

#include <array>
#include <string_view>

namespace picklock::test {

inline constexpr auto kLuaNumbers = std::to_array<std::string_view>(
    {"0", "1", "2", "3", "-1", "-2", "7", "10", "255", "256", "3.99", "-3.99", "0.5", "1e15",
     "1e16", "1e17", "-1e17", "2^31", "2^32", "-2^31", "2^53", "2^53+1", "2^62", "2^63", "-2^63",
     "1e-5", "0.1", "1/3", "1/0", "-1/0", "0/0", "-(0/0)", "1e300", "5e-324", "0x10", "0xffffffff",
     "123456789012345678", "1.005", "100", "-0", "65536", "1e100", ".5", "3.", "4294967295.5"});

inline constexpr auto kLuaStrings = std::to_array<std::string_view>(
    {"''", "'a'", "'abc'", "'\\0\\255'", "'MY error'", "'10'", "'line\\r\\nbreak'", "'0x10'",
     "' 5 '", "'-1'", "'1e3'", "'nan'", "'inf'", "'\\195\\164'", "'hello world'", "[[long]]",
     "'%d'", "'x=1, y=2'", "\"it's\"", "'a\\0b'", "'9'", "'1.5'", "'-'", "'-ERR x'", "'ok'",
     "'\\\\'", "'\\t'", "'9007199254740993'", "'[1,2]'"});

inline constexpr auto kNumberForms = std::to_array<std::string_view>(
    {"@n + @n", "@n - @n", "@n * @n", "@n / @n", "@n % @n", "-@n", "#@s", "#@t", "(@n) ^ 2",
     "math.floor(@n)", "math.ceil(@n)", "math.abs(@n)", "math.max(@n, @n)", "math.min(@n, @n, @n)",
     "math.sqrt(@n)", "math.fmod(@n, @n)", "math.modf(@n)", "math.pow(@n, 2)", "math.log10(@n)",
     "math.ldexp(@n, 3)", "math.frexp(@n)", "math.exp(1)", "math.pi", "math.huge",
     "tonumber(@s)", "tonumber(@s, 16)", "tonumber(@s, @n)", "tonumber(@a)", "bit.band(@n, @n)",
     "bit.bor(@n, @n, @n)", "bit.bxor(@n, @n)", "bit.bnot(@n)", "bit.lshift(@n, @n)",
     "bit.rshift(@n, @n)", "bit.arshift(@n, @n)", "bit.rol(@n, @n)", "bit.ror(@n, @n)",
     "bit.bswap(@n)", "bit.tobit(@n)", "string.byte(@s)", "(@s):byte(@n)", "string.len(@s)",
     "select('#', @a, @a, nil)", "select(@n, 1, 2, 3)", "(string.find(@s, @p))", "table.getn(@t)",
     "table.maxn(@t)", "struct.size(@f)", "#KEYS", "#ARGV", "@s + @n", "@n .. @n",
     "(math.randomseed(7) or math.random(1, 100))", "(math.randomseed(@n) or math.random())",
     "tonumber(ARGV[1])", "tonumber(KEYS[1]) or 4", "@b and @n or @n", "rawlen", "(@n)"});

inline constexpr auto kTextForms = std::to_array<std::string_view>(
    {"@s .. @s", "@s .. @n", "string.upper(@s)", "string.lower(@s)", "string.reverse(@s)",
     "string.rep(@s, 3)", "string.rep(@s, -1)", "(@s):sub(@n, @n)", "string.sub(@s, 2)",
     "string.format('%d', @n)", "string.format('%5.2f|%g', @n, @n)", "string.format('%s', @s)",
     "string.format('%q', @s)", "string.format('%x %X %o', @n, @n, @n)",
     "string.format('%-10s|', @s)", "string.format('%05d', @n)", "string.format('%c', 65)",
     "string.format('%i %u', @n, @n)", "string.format('%.20s', @s)", "string.format('%e', @n)",
     "string.format(@s, @a)", "string.format('%y', 1)", "string.format('%.3q', 'x')",
     "string.format('%d', @s)", "string.format('%%')", "string.format('%10.3s', @s)",
     "string.char(@n)", "string.char(104, 105, @n)", "V(@a)", "V(@n)", "tostring(nil)",
     "V(@b)", "V(@s)", "cjson.encode(@t)", "cjson.encode(@a)", "cjson.encode(r)",
     "cmsgpack.pack(@a)", "cmsgpack.pack(@t, @n)", "cmsgpack.pack()", "struct.pack(@f, @n, @s)",
     "struct.pack(@f, @s)", "struct.pack(@f, @n)", "struct.pack(@f, @n, @n, @n)",
     "redis.sha1hex(@s)", "redis.sha1hex()", "type(@a)", "type(nil)", "table.concat(@t)",
     "table.concat(@t, ',')", "table.concat(@t, @s, @n)", "table.concat(@t, '', 1, @n)",
     "bit.tohex(@n)", "bit.tohex(@n, @n)", "(string.gsub(@s, @p, @s))",
     "(string.gsub(@s, @p, @t))", "(string.gsub(@s, @p, string.upper))",
     "(string.gsub(@s, @p, @s, @n))", "string.match(@s, @p)", "(@s):gsub('.', function(c) return c .. @s end)",
     "KEYS[1]", "ARGV[1]", "KEYS[2]", "ARGV[@n]", "_VERSION", "redis.REDIS_VERSION",
     "V(redis.REDIS_VERSION_NUM)", "(@s):foo()", "@b and @s or @s", "(@s)"});

inline constexpr auto kTruthForms = std::to_array<std::string_view>(
    {"true", "false", "not @a", "@n < @n", "@n <= @n", "@n == @n", "@n ~= @n", "@n > @n",
     "@s < @s", "@s == @s", "@s >= @s", "@s ~= @n", "@a == @a", "@b and @b", "@b or @b",
     "rawequal(@a, @a)", "@n < @s", "@t == @t", "next(@t) == nil", "type(@a) == 'table'",
     "redis.acl_check_cmd('get', @s)", "redis.replicate_commands()", "(@b)", "#@t > @n",
     "cjson.null == cjson.decode('null')", "tonumber(@s) ~= nil", "string.find(@s, @p) ~= nil"});

inline constexpr auto kTableForms = std::to_array<std::string_view>(
    {"{}", "{@a}", "{@a, @a}", "{@n, @n, @n}", "{@s, @a, @n}", "{a = @a}", "{a = @a, b = @a}",
     "{[@n] = @a}", "{[1] = @a, [3] = @a}", "{@a, n = @a}", "{string.find(@s, @p)}",
     "{cmsgpack.unpack(@s)}", "{cmsgpack.unpack(cmsgpack.pack(@a, @a))}", "{cjson.decode(@j)}",
     "cjson.decode(@j)", "cjson.decode(@s)", "cjson.decode(cjson.encode(@t))",
     "{struct.unpack(@f, @s)}", "{struct.unpack(@f, struct.pack(@f, @n, @n))}",
     "{struct.unpack(@f, @s, @n)}", "{string.byte(@s, 1, -1)}", "{unpack(@t)}", "{unpack(@t, @n)}",
     "{unpack(@t, 1, 3)}", "{select(2, @a, @a)}", "{pcall(error, @s)}", "{pcall(tonumber, @s, @n)}",
     "{pcall(string.rep, @s)}", "{pcall(cjson.decode, @j)}", "{pcall(cjson.encode, {[1.5] = 1})}",
     "{pcall(redis.call, @s)}", "{pcall(redis.pcall, @s, @s)}", "{pcall(@a)}",
     "{pcall(cmsgpack.unpack, @s)}", "{pcall(struct.unpack, @f, @s)}",
     "{pcall(redis.sha1hex, @s, @s)}", "{pcall(redis.setresp, @n)}", "{pcall(redis.log, @n, @s)}",
     "redis.status_reply(@s)", "redis.error_reply(@s)", "redis.error_reply(@a)",
     "{ok = @s}", "{err = @s}", "{double = @n}", "{map = {a = @a}}", "{set = {[@s] = true}}",
     "{big_number = @s}", "{verbatim_string = {format = 'txt', string = @s}}",
     "{ok = @n}", "{err = {}}", "{map = @a}", "{set = {@a, @a}}", "{@n, nil, @n}",
     "{@t, {@t}}", "setmetatable({}, {__index = @t})", "{string.gsub(@s, @p, '')}",
     "{cmsgpack.unpack_one(@s)}", "{cmsgpack.unpack_limit(@s, 2, 0)}", "KEYS", "ARGV",
     "{math.modf(@n)}", "{math.frexp(@n)}", "{loadstring(@s)}", "{load(function() return nil end)}",
     "{xpcall(function() error(@s) end, function(e) return 'seen ' .. V(e) end)}",
     "{coroutine.resume(coroutine.create(function(x) coroutine.yield(x) end), @a)}",
     "{coroutine.wrap(function(...) return select('#', ...), ... end)(@a, @a)}"});

inline constexpr auto kLuaPatterns = std::to_array<std::string_view>(
    {"'a'", "'.'", "'%w+'", "'(%w+)'", "'^%s*'", "'%d'", "'[a-c]+'", "'[^a]'", "'(a)(b)'", "'()'",
     "'%b()'", "'%f[%w]'", "'x*'", "'.-o'", "'$'", "'%'", "'['", "'(a'", "'a)'", "'%1'", "'[%a_]'",
     "'%z'", "'o w'", "'(.)%1'", "'%x%x'", "'[]]'", "'%p'", "'l+'", "'.?'", "''"});

inline constexpr auto kStructFormats = std::to_array<std::string_view>(
    {"'i'", "'I'", "'b'", "'B'", "'h'", "'H'", "'l'", "'L'", "'f'", "'d'", "'s'", "'x'", "'i3'",
     "'>i'", "'<I2'", "'=h'", "'!8bd'", "'c3'", "'c0'", "'Bc0'", "'>I8'", "'i9'", "'T'", "'z'",
     "'! i'", "'>bhl'", "'sss'", "'i1i2'", "'!3'", "'I0'", "'ss'", "'xxb'", "''", "'d d'"});

inline constexpr auto kScriptedCalls = std::to_array<std::string_view>(
    {"'GET', @k", "'SET', 's1', @v", "'SET', @k, @v", "'SET', @k, @v, 'NX'",
     "'SET', @k, @v, 'PXAT', 4102444800123", "'SET', 's2', @v, 'XX', 'GET'", "'SETNX', @k, @v",
     "'INCR', 'n'", "'INCRBY', 'n', @w", "'INCRBYFLOAT', 'f', '0.5'", "'DECR', @k",
     "'APPEND', 's1', 'xy'", "'STRLEN', @k", "'GETRANGE', 's1', 0, @w", "'SETRANGE', 's2', 2, 'zz'",
     "'DEL', @k", "'DEL', 's1', 's2'", "'EXISTS', @k", "'TYPE', @k", "'RENAME', 's1', 's2'",
     "'EXPIREAT', @k, 4102444800", "'PEXPIREAT', @k, 4102444800123", "'EXPIRETIME', @k",
     "'PEXPIRETIME', @k", "'PERSIST', @k", "'HSET', 'h', 'f1', V(@v):sub(1, 20)", "'HSET', 'h', 'f2', @w",
     "'HSET', 'h', 'f3'", "'HGET', 'h', 'f1'", "'HGETALL', 'h'", "'HMGET', 'h', 'f1', 'no', 'f2'",
     "'HINCRBY', 'h', 'c', 1", "'HINCRBY', 'h', 'c', -1", "'HINCRBYFLOAT', 'h', 'd', 1.25",
     "'HEXISTS', 'h', 'f1'", "'HDEL', 'h', 'f1'", "'HLEN', 'h'", "'HKEYS', 'h'",
     "'HSETNX', 'h', 'f4', V(@v):sub(1, 20)", "'RPUSH', 'l', @v", "'LPUSH', 'l', @v, @v", "'LRANGE', 'l', 0, -1",
     "'LPOP', 'l'", "'RPOP', 'l', 2", "'LINDEX', 'l', @w", "'LREM', 'l', 0, @v", "'LLEN', 'l'",
     "'LTRIM', 'l', 0, 9", "'SADD', 't', 1, 2", "'SADD', 't', 7", "'SMEMBERS', 't'",
     "'SISMEMBER', 't', 1", "'SREM', 't', 2", "'SCARD', 't'", "'SMISMEMBER', 't', 1, 9",
     "'ZADD', 'z', 1, 'a', 2.5, 'b'", "'ZADD', 'z', @w, @v", "'ZADD', 'z', 'XX', 'CH', @w, 'a'",
     "'ZADD', 'z', 'INCR', 1.5, 'a'", "'ZSCORE', 'z', 'a'", "'ZRANGE', 'z', 0, -1, 'WITHSCORES'",
     "'ZRANGEBYSCORE', 'z', '-inf', @w", "'ZREM', 'z', 'a'", "'ZINCRBY', 'z', 1, 'b'",
     "'ZRANK', 'z', 'b'", "'ZCARD', 'z'", "'ZCOUNT', 'z', '-inf', '+inf'", "'ZPOPMIN', 'z'",
     "'XADD', 'x', '7-*', 'f', 'v'", "'XLEN', 'x'", "'XRANGE', 'x', '-', '+'", "'ECHO', @v",
     "'PING'", "'PING', @v", "'MGET', 's1', @k, 'no'", "'MSET', 's1', @v, 's2', @v",
     "'MSETNX', 's3', @v", "'GETSET', 's1', @v", "'GETDEL', @k", "'SETBIT', 'b', 7, 1",
     "'GETBIT', 'b', 7", "'BITCOUNT', @k", "'PUBLISH', 'c', @v", "'OBJECT', 'ENCODING', @k",
     "'SELECT', 1", "'SELECT', @w", "'DBSIZE'", "'NONSENSE', @v", "'GET'", "'SET', 's1'",
     "'EVAL', 'return 1', 0", "'MULTI'", "'SUBSCRIBE', 'c'", "'BLPOP', 'l', 0", "'set', 's1', @v",
     "'gEt', @k", "@v", "@v, @k", "@v, @v, @v", "'GET', {}", "'GET', nil", "'GET', true", "",
     "'GEOADD', 'g', 13.361389, 38.115556, 'p'", "'GEOPOS', 'g', 'p', 'no'",
     "'GEODIST', 'g', 'p', 'p'", "'PFADD', 'hll', @v", "'PFCOUNT', 'hll'", "'DUMP', 's1'",
     "'LMPOP', 1, 'l', 'LEFT'", "'COPY', 's1', 's4'", "'UNLINK', @k", "'TOUCH', @k",
     "'CONFIG', 'GET', 'maxmemory'", "'ACL', 'WHOAMI'", "'CLIENT', 'ID'", "'DEBUG', 'SLEEP'",
     "'HELLO', 3", "'RESET'", "'WATCH', 's1'", "'SCRIPT', 'FLUSH'", "'WAIT', 0, 0",
     "'ZMSCORE', 'z', 'a', 'no'", "'HRANDFIELD', 'no'", "'SORT', 'l', 'ALPHA'", "'LPOS', 'l', @v"});

inline constexpr auto kCallKeys = std::to_array<std::string_view>(
    {"'s1'", "'s2'", "'n'", "'h'", "'l'", "'z'", "KEYS[1]", "KEYS[1] or 's1'", "'t'", "'x'",
     "'no'", "'s1'", "KEYS[2] or 's2'"});

inline constexpr auto kJsonScalars = std::to_array<std::string_view>(
    {"0", "-1", "1.5", "1e5", "1E+2", "-0", "12345678901234567890", "0.1", "1e-7", "0x10", "nan",
     "Infinity", "-Infinity", "inf", "01", "1.", ".5", "+1", "- 1", "true", "false", "null",
     "True", "nul", "\"\"", "\"a\"", "\"\\u00e4\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
     "\"\\u0000\"", "\"\\n\\t\\/\\\\\\\"\"", "\"\\x\"", "\"a\\u12\"", "\"open", "'a'",
     "\"\xc3\xa4\"", "\"\\b\\f\"", "\"\x01\"", "\"tab\there\"", "", "1e400", "-nan", "9e15", "1e14",
     "100000000000000", "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\""});

inline constexpr auto kJsonForms = std::to_array<std::string_view>(
    {"[]", "{}", "[@]", "[@,@]", "{\"a\":@}", "{\"a\":@,\"b\":@}", "[@,]", "[,@]", "{\"a\"}",
     "{a:1}", "{1:@}", "[@ @]", "[@", "{\"a\":@", "@]", " [ @ , @ ] ", "[[@]]", "{\"a\":{\"b\":@}}",
     "{\"1\":@,\"2\":@}", "[@,null,@]", "{\"a\":@,\"a\":@}", "@@", "\t\r\n@", "{\"\":@}", "[@}"});

}  // namespace picklock::test
