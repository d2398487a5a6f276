import { addressText, type Prefix } from '../../../kube/src/fields/ipaddress.ts'
import { bytesToBase64 } from '../../../kube/src/object/base64.ts'
import { approximateQuantity } from '../library/quantity.ts'
import { type CelValue, is, type OpaqueValue } from '../value/celvalue.ts'
import { doubleText } from '../value/number.ts'
import { durationText } from '../value/parseduration.ts'
import { timestampText } from '../value/parsetimestamp.ts'

/** A value as the recorded table writes it: every type can be told from the text. */
export function show(v: CelValue): string {
  if (v === null || typeof v === 'boolean' || typeof v === 'bigint') return String(v)
  if (typeof v === 'number') return `${doubleText(v)}d`
  if (typeof v === 'string') return JSON.stringify(v)
  if (v instanceof Uint8Array) return `b:${bytesToBase64(v)}`
  if (is(v, 'uint')) return `${v.value}u`
  if (is(v, 'timestamp')) return `t:${timestampText(v)}`
  if (is(v, 'duration')) return `d:${durationText(v)}`
  if (is(v, 'type')) return `type:${v.name}`
  if (is(v, 'optional')) return v.value === undefined ? 'optional.none' : `optional(${show(v.value)})`
  if (is(v, 'list')) return `[${v.items.map(show).join(', ')}]`
  if (is(v, 'map')) {
    const pairs = v.keys().map((k) => `${show(k)}: ${show(v.find(k)!)}`)
    return `{${pairs.sort().join(', ')}}`
  }
  return is(v, 'foreign') ? showForeign(v) : `failure:${v.message}`
}

function showForeign({ type, data }: OpaqueValue): string {
  const name = type.split('.')[1]!.toLowerCase()
  if (name === 'quantity') return `quantity:${doubleText(approximateQuantity(data as never))}`
  if (name === 'ip') return `ip:${addressText(data as never)}`
  if (name === 'cidr') return `cidr:${addressText((data as Prefix).address)}/${(data as Prefix).bits}`
  if (name === 'url') return `url:${(data as { text: string }).text}`
  if (name === 'semver') return `semver:${(data as { numbers: bigint[] }).numbers.join('.')}`
  return `format:${(data as { name: string }).name}`
}
