import {
  at,
  humanDuration,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseTimestampMs,
} from '@lockstep/kube/object'
import type { PrintedColumn } from './printedcolumn.ts'

/** Reading objects for a column. */
type CellPath = readonly (string | number)[]

export const num = (o: KubeObject, ...path: CellPath): number => Number(at(o, ...path) ?? 0)
export const str = (o: KubeObject, ...path: CellPath): string => {
  const v = at(o, ...path)
  return v === undefined || v === null ? '' : String(v)
}
export const list = (o: unknown, ...path: CellPath): readonly JsonValue[] => {
  const v = at(o, ...path)
  return isArray(v) ? v : []
}
export const keys = (o: KubeObject, ...path: CellPath): number => {
  const v = at(o, ...path)
  return isObject(v) ? Object.keys(v).length : 0
}

export const cellText = (name: string, cell: PrintedColumn['cell'], wide = false): PrintedColumn => ({
  name,
  type: 'string',
  description: '',
  ...(wide ? { priority: 1, afterAge: true } : {}),
  cell,
})
export const whole = (name: string, cell: PrintedColumn['cell']): PrintedColumn => ({
  name,
  type: 'integer',
  format: 'int32',
  cell,
})

/** `a=b,c=d` or `<none>`; a label selector with expressions is told in their words. */
export function selectorText(selector: JsonValue | undefined): string {
  if (!isObject(selector)) return '<none>'
  const pairs = isObject(selector.matchLabels)
    ? selector.matchLabels
    : selector.matchExpressions
      ? {}
      : selector
  const parts = Object.entries(pairs)
    .map(([k, v]) => `${k}=${String(v)}`)
    .sort()
  for (const e of list(selector, 'matchExpressions')) parts.push(expressionText(e as JsonObject))
  return parts.length === 0 ? '<none>' : parts.join(',')
}

function expressionText(e: JsonObject): string {
  const values = list(e, 'values').join(',')
  switch (e.operator) {
    case 'In':
      return `${String(e.key)} in (${values})`
    case 'NotIn':
      return `${String(e.key)} notin (${values})`
    case 'Exists':
      return String(e.key)
    default:
      return `!${String(e.key)}`
  }
}

export const containers = (o: KubeObject, ...path: CellPath): { names: string; images: string } => {
  const all = list(o, ...path)
  return {
    names: all.map((c) => String(at(c, 'name') ?? '')).join(','),
    images: all.map((c) => String(at(c, 'image') ?? '')).join(','),
  }
}

export function since(time: string, now: number): string {
  const then = parseTimestampMs(time)
  return then === undefined ? '<unknown>' : humanDuration(now - then)
}
