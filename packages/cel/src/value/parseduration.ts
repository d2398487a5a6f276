import { type CelValue, type Duration, failure } from './celvalue.ts'
import { fitsInt } from './number.ts'

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

export const duration = (ns: bigint): CelValue =>
  fitsInt(ns) ? { kind: 'duration', ns } : failure('duration overflow')

/** A duration as Go reads it: `1h30m`, `-1.5s`, `0`. */
export function parseDuration(text: string): Duration | undefined {
  const sign = /^[-+]/.test(text) ? text[0] : ''
  const body = sign === '' ? text : text.slice(1)
  if (body === '0') return { kind: 'duration', ns: 0n }
  let ns = 0n
  let at = 0
  while (at < body.length) {
    PART.lastIndex = at
    const m = PART.exec(body)
    if (!m || (m[1] === '' && (m[2] ?? '') === '')) return undefined
    const unit = UNITS[m[3]!]!
    const fraction = m[2] ?? ''
    ns += BigInt(m[1] || '0') * unit
    if (fraction !== '') ns += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length)
    at += m[0].length
  }
  if (at === 0) return undefined
  const signed = sign === '-' ? -ns : ns
  return fitsInt(signed) ? { kind: 'duration', ns: signed } : undefined
}

/** In seconds: `5400s`, `1.5s`. */
export function durationText(d: Duration): string {
  const whole = d.ns / 1_000_000_000n
  const rest = d.ns % 1_000_000_000n
  const fraction = (rest < 0n ? -rest : rest).toString().padStart(9, '0').replace(/0+$/, '')
  const sign = d.ns < 0n && whole === 0n && fraction !== '' ? '-' : ''
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}s`
}
