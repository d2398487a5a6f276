import {
  addressText,
  holds,
  type IpAddress,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
} from '@lockstep/kube/fields'
import { type CelValue, failure, is } from '../value/celvalue.ts'
import { quoted } from '../value/utf8text.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'

type ParsedText<T> = T | { readonly complaint: string }

/** Addresses with a zone, and IPv4 in the clothes of IPv6, are none here. */
function address(text: string): ParsedText<{ readonly address: IpAddress }> {
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

function prefix(text: string): ParsedText<Prefix> {
  const parsed = parsePrefix(text)
  if ('complaint' in parsed)
    return { complaint: `network address parse error during conversion from string: ${parsed.complaint}` }
  return isMapped(parsed.address)
    ? { complaint: `IPv4-mapped IPv6 address ${quoted(text)} is not allowed` }
    : parsed
}

const wrapIp = (a: IpAddress): CelValue =>
  opaqueValue('ip', a, (x, y) => addressText(x) === addressText(y), a.length)
const prefixText = (p: Prefix): string => `${addressText(p.address)}/${p.bits}`
const wrapCidr = (p: Prefix): CelValue =>
  opaqueValue('cidr', p, (x, y) => prefixText(x) === prefixText(y), Math.ceil(p.bits / 8))

function toIp(text: string): CelValue {
  const parsed = address(text)
  return 'complaint' in parsed ? failure(parsed.complaint) : wrapIp(parsed.address)
}

function toCidr(text: string): CelValue {
  const parsed = prefix(text)
  return 'complaint' in parsed
    ? failure(`network address parse error during conversion from string: ${parsed.complaint}`)
    : wrapCidr(parsed)
}

function isCanonical(text: string): CelValue {
  const parsed = address(text)
  return 'complaint' in parsed ? failure(parsed.complaint) : addressText(parsed.address) === text
}

const unspecified = (a: IpAddress): boolean => a.every((b) => b === 0)
const loopback = (a: IpAddress): boolean => (a.length === 4 ? a[0] === 127 : addressText(a) === '::1')
const multicast = (a: IpAddress): boolean => (a.length === 4 ? a[0]! >> 4 === 14 : a[0] === 255)
const linkMulticast = (a: IpAddress): boolean =>
  a.length === 4 ? a[0] === 224 && a[1] === 0 && a[2] === 0 : a[0] === 255 && (a[1]! & 15) === 2
const linkUnicast = (a: IpAddress): boolean =>
  a.length === 4 ? a[0] === 169 && a[1] === 254 : a[0] === 254 && (a[1]! & 0xc0) === 0x80
const global = (a: IpAddress): boolean =>
  !unspecified(a) &&
  !loopback(a) &&
  !multicast(a) &&
  !linkUnicast(a) &&
  !(a.length === 4 && a.every((b) => b === 255))

function contains(net: CelValue, ip: CelValue): CelValue {
  return is(ip, 'foreign') ? holds(dataOf(net), dataOf(ip)) : failure('no such overload')
}

function containsCidr(net: CelValue, other: CelValue): CelValue {
  if (!is(other, 'foreign')) return failure('no such overload')
  const [outer, inner] = [dataOf<Prefix>(net), dataOf<Prefix>(other)]
  return outer.bits <= inner.bits && holds(outer, inner.address)
}

const asks = (id: string, method: string, of: (a: IpAddress) => CelValue, type = 'bool'): Overload =>
  overload(`ip_${id}`, `ip.${method}(): ${type}`, (ip: CelValue) => of(dataOf(ip)))

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
  overload('ip_to_string', 'string(ip): string', (ip: CelValue) => addressText(dataOf(ip))),
  overload('string_to_cidr', 'cidr(string): cidr', toCidr),
  overload('cidr_contains_ip_string', 'cidr.containsIP(string): bool', (net: CelValue, ip: string) =>
    contains(net, toIp(ip)),
  ),
  overload('cidr_contains_ip_ip', 'cidr.containsIP(ip): bool', contains),
  overload('cidr_contains_cidr_string', 'cidr.containsCIDR(string): bool', (net: CelValue, other: string) =>
    containsCidr(net, toCidr(other)),
  ),
  overload('cidr_contains_cidr', 'cidr.containsCIDR(cidr): bool', containsCidr),
  overload('cidr_ip', 'cidr.ip(): ip', (net: CelValue) => wrapIp(dataOf<Prefix>(net).address)),
  overload('cidr_prefix_length', 'cidr.prefixLength(): int', (net: CelValue) =>
    BigInt(dataOf<Prefix>(net).bits),
  ),
  overload('cidr_masked', 'cidr.masked(): cidr', (net: CelValue) => {
    const { address: a, bits } = dataOf<Prefix>(net)
    return wrapCidr({ address: masked(a, bits), bits })
  }),
  overload('is_cidr', 'isCIDR(string): bool', (text: string) => !('complaint' in prefix(text))),
  overload('cidr_to_string', 'string(cidr): string', (net: CelValue) => prefixText(dataOf(net))),
]
