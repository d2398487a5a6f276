/** The language itself: operators, literals, macros, conversions, times, strings. Recorded; `recorded.test.ts` says how to read a line. */
export const language = String.raw`
1 + 2 * 3 ⟹ 7 ⟹ int ⟹ 2 2 2
7 / 2 ⟹ 3 ⟹ int ⟹ 1 1 1
-7 / 2 ⟹ -3 ⟹ int ⟹ 1 1 1
-7 % 3 ⟹ -1 ⟹ int ⟹ 1 1 1
7 % 0 ⟹ !modulus by zero ⟹ int ⟹ 1 1 1
1 / 0 ⟹ !division by zero ⟹ int ⟹ 1 1 1
9223372036854775807 + 1 ⟹ !integer overflow ⟹ int ⟹ 1 1 1
-9223372036854775808 - 1 ⟹ !integer overflow ⟹ int ⟹ 1 1 1
-9223372036854775808 ⟹ -9223372036854775808 ⟹ int ⟹ 0 0 0
-(-9223372036854775808) ⟹ !integer overflow ⟹ int ⟹ 1 1 1
9223372036854775807 * 2 ⟹ !integer overflow ⟹ int ⟹ 1 1 1
1u + 2u ⟹ 3u ⟹ uint ⟹ 1 1 1
1u - 2u ⟹ !unsigned integer overflow ⟹ uint ⟹ 1 1 1
18446744073709551615u + 1u ⟹ !unsigned integer overflow ⟹ uint ⟹ 1 1 1
1.5 + 2.0 ⟹ 3.5d ⟹ double ⟹ 1 1 1
1.0 / 0.0 ⟹ +Infd ⟹ double ⟹ 1 1 1
0.0 / 0.0 == 0.0 / 0.0 ⟹ false ⟹ bool ⟹ 3 3 3
-1.5e-3 ⟹ -0.0015d ⟹ double ⟹ 0 0 0
.5 + 1.0 ⟹ 1.5d ⟹ double ⟹ 1 1 1
1e3 ⟹ 1000d ⟹ double ⟹ 0 0 0
1u < 2.5 ⟹ true ⟹ bool ⟹ 1 1 1
1 < 1.5 ⟹ true ⟹ bool ⟹ 1 1 1
2 >= 2u ⟹ true ⟹ bool ⟹ 1 1 1
dyn(1) == 1u ⟹ true ⟹ bool ⟹ 1 2 2
dyn(1) == "1" ⟹ false ⟹ bool ⟹ 1 2 2
"a" + "b" ⟹ "ab" ⟹ string ⟹ 1 1 1
"a" < "b" ⟹ true ⟹ bool ⟹ 1 1 1
b"a" < b"b" ⟹ true ⟹ bool ⟹ 1 1 1
b"ab" + b"c" ⟹ b:YWJj ⟹ bytes ⟹ 1 1 1
'single' == "single" ⟹ true ⟹ bool ⟹ 1 1 1
r"raw\n" ⟹ "raw\\n" ⟹ string ⟹ 0 0 0
"""tri""" ⟹ "tri" ⟹ string ⟹ 0 0 0
'''a'b''' ⟹ "a'b" ⟹ string ⟹ 0 0 0
b'\xff\000' ⟹ b:/wA= ⟹ bytes ⟹ 0 0 0
b"é" ⟹ b:w6k= ⟹ bytes ⟹ 0 0 0
true && false ⟹ false ⟹ bool ⟹ 0 0 0
true || 1 / 0 == 1 ⟹ true ⟹ bool ⟹ 0 0 2
1 / 0 == 1 || true ⟹ true ⟹ bool ⟹ 2 2 2
1 / 0 == 1 && false ⟹ false ⟹ bool ⟹ 2 2 2
1 / 0 == 1 && true ⟹ !division by zero ⟹ bool ⟹ 2 2 2
1 / 0 == 1 || false ⟹ !division by zero ⟹ bool ⟹ 2 2 2
!true ⟹ false ⟹ bool ⟹ 1 1 1
!!false ⟹ false ⟹ bool ⟹ 0 0 0
true ? 1 : 2 ⟹ 1 ⟹ int ⟹ 0 0 0
false ? "a" : "b" ⟹ "b" ⟹ string ⟹ 0 0 0
1 / 0 > 0 ? 1 : 2 ⟹ !division by zero ⟹ int ⟹ 2 2 2
[1, 2, 3] ⟹ [1, 2, 3] ⟹ list(int) ⟹ 0 10 10
[1, 2, 3][1] ⟹ 2 ⟹ int ⟹ 2 11 11
[1, 2, 3][3] ⟹ !index out of bounds: 3 ⟹ int ⟹ 2 11 11
[1, 2, 3][-1] ⟹ !index out of bounds: -1 ⟹ int ⟹ 2 11 11
[] ⟹ [] ⟹ list(dyn) ⟹ 0 10 10
[] == [] ⟹ true ⟹ bool ⟹ 0 20 20
[1] + [2, 3] ⟹ [1, 2, 3] ⟹ list(int) ⟹ 1 21 21
{"a": 1, "b": 2} ⟹ {"a": 1, "b": 2} ⟹ map(string, int) ⟹ 0 30 30
{"a": 1}["a"] ⟹ 1 ⟹ int ⟹ 2 31 31
{"a": 1}["b"] ⟹ !no such key: b ⟹ int ⟹ 2 31 31
{"a": 1}.a ⟹ 1 ⟹ int ⟹ 2 31 31
{"a": 1, "a": 2} ⟹ {"a": 2} ⟹ map(string, int) ⟹ 0 30 30
{} ⟹ {} ⟹ map(dyn, dyn) ⟹ 0 30 30
1 in [1, 2, 3] ⟹ true ⟹ bool ⟹ 0 13 13
4 in [1, 2, 3] ⟹ false ⟹ bool ⟹ 0 13 13
"a" in {"a": 1} ⟹ true ⟹ bool ⟹ 1 31 31
null == null ⟹ true ⟹ bool ⟹ 1 1 1
type(1) ⟹ type:int ⟹ type(int) ⟹ 0 1 1
type(1) == int ⟹ true ⟹ bool ⟹ 1 2 2
type("a") == string ⟹ true ⟹ bool ⟹ 1 2 2
type([]) == list ⟹ true ⟹ bool ⟹ 1 12 12
type({}) == map ⟹ true ⟹ bool ⟹ 1 32 32
type(type(1)) == type ⟹ true ⟹ bool ⟹ 1 3 3
type(null) == null_type ⟹ true ⟹ bool ⟹ 1 2 2
int == int ⟹ true ⟹ bool ⟹ 1 2 2
size(b"abc") ⟹ 3 ⟹ int ⟹ 1 1 1
[1, 2, 3].all(x, x > 0) ⟹ true ⟹ bool ⟹ 16 20 26
[1, 2, 3].all(x, x > 1) ⟹ false ⟹ bool ⟹ 8 20 26
[1, 2, 3].exists(x, x == 2) ⟹ true ⟹ bool ⟹ 16 23 26
[1, 2, 3].exists(x, x == 5) ⟹ false ⟹ bool ⟹ 19 23 26
[1, 2, 3].exists_one(x, x > 2) ⟹ true ⟹ bool ⟹ 10 21 24
[1, 2, 3].exists_one(x, x > 1) ⟹ false ⟹ bool ⟹ 12 21 24
[1, 2, 3].map(x, x * 2) ⟹ [2, 4, 6] ⟹ list(int) ⟹ 43 63 63
[1, 2, 3].map(x, x > 1, x * 2) ⟹ [4, 6] ⟹ list(int) ⟹ 35 30 69
[1, 2, 3].filter(x, x % 2 == 1) ⟹ [1, 3] ⟹ list(int) ⟹ 36 33 69
[0, 1].all(x, 1 / x > 0) ⟹ !division by zero ⟹ bool ⟹ 13 17 23
[0, 1].exists(x, 1 / x == 1) ⟹ true ⟹ bool ⟹ 15 19 25
[1, 0].exists(x, 1 / x == 1) ⟹ true ⟹ bool ⟹ 11 19 25
[0, 2].exists(x, 1 / x == 1) ⟹ !division by zero ⟹ bool ⟹ 15 19 25
[0].all(x, 1 / x == 1 || true) ⟹ true ⟹ bool ⟹ 7 14 17
[].all(x, x) ⟹ true ⟹ bool ⟹ 1 11 11
[].exists(x, x) ⟹ false ⟹ bool ⟹ 1 11 11
{"a": 1, "b": 2}.all(k, k != "") ⟹ true ⟹ bool ⟹ 9 37 39
{"a": 1}.map(k, k + "!") ⟹ ["a!"] ⟹ list(string) ⟹ 15 55 55
[[1], [2, 3]].map(l, l.size()) ⟹ [1, 2] ⟹ list(int) ⟹ 29 69 69
[1, 2, 3].all(i, v, v > i) ⟹ true ⟹ bool ⟹ 19 20 29
{"a": 1}.all(k, v, v == 1 && k == "a") ⟹ true ⟹ bool ⟹ 8 34 36
[1, 2].exists(i, v, i == 1 && v == 2) ⟹ true ⟹ bool ⟹ 15 19 23
[1, 1].existsOne(i, v, v == 1) ⟹ false ⟹ bool ⟹ 10 16 18
[1, 2].existsOne(i, v, v == 1) ⟹ true ⟹ bool ⟹ 8 16 18
[5, 6].transformList(i, v, i + v) ⟹ [5, 7] ⟹ list(int) ⟹ 31 51 51
[5, 6].transformList(i, v, i > 0, v) ⟹ [6] ⟹ list(int) ⟹ 18 27 51
{"a": 1, "b": 2}.transformList(k, v, v).size() ⟹ 2 ⟹ int ⟹ 28 68 68
{"a": 1, "b": 2}.transformMap(k, v, v + 1) ⟹ {"a": 2, "b": 3} ⟹ map(string, int) ⟹ 11 71 71
{"a": 1, "b": 2}.transformMap(k, v, v > 1, v + 1) ⟹ {"b": 3} ⟹ map(string, int) ⟹ 10 67 75
[1, 2].transformMap(i, v, v * v) ⟹ {0: 1, 1: 4} ⟹ map(int, int) ⟹ 13 53 53
{"a": "x", "b": "y"}.transformMapEntry(k, v, {v: k}) ⟹ {"x": "a", "y": "b"} ⟹ map(string, string) ⟹ 69 129 129
["a", "a"].transformMapEntry(i, v, {v: i}) ⟹ !insert failed: key a already exists ⟹ map(string, int) ⟹ 69 109 109
"hello".contains("ell") ⟹ true ⟹ bool ⟹ 1 1 1
"hello".startsWith("he") ⟹ true ⟹ bool ⟹ 1 1 1
"hello".endsWith("lo") ⟹ true ⟹ bool ⟹ 1 1 1
"hello".matches("^h.*o$") ⟹ true ⟹ bool ⟹ 2 2 2
matches("hello", "l+") ⟹ true ⟹ bool ⟹ 1 1 1
"héllo".size() ⟹ 5 ⟹ int ⟹ 1 1 1
"tacocat".charAt(3) ⟹ "o" ⟹ string ⟹ 1 1 1
"tacocat".charAt(7) ⟹ "" ⟹ string ⟹ 1 1 1
"tacocat".charAt(8) ⟹ !index out of range: 8 ⟹ string ⟹ 1 1 1
["a", "b"].join() ⟹ "ab" ⟹ string ⟹ 1 10 1844674407370955274
["a", "b", "c"].join("-") ⟹ "a-b-c" ⟹ string ⟹ 1 11 1844674407370955274
[].join(",") ⟹ "" ⟹ string ⟹ 0 10 10
"TacoCat".lowerAscii() ⟹ "tacocat" ⟹ string ⟹ 1 1 1
"TacoCät".upperAscii() ⟹ "TACOCäT" ⟹ string ⟹ 1 1 1
"hello".replace("l", "L") ⟹ "heLLo" ⟹ string ⟹ 1 1 1
"hello".replace("l", "L", 1) ⟹ "heLlo" ⟹ string ⟹ 1 1 1
"hello".replace("", "-") ⟹ "-h-e-l-l-o-" ⟹ string ⟹ 1 1 1
"hello".replace("l", "", 0) ⟹ "hello" ⟹ string ⟹ 1 1 1
"a,b,c".split(",") ⟹ ["a", "b", "c"] ⟹ list(string) ⟹ 1 1 1
"a,b,c".split(",", 2) ⟹ ["a", "b,c"] ⟹ list(string) ⟹ 1 1 1
"a,b,c".split(",", 0) ⟹ [] ⟹ list(string) ⟹ 1 1 1
"abc".split("") ⟹ ["a", "b", "c"] ⟹ list(string) ⟹ 1 1 1
"".split(",") ⟹ [""] ⟹ list(string) ⟹ 0 0 0
"tacocat".substring(4) ⟹ "cat" ⟹ string ⟹ 1 1 1
"tacocat".substring(0, 4) ⟹ "taco" ⟹ string ⟹ 1 1 1
"tacocat".substring(4, 2) ⟹ !invalid substring range. start: 4, end: 2 ⟹ string ⟹ 1 1 1
"tacocat".substring(9) ⟹ !index out of range: 9 ⟹ string ⟹ 1 1 1
"  \ttrim\n ".trim() ⟹ "trim" ⟹ string ⟹ 1 1 1
"%s is %d".format(["a", 1]) ⟹ "a is 1" ⟹ string ⟹ 1 11 11
"%s %s %s".format([true, null, 1.5]) ⟹ "true null 1.5" ⟹ string ⟹ 1 11 11
"%.2f %e".format([3.14159, 1234.5]) ⟹ "3.14 1.234500×10⁰³" ⟹ string ⟹ 1 11 11
"%x %X %o %b".format([255, 255, 8, 5]) ⟹ "ff FF 10 101" ⟹ string ⟹ 2 12 12
"%s".format([[1, "a", 2.0]]) ⟹ "[1, \"a\", 2.000000]" ⟹ string ⟹ 1 21 21
"%s".format([{"b": 1, "a": [true]}]) ⟹ "{\"a\":[true], \"b\":1}" ⟹ string ⟹ 1 51 51
"%d%%".format([50]) ⟹ "50%" ⟹ string ⟹ 1 11 11
"%s".format([duration("90s")]) ⟹ "90s" ⟹ string ⟹ 1 12 12
"%s".format([timestamp("2020-01-01T00:00:00Z")]) ⟹ "2020-01-01T00:00:00Z" ⟹ string ⟹ 1 12 12
"%x".format(["abc"]) ⟹ "616263" ⟹ string ⟹ 1 11 11
strings.quote("a\"b\n") ⟹ "\"a\\\"b\\n\"" ⟹ string ⟹ 1 1 1
int("42") ⟹ 42 ⟹ int ⟹ 0 1 1
int(3.99) ⟹ 3 ⟹ int ⟹ 0 1 1
int(-3.99) ⟹ -3 ⟹ int ⟹ 0 1 1
int(5u) ⟹ 5 ⟹ int ⟹ 0 1 1
int(timestamp("1970-01-01T00:01:00Z")) ⟹ 60 ⟹ int ⟹ 0 2 2
uint(5) ⟹ 5u ⟹ uint ⟹ 0 1 1
uint("7") ⟹ 7u ⟹ uint ⟹ 0 1 1
uint(3.7) ⟹ 3u ⟹ uint ⟹ 0 1 1
double("1.5") ⟹ 1.5d ⟹ double ⟹ 0 1 1
double(3) ⟹ 3d ⟹ double ⟹ 0 1 1
string(1) ⟹ "1" ⟹ string ⟹ 0 1 1
string(1u) ⟹ "1" ⟹ string ⟹ 0 1 1
string(1.5) ⟹ "1.5" ⟹ string ⟹ 0 1 1
string(1e21) ⟹ "1e+21" ⟹ string ⟹ 0 1 1
string(100000.0) ⟹ "100000" ⟹ string ⟹ 0 1 1
string(1000000.0) ⟹ "1e+06" ⟹ string ⟹ 0 1 1
string(0.00001) ⟹ "1e-05" ⟹ string ⟹ 0 1 1
string(true) ⟹ "true" ⟹ string ⟹ 0 1 1
string(b"abc") ⟹ "abc" ⟹ string ⟹ 0 1 1
string("x") ⟹ "x" ⟹ string ⟹ 0 1 1
string(duration("1h30m")) ⟹ "5400s" ⟹ string ⟹ 0 2 2
string(timestamp("2024-03-01T12:30:45.5+02:00")) ⟹ "2024-03-01T12:30:45.5+02:00" ⟹ string ⟹ 0 2 2
bytes("é") ⟹ b:w6k= ⟹ bytes ⟹ 0 1 1
bool("true") ⟹ true ⟹ bool ⟹ 0 1 1
bool("T") ⟹ true ⟹ bool ⟹ 0 1 1
dyn("a").size() ⟹ 1 ⟹ int ⟹ 1 2 2
dyn(1).size() ⟹ !no such overload: size ⟹ int ⟹ 1 2 2
duration("1h") + duration("30m") ⟹ d:5400s ⟹ duration ⟹ 1 3 3
duration("1h") - duration("30m") ⟹ d:1800s ⟹ duration ⟹ 1 3 3
duration("1.5s") ⟹ d:1.5s ⟹ duration ⟹ 0 1 1
duration("-2h45m") ⟹ d:-9900s ⟹ duration ⟹ 0 1 1
duration("100ms") < duration("1s") ⟹ true ⟹ bool ⟹ 1 3 3
duration("1h30m").getHours() ⟹ 1 ⟹ int ⟹ 1 2 2
duration("1h30m").getMinutes() ⟹ 90 ⟹ int ⟹ 1 2 2
duration("1h30m").getSeconds() ⟹ 5400 ⟹ int ⟹ 1 2 2
duration("1.234s").getMilliseconds() ⟹ 1234 ⟹ int ⟹ 1 2 2
timestamp("2024-02-29T00:00:00Z") ⟹ t:2024-02-29T00:00:00Z ⟹ timestamp ⟹ 0 1 1
timestamp(1700000000) ⟹ t:2023-11-14T22:13:20Z ⟹ timestamp ⟹ 0 1 1
timestamp("2024-01-01T00:00:00Z") + duration("24h") ⟹ t:2024-01-02T00:00:00Z ⟹ timestamp ⟹ 1 3 3
timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z") ⟹ d:86400s ⟹ duration ⟹ 1 3 3
timestamp("2024-01-02T00:00:00Z") - duration("1s") ⟹ t:2024-01-01T23:59:59Z ⟹ timestamp ⟹ 1 3 3
timestamp("2024-01-02T00:00:00Z") > timestamp("2024-01-01T00:00:00Z") ⟹ true ⟹ bool ⟹ 1 3 3
timestamp("9999-12-31T23:59:59Z") + duration("1s") ⟹ !timestamp overflow ⟹ timestamp ⟹ 1 3 3
[1, 2].first() ⟹ optional(1) ⟹ optional_type(int) ⟹ 1 11 11
[].last() ⟹ optional.none ⟹ optional_type(dyn) ⟹ 1 11 11
isURL("https://a.b/c") ⟹ true ⟹ bool ⟹ 1 1 1
isURL("a.b") ⟹ false ⟹ bool ⟹ 1 1 1
[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(b, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(c, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(d, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(e, a + b + c + d + e > 0))))) ⟹ !operation cancelled: actual cost limit exceeded ⟹ bool ⟹ 1000001 41 1455551
dyn(1) < dyn(2.0) ⟹ true ⟹ bool ⟹ 1 3 3
dyn("a") < dyn(1) ⟹ !no such overload ⟹ bool ⟹ 1 3 3
"%.1f".format([12345678.25]) ⟹ "12,345,678.2" ⟹ string ⟹ 1 11 11
dyn(1).foo ⟹ !no such key: foo ⟹ dyn ⟹ 2 1 1
dyn([1])["a"] ⟹ !unsupported index type 'string' in list ⟹ dyn ⟹ 2 12 12
null == dyn(1) ⟹ false ⟹ bool ⟹ 1 2 2
isURL("/a?b=c") ⟹ true ⟹ bool ⟹ 1 1 1
isURL("https://a.b:80/c?d#e") ⟹ true ⟹ bool ⟹ 1 1 1
isURL("") ⟹ false ⟹ bool ⟹ 1 1 1
"𝄞a".size() ⟹ 2 ⟹ int ⟹ 1 1 1
"𝄞a".charAt(1) ⟹ "a" ⟹ string ⟹ 1 1 1
"𝄞a" < "￿" ⟹ false ⟹ bool ⟹ 1 1 1
"\u00e9" == "é" ⟹ true ⟹ bool ⟹ 1 1 1
"a\tb".size() ⟹ 3 ⟹ int ⟹ 1 1 1
'tab	here' ⟹ "tab\there" ⟹ string ⟹ 0 0 0
r'\d+' ⟹ "\\d+" ⟹ string ⟹ 0 0 0
"\x41\101\U00000041" ⟹ "AAA" ⟹ string ⟹ 0 0 0
"""multi "quoted" text""" ⟹ "multi \"quoted\" text" ⟹ string ⟹ 0 0 0
0x7FFFFFFFFFFFFFFF ⟹ 9223372036854775807 ⟹ int ⟹ 0 0 0
-0x1 ⟹ -1 ⟹ int ⟹ 0 0 0
5u - 6u ⟹ !unsigned integer overflow ⟹ uint ⟹ 1 1 1
2 - -2 ⟹ 4 ⟹ int ⟹ 1 1 1
2--2 ⟹ 4 ⟹ int ⟹ 1 1 1
(1) ⟹ 1 ⟹ int ⟹ 0 0 0
[1, 2,] ⟹ [1, 2] ⟹ list(int) ⟹ 0 10 10
{"a": 1,} ⟹ {"a": 1} ⟹ map(string, int) ⟹ 0 30 30
[,] ⟹ [] ⟹ list(dyn) ⟹ 0 10 10
{,} ⟹ {} ⟹ map(dyn, dyn) ⟹ 0 30 30
7.5 / 2.0 ⟹ 3.75d ⟹ double ⟹ 1 1 1
-7 / -2 ⟹ 3 ⟹ int ⟹ 1 1 1
[1, 2].map(x, x).map(y, y + 1).filter(z, z > 2) ⟹ [3] ⟹ list(int) ⟹ 74 103 127
[[1, 2], [3]].map(l, l.map(x, x * 10)) ⟹ [[10, 20], [30]] ⟹ list(list(int)) ⟹ 71 89 89
{"a": [1, 2]}.a[1] ⟹ 2 ⟹ int ⟹ 3 42 42
{"a": {"b": {"c": 3}}}.a.b.c ⟹ 3 ⟹ int ⟹ 4 93 93
{1: "a"}[1] ⟹ "a" ⟹ string ⟹ 2 31 31
{1: "a"}[dyn(1.0)] ⟹ "a" ⟹ string ⟹ 2 32 32
{true: 1}[true] ⟹ 1 ⟹ int ⟹ 2 31 31
{1.5: "a"} ⟹ {1.5d: "a"} ⟹ map(double, string) ⟹ 0 30 30
1 in {1: "a"} ⟹ true ⟹ bool ⟹ 1 31 31
double("1e-7") ⟹ 1e-07d ⟹ double ⟹ 0 1 1
string(0.1) ⟹ "0.1" ⟹ string ⟹ 0 1 1
string(123456789.0) ⟹ "1.23456789e+08" ⟹ string ⟹ 0 1 1
string(1.0) ⟹ "1" ⟹ string ⟹ 0 1 1
string(-0.0) ⟹ "-0" ⟹ string ⟹ 0 1 1
int("-5") ⟹ -5 ⟹ int ⟹ 0 1 1
int("+5") ⟹ 5 ⟹ int ⟹ 0 1 1
bool("FALSE") ⟹ false ⟹ bool ⟹ 0 1 1
double("Infinity") ⟹ +Infd ⟹ double ⟹ 0 1 1
double("0x1p-2") ⟹ 0.25d ⟹ double ⟹ 0 1 1
duration("1.5h") ⟹ d:5400s ⟹ duration ⟹ 0 1 1
duration("-.5s") ⟹ d:-0.5s ⟹ duration ⟹ 0 1 1
duration("9223372036s") ⟹ d:9223372036s ⟹ duration ⟹ 0 1 1
timestamp("0001-01-01T00:00:00Z") - duration("1s") ⟹ !timestamp overflow ⟹ timestamp ⟹ 1 3 3
[1].first().value() ⟹ 1 ⟹ int ⟹ 2 12 12
"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$") ⟹ false ⟹ bool ⟹ 16 16 16
"a".matches("(?i)A") ⟹ true ⟹ bool ⟹ 2 2 2
"ab\ncd".matches("(?m)^cd$") ⟹ true ⟹ bool ⟹ 2 2 2
"abc".matches("a.c|x") ⟹ true ⟹ bool ⟹ 2 2 2
"x".matches("\\p{Greek}") ⟹ false ⟹ bool ⟹ 3 3 3
"a b".matches("a\\sb") ⟹ true ⟹ bool ⟹ 1 1 1
dyn("a").foo ⟹ !no such key: foo ⟹ dyn ⟹ 2 1 1
dyn(null).x ⟹ !no such key: x ⟹ dyn ⟹ 2 1 1
dyn(1)[0] ⟹ !no such key: 0 ⟹ dyn ⟹ 2 2 2
dyn([1])[1.0] ⟹ !index out of bounds: 1 ⟹ dyn ⟹ 2 12 12
dyn([1])[0u] ⟹ 1 ⟹ dyn ⟹ 2 12 12
dyn(1).contains("a") ⟹ !no such overload ⟹ bool ⟹ 1 2 2
dyn("a").contains(dyn(1)) ⟹ !no such overload ⟹ bool ⟹ 1 3 3
duration(dyn("1h")) ⟹ d:3600s ⟹ duration ⟹ 0 2 2
dyn("5") + dyn(1) ⟹ !no such overload ⟹ dyn ⟹ 1 3 3
!dyn(1) ⟹ !no such overload ⟹ bool ⟹ 1 2 2
-dyn("a") ⟹ !no such overload ⟹ dyn ⟹ 1 2 2
dyn(1) && true ⟹ !no such overload ⟹ bool ⟹ 0 1 1
dyn(1) ? 1 : 2 ⟹ !no such overload ⟹ int ⟹ 0 1 1
dyn(1).all(x, true) ⟹ !got 'types.Int', expected iterable type ⟹ bool ⟹ 0 5 5
dyn({"a": 1}).all(k, k == "a") ⟹ true ⟹ bool ⟹ 6 35 36
has(dyn({"a": 1}).a) ⟹ true ⟹ bool ⟹ 1 31 31
has(dyn(1).a) ⟹ false ⟹ bool ⟹ 1 1 1
"%.0f".format([2.5]) ⟹ "2" ⟹ string ⟹ 1 11 11
"%.0f".format([-3.5]) ⟹ "-4" ⟹ string ⟹ 1 11 11
"%.2e".format([-0.00012345]) ⟹ "-1.234500×10⁻⁰⁴" ⟹ string ⟹ 1 11 11
"%.20e|".format([1.5]) ⟹ "       1.500000×10⁰⁰|" ⟹ string ⟹ 1 11 11
"%s".format([1e10]) ⟹ "1e+10" ⟹ string ⟹ 1 11 11
"%s".format([[1.5, null, b"a", duration("1s"), 3u]]) ⟹ "[1.500000, null, b\"a\", duration(\"1s\"), 3]" ⟹ string ⟹ 1 22 22
"%f".format(["NaN"]) ⟹ "NaN" ⟹ string ⟹ 1 11 11
"%d".format([dyn("x")]) ⟹ !error during formatting: decimal clause can only be used on integers, was given string ⟹ string ⟹ 1 12 12
[1, 2] == [1, 2, 3] ⟹ false ⟹ bool ⟹ 1 21 21
{"a": [1]} == {"a": [1]} ⟹ true ⟹ bool ⟹ 1 81 81
b"a" == b"a" ⟹ true ⟹ bool ⟹ 1 1 1
type(1) == type(2) ⟹ true ⟹ bool ⟹ 1 3 1844674407370955266
dyn("ab").all(x, true) ⟹ !got 'types.String', expected iterable type ⟹ bool ⟹ 0 8 8
dyn(1).all(i, v, true) ⟹ !unsupported comprehension range type: types.Int ⟹ bool ⟹ 0 5 5
dyn(timestamp(0)).map(x, x) ⟹ !got 'types.Timestamp', expected iterable type ⟹ list(dyn) ⟹ 0 26 26
dyn(null).exists(x, true) ⟹ !got 'types.Null', expected iterable type ⟹ bool ⟹ 0 6 6
dyn(1).matches("a") ⟹ !no such overload ⟹ bool ⟹ 1 2 2
dyn(1).getHours() ⟹ !no such overload: getHours(int) ⟹ int ⟹ 1 2 2
dyn(1) in dyn(2) ⟹ !no such overload ⟹ bool ⟹ 1 3 3
`
