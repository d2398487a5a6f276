/** Rows of tables: a field of Flux, and what becomes of it. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  parseDuration,
  setMember,
  type YamlPath,
} from '@lockstep/kube/object'
import { type FieldReader, isBare } from './fieldreader.ts'
import type { ModuleDraft } from './moduledraft.ts'

/** What a row may do: say it in the Module, settle it, list it. What it leaves alone is listed as not understood. */
export interface FieldRow {
  /** Below `spec`. */
  readonly field: string
  become(value: JsonValue, at: FieldPosition): void
}

export interface FieldPosition {
  readonly draft: ModuleDraft
  /** Of the manifest that has the field. */
  readonly reading: FieldReader
  /** Of the field. */
  readonly path: YamlPath
}

/** Plays a table on the spec of one manifest. */
export function readFields(rows: readonly FieldRow[], draft: ModuleDraft, reading: FieldReader): void {
  for (const { field, become } of rows) {
    const path = ['spec', ...field.split('.')]
    const value = reading.value(path)
    if (value !== undefined && value !== null && !isBare(value)) become(value, { draft, reading, path })
  }
}

type ImportFieldTest = (v: JsonValue) => boolean
const isBoolean: ImportFieldTest = (v) => typeof v === 'boolean'

/** The same value, under another name. */
const same = (field: string, to: string, test: ImportFieldTest): FieldRow => ({
  field,
  become(value, { draft, reading, path }) {
    if (test(value)) draft.set(to.split('.'), value, path, reading)
  },
})

export const text = (field: string, to: string): FieldRow => same(field, to, isString)
export const flag = (field: string, to: string): FieldRow => same(field, to, isBoolean)

/** Texts in a list. */
export const texts = (field: string, to: string): FieldRow =>
  same(field, to, (v) => isArray(v) && v.every(isString))

/** Texts by names. */
export const map = (field: string, to: string): FieldRow =>
  same(field, to, (v) => isObject(v) && Object.values(v).every(isString))

/** Objects in a list, of which these members count: `target.kind`. Items that are something else stay behind, and are listed. */
export const list = (field: string, to: string, members: readonly string[]): FieldRow => ({
  field,
  become(value, { draft, reading, path }) {
    if (!isArray(value)) return
    const items = value.flatMap((item, i) => {
      const picked = isObject(item) ? pick(item, members) : undefined
      if (!picked) return []
      for (const p of picked.paths) reading.settle([...path, i, ...p])
      return [picked.value]
    })
    if (items.length > 0) draft.gather(to.split('.'), items, path, reading)
  },
})

/** A copy with the members that are texts, and where they were. */
export function pick(
  item: JsonObject,
  members: readonly string[],
): { readonly value: JsonObject; readonly paths: readonly YamlPath[] } | undefined {
  const out: { [key: string]: JsonValue | undefined } = {}
  const paths: YamlPath[] = []
  for (const m of members) {
    const path = m.split('.')
    const value = at(item, ...path)
    if (!isString(value)) continue
    paths.push(path)
    const [first, second] = path as [string, string | undefined]
    if (second === undefined) setMember(out, first, value)
    else setMember(out, first, { ...(isObject(out[first]) ? out[first] : {}), [second]: value })
  }
  return paths.length > 0 ? { value: out as JsonObject, paths } : undefined
}

/** A duration within the bounds of ours. */
export const duration = (field: string, to: string, least: string, most: string): FieldRow => ({
  field,
  become(value, { draft, reading, path }) {
    const ms = isString(value) ? parseDuration(value) : undefined
    if (ms === undefined) return
    if (ms >= parseDuration(least)! && ms <= parseDuration(most)!)
      draft.set(to.split('.'), value, path, reading)
    else
      reading.lose(
        path,
        `spec.${to} of a Module is from ${least} to ${most}`,
        'Choose one and write it there.',
      )
  },
})

export interface FieldLoss {
  readonly why: string
  readonly todo: string
  readonly holds?: true
}

/** There is nothing like it. */
export const never = (field: string, { why, todo, holds }: FieldLoss): FieldRow => ({
  field,
  become: (_, { reading, path }) => reading.lose(path, why, todo, holds),
})

/** `value` says what a Module does anyway; every other one is lost. */
export const only = (field: string, value: JsonValue, loss: FieldLoss): FieldRow => ({
  field,
  become(found, { reading, path }) {
    if (found === value) reading.settle(path)
    else reading.lose(path, loss.why, loss.todo, loss.holds)
  },
})
