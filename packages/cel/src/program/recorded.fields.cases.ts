/** Expressions over an object of a schema. Recorded; `recorded.test.ts` says how to read a line. */
export const fields = String.raw`
false && self.list[9] == 1 ⟹ false ⟹ bool ⟹ 0 0 3
-self.n ⟹ -42 ⟹ int ⟹ 3 3 3
--self.n ⟹ 42 ⟹ int ⟹ 2 2 2
self.b ? self.n : self.list[0] ⟹ 42 ⟹ int ⟹ 3 4 5
self.n > 40 ? "big" : self.n > 10 ? "mid" : "small" ⟹ "big" ⟹ string ⟹ 3 3 6
[self.n, 1] ⟹ [42, 1] ⟹ list(int) ⟹ 12 12 12
{self.name: self.n} ⟹ {"alpha": 42} ⟹ map(string, int) ⟹ 34 34 34
self.n in [41, 42] ⟹ true ⟹ bool ⟹ 2 14 14
"k1" in self.m ⟹ true ⟹ bool ⟹ 3 3 3
"zz" in self.m ⟹ false ⟹ bool ⟹ 3 3 3
self.n in [] ⟹ false ⟹ bool ⟹ 0 12 12
self.n in self.list ⟹ false ⟹ bool ⟹ 7 4 9
self.name in ["alpha", "beta"] ⟹ true ⟹ bool ⟹ 2 14 14
self.n ⟹ 42 ⟹ int ⟹ 2 2 2
self.big + 1 ⟹ 9007199254740994 ⟹ int ⟹ 3 3 3
self.x * 2.0 ⟹ 3d ⟹ double ⟹ 3 3 3
self.name ⟹ "alpha" ⟹ string ⟹ 2 2 2
self.s.size() ⟹ 11 ⟹ int ⟹ 3 3 3
size(self.s) ⟹ 11 ⟹ int ⟹ 3 3 3
size(self.names) ⟹ 3 ⟹ int ⟹ 3 3 3
self.names.size() ⟹ 3 ⟹ int ⟹ 3 3 3
size(self.m) ⟹ 2 ⟹ int ⟹ 3 3 3
self.list[1] ⟹ 1 ⟹ int ⟹ 3 3 3
self.list[5] ⟹ !index out of bounds: 5 ⟹ int ⟹ 3 3 3
self.names[0] + self.names[1] ⟹ "abb" ⟹ string ⟹ 7 6 30
self.m["k1"] ⟹ "v1" ⟹ string ⟹ 3 3 3
self.m.k1 ⟹ "v1" ⟹ string ⟹ 3 3 3
self.m.zz ⟹ !no such key: zz ⟹ string ⟹ 3 3 3
self.m["zz"] ⟹ !no such key: zz ⟹ string ⟹ 3 3 3
self.mi.one + self.mi["two"] ⟹ 3 ⟹ int ⟹ 7 7 7
self.objs[0].port ⟹ 80 ⟹ int ⟹ 4 4 4
self.objs[2].port ⟹ !no such key: port ⟹ int ⟹ 4 4 4
has(self.objs[2].port) ⟹ false ⟹ bool ⟹ 3 3 3
self.nested.a.b ⟹ 7 ⟹ int ⟹ 4 4 4
self.nested.gone.c ⟹ !no such key: gone ⟹ string ⟹ 3 4 4
has(self.nested.gone) ⟹ false ⟹ bool ⟹ 2 2 2
has(self.nested.gone.c) ⟹ !no such key: gone ⟹ bool ⟹ 2 3 3
has(self.nested.a.b) ⟹ true ⟹ bool ⟹ 3 3 3
has(self.missing) ⟹ false ⟹ bool ⟹ 1 1 1
has(self.name) ⟹ true ⟹ bool ⟹ 1 1 1
has(self.m.k1) ⟹ true ⟹ bool ⟹ 2 2 2
has(self.m.zz) ⟹ false ⟹ bool ⟹ 2 2 2
self.missing ⟹ !no such key: missing ⟹ string ⟹ 2 2 2
self.foo__dash__bar ⟹ 1 ⟹ int ⟹ 2 2 2
self.__namespace__ ⟹ "ns" ⟹ string ⟹ 2 2 2
self.x__dot__y__slash__z_w ⟹ 3 ⟹ int ⟹ 2 2 2
self.a__underscores__b ⟹ 4 ⟹ int ⟹ 2 2 2
self.ios ⟹ 5 ⟹ dyn ⟹ 2 2 2
self.ios == 5 ⟹ true ⟹ bool ⟹ 3 3 3
self.ios2 == "50%" ⟹ true ⟹ bool ⟹ 3 3 3
type(self.ios) == int ? self.ios > 3 : false ⟹ true ⟹ bool ⟹ 7 4 7
self.ios2.endsWith("%") ⟹ true ⟹ bool ⟹ 3 3 3
self.ios + 1 ⟹ 6 ⟹ int ⟹ 3 3 3
self.any.p ⟹ 1 ⟹ int ⟹ 3 3 3
self.raw ⟹ b:aGVsbG8= ⟹ bytes ⟹ 2 2 2
size(self.raw) ⟹ 5 ⟹ int ⟹ 3 3 3
string(self.raw) ⟹ "hello" ⟹ string ⟹ 3 2 314575
self.matrix[0][1] ⟹ 2 ⟹ int ⟹ 4 4 4
self.matrix[1][1] ⟹ !index out of bounds: 1 ⟹ int ⟹ 4 4 4
self.set == self.set2 ⟹ true ⟹ bool ⟹ 5 5 5
self.set == ["b", "a"] ⟹ true ⟹ bool ⟹ 3 13 13
["b", "a"] == self.set ⟹ false ⟹ bool ⟹ 3 13 13
self.set + ["c", "a"] ⟹ ["a", "b", "c"] ⟹ list(string) ⟹ 3 13 13
self.set + self.set2 ⟹ ["a", "b"] ⟹ list(string) ⟹ 5 5 5
self.omap.exists(e, e.k == "b" && e.v == 2) ⟹ true ⟹ bool ⟹ 20 3 39
self.list + [4] ⟹ [3, 1, 2, 4] ⟹ list(int) ⟹ 3 13 13
self.objs == self.objs ⟹ true ⟹ bool ⟹ 5 5 5
self.m == {"k1": "v1", "k2": "v2"} ⟹ true ⟹ bool ⟹ 3 33 33
self.m == {"k1": "v1"} ⟹ false ⟹ bool ⟹ 3 33 33
self == self ⟹ false ⟹ bool ⟹ 6 2 2
self.e in ["abc", "de"] ⟹ true ⟹ bool ⟹ 2 14 14
self.objs[0] == self.objs[1] ⟹ false ⟹ bool ⟹ 7 6 6
self.objs.map(o, o.name) ⟹ ["http", "https", "none"] ⟹ list(string) ⟹ 45 13 97
self.names.all(n, n.size() <= 3) ⟹ true ⟹ bool ⟹ 21 3 63
self.names.map(n, size(n)) ⟹ [1, 2, 3] ⟹ list(int) ⟹ 45 13 153
self.names.filter(n, n.startsWith("b")) ⟹ ["bb"] ⟹ list(string) ⟹ 22 13 163
self.objs.all(o, !has(o.port) || o.port > 0) ⟹ true ⟹ bool ⟹ 24 3 51
self.objs.exists_one(o, o.name == "http") ⟹ true ⟹ bool ⟹ 15 4 34
self.objs.map(o, has(o.port), o.port) ⟹ [80, 443] ⟹ list(int) ⟹ 34 13 103
self.m.all(k, self.m[k].startsWith("v")) ⟹ true ⟹ bool ⟹ 17 3 35
self.names.all(a, self.names.exists(b, a == b)) ⟹ true ⟹ bool ⟹ 69 3 1863
self.list.all(x, self.list.all(y, x + y < 10)) ⟹ true ⟹ bool ⟹ 84 3 208
self.matrix.map(r, r.map(c, c + 1)) ⟹ [[2, 3], [4]] ⟹ list(list(int)) ⟹ 73 13 211
self.names.map(n, n == "a" ? "x" : n) ⟹ ["x", "bb", "ccc"] ⟹ list(string) ⟹ 45 13 163
self.m.transformMap(k, v, v + "!") ⟹ {"k1": "v1!", "k2": "v2!"} ⟹ map(string, string) ⟹ 13 33 69
self.m.all(k, v, v != k) ⟹ true ⟹ bool ⟹ 15 3 23
self.s.matches(self.name) ⟹ false ⟹ bool ⟹ 8 4 6291464
self.name.matches("^[a-z]+$") ⟹ true ⟹ bool ⟹ 4 4 20
self.name.contains("lph") ⟹ true ⟹ bool ⟹ 3 2 10
self.names.join(",") ⟹ "a,bb,ccc" ⟹ string ⟹ 4 2 123
self.name + "-" + self.e ⟹ "alpha-abc" ⟹ string ⟹ 6 6 22
dyn(self.n) ⟹ 42 ⟹ dyn ⟹ 3 3 3
string(self.x) ⟹ "1.5" ⟹ string ⟹ 3 3 3
int(self.x) ⟹ 1 ⟹ int ⟹ 3 3 3
double(self.n) / 4.0 ⟹ 10.5d ⟹ double ⟹ 4 4 4
self.ts.getFullYear() ⟹ 2024 ⟹ int ⟹ 3 3 3
self.ts.getMonth() ⟹ 2 ⟹ int ⟹ 3 3 3
self.ts.getDate() ⟹ 1 ⟹ int ⟹ 3 3 3
self.ts.getDayOfMonth() ⟹ 0 ⟹ int ⟹ 3 3 3
self.ts.getDayOfWeek() ⟹ 5 ⟹ int ⟹ 3 3 3
self.ts.getDayOfYear() ⟹ 60 ⟹ int ⟹ 3 3 3
self.ts.getHours() ⟹ 12 ⟹ int ⟹ 3 3 3
self.ts.getMinutes() ⟹ 30 ⟹ int ⟹ 3 3 3
self.ts.getSeconds() ⟹ 45 ⟹ int ⟹ 3 3 3
self.ts.getMilliseconds() ⟹ 123 ⟹ int ⟹ 3 3 3
self.ts.getHours("+02:00") ⟹ 14 ⟹ int ⟹ 3 3 3
self.ts.getHours("-05:30") ⟹ 7 ⟹ int ⟹ 3 3 3
self.ts.getHours("America/New_York") ⟹ 7 ⟹ int ⟹ 3 3 3
self.ts.getDate("Asia/Tokyo") ⟹ 1 ⟹ int ⟹ 3 3 3
self.ts.getHours("Nowhere/Land") ⟹ !unknown time zone Nowhere/Land ⟹ int ⟹ 3 3 3
self.ts > timestamp("2024-01-01T00:00:00Z") ⟹ true ⟹ bool ⟹ 3 4 4
self.day ⟹ t:2024-02-29T00:00:00Z ⟹ timestamp ⟹ 2 2 2
self.dur ⟹ d:5400s ⟹ duration ⟹ 2 2 2
self.dur > duration("1h") ⟹ true ⟹ bool ⟹ 3 4 4
self.dur.getMinutes() ⟹ 90 ⟹ int ⟹ 3 3 3
string(self.dur) ⟹ "5400s" ⟹ string ⟹ 3 3 3
self.ts == self.ts ⟹ true ⟹ bool ⟹ 5 5 8
self . n ⟹ 42 ⟹ int ⟹ 2 2 2
self.many.all(a, self.many.all(b, a != b || a == b)) ⟹ true ⟹ bool ⟹ 45 3 691759719727602078
self.many.all(a, a.contains("x")) ⟹ false ⟹ bool ⟹ 13 3 329857577778
self.names.exists(n, n.matches("^[a-z]+$")) ⟹ true ⟹ bool ⟹ 13 3 313
self.s.contains(self.s) ⟹ true ⟹ bool ⟹ 8 4 98956172333
self.s + self.s + self.s ⟹ "héllo wörldhéllo wörldhéllo wörld" ⟹ string ⟹ 13 6 1572870
self.name.startsWith(self.e) ⟹ false ⟹ bool ⟹ 5 4 5
self.s == self.name ⟹ false ⟹ bool ⟹ 5 5 12
self.name == "alpha" || self.name == "beta" ⟹ true ⟹ bool ⟹ 3 3 6
self.names.map(n, n + "x").exists(n, n == "ax") ⟹ true ⟹ bool ⟹ 55 14 324
self.names + self.names ⟹ ["a", "bb", "ccc", "a", "bb", "ccc"] ⟹ list(string) ⟹ 5 5 5
(self.names + self.names).size() < 20 ⟹ true ⟹ bool ⟹ 7 7 7
self.b ? self.names : ["z"] ⟹ ["a", "bb", "ccc"] ⟹ list(string) ⟹ 3 4 12
[self.name, self.e].exists(s, s == "abc") ⟹ true ⟹ bool ⟹ 27 23 25
self.ts + self.dur > self.ts ⟹ true ⟹ bool ⟹ 8 8 8
string(self.n) + "x" ⟹ "42x" ⟹ string ⟹ 4 4 1844674407370955267
self.any.p + self.ios ⟹ 6 ⟹ int ⟹ 6 6 6
dyn(self.n) + 1 ⟹ 43 ⟹ int ⟹ 4 4 4
dyn(self.list)[0] ⟹ 3 ⟹ dyn ⟹ 5 4 4
dyn(self.name) == "alpha" ⟹ true ⟹ bool ⟹ 4 4 4
dyn(self.names).all(n, n.size() > 0) ⟹ true ⟹ bool ⟹ 22 4 64
"%d".format([self.n]) ⟹ "42" ⟹ string ⟹ 13 13 13
"%.3f".format([self.x]) ⟹ "1.500" ⟹ string ⟹ 13 13 13
dyn(self.m)["k1"] ⟹ "v1" ⟹ dyn ⟹ 5 4 4
dyn(self.m).zz ⟹ !no such key: zz ⟹ dyn ⟹ 5 3 3
self.ios > 3 ⟹ true ⟹ bool ⟹ 3 3 3
self.ios2 > 3 ⟹ !no such overload ⟹ bool ⟹ 3 3 3
int(self.ios) + 1 ⟹ 6 ⟹ int ⟹ 4 4 4
self.ios in [5, 6] ⟹ true ⟹ bool ⟹ 2 14 14
self.names.map(n, [n, n]) ⟹ [["a", "a"], ["bb", "bb"], ["ccc", "ccc"]] ⟹ list(list(string)) ⟹ 75 13 253
self.objs.all(a, self.objs.exists_one(b, a.name == b.name)) ⟹ true ⟹ bool ⟹ 75 3 405
size(self.names.filter(n, n.startsWith("a"))) == 1 ⟹ true ⟹ bool ⟹ 24 15 165
!has(self.missing) || self.missing == "x" ⟹ true ⟹ bool ⟹ 2 2 5
has(self.missing) ? self.missing.size() > 0 : true ⟹ true ⟹ bool ⟹ 1 1 5
has(self.nested.a) && self.nested.a.b == 7 ⟹ true ⟹ bool ⟹ 7 2 6
self.m.exists(k, k.startsWith("k") && self.m[k].matches("v[0-9]")) ⟹ true ⟹ bool ⟹ 17 3 83
self.omap.filter(e, e.v > 1).map(e, e.k) ⟹ ["b"] ⟹ list(string) ⟹ 37 24 144
self.list.exists(x, x > 2) && self.list.all(x, x < 10) ⟹ true ⟹ bool ⟹ 30 3 61
type(self.ts) ⟹ type:google.protobuf.Timestamp ⟹ type(timestamp) ⟹ 3 3 3
type(self.dur) == google.protobuf.Duration ⟹ true ⟹ bool ⟹ 4 4 4
type(self.m) == map ⟹ true ⟹ bool ⟹ 4 4 4
!self.b ⟹ false ⟹ bool ⟹ 3 3 3
!(self.b && false) ⟹ true ⟹ bool ⟹ 3 3 3
self.m.size() > 1 ? "many" : "few" ⟹ "many" ⟹ string ⟹ 4 4 4
self.list[0] + self.list[1] * self.list[2] - 1 ⟹ 4 ⟹ int ⟹ 12 12 12
self.n / 0 ⟹ !division by zero ⟹ int ⟹ 3 3 3
self.n % 5 ⟹ 2 ⟹ int ⟹ 3 3 3
self.n == 42 && self.name == "alpha" && self.b && self.x > 1.0 ⟹ true ⟹ bool ⟹ 11 2 10
self.n == 1 || self.n == 2 || self.n == 3 || self.n == 42 ⟹ true ⟹ bool ⟹ 12 2 8
self.n // trailing ⟹ 42 ⟹ int ⟹ 2 2 2
self.names.exists(n, n in ["zz", "bb"]) ⟹ true ⟹ bool ⟹ 16 3 173
self.names.all(n, n in self.names) ⟹ true ⟹ bool ⟹ 30 3 163
self.e == "abc" ? self.names[0] : self.names[1] ⟹ "a" ⟹ string ⟹ 5 6 6
(self.b ? self.nested.a : self.nested.a).b ⟹ 7 ⟹ int ⟹ 5 6 6
self.list[self.b ? 0 : 1] ⟹ 3 ⟹ int ⟹ 5 5 5
self.list[self.n - 41] ⟹ 1 ⟹ int ⟹ 6 6 6
self.m[self.names[0] == "a" ? "k1" : "k2"] ⟹ "v1" ⟹ string ⟹ 7 7 7
self.matrix.all(r, r.size() > 0 && r[0] > 0) ⟹ true ⟹ bool ⟹ 21 3 30
self.matrix.exists(r, r.exists(c, c == 3)) ⟹ true ⟹ bool ⟹ 33 3 66
self.names.map(n, n.upperAscii()).join("/") ⟹ "A/BB/CCC" ⟹ string ⟹ 47 13 1844674407370955527
self.name.replace("a", self.e).size() < 200 ⟹ true ⟹ bool ⟹ 7 6 22
self.name.split("p").size() ⟹ 2 ⟹ int ⟹ 4 3 19
self.name.substring(1, 3) ⟹ "lp" ⟹ string ⟹ 3 2 10
self.name.trim().lowerAscii() == self.name ⟹ true ⟹ bool ⟹ 7 5 28
self.raw == b"hello" ⟹ true ⟹ bool ⟹ 3 3 3
self.ts < timestamp("2030-01-01T00:00:00Z") && self.dur <= duration("2h") ⟹ true ⟹ bool ⟹ 6 4 8
self.ts - duration("1h") ⟹ t:2024-03-01T11:30:45.123Z ⟹ timestamp ⟹ 3 4 4
duration("1h") > self.dur ⟹ false ⟹ bool ⟹ 3 4 4
duration("1h30m") == self.dur ⟹ true ⟹ bool ⟹ 3 4 4
timestamp("2024-03-01T12:30:45.123Z") == self.ts ⟹ true ⟹ bool ⟹ 3 4 4
string(self.ts) ⟹ "2024-03-01T12:30:45.123Z" ⟹ string ⟹ 3 3 3
int(self.ts) ⟹ 1709296245 ⟹ int ⟹ 3 3 3
int(self.dur) ⟹ 5400000000000 ⟹ int ⟹ 3 3 3
self.name.matches("(?P<x>al)") ⟹ true ⟹ bool ⟹ 5 5 29
true ? self.nested : null ⟹ {"a": {"b": 7}} ⟹ selfType.nested ⟹ 1 0 2
self.nested == null ⟹ false ⟹ bool ⟹ 3 2 2
self.ts == null ⟹ false ⟹ bool ⟹ 3 3 3
type(self) == type(self.nested) ⟹ true ⟹ bool ⟹ 6 6 1844674407370955269
self.objs[0].name + self.objs[1].name ⟹ "httphttps" ⟹ string ⟹ 9 8 15
self.objs.exists(o, o.name == self.name) ⟹ false ⟹ bool ⟹ 30 3 75
self.names.all(x, x != "") && self.list.all(x, x > 0) ⟹ true ⟹ bool ⟹ 33 3 71
self.names.exists(x, self.m.exists(k, k == x)) ⟹ false ⟹ bool ⟹ 66 3 313
self.set.all(x, x in self.set2) ⟹ true ⟹ bool ⟹ 19 3 43
self.omap.all(e, self.omap2.exists(f, f.k == e.k && f.v == e.v)) ⟹ true ⟹ bool ⟹ 55 3 5033387
self.mi.all(k, v, v > 0 && k.size() > 1) ⟹ true ⟹ bool ⟹ 19 3 3595115
self.names.transformList(i, n, n + string(i)) ⟹ ["a0", "bb1", "ccc2"] ⟹ list(string) ⟹ 51 13 18446744073709551615
self.names.transformMap(i, n, n.size()) ⟹ {0: 1, 1: 2, 2: 3} ⟹ map(int, int) ⟹ 18 33 83
self.names.all(i, n, self.names[i] == n) ⟹ true ⟹ bool ⟹ 27 3 203
self.ver.split(".").size() == 3 ⟹ false ⟹ bool ⟹ 6 4 28
self.name.replace("", "-") ⟹ "-a-l-p-h-a-" ⟹ string ⟹ 3 2 18
self.many.map(x, x + x).join(",").size() < 100 ⟹ true ⟹ bool ⟹ 36 15 1844675067092402279
self.many.filter(x, x.startsWith("x")).size() ⟹ 1 ⟹ int ⟹ 21 14 15728639
self.s.split("").size() ⟹ 11 ⟹ int ⟹ 6 3 629149
self.many + ["z"] ⟹ ["x", "y", "z"] ⟹ list(string) ⟹ 3 13 13
self.s.upperAscii() + self.s ⟹ "HéLLO WöRLDhéllo wörld" ⟹ string ⟹ 9 4 943723
bytes(self.s).size() ⟹ 13 ⟹ int ⟹ 5 3 314576
strings.quote(self.name) ⟹ "\"alpha\"" ⟹ string ⟹ 3 2 10
"%s-%d".format([self.name, self.n]) ⟹ "alpha-42" ⟹ string ⟹ 15 15 15
self.b ? self.s : self.name ⟹ "héllo wörld" ⟹ string ⟹ 3 4 4
(self.b ? self.s : self.name).size() ⟹ 11 ⟹ int ⟹ 4 5 5
[self.name, self.s].map(x, x.size()) ⟹ [5, 11] ⟹ list(int) ⟹ 43 53 53
{"k": self.name}.k.size() ⟹ 5 ⟹ int ⟹ 35 34 34
{"k": self.names}.k.all(n, n.size() < 10) ⟹ true ⟹ bool ⟹ 53 34 34
self.names.map(n, {"n": n}).all(x, x.n != "") ⟹ true ⟹ bool ⟹ 148 14 494
self.any == self.any ⟹ true ⟹ bool ⟹ 5 4 4
self.nested == self.nested ⟹ true ⟹ bool ⟹ 5 4 4
self.m.size() + self.names.size() + self.list.size() ⟹ 8 ⟹ int ⟹ 11 11 11
dyn(self.names).join("-") ⟹ "a-bb-ccc" ⟹ string ⟹ 5 3 4
`
