import { quoted } from '../value/utf8text.ts'
import { failure, is, type Value } from '../value/celvalue.ts'
import {
  type Address,
  addressText,
  holds,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
} from './ipaddress.ts'
import { dataOf, foreign } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'

type Parsed<T> = T | { readonly complaint: string }

/** Addresses with a zone, and IPv4 in the clothes of IPv6, are none here. */
function address(text: string): Parsed<{ readonly address: Address }> {
  const parsed = parseAddress(text)
  if ('complaint' in parsed)
    return {
      complaint: `IP Address ${quoted(text)} parse error during conversion from string: ${parsed.complaint}`,
    }
  if (parsed.zone !== '') return { complaint: `IP address ${quoted(text)} with zone value is not allowed` }
  return isMapped(parsed.address)
    ? { complaint: `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` }
    : parsed
}

function prefix(text: string): Parsed<Prefix> {
  const parsed = parsePrefix(text)
  if ('complaint' in parsed)
    return { complaint: `network address parse error during conversion from string: ${parsed.complaint}` }
  return isMapped(parsed.address)
    ? { complaint: `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` }
    : parsed
}

const wrapIp = (a: Address): Value => foreign('ip', a, (x, y) => addressText(x) === addressText(y), a.length)
const prefixText = (p: Prefix): string => `${addressText(p.address)}/${p.bits}`
const wrapCidr = (p: Prefix): Value =>
  foreign('cidr', p, (x, y) => prefixText(x) === prefixText(y), Math.ceil(p.bits / 8))

function toIp(text: string): Value {
  const parsed = address(text)
  return 'complaint' in parsed ? failure(parsed.complaint) : wrapIp(parsed.address)
}

function toCidr(text: string): Value {
  const parsed = prefix(text)
  return 'complaint' in parsed
    ? failure(`network address parse error during conversion from string: ${parsed.complaint}`)
    : wrapCidr(parsed)
}

function isCanonical(text: string): Value {
  const parsed = address(text)
  return 'complaint' in parsed ? failure(parsed.complaint) : addressText(parsed.address) === text
}

const unspecified = (a: Address): boolean => a.every((b) => b === 0)
const loopback = (a: Address): boolean => (a.length === 4 ? a[0] === 127 : addressText(a) === '::1')
const multicast = (a: Address): boolean => (a.length === 4 ? a[0]! >> 4 === 14 : a[0] === 255)
const linkMulticast = (a: Address): boolean =>
  a.length === 4 ? a[0] === 224 && a[1] === 0 && a[2] === 0 : a[0] === 255 && (a[1]! & 15) === 2
const linkUnicast = (a: Address): boolean =>
  a.length === 4 ? a[0] === 169 && a[1] === 254 : a[0] === 254 && (a[1]! & 0xc0) === 0x80
const global = (a: Address): boolean =>
  !unspecified(a) &&
  !loopback(a) &&
  !multicast(a) &&
  !linkUnicast(a) &&
  !(a.length === 4 && a.every((b) => b === 255))

function contains(net: Value, ip: Value): Value {
  return is(ip, 'foreign') ? holds(dataOf(net), dataOf(ip)) : failure('no such overload')
}

function containsCidr(net: Value, other: Value): Value {
  if (!is(other, 'foreign')) return failure('no such overload')
  const [outer, inner] = [dataOf<Prefix>(net), dataOf<Prefix>(other)]
  return outer.bits <= inner.bits && holds(outer, inner.address)
}

const asks = (id: string, method: string, of: (a: Address) => Value, type = 'bool'): Overload =>
  overload(`ip_${id}`, `ip.${method}(): ${type}`, (ip: Value) => of(dataOf(ip)))

export const addressFunctions: readonly Overload[] = [
  overload('string_to_ip', 'ip(string): ip', toIp),
  asks('family', 'family', (a) => (a.length === 4 ? 4n : 6n), 'int'),
  overload('ip_is_canonical', '::ip.isCanonical(string): bool', isCanonical),
  asks('is_unspecified', 'isUnspecified', unspecified),
  asks('is_loopback', 'isLoopback', loopback),
  asks('is_link_local_multicast', 'isLinkLocalMulticast', linkMulticast),
  asks('is_link_local_unicast', 'isLinkLocalUnicast', linkUnicast),
  asks('is_global_unicast', 'isGlobalUnicast', global),
  overload('is_ip', 'isIP(string): bool', (text: string) => !('complaint' in address(text))),
  overload('ip_to_string', 'string(ip): string', (ip: Value) => addressText(dataOf(ip))),
  overload('string_to_cidr', 'cidr(string): cidr', toCidr),
  overload('cidr_contains_ip_string', 'cidr.containsIP(string): bool', (net: Value, ip: string) =>
    contains(net, toIp(ip)),
  ),
  overload('cidr_contains_ip_ip', 'cidr.containsIP(ip): bool', contains),
  overload('cidr_contains_cidr_string', 'cidr.containsCIDR(string): bool', (net: Value, other: string) =>
    containsCidr(net, toCidr(other)),
  ),
  overload('cidr_contains_cidr', 'cidr.containsCIDR(cidr): bool', containsCidr),
  overload('cidr_ip', 'cidr.ip(): ip', (net: Value) => wrapIp(dataOf<Prefix>(net).address)),
  overload('cidr_prefix_length', 'cidr.prefixLength(): int', (net: Value) =>
    BigInt(dataOf<Prefix>(net).bits),
  ),
  overload('cidr_masked', 'cidr.masked(): cidr', (net: Value) => {
    const { address: a, bits } = dataOf<Prefix>(net)
    return wrapCidr({ address: masked(a, bits), bits })
  }),
  overload('is_cidr', 'isCIDR(string): bool', (text: string) => !('complaint' in prefix(text))),
  overload('cidr_to_string', 'string(cidr): string', (net: Value) => prefixText(dataOf(net))),
]
