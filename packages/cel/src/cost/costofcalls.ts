import { utf8Length } from '@lockstep/kube/object'
import type { Format } from '../library/formatfunctions.ts'
import { dataOf } from '../library/opaquevalue.ts'
import { type CelValue, is } from '../value/celvalue.ts'
import { codePoints } from '../value/utf8text.ts'

const PER_CHARACTER = 0.1
const PER_PATTERN_CHARACTER = 0.25

/** The size that costs depend on: characters, bytes, elements; one for everything else. */
export function valueSize(v: CelValue): number {
  if (typeof v === 'string') return codePoints(v)
  if (v instanceof Uint8Array) return v.length
  if (is(v, 'list')) return v.items.length
  if (is(v, 'map')) return v.size
  return is(v, 'foreign') ? (v.size ?? 1) : 1
}

/** A question about rights costs as much as leaves room for two of them in an expression. */
export const ACCESS_CHECK = 350_000

export type CallCost = (args: readonly CelValue[], result: CelValue) => number

const one: CallCost = () => 1
const traversal =
  (times: number): CallCost =>
  ([first]) =>
    Math.ceil(valueSize(first!) * times * PER_CHARACTER)
const pattern: CallCost = ([text, re]) =>
  Math.ceil((1 + valueSize(text!)) * PER_CHARACTER) * Math.ceil(valueSize(re!) * PER_PATTERN_CHARACTER)

/** What it takes to look at all of a value once. */
function wholeOf(v: CelValue): number {
  if (typeof v === 'string' || v instanceof Uint8Array) {
    const bytes = typeof v === 'string' ? utf8Length(v) : v.length
    return Math.trunc(bytes * PER_CHARACTER)
  }
  if (is(v, 'list')) return v.items.reduce<number>((sum, item) => sum + wholeOf(item), 0)
  if (!is(v, 'map')) return 1
  return v.keys().reduce<number>((sum, key) => sum + wholeOf(key) + wholeOf(v.find(key) ?? null), 0)
}

const containment =
  (times: number, extra: number, ofText: string) =>
  (id: string): CallCost =>
  ([net, other]) => {
    const size = valueSize(net!)
    const compared =
      Math.ceil(size * 2 * PER_CHARACTER) + (times > 2 ? Math.ceil(size * PER_CHARACTER) + extra : 0)
    return compared + (id === ofText ? Math.ceil(valueSize(other!) * PER_CHARACTER) : 0)
  }

const validation: CallCost = ([format, text]) =>
  Math.ceil((1 + valueSize(text!)) * PER_CHARACTER) *
  Math.ceil(dataOf<Format>(format!).cost * PER_PATTERN_CHARACTER)

/** Kubernetes' own: by the name of the function, whichever overload it is. */
const BY_FUNCTION: ReadonlyMap<string, (id: string) => CallCost | undefined> = new Map([
  ...each('isSorted sum max min indexOf lastIndexOf', ([first]) => wholeOf(first!)),
  ...each(
    'url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver',
    traversal(1),
  ),
  ...each('replace split ip.isCanonical', traversal(2)),
  ...each('join', (_, result) => Math.ceil(valueSize(result) * 2 * PER_CHARACTER)),
  ...each('find findAll', pattern),
  ...each('validate', validation),
  ...each('check', () => ACCESS_CHECK),
  ['ip', (id: string) => (id === 'cidr_ip' ? one : traversal(1))],
  ['containsIP', containment(2, 0, 'cidr_contains_ip_string')],
  ['containsCIDR', containment(3, 1, 'cidr_contains_cidr_string')],
])

function each(names: string, cost: CallCost): (readonly [string, (id: string) => CallCost])[] {
  return names.split(' ').map((name) => [name, () => cost] as const)
}

const scanned = traversal(1)
const shorter: CallCost = ([a, b]) => Math.ceil(Math.min(inner(a!), inner(b!)) * PER_CHARACTER)
const both: CallCost = ([a, b]) => Math.ceil((valueSize(a!) + valueSize(b!)) * PER_CHARACTER)
const within: CallCost = ([a, b]) =>
  Math.ceil(valueSize(a!) * PER_CHARACTER) * Math.ceil(valueSize(b!) * PER_CHARACTER)
const product =
  (times: number): CallCost =>
  ([a, b]) =>
    1 + valueSize(a!) * valueSize(b!) * times

/** An optional counts as what is in it. */
const inner = (v: CelValue): number =>
  is(v, 'optional') && v.value !== undefined ? inner(v.value) : valueSize(v)

/** The language's own, by overload: where values decide between several, each costs one. */
const BY_OVERLOAD: Readonly<Record<string, CallCost>> = {
  starts_with_string: scanned,
  ends_with_string: scanned,
  string_to_bytes: scanned,
  bytes_to_string: scanned,
  strings_quote: scanned,
  string_format: scanned,
  in_list: ([, l]) => valueSize(l!),
  equals: shorter,
  not_equals: shorter,
  ...Object.fromEntries(
    ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((op) => [
      [`${op}_string`, shorter],
      [`${op}_bytes`, shorter],
    ]),
  ),
  add_string: both,
  add_bytes: both,
  matches_string: pattern,
  contains_string: within,
  list_sets_contains_list: product(1),
  list_sets_intersects_list: product(1),
  list_sets_equivalent_list: product(2),
}

/** How kube-apiserver counts what a call has cost; undefined for the many that cost one. */
export function costOfCalls(fn: string, id: string): CallCost | undefined {
  const cost = BY_FUNCTION.get(fn)?.(id) ?? BY_OVERLOAD[id]
  if (!cost || fn !== '_==_') return cost
  return (args, result) => (is(args[0]!, 'foreign') ? 1 : cost(args, result))
}
