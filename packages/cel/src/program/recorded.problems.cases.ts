/** Expressions that are refused, with where and why. Recorded; `recorded.test.ts` says how to read a line. */
export const problems = String.raw`
9223372036854775808 ⟹ problem ⟹ 1:1 invalid int literal
18446744073709551616u ⟹ problem ⟹ 1:1 invalid uint literal
0x1F + 0xau ⟹ problem ⟹ 1:6 found no matching overload for '_+_' applied to '(int, uint)'
1 + 1.0 ⟹ problem ⟹ 1:3 found no matching overload for '_+_' applied to '(int, double)'
1 + 1u ⟹ problem ⟹ 1:3 found no matching overload for '_+_' applied to '(int, uint)'
1 == 1.0 ⟹ problem ⟹ 1:3 found no matching overload for '_==_' applied to '(int, double)'
1 == 1u ⟹ problem ⟹ 1:3 found no matching overload for '_==_' applied to '(int, uint)'
1 == "1" ⟹ problem ⟹ 1:3 found no matching overload for '_==_' applied to '(int, string)'
'it''s' ⟹ problem ⟹ 1:5 Syntax error: extraneous input ''s'' expecting <EOF>
"\d" ⟹ problem ⟹ 1:1 Syntax error: token recognition error at: '"\d' ⏎ 1:4 Syntax error: token recognition error at: '"' ⏎ 1:5 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
true ? 1 : "a" ⟹ problem ⟹ 1:6 found no matching overload for '_?_:_' applied to '(bool, int, string)'
[1, "a"] ⟹ problem ⟹ 1:5 expected type 'int' but found 'string'
{1: "x", 2u: "y"} ⟹ problem ⟹ 1:10 expected type 'int' but found 'uint'
{"a": 1, "b": "c"} ⟹ problem ⟹ 1:15 expected type 'int' but found 'string'
{"a": 1} == {"a": 1.0} ⟹ problem ⟹ 1:10 found no matching overload for '_==_' applied to '(map(string, int), map(string, double))'
1.0 in [1, 2] ⟹ problem ⟹ 1:5 found no matching overload for '@in' applied to '(double, list(int))'
self.nul == null ⟹ problem ⟹ 1:10 found no matching overload for '_==_' applied to '(string, null)'
self.n == null ⟹ problem ⟹ 1:8 found no matching overload for '_==_' applied to '(int, null)'
size(1) ⟹ problem ⟹ 1:5 found no matching overload for 'size' applied to '(int)'
has(self) ⟹ problem ⟹ 1:5 invalid argument to has() macro
has(self.list[0]) ⟹ problem ⟹ 1:14 invalid argument to has() macro
self.unknown ⟹ problem ⟹ 1:5 undefined field 'unknown'
self.any.q ⟹ problem ⟹ 1:9 undefined field 'q'
self.omap == self.omap2 ⟹ problem ⟹ 1:11 found no matching overload for '_==_' applied to '(list(selfType.omap.@idx), list(selfType.omap2.@idx))'
size(self.omap + self.omap2) ⟹ problem ⟹ 1:16 found no matching overload for '_+_' applied to '(list(selfType.omap.@idx), list(selfType.omap2.@idx))'
[1, 2].all(x, x) ⟹ problem ⟹ 1:15 expected type 'bool' but found 'int'
1.all(x, true) ⟹ problem ⟹ 1:1 expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)
"abc".all(x, true) ⟹ problem ⟹ 1:1 expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)
[1].all(1, true) ⟹ problem ⟹ 1:9 argument must be a simple name
[1].map(x.y, true) ⟹ problem ⟹ 1:10 argument is not an identifier
has(1) ⟹ problem ⟹ 1:5 invalid argument to has() macro
[1].all(i, i, true) ⟹ problem ⟹ 1:12 duplicate variable name: i
"hello".matches("[") ⟹ problem ⟹ 1:17 invalid matches argument
self.s.matches("[") ⟹ problem ⟹ 1:16 invalid matches argument
"%s".format([]) ⟹ problem ⟹ 1:12 index 0 out of range
"%d".format(["x"]) ⟹ problem ⟹ 1:14 error during formatting: decimal clause can only be used on integers, was given string
"%q".format([1]) ⟹ problem ⟹ 1:12 could not parse formatting clause: unrecognized formatting clause "q"
"a" * 2 ⟹ problem ⟹ 1:5 found no matching overload for '_*_' applied to '(string, int)'
"abc"[0] ⟹ problem ⟹ 1:6 found no matching overload for '_[_]' applied to '(string, int)'
int("x") ⟹ broken ⟹ type conversion error from 'string' to 'int'
int(1e30) ⟹ broken ⟹ integer overflow
int(true) ⟹ problem ⟹ 1:4 found no matching overload for 'int' applied to '(bool)'
uint(-1) ⟹ broken ⟹ unsigned integer overflow
double("abc") ⟹ broken ⟹ type conversion error from 'string' to 'double'
string(b"\xff") ⟹ broken ⟹ invalid UTF-8 in bytes, cannot convert to string
bool("yes") ⟹ broken ⟹ type conversion error from 'string' to 'bool'
duration("1x") ⟹ problem ⟹ 1:10 invalid duration argument
duration("315576000000s") + duration("1s") ⟹ problem ⟹ 1:10 invalid duration argument
timestamp("2024-02-30T00:00:00Z") ⟹ problem ⟹ 1:11 invalid timestamp argument
timestamp("nope") ⟹ problem ⟹ 1:11 invalid timestamp argument
[?1] ⟹ problem ⟹ 1:3 expected type 'optional_type(int)' but found 'int'
["a"].sum() ⟹ problem ⟹ 1:10 found no matching overload for 'sum' applied to 'list(string).()'
"x".find("(") ⟹ broken ⟹ error parsing regexp: missing closing ): \`(\`
sets.intersects([1], ["a"]) ⟹ problem ⟹ 1:16 found no matching overload for 'sets.intersects' applied to '(list(int), list(string))'
quantity("-5").sign() ⟹ problem ⟹ 1:20 found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'
quantity("0").sign() ⟹ problem ⟹ 1:19 found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'
1 + ⟹ problem ⟹ 1:4 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
self. ⟹ problem ⟹ 1:6 Syntax error: no viable alternative at input '.'
foo ⟹ problem ⟹ 1:1 undeclared reference to 'foo' (in container '')
foo(1) ⟹ problem ⟹ 1:4 undeclared reference to 'foo' (in container '')
self.n + "a" ⟹ problem ⟹ 1:8 found no matching overload for '_+_' applied to '(int, string)'
self.name > 1 ⟹ problem ⟹ 1:11 found no matching overload for '_>_' applied to '(string, int)'
self.list.all(x) ⟹ problem ⟹ 1:14 undeclared reference to 'all' (in container '') ⏎ 1:15 undeclared reference to 'x' (in container '')
[1,2 ⟹ problem ⟹ 1:5 Syntax error: mismatched input '<EOF>' expecting {']', ','}
"unterminated ⟹ problem ⟹ 1:1 Syntax error: token recognition error at: '"unterminated' ⏎ 1:14 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
a.b.c ⟹ problem ⟹ 1:1 undeclared reference to 'a' (in container '')
self.name.nope() ⟹ problem ⟹ 1:15 undeclared reference to 'nope' (in container '')
self.n.startsWith("a") ⟹ problem ⟹ 1:18 found no matching overload for 'startsWith' applied to 'int.(string)'
size(1, 2) ⟹ problem ⟹ 1:5 found no matching overload for 'size' applied to '(int, int)'
self.names.all(n, n + 1) ⟹ problem ⟹ 1:21 found no matching overload for '_+_' applied to '(string, int)'
!1 ⟹ problem ⟹ 1:1 found no matching overload for '!_' applied to '(int)'
-"a" ⟹ problem ⟹ 1:1 found no matching overload for '-_' applied to '(string)'
1 ? 2 : 3 ⟹ problem ⟹ 1:3 found no matching overload for '_?_:_' applied to '(int, int, int)'
self.list["a"] ⟹ problem ⟹ 1:10 found no matching overload for '_[_]' applied to '(list(int), string)'
self.m[1] ⟹ problem ⟹ 1:7 found no matching overload for '_[_]' applied to '(map(string, string), int)'
true && 1 ⟹ problem ⟹ 1:9 expected type 'bool' but found 'int'
for ⟹ problem ⟹ 1:1 reserved identifier: for
1 = 2 ⟹ problem ⟹ 1:3 Syntax error: token recognition error at: '= ' ⏎ 1:5 Syntax error: extraneous input '2' expecting <EOF>
self.n ==  ⟹ problem ⟹ 1:11 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
@ ⟹ problem ⟹ 1:1 Syntax error: token recognition error at: '@' ⏎ 1:2 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
self.objs.all(o, o.nope) ⟹ problem ⟹ 1:19 undefined field 'nope'
[1, 2, 3].map(x, y) ⟹ problem ⟹ 1:18 undeclared reference to 'y' (in container '')
self.name.size() > 1 &&& true ⟹ problem ⟹ 1:24 Syntax error: token recognition error at: '& '
((1 + 2) ⟹ problem ⟹ 1:9 Syntax error: missing ')' at '<EOF>'
1 < 2 < 3 ⟹ problem ⟹ 1:7 found no matching overload for '_<_' applied to '(bool, int)'
a ? b ⟹ problem ⟹ 1:6 Syntax error: mismatched input '<EOF>' expecting ':'
{"a" 1} ⟹ problem ⟹ 1:6 Syntax error: missing ':' at '1'
\u0000 ⟹ problem ⟹ 1:1 Syntax error: token recognition error at: '\'
int(1, 2) ⟹ problem ⟹ 1:4 found no matching overload for 'int' applied to '(int, int)'
self.names.exists(n, n == 1) ⟹ problem ⟹ 1:24 found no matching overload for '_==_' applied to '(string, int)'
duration(self.name) > 1 ⟹ problem ⟹ 1:21 found no matching overload for '_>_' applied to '(duration, int)'
self.list.filter(x, x) ⟹ problem ⟹ 1:17 found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'
self.n + self.x ⟹ problem ⟹ 1:8 found no matching overload for '_+_' applied to '(int, double)'
self.name + self.n ⟹ problem ⟹ 1:11 found no matching overload for '_+_' applied to '(string, int)'
cel.bind(x, 1, x) ⟹ problem ⟹ 1:1 undeclared reference to 'cel' (in container '') ⏎ 1:9 undeclared reference to 'bind' (in container '') ⏎ 1:10 undeclared reference to 'x' (in container '') ⏎ 1:16 undeclared reference to 'x' (in container '')
"a".reverse() ⟹ problem ⟹ 1:12 undeclared reference to 'reverse' (in container '')
1 in 2 ⟹ problem ⟹ 1:3 found no matching overload for '@in' applied to '(int, int)'
self.n in self.names ⟹ problem ⟹ 1:8 found no matching overload for '@in' applied to '(int, list(string))'
dyn([1, "a", null])[2] ⟹ problem ⟹ 1:9 expected type 'int' but found 'string'
b"\x00\u0041" ⟹ problem ⟹ 1:1 unable to unescape string
1.0e400 ⟹ problem ⟹ 1:1 invalid double literal
1.e3 ⟹ problem ⟹ 1:2 type 'int' does not support field selection
1..2 ⟹ problem ⟹ 1:3 Syntax error: no viable alternative at input '..2'
-5u ⟹ problem ⟹ 1:1 found no matching overload for '-_' applied to '(uint)'
size([1],) ⟹ problem ⟹ 1:10 Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
true ? false ? 1 : 2 : 3 ⟹ problem ⟹ 1:14 Syntax error: mismatched input '?' expecting ':'
a || b ⟹ problem ⟹ 1:1 undeclared reference to 'a' (in container '') ⏎ 1:6 undeclared reference to 'b' (in container '')
7.5 % 2.0 ⟹ problem ⟹ 1:5 found no matching overload for '_%_' applied to '(double, double)'
// comment only ⟹ problem ⟹ 1:16 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
self.n +\n\ "a" ⟹ problem ⟹ 1:8 found no matching overload for '_+_' applied to '(int, string)'
{1: "a"}[1u] ⟹ problem ⟹ 1:9 found no matching overload for '_[_]' applied to '(map(int, string), uint)'
int("9223372036854775808") ⟹ broken ⟹ type conversion error from 'string' to 'int'
uint("-1") ⟹ broken ⟹ type conversion error from 'string' to 'uint'
duration("1h-2m") ⟹ problem ⟹ 1:10 invalid duration argument
duration("") ⟹ problem ⟹ 1:10 invalid duration argument
timestamp("2024-03-01T12:30:45+25:00") ⟹ problem ⟹ 1:11 invalid timestamp argument
timestamp("2024-12-31T23:59:60Z") ⟹ problem ⟹ 1:11 invalid timestamp argument
optional.of(1).orValue("a") ⟹ problem ⟹ 1:23 found no matching overload for 'orValue' applied to 'optional_type(int).(string)'
self.?names.?x ⟹ problem ⟹ 1:12 type 'list(string)' does not support field selection
has(self.?name.x) ⟹ problem ⟹ 1:4 type 'string' does not support field selection
authorizer.path("/x").check("get").allowed() ⟹ problem ⟹ 1:1 undeclared reference to 'authorizer' (in container '')
int(dyn([])) ⟹ broken ⟹ no such overload: int(list)
string(dyn([1])) ⟹ broken ⟹ no such overload: string(list)
dyn("x").nope() ⟹ problem ⟹ 1:14 undeclared reference to 'nope' (in container '')
"%s".format([ip("1.2.3.4")]) ⟹ problem ⟹ 1:16 error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP
"%5d".format([1]) ⟹ problem ⟹ 1:13 could not parse formatting clause: unrecognized formatting clause "5"
"%".format([]) ⟹ problem ⟹ 1:11 unexpected end of string
"%s".format(["a", "b"]) ⟹ problem ⟹ 1:12 too many arguments supplied to string.format (expected 1, got 2)
[dyn(1), 1] ⟹ problem ⟹ 1:10 expected type 'dyn' but found 'int'
[optional.of(1), optional.of("a")] ⟹ problem ⟹ 1:29 expected type 'optional_type(int)' but found 'optional_type(string)'
[[1], ["a"]] ⟹ problem ⟹ 1:7 expected type 'list(int)' but found 'list(string)'
[1, null] ⟹ problem ⟹ 1:5 expected type 'int' but found 'null'
{"a": 1, "b": null} ⟹ problem ⟹ 1:15 expected type 'int' but found 'null'
true ? null : 1 ⟹ problem ⟹ 1:6 found no matching overload for '_?_:_' applied to '(bool, null, int)'
string(self.raw) + bytes(self.name).size() + "" ⟹ problem ⟹ 1:18 found no matching overload for '_+_' applied to '(string, int)'
`
