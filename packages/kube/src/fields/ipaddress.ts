/** IP addresses and prefixes, with the complaints of Go's `netip`. */
import { goQuote } from './gosyntax.ts'

/** An address as its 4 or 16 bytes. */
export type IpAddress = readonly number[]
export interface Prefix {
  readonly address: IpAddress
  readonly bits: number
}
type ParsedIp<T> = T | { readonly complaint: string }

/** Parses an address with the complaints of Go's `netip`. Zones are recognized, and left to the caller to refuse. */
export function parseAddress(text: string): ParsedIp<{ readonly address: IpAddress; readonly zone: string }> {
  const complain = (what: string, at = ''): { readonly complaint: string } => ({
    complaint: `ParseAddr(${goQuote(text)}): ${what}${at === '' ? '' : ` (at ${goQuote(at)})`}`,
  })
  const first = /[.:%]/.exec(text)?.[0]
  if (first === undefined) return complain('unable to parse IP')
  if (first === '%') return complain('missing IPv6 address')
  const mark = first === ':' ? text.indexOf('%') : -1
  const zone = mark < 0 ? '' : text.slice(mark + 1)
  if (mark >= 0 && zone === '') return complain('zone must be a non-empty string')
  const body = mark < 0 ? text : text.slice(0, mark)
  const parsed = first === '.' ? version4(body) : version6(body)
  return 'what' in parsed ? complain(parsed.what, parsed.at) : { address: parsed, zone }
}

interface WrongIp {
  readonly what: string
  readonly at?: string
}

function version4(text: string): IpAddress | WrongIp {
  const fields: number[] = []
  let field = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (c === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.')
        return { what: 'IPv4 field must have at least one digit', at: text.slice(i) }
      if (fields.length === 3) return { what: 'IPv4 address too long' }
      fields.push(Number(field))
      field = ''
      continue
    }
    if (!/\d/.test(c)) return { what: 'unexpected character', at: text.slice(i) }
    if (field === '0') return { what: 'IPv4 field has octet with leading zero' }
    field += c
    if (Number(field) > 255) return { what: 'IPv4 field has value >255' }
  }
  return fields.length < 3 ? { what: 'IPv4 address too short' } : [...fields, Number(field)]
}

/** Groups of hexadecimal digits, `::` for the longest gap, an IPv4 address at the end. */
function version6(text: string): IpAddress | WrongIp {
  const bytes: number[] = []
  let rest = text
  let gap = -1
  if (rest.startsWith('::')) {
    gap = 0
    rest = rest.slice(2)
  }
  while (rest !== '' && bytes.length < 16) {
    const group = /^[0-9a-fA-F]*/.exec(rest)![0]
    if (group.length > 4) return { what: 'each group must have 4 or less digits', at: rest }
    if (group === '') return { what: 'each colon-separated field must have at least one digit', at: rest }
    if (rest[group.length] === '.') return embedded(bytes, gap, rest)
    bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255)
    rest = rest.slice(group.length)
    if (rest === '') break
    if (!rest.startsWith(':')) return { what: 'unexpected character, want colon', at: rest }
    if (rest.length === 1) return { what: 'colon must be followed by more characters', at: rest }
    rest = rest.slice(1)
    if (!rest.startsWith(':')) continue
    if (gap >= 0) return { what: 'multiple :: in address', at: rest }
    gap = bytes.length
    rest = rest.slice(1)
  }
  return rest === '' ? expanded(bytes, gap) : { what: 'trailing garbage after address', at: rest }
}

function embedded(bytes: readonly number[], gap: number, rest: string): IpAddress | WrongIp {
  if (gap < 0 && bytes.length !== 12)
    return { what: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest }
  if (bytes.length > 12)
    return { what: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest }
  const last = version4(rest)
  return 'what' in last ? last : expanded([...bytes, ...last], gap)
}

function expanded(bytes: readonly number[], gap: number): IpAddress | WrongIp {
  if (bytes.length === 16)
    return gap < 0 ? bytes : { what: 'the :: must expand to at least one field of zeros' }
  if (gap < 0) return { what: 'address string too short' }
  return [...bytes.slice(0, gap), ...Array<number>(16 - bytes.length).fill(0), ...bytes.slice(gap)]
}

/** As RFC 5952 writes it: no leading zeroes, the longest run of zeroes left out. */
export function addressText(a: IpAddress): string {
  if (a.length === 4) return a.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (a[2 * i]! << 8) | a[2 * i + 1]!)
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && groups[end] === 0) end++
    if (end - i > length) {
      start = i
      length = end - i
    }
  }
  const hex = groups.map((g) => g.toString(16))
  return start < 0
    ? hex.join(':')
    : `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

export const isMapped = (a: IpAddress): boolean =>
  a.length === 16 && a.slice(0, 10).every((b) => b === 0) && a[10] === 255 && a[11] === 255

export function parsePrefix(text: string): ParsedIp<Prefix> {
  const complain = (what: string) => ({ complaint: `netip.ParsePrefix(${goQuote(text)}): ${what}` })
  const slash = text.lastIndexOf('/')
  if (slash < 0) return complain("no '/'")
  const parsed = parseAddress(text.slice(0, slash))
  if ('complaint' in parsed) return complain(parsed.complaint)
  if (parsed.zone !== '') return complain('IPv6 zones cannot be present in a prefix')
  const bits = text.slice(slash + 1)
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return complain(`bad bits after slash: ${goQuote(bits)}`)
  if (Number(bits) > parsed.address.length * 8) return complain('prefix length out of range')
  return { address: parsed.address, bits: Number(bits) }
}

/** The address with all bits after the first `bits` zero. */
export function masked(a: IpAddress, bits: number): IpAddress {
  return a.map((byte, i) => byte & (0xff00 >> Math.max(0, Math.min(8, bits - 8 * i))) & 0xff)
}

export function holds(p: Prefix, a: IpAddress): boolean {
  if (p.address.length !== a.length) return false
  return addressText(masked(p.address, p.bits)) === addressText(masked(a, p.bits))
}
