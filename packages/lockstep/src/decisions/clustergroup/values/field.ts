/** A value with its place, and the ways in which templates write one down. */
import {
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  member,
  setMember,
  type YamlPath,
} from '@lockstep/kube/object'
import { goText, isTruthy, templateText } from './gotext.ts'
import { type Notes, shownValue } from './notes.ts'
import { readPlainScalar } from './plainscalar.ts'
import type { TrapDetails } from './trap.ts'

export class ValuesField {
  readonly path: YamlPath
  readonly value: JsonValue | undefined
  private readonly notes: Notes
  /** It stands there, in a file or by default. */
  private readonly stands: boolean

  constructor(notes: Notes, path: YamlPath, value: JsonValue | undefined, stands = true) {
    this.notes = notes
    this.path = path
    this.value = value
    this.stands = stands
  }

  get(name: string): ValuesField {
    return new ValuesField(this.notes, [...this.path, name], member(this.value, name))
  }

  /** Another value in place of what stands here. */
  as(value: JsonValue): ValuesField {
    return new ValuesField(this.notes, this.path, value, false)
  }

  has(name: string): boolean {
    return member(this.value, name) !== undefined
  }

  get isTruthy(): boolean {
    return isTruthy(this.value)
  }

  /** This, or what counts where there is nothing (Sprig's `default`, `coalesce`): another field, or a text. */
  or(other: ValuesField | JsonValue): ValuesField {
    if (this.isTruthy) return this
    return other instanceof ValuesField ? other : this.as(other)
  }

  get text(): string {
    return templateText(this.value)
  }

  /** Within a text that a template writes: as `text`, and what is lost is told. */
  get told(): string {
    const { value } = this
    if (this.isTruthy || value === false) this.sayIfLost(this.text)
    return this.text
  }

  /** As it is: no template looks at it. */
  get data(): JsonValue {
    return this.value ?? null
  }

  /** Without quotes: YAML reads it once more. `around` is what the template writes around it. */
  raw(around: (text: string) => string = (text) => text): JsonValue {
    const text = around(this.text)
    const read = readPlainScalar(text)
    if (!read.ok) {
      const shown = shownValue(isString(this.value) ? this.value : text)
      this.refuse(`: ${shown} is not a plain value; the chart's output would not parse`)
      return null
    }
    // With more around it, it stays a text.
    if (text === this.text) this.sayIfLost(read.value)
    return read.value
  }

  /** In quotes; nothing where there is no value. */
  quoted(): string | null {
    if (this.value === null || this.value === undefined) return null
    this.sayIfLost(this.text)
    return this.text
  }

  /** In quotes, and `""` for all that is not truthy. */
  orEmpty(): string {
    const text = this.isTruthy ? this.text : ''
    if (this.value !== null && this.value !== undefined) this.sayIfLost(text)
    return text
  }

  /** As `%s` has it. */
  percentS(): string {
    const text = goText(this.value)
    if (!isString(this.value))
      this.warn(`: ${shownValue(this.value)} is not a text, and is written as ${text}`, {
        todo: 'quote it',
        trap: 'G7',
      })
    return text
  }

  /** What is written in the file, or in the text, is not what comes out. */
  private sayIfLost(result: JsonValue): void {
    const { value } = this
    if (isString(value)) {
      if (isString(result) || value.trim() === '') return
      this.warn(
        `: ${shownValue(value)} becomes ${shownValue(result)}, since the chart writes it without quotes`,
        { todo: 'use what reads as text', trap: 'G7' },
      )
    } else if (this.stands && (typeof value === 'number' || typeof value === 'boolean')) {
      const written = this.notes.layers.written(this.path) ?? templateText(value)
      if (written === templateText(result) || written === String(result)) return
      const remedy = written === templateText(value) ? {} : { todo: 'quote it to keep it' }
      this.warn(`: ${written} becomes ${shownValue(result)}`, { ...remedy, trap: 'G7' })
    }
  }

  /** Members of a map by key; undefined: it is none, which is refused. */
  members(): { readonly key: string; readonly field: ValuesField }[] | undefined {
    const { value } = this
    if (isObject(value))
      return Object.keys(value)
        .sort()
        .map((key) => ({ key, field: this.get(key) }))
    if (value === undefined || value === null) return []
    this.refuse(`: ${shownValue(value)} is not a map`, { todo: 'give it names with values' })
    return undefined
  }

  /** What `range` goes through: items of a list in order, values of a map by key; nothing of what is not truthy. */
  items(): ValuesField[] {
    const { value } = this
    if (isArray(value)) return value.map((item, i) => new ValuesField(this.notes, [...this.path, i], item))
    if (isObject(value) || !this.isTruthy)
      return isObject(value) ? this.members()!.map(({ field }) => field) : []
    this.refuse(`: ${shownValue(value)} is not a list`, { todo: 'write one' })
    return []
  }

  /** Labels and annotations: each in quotes. */
  texts(): JsonObject {
    const out: { [key: string]: JsonValue } = {}
    for (const { key, field } of this.members() ?? []) setMember(out, key, field.orEmpty())
    return out
  }

  /** A text that is no `true` disables all the same. */
  get isDisabled(): boolean {
    const disabled = this.get('disabled')
    if (!isString(disabled.value) || disabled.value === '') return disabled.isTruthy
    const read = readPlainScalar(disabled.value)
    if (!(read.ok && read.value === true))
      disabled.warn(`: the text ${shownValue(disabled.value)} disables, since it is not empty`, {
        todo: 'use a boolean',
        trap: 'G8',
      })
    return true
  }

  /** A map, or refused. */
  isMap(expected = 'a map'): boolean {
    if (isObject(this.value)) return true
    this.refuse(`: ${shownValue(this.value)} is not expected`, { todo: `write ${expected}` })
    return false
  }

  /** `what` begins with `: ` or a blank. */
  refuse(what: string, more: TrapDetails = {}): void {
    this.notes.refuse('template', { path: this.path, what, ...more })
  }

  warn(what: string, more: TrapDetails = {}): void {
    this.notes.warn(this.path, what, more)
  }
}
