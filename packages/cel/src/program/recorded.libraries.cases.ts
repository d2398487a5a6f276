/** Kubernetes' libraries and optionals. Recorded; `recorded.test.ts` says how to read a line. */
export const libraries = String.raw`
self.url.startsWith("https://") ⟹ true ⟹ bool ⟹ 7 3 3
"hello".indexOf("l") ⟹ 2 ⟹ int ⟹ 0 1 1
"hello".indexOf("l", 3) ⟹ 3 ⟹ int ⟹ 0 1 1
"hello".indexOf("l", 9) ⟹ -1 ⟹ int ⟹ 0 1 1
"hello".indexOf("z") ⟹ -1 ⟹ int ⟹ 0 1 1
"hello".indexOf("", 2) ⟹ 2 ⟹ int ⟹ 0 1 1
"hello".indexOf("l", -1) ⟹ !index out of range: -1 ⟹ int ⟹ 0 1 1
"hello".lastIndexOf("l") ⟹ 3 ⟹ int ⟹ 0 1 1
"hello".lastIndexOf("l", 2) ⟹ 2 ⟹ int ⟹ 0 1 1
"hello".lastIndexOf("") ⟹ 5 ⟹ int ⟹ 0 1 1
self.?missing ⟹ optional.none ⟹ optional_type(string) ⟹ 1 2 2
self.?name ⟹ optional("alpha") ⟹ optional_type(string) ⟹ 2 2 2
self.?name.orValue("x") ⟹ "alpha" ⟹ string ⟹ 2 3 3
self.?missing.orValue("x") ⟹ "x" ⟹ string ⟹ 1 3 3
self.?nested.?gone.?c.orValue("none") ⟹ "none" ⟹ string ⟹ 2 5 5
self.?nested.a.b ⟹ optional(7) ⟹ optional_type(int) ⟹ 4 2 2
self.nested.?gone.c ⟹ optional.none ⟹ optional_type(string) ⟹ 2 3 3
self.?nested.?a.?b.value() ⟹ 7 ⟹ int ⟹ 5 5 5
self.?missing.value() ⟹ !optional.none() dereference ⟹ string ⟹ 2 3 3
self.?missing.hasValue() ⟹ false ⟹ bool ⟹ 2 3 3
self.?name.hasValue() ⟹ true ⟹ bool ⟹ 3 3 3
self.list[?1] ⟹ optional(1) ⟹ optional_type(int) ⟹ 3 3 3
self.list[?9] ⟹ optional.none ⟹ optional_type(int) ⟹ 2 3 3
self.m[?"k1"].orValue("") ⟹ "v1" ⟹ string ⟹ 3 4 4
self.m[?"zz"].orValue("d") ⟹ "d" ⟹ string ⟹ 2 4 4
self.m.?k1 ⟹ optional("v1") ⟹ optional_type(string) ⟹ 3 3 3
optional.of(1) ⟹ optional(1) ⟹ optional_type(int) ⟹ 1 1 1
optional.none() ⟹ optional.none ⟹ optional_type(dyn) ⟹ 1 1 1
optional.of(1) == optional.of(1) ⟹ true ⟹ bool ⟹ 3 3 3
optional.none() == optional.none() ⟹ true ⟹ bool ⟹ 3 3 1844674407370955266
optional.ofNonZeroValue(0) ⟹ optional.none ⟹ optional_type(int) ⟹ 1 1 1
optional.ofNonZeroValue(1) ⟹ optional(1) ⟹ optional_type(int) ⟹ 1 1 1
optional.ofNonZeroValue("") ⟹ optional.none ⟹ optional_type(string) ⟹ 1 1 1
optional.of(1).or(optional.of(2)).value() ⟹ 1 ⟹ int ⟹ 2 4 4
optional.none().or(optional.of(2)).value() ⟹ 2 ⟹ int ⟹ 3 4 4
optional.of(2).optMap(x, x * 2) ⟹ optional(4) ⟹ optional_type(int) ⟹ 7 3 17
optional.none().optMap(x, x) ⟹ optional.none ⟹ optional_type(dyn) ⟹ 3 3 16
optional.of(2).optFlatMap(x, optional.of(x + 1)) ⟹ optional(3) ⟹ optional_type(int) ⟹ 7 3 17
self.?n.optMap(x, x + 1).orValue(0) ⟹ 43 ⟹ int ⟹ 9 5 20
self.?missing.optMap(x, x + "!").orValue("nope") ⟹ "nope" ⟹ string ⟹ 3 5 1844674407370955283
[?self.?missing, ?self.?name] ⟹ ["alpha"] ⟹ list(string) ⟹ 13 14 14
{?"a": self.?name, ?"b": self.?missing} ⟹ {"a": "alpha"} ⟹ map(string, string) ⟹ 33 34 34
{"a": {"b": 1}}.?a.?b ⟹ optional(1) ⟹ optional_type(int) ⟹ 3 62 62
optional.of({"x": 1}).x ⟹ optional(1) ⟹ optional_type(int) ⟹ 3 31 31
optional.of([1, 2])[1] ⟹ optional(2) ⟹ optional_type(int) ⟹ 3 12 12
optional.of(1).value() + 1 ⟹ 2 ⟹ int ⟹ 3 3 3
optional.unwrap([optional.of(1), optional.none()]) ⟹ [1] ⟹ list(int) ⟹ 13 13 13
[optional.of(1), optional.none()].unwrapOpt() ⟹ [1] ⟹ list(int) ⟹ 13 13 13
[1, 2, 3].isSorted() ⟹ true ⟹ bool ⟹ 3 13 13
[3, 1].isSorted() ⟹ false ⟹ bool ⟹ 2 12 12
["a", "b"].isSorted() ⟹ true ⟹ bool ⟹ 0 12 3689348814741910540
[true, false].isSorted() ⟹ false ⟹ bool ⟹ 2 12 12
[1, 2, 3].sum() ⟹ 6 ⟹ int ⟹ 3 13 13
[1.5, 2.5].sum() ⟹ 4d ⟹ double ⟹ 2 12 12
[duration("1s"), duration("2s")].sum() ⟹ d:3s ⟹ duration ⟹ 2 14 14
[].sum() ⟹ 0 ⟹ int ⟹ 0 10 10
[9223372036854775807, 1].sum() ⟹ !integer overflow ⟹ int ⟹ 2 12 12
[3, 1, 2].min() ⟹ 1 ⟹ int ⟹ 3 13 13
[3, 1, 2].max() ⟹ 3 ⟹ int ⟹ 3 13 13
["b", "a"].min() ⟹ "a" ⟹ string ⟹ 0 12 3689348814741910540
[].min() ⟹ !min called on empty list ⟹ int ⟹ 0 10 10
self.list.max() ⟹ 3 ⟹ int ⟹ 5 2 7
self.list.sum() == 6 ⟹ true ⟹ bool ⟹ 6 3 8
self.list.isSorted() ⟹ false ⟹ bool ⟹ 5 2 7
self.names.isSorted() ⟹ true ⟹ bool ⟹ 2 2 132
[1, 2, 2].indexOf(2) ⟹ 1 ⟹ int ⟹ 3 13 13
[1, 2, 2].lastIndexOf(2) ⟹ 2 ⟹ int ⟹ 3 13 13
[1, 2].indexOf(5) ⟹ -1 ⟹ int ⟹ 2 12 12
self.list.indexOf(2) ⟹ 2 ⟹ int ⟹ 5 2 7
"abc 123".find("[0-9]+") ⟹ "123" ⟹ string ⟹ 2 2 2
"abc".find("[0-9]+") ⟹ "" ⟹ string ⟹ 2 2 2
"a1b22".findAll("[0-9]+") ⟹ ["1", "22"] ⟹ list(string) ⟹ 2 2 2
"a1b22c333".findAll("[0-9]+", 2) ⟹ ["1", "22"] ⟹ list(string) ⟹ 2 2 2
"a1".findAll("[0-9]+", 0) ⟹ [] ⟹ list(string) ⟹ 2 2 2
self.s.find("w.r") ⟹ "wör" ⟹ string ⟹ 4 3 314575
self.name.find(self.name) ⟹ "alpha" ⟹ string ⟹ 6 4 184
sets.contains([1, 2, 3], [1, 3]) ⟹ true ⟹ bool ⟹ 7 27 27
sets.contains([1], [1, 2]) ⟹ false ⟹ bool ⟹ 3 23 23
sets.contains([], []) ⟹ true ⟹ bool ⟹ 1 21 21
sets.equivalent([1, 2], [2, 1, 1]) ⟹ true ⟹ bool ⟹ 13 33 33
sets.intersects([1, 2], [3, 2]) ⟹ true ⟹ bool ⟹ 5 25 25
sets.contains(self.names, ["a", "bb"]) ⟹ true ⟹ bool ⟹ 9 13 33
url("https://user@example.com:80/path/a%20b?q=1&q=2#frag").getHost() ⟹ "example.com:80" ⟹ string ⟹ 7 7 7
url("https://example.com:80/path/").getPort() ⟹ "80" ⟹ string ⟹ 4 4 4
url("https://example.com:80/path/").getHostname() ⟹ "example.com" ⟹ string ⟹ 4 4 4
url("https://[::1]:443/x").getHostname() ⟹ "::1" ⟹ string ⟹ 3 3 3
url("https://example.com/path with space").getEscapedPath() ⟹ "/path%20with%20space" ⟹ string ⟹ 5 5 5
url("https://example.com/a%2Fb").getEscapedPath() ⟹ "/a%2Fb" ⟹ string ⟹ 4 4 4
url("https://e.com/?k=a&k=b&z=%20c").getQuery() ⟹ {"k": ["a", "b"], "z": [" c"]} ⟹ map(string, list(string)) ⟹ 4 4 4
url("/path").getScheme() ⟹ "" ⟹ string ⟹ 2 2 2
url("not a url") ⟹ !URL parse error during conversion from string: parse "not a url": invalid URI for request ⟹ kubernetes.URL ⟹ 1 1 1
url("")  ⟹ !URL parse error during conversion from string: parse "": empty url ⟹ kubernetes.URL ⟹ 0 0 0
url(self.url).getPort() ⟹ "8080" ⟹ string ⟹ 8 3 83
url("https://a/b") == url("https://a/b") ⟹ true ⟹ bool ⟹ 5 5 6
quantity("1.5Gi") ⟹ quantity:1.610612736e+09 ⟹ kubernetes.Quantity ⟹ 1 1 1
quantity("100m") == quantity("0.1") ⟹ true ⟹ bool ⟹ 3 3 3
quantity("1x") ⟹ !quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' ⟹ kubernetes.Quantity ⟹ 1 1 1
isQuantity("1Ki") ⟹ true ⟹ bool ⟹ 1 1 1
isQuantity("1KiB") ⟹ false ⟹ bool ⟹ 1 1 1
isQuantity("1.3.4") ⟹ false ⟹ bool ⟹ 1 1 1
quantity("50k").isGreaterThan(quantity("49k")) ⟹ true ⟹ bool ⟹ 3 3 3
quantity("50k").isLessThan(quantity("1M")) ⟹ true ⟹ bool ⟹ 3 3 3
quantity("200M").compareTo(quantity("0.2G")) ⟹ 0 ⟹ int ⟹ 3 3 3
quantity("50k").add(quantity("20k")) == quantity("70k") ⟹ true ⟹ bool ⟹ 5 5 5
quantity("50k").sub(20) == quantity("49980") ⟹ true ⟹ bool ⟹ 4 4 4
quantity("50k").add(20) == quantity("50020") ⟹ true ⟹ bool ⟹ 4 4 4
quantity("1.5").isInteger() ⟹ false ⟹ bool ⟹ 2 2 2
quantity("1500m").isInteger() ⟹ false ⟹ bool ⟹ 2 2 2
quantity("2000m").isInteger() ⟹ false ⟹ bool ⟹ 2 2 2
quantity("50k").asInteger() ⟹ 50000 ⟹ int ⟹ 2 2 2
quantity("1.5").asInteger() ⟹ !cannot convert value to integer ⟹ int ⟹ 2 2 2
quantity("1500m").asApproximateFloat() ⟹ 1.5d ⟹ double ⟹ 2 2 2
quantity(self.q).isLessThan(quantity("2")) ⟹ true ⟹ bool ⟹ 5 4 16
quantity("1e3").asInteger() ⟹ 1000 ⟹ int ⟹ 2 2 2
quantity("9999999999999999999999G").isInteger() ⟹ false ⟹ bool ⟹ 4 4 4
quantity("12Ki").add(quantity("1k")) ⟹ quantity:13288 ⟹ kubernetes.Quantity ⟹ 3 3 3
ip("192.168.0.1") ⟹ ip:192.168.0.1 ⟹ net.IP ⟹ 2 2 2
ip("192.168.0.1").family() ⟹ 4 ⟹ int ⟹ 3 3 3
ip("::1").family() ⟹ 6 ⟹ int ⟹ 2 2 2
ip("::1").isLoopback() ⟹ true ⟹ bool ⟹ 2 2 2
ip("0.0.0.0").isUnspecified() ⟹ true ⟹ bool ⟹ 2 2 2
ip("169.254.1.1").isLinkLocalUnicast() ⟹ true ⟹ bool ⟹ 3 3 3
ip("224.0.0.1").isLinkLocalMulticast() ⟹ true ⟹ bool ⟹ 2 2 2
ip("8.8.8.8").isGlobalUnicast() ⟹ true ⟹ bool ⟹ 2 2 2
ip("fe80::1").isLinkLocalUnicast() ⟹ true ⟹ bool ⟹ 2 2 2
ip("127.0.0.1") == ip("127.0.0.1") ⟹ true ⟹ bool ⟹ 3 3 3
string(ip("2001:DB8::0:1")) ⟹ "2001:db8::1" ⟹ string ⟹ 3 3 3
ip.isCanonical("2001:db8::abcd") ⟹ true ⟹ bool ⟹ 3 3 3
ip.isCanonical("2001:DB8::ABCD") ⟹ false ⟹ bool ⟹ 3 3 3
ip("::ffff:1.2.3.4") ⟹ !IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed ⟹ net.IP ⟹ 2 2 2
ip("fe80::1%eth0") ⟹ !IP address "fe80::1%eth0" with zone value is not allowed ⟹ net.IP ⟹ 2 2 2
ip("1.2.3") ⟹ !IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short ⟹ net.IP ⟹ 1 1 1
ip("1.2.3.256") ⟹ !IP Address "1.2.3.256" parse error during conversion from string: ParseAddr("1.2.3.256"): IPv4 field has value >255 ⟹ net.IP ⟹ 1 1 1
ip("01.2.3.4") ⟹ !IP Address "01.2.3.4" parse error during conversion from string: ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero ⟹ net.IP ⟹ 1 1 1
isIP("1.2.3.4") ⟹ true ⟹ bool ⟹ 1 1 1
isIP("1.2.3.4/8") ⟹ false ⟹ bool ⟹ 1 1 1
isIP("::g") ⟹ false ⟹ bool ⟹ 1 1 1
ip(self.ip).family() ⟹ 4 ⟹ int ⟹ 4 3 19
cidr("192.168.0.0/24") ⟹ cidr:192.168.0.0/24 ⟹ net.CIDR ⟹ 2 2 2
cidr("192.168.0.0/24").containsIP("192.168.0.1") ⟹ true ⟹ bool ⟹ 5 5 8
cidr("192.168.0.0/24").containsIP(ip("192.168.1.1")) ⟹ false ⟹ bool ⟹ 5 5 8
cidr("192.168.0.0/16").containsCIDR("192.168.10.0/24") ⟹ true ⟹ bool ⟹ 7 7 11
cidr("192.168.0.0/16").containsCIDR(cidr("192.0.0.0/8")) ⟹ false ⟹ bool ⟹ 7 7 11
cidr("192.168.0.1/24").masked() ⟹ cidr:192.168.0.0/24 ⟹ net.CIDR ⟹ 3 3 3
cidr("192.168.0.1/24").ip() ⟹ ip:192.168.0.1 ⟹ net.IP ⟹ 3 3 3
cidr("192.168.0.1/24").prefixLength() ⟹ 24 ⟹ int ⟹ 3 3 3
cidr("::1/128").prefixLength() ⟹ 128 ⟹ int ⟹ 2 2 2
cidr("1.2.3.4") ⟹ !network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no '/' ⟹ net.CIDR ⟹ 1 1 1
cidr("1.2.3.4/33") ⟹ !network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/33"): prefix length out of range ⟹ net.CIDR ⟹ 1 1 1
isCIDR("10.0.0.0/8") ⟹ true ⟹ bool ⟹ 1 1 1
isCIDR("10.0.0.0/99") ⟹ false ⟹ bool ⟹ 2 2 2
string(cidr("10.1.2.3/8")) ⟹ "10.1.2.3/8" ⟹ string ⟹ 2 2 2
cidr("2001:db8::/32").containsIP("2001:db8::1") ⟹ true ⟹ bool ⟹ 5 5 8
cidr("10.0.0.0/8").containsIP("x") ⟹ !no such overload ⟹ bool ⟹ 3 3 6
cidr("10.0.0.0/8") == cidr("10.0.0.0/8") ⟹ true ⟹ bool ⟹ 3 3 3
format.dns1123Label().validate("my-label") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 9 33 33
format.dns1123Label().validate("My_Label") ⟹ optional(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"]) ⟹ optional_type(list(string)) ⟹ 9 33 33
format.dns1123Subdomain().validate("a.b.c") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 16 33 33
format.dns1035Label().validate("1abc") ⟹ optional(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"]) ⟹ optional_type(list(string)) ⟹ 9 33 33
format.qualifiedName().validate("a/b/c") ⟹ optional(["a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]) ⟹ optional_type(list(string)) ⟹ 16 33 33
format.labelValue().validate("ok") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 11 33 33
format.labelValue().validate("-bad-") ⟹ optional(["a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"]) ⟹ optional_type(list(string)) ⟹ 11 33 33
format.uuid().validate("123e4567-e89b-12d3-a456-426614174000") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 73 129 129
format.uuid().validate("nope") ⟹ optional(["does not match the UUID format"]) ⟹ optional_type(list(string)) ⟹ 19 33 33
format.byte().validate("aGVsbG8=") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 22 33 33
format.byte().validate("?") ⟹ optional(["invalid base64"]) ⟹ optional_type(list(string)) ⟹ 22 33 33
format.date().validate("2024-02-29") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 37 33 33
format.date().validate("2023-02-29") ⟹ optional(["invalid date"]) ⟹ optional_type(list(string)) ⟹ 37 33 33
format.datetime().validate("2024-02-29T00:00:00Z") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 55 65 65
format.datetime().validate("x") ⟹ optional(["invalid datetime"]) ⟹ optional_type(list(string)) ⟹ 19 33 33
format.uri().validate("http://a.b") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 553 33 33
format.uri().validate("a b") ⟹ optional(["parse \"a b\": invalid URI for request"]) ⟹ optional_type(list(string)) ⟹ 277 33 33
format.dns1123LabelPrefix().validate("abc-") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 9 33 33
format.named("dns1123Label").hasValue() ⟹ true ⟹ bool ⟹ 2 2 2
format.named("nope").hasValue() ⟹ false ⟹ bool ⟹ 2 2 2
format.named("uuid").value().validate("x").hasValue() ⟹ true ⟹ bool ⟹ 21 35 35
format.dns1123Label().validate(self.name).hasValue() ⟹ false ⟹ bool ⟹ 12 4 260
semver("1.2.3") ⟹ semver:1.2.3 ⟹ kubernetes.Semver ⟹ 1 1 1
semver("1.2.3-rc.1+b5").major() ⟹ 1 ⟹ int ⟹ 3 3 3
semver("1.2.3").minor() ⟹ 2 ⟹ int ⟹ 2 2 2
semver("1.2.3").patch() ⟹ 3 ⟹ int ⟹ 2 2 2
semver("1.2") ⟹ !No Major.Minor.Patch elements found ⟹ kubernetes.Semver ⟹ 1 1 1
semver("v1.2", true) ⟹ semver:1.2.0 ⟹ kubernetes.Semver ⟹ 1 1 1
semver("01.02.03", true) ⟹ semver:1.2.3 ⟹ kubernetes.Semver ⟹ 1 1 1
isSemver("1.2.3") ⟹ true ⟹ bool ⟹ 1 1 1
isSemver("v1.2.3") ⟹ false ⟹ bool ⟹ 1 1 1
isSemver("v1.2.3", true) ⟹ true ⟹ bool ⟹ 1 1 1
semver("1.2.3").isLessThan(semver("1.10.0")) ⟹ true ⟹ bool ⟹ 3 3 3
semver("1.2.3-rc.1").compareTo(semver("1.2.3")) ⟹ -1 ⟹ int ⟹ 3 3 3
semver("1.2.3-rc.2").isGreaterThan(semver("1.2.3-rc.1")) ⟹ true ⟹ bool ⟹ 3 3 3
semver("1.2.3+a") == semver("1.2.3+b") ⟹ true ⟹ bool ⟹ 3 3 3
semver(self.ver).isLessThan(semver("1.2.3")) ⟹ true ⟹ bool ⟹ 5 4 16
self.url.split("/").size() ⟹ 5 ⟹ int ⟹ 12 3 163
self.url.replace("a", "bb") ⟹ "https://user@exbbmple.com:8080/p/bb?q=1&q=2#f" ⟹ string ⟹ 11 2 162
self.list.map(x, x * 2).sum() ⟹ 12 ⟹ int ⟹ 48 13 88
[timestamp("2024-01-01T00:00:00Z"), self.ts].isSorted() ⟹ true ⟹ bool ⟹ 14 15 15
dyn(["a"]).sum() ⟹ !no such overload: sum(list) ⟹ dyn ⟹ 0 12 12
dyn([1, 2]).sum() ⟹ 3 ⟹ dyn ⟹ 2 12 12
self.objs.map(o, o.?port.orValue(0)) ⟹ [80, 443, 0] ⟹ list(int) ⟹ 44 13 103
self.objs.filter(o, o.?port.hasValue()).size() ⟹ 2 ⟹ int ⟹ 38 14 110
self.mi.map(k, self.mi[k]).sum() ⟹ 3 ⟹ int ⟹ 35 13 7639626
self.nested.?a.?b.orValue(1) + 1 ⟹ 8 ⟹ int ⟹ 5 6 6
self.url.find("[a-z]+://") ⟹ "https://" ⟹ string ⟹ 17 5 245
self.url.findAll("[0-9]+").size() == 5 ⟹ false ⟹ bool ⟹ 14 6 166
quantity("1Gi").isGreaterThan(quantity("1G")) ⟹ true ⟹ bool ⟹ 3 3 3
quantity("-1").isLessThan(quantity("0")) ⟹ true ⟹ bool ⟹ 3 3 3
sign(quantity("-5")) ⟹ -1 ⟹ int ⟹ 2 2 2
quantity("1.5Gi").isInteger() ⟹ false ⟹ bool ⟹ 2 2 2
quantity("0.5").add(quantity("500m")) ⟹ quantity:1 ⟹ kubernetes.Quantity ⟹ 3 3 3
quantity("1Ei").asInteger() ⟹ !cannot convert value to integer ⟹ int ⟹ 2 2 2
quantity("") ⟹ !quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' ⟹ kubernetes.Quantity ⟹ 0 0 0
quantity("1e") ⟹ !unable to parse quantity's suffix ⟹ kubernetes.Quantity ⟹ 1 1 1
quantity(" 1") ⟹ !quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' ⟹ kubernetes.Quantity ⟹ 1 1 1
quantity("1_000") ⟹ !quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' ⟹ kubernetes.Quantity ⟹ 1 1 1
quantity("12E2").asInteger() ⟹ 1200 ⟹ int ⟹ 2 2 2
string(ip("1.2.3.4")) == "1.2.3.4" ⟹ true ⟹ bool ⟹ 3 3 3
ip("1:2:3:4:5:6:7:8:9") ⟹ !IP Address "1:2:3:4:5:6:7:8:9" parse error during conversion from string: ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9") ⟹ net.IP ⟹ 2 2 2
ip("1::2::3") ⟹ !IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3") ⟹ net.IP ⟹ 1 1 1
ip("::1.2.3.4") ⟹ ip:::102:304 ⟹ net.IP ⟹ 1 1 1
ip("12345::") ⟹ !IP Address "12345::" parse error during conversion from string: ParseAddr("12345::"): each group must have 4 or less digits (at "12345::") ⟹ net.IP ⟹ 1 1 1
ip("1:2:3") ⟹ !IP Address "1:2:3" parse error during conversion from string: ParseAddr("1:2:3"): address string too short ⟹ net.IP ⟹ 1 1 1
ip("x") ⟹ !IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP ⟹ net.IP ⟹ 1 1 1
string(ip("0:0:0:1:0:0:0:0")) ⟹ "0:0:0:1::" ⟹ string ⟹ 3 3 3
cidr("2001:db8::1/48").masked() ⟹ cidr:2001:db8::/48 ⟹ net.CIDR ⟹ 3 3 3
cidr("10.0.0.0/08") ⟹ !network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08" ⟹ net.CIDR ⟹ 2 2 2
cidr("10.0.0.0/-1") ⟹ !network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0/-1"): bad bits after slash: "-1" ⟹ net.CIDR ⟹ 2 2 2
cidr("::ffff:1.2.3.4/96") ⟹ !network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.4/96" is not allowed ⟹ net.CIDR ⟹ 2 2 2
cidr("10.0.0.0/8").containsIP("11.0.0.1") ⟹ false ⟹ bool ⟹ 3 3 6
url("http://[::1/").getHost() ⟹ !URL parse error during conversion from string: parse "http://[::1/": missing ']' in host ⟹ string ⟹ 3 3 3
url("http://a:b/").getHost() ⟹ !URL parse error during conversion from string: parse "http://a:b/": invalid port ":b" after host ⟹ string ⟹ 3 3 3
url("http://a b/") ⟹ !URL parse error during conversion from string: parse "http://a b/": invalid character " " in host name ⟹ kubernetes.URL ⟹ 2 2 2
url("http://a/%zz") ⟹ !URL parse error during conversion from string: parse "http://a/%zz": invalid URL escape "%zz" ⟹ kubernetes.URL ⟹ 2 2 2
url("//host/path").getHost() ⟹ "host" ⟹ string ⟹ 3 3 3
url(":x") ⟹ !URL parse error during conversion from string: parse ":x": missing protocol scheme ⟹ kubernetes.URL ⟹ 1 1 1
url("a:b").getScheme() ⟹ "a" ⟹ string ⟹ 2 2 2
semver("1.2.3-") ⟹ !Prerelease is empty ⟹ kubernetes.Semver ⟹ 1 1 1
semver("1.2.x") ⟹ !Invalid character(s) found in patch number "x" ⟹ kubernetes.Semver ⟹ 1 1 1
semver("01.2.3") ⟹ !Major number must not contain leading zeroes "01" ⟹ kubernetes.Semver ⟹ 1 1 1
semver("1.2.3-01") ⟹ !Numeric PreRelease version must not contain leading zeroes "01" ⟹ kubernetes.Semver ⟹ 1 1 1
semver("") ⟹ !Version string empty ⟹ kubernetes.Semver ⟹ 0 0 0
semver("v1", true) ⟹ semver:1.0.0 ⟹ kubernetes.Semver ⟹ 1 1 1
isSemver("1.2.3-alpha.1+b.5") ⟹ true ⟹ bool ⟹ 2 2 2
type(ip("1.2.3.4")) == net.IP ⟹ true ⟹ bool ⟹ 3 3 3
type(optional.none()) ⟹ type:optional_type ⟹ type(optional_type(dyn)) ⟹ 2 2 2
optional.of(self.name).optMap(n, n.size()).orValue(0) ⟹ 5 ⟹ int ⟹ 11 6 22
optional.none().orValue(5) ⟹ 5 ⟹ int ⟹ 1 2 2
self.?names[0] ⟹ optional("a") ⟹ optional_type(string) ⟹ 3 3 3
optional.ofNonZeroValue([]).hasValue() ⟹ false ⟹ bool ⟹ 2 12 12
optional.ofNonZeroValue(self.name).value() ⟹ "alpha" ⟹ string ⟹ 4 4 4
self.objs[?0].name ⟹ optional("http") ⟹ optional_type(string) ⟹ 4 3 3
self.objs[?9].?name.orValue("none") ⟹ "none" ⟹ string ⟹ 2 5 5
sets.contains(self.set, self.set2) ⟹ true ⟹ bool ⟹ 9 5 21
sets.intersects(self.names, ["bb"]) ⟹ true ⟹ bool ⟹ 6 13 23
sets.equivalent(self.set, self.set2) ⟹ true ⟹ bool ⟹ 13 5 37
self.names.indexOf("bb") ⟹ 1 ⟹ int ⟹ 2 2 132
self.names.lastIndexOf("zz") ⟹ -1 ⟹ int ⟹ 2 2 132
self.names.min() ⟹ "a" ⟹ string ⟹ 2 2 132
format.qualifiedName().validate("a/b") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 16 33 33
format.qualifiedName().validate("/b") ⟹ optional(["prefix part must be non-empty"]) ⟹ optional_type(list(string)) ⟹ 16 33 33
format.qualifiedName().validate("A/b") ⟹ optional(["prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"]) ⟹ optional_type(list(string)) ⟹ 16 33 33
format.dns1123Subdomain().validate("A.b") ⟹ optional(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"]) ⟹ optional_type(list(string)) ⟹ 16 33 33
format.labelValue().validate("") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 11 1 1
format.labelValue().validate("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") ⟹ optional(["must be no more than 63 characters"]) ⟹ optional_type(list(string)) ⟹ 81 225 225
format.dns1035LabelPrefix().validate("a-") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 9 33 33
format.uri().validate("/x") ⟹ optional.none ⟹ optional_type(list(string)) ⟹ 277 33 33
format.dns1123Label() == format.dns1123Label() ⟹ true ⟹ bool ⟹ 3 3 9
optional.of(null) ⟹ optional(null) ⟹ optional_type(null) ⟹ 1 1 1
self.objs.filter(o, has(o.port)).map(o, o.port).max() ⟹ 443 ⟹ int ⟹ 63 24 198
self.matrix.map(r, r.sum()).sum() ⟹ 6 ⟹ int ⟹ 34 13 64
self.url.matches("^https://[a-z.@]+:[0-9]+/") ⟹ true ⟹ bool ⟹ 37 9 569
semver(self.ver).major() == 1 && isSemver(self.ver) ⟹ true ⟹ bool ⟹ 8 4 30
isQuantity(self.q) && quantity(self.q).asApproximateFloat() > 1.0 ⟹ true ⟹ bool ⟹ 8 2 30
cidr("10.0.0.0/8").containsIP(self.ip) ⟹ true ⟹ bool ⟹ 5 4 23
isIP(self.ip) && ip(self.ip).isGlobalUnicast() ⟹ true ⟹ bool ⟹ 7 2 37
isURL(self.url) && url(self.url).getScheme() == "https" ⟹ true ⟹ bool ⟹ 12 3 87
format.named(self.name).hasValue() ⟹ false ⟹ bool ⟹ 4 4 4
self.name.lastIndexOf("a") ⟹ 4 ⟹ int ⟹ 2 2 10
self.name.indexOf("p", 3) ⟹ -1 ⟹ int ⟹ 2 2 10
self.s.findAll(".").size() ⟹ 11 ⟹ int ⟹ 5 4 314576
self.many.isSorted() ⟹ true ⟹ bool ⟹ 2 2 329854432052
self.many.min() ⟹ "x" ⟹ string ⟹ 2 2 329854432052
self.?name.optMap(n, n + n).orValue("").size() ⟹ 10 ⟹ int ⟹ 11 6 1844674407370955285
dyn(self.n).min() ⟹ !no such overload: min(int) ⟹ dyn ⟹ 4 3 3
dyn(1).isSorted() ⟹ !no such overload: isSorted(int) ⟹ bool ⟹ 1 2 2
[dyn(1)].isSorted() ⟹ true ⟹ bool ⟹ 1 12 12
dyn(self.list).sum() ⟹ 6 ⟹ dyn ⟹ 6 3 4
`
