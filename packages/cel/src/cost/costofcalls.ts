import { utf8Length } from '../../../kube/src/object/utf8.ts'
import { dataOf } from '../library/opaquevalue.ts'
import type { Format } from '../library/formatfunctions.ts'
import { codePoints } from '../value/utf8text.ts'
import { is, type Value } from '../value/celvalue.ts'

const PER_CHARACTER = 0.1
const PER_PATTERN_CHARACTER = 0.25

/** The size that costs depend on: characters, bytes, elements; one for everything else. */
export function sizeOf(v: Value): number {
  if (typeof v === 'string') return codePoints(v)
  if (v instanceof Uint8Array) return v.length
  if (is(v, 'list')) return v.items.length
  if (is(v, 'map')) return v.size
  return is(v, 'foreign') ? (v.size ?? 1) : 1
}

/** A question about rights costs as much as leaves room for two of them in an expression. */
export const ACCESS_CHECK = 350_000

export type Cost = (args: readonly Value[], result: Value) => number

const one: Cost = () => 1
const traversal =
  (times: number): Cost =>
  ([first]) =>
    Math.ceil(sizeOf(first!) * times * PER_CHARACTER)
const pattern: Cost = ([text, re]) =>
  Math.ceil((1 + sizeOf(text!)) * PER_CHARACTER) * Math.ceil(sizeOf(re!) * PER_PATTERN_CHARACTER)

/** What it takes to look at all of a value once. */
function wholeOf(v: Value): number {
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
  (id: string): Cost =>
  ([net, other]) => {
    const size = sizeOf(net!)
    const compared =
      Math.ceil(size * 2 * PER_CHARACTER) + (times > 2 ? Math.ceil(size * PER_CHARACTER) + extra : 0)
    return compared + (id === ofText ? Math.ceil(sizeOf(other!) * PER_CHARACTER) : 0)
  }

const validation: Cost = ([format, text]) =>
  Math.ceil((1 + sizeOf(text!)) * PER_CHARACTER) *
  Math.ceil(dataOf<Format>(format!).cost * PER_PATTERN_CHARACTER)

/** Kubernetes' own: by the name of the function, whichever overload it is. */
const BY_FUNCTION: ReadonlyMap<string, (id: string) => Cost | undefined> = new Map([
  ...each('isSorted sum max min indexOf lastIndexOf', ([first]) => wholeOf(first!)),
  ...each(
    'url lowerAscii upperAscii substring trim cidr isIP isCIDR quantity isQuantity semver isSemver',
    traversal(1),
  ),
  ...each('replace split ip.isCanonical', traversal(2)),
  ...each('join', (_, result) => Math.ceil(sizeOf(result) * 2 * PER_CHARACTER)),
  ...each('find findAll', pattern),
  ...each('validate', validation),
  ...each('check', () => ACCESS_CHECK),
  ['ip', (id: string) => (id === 'cidr_ip' ? one : traversal(1))],
  ['containsIP', containment(2, 0, 'cidr_contains_ip_string')],
  ['containsCIDR', containment(3, 1, 'cidr_contains_cidr_string')],
])

function each(names: string, cost: Cost): (readonly [string, (id: string) => Cost])[] {
  return names.split(' ').map((name) => [name, () => cost] as const)
}

const scanned = traversal(1)
const shorter: Cost = ([a, b]) => Math.ceil(Math.min(inner(a!), inner(b!)) * PER_CHARACTER)
const both: Cost = ([a, b]) => Math.ceil((sizeOf(a!) + sizeOf(b!)) * PER_CHARACTER)
const within: Cost = ([a, b]) => Math.ceil(sizeOf(a!) * PER_CHARACTER) * Math.ceil(sizeOf(b!) * PER_CHARACTER)
const product =
  (times: number): Cost =>
  ([a, b]) =>
    1 + sizeOf(a!) * sizeOf(b!) * times

/** An optional counts as what is in it. */
const inner = (v: Value): number => (is(v, 'optional') && v.value !== undefined ? inner(v.value) : sizeOf(v))

/** The language's own, by overload: where values decide between several, each costs one. */
const BY_OVERLOAD: Readonly<Record<string, Cost>> = {
  starts_with_string: scanned,
  ends_with_string: scanned,
  string_to_bytes: scanned,
  bytes_to_string: scanned,
  strings_quote: scanned,
  string_format: scanned,
  in_list: ([, l]) => sizeOf(l!),
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
export function costOfCalls(fn: string, id: string): Cost | undefined {
  const cost = BY_FUNCTION.get(fn)?.(id) ?? BY_OVERLOAD[id]
  if (!cost || fn !== '_==_') return cost
  return (args, result) => (is(args[0]!, 'foreign') ? 1 : cost(args, result))
}
