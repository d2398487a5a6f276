/** What there is to say about values, each once: what is refused, and what people should know. */
import { type JsonValue, valuePathText, type YamlPath } from '@lockstep/kube/object'
import type { Layers } from './layers.ts'
import type { Problem, RenderStage, ValuesNote } from './problem.ts'
import type { TrapDetails } from './trap.ts'

const SHOWN = 60
/** Of a path: keys may be of any length. */
const LONGEST = 300
/** So many problems are told at once. */
const MOST = 500

/** A value in a message. */
export function shownValue(v: JsonValue | undefined): string {
  const text = JSON.stringify(v) ?? 'nothing'
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text
}

export class Notes {
  readonly layers: Layers
  private readonly found = new Map<string, Problem & ValuesNote>()
  private readonly said = new Map<string, ValuesNote>()

  constructor(layers: Layers) {
    this.layers = layers
  }

  get problems(): (Problem & ValuesNote)[] {
    return [...this.found.values()]
  }

  /** One line each: file, path, what people should know. */
  get warnings(): string[] {
    return [...this.said.keys()]
  }

  /** The same in parts. */
  get warned(): ValuesNote[] {
    return [...this.said.values()]
  }

  /** Nobody reads more. */
  get isFull(): boolean {
    return this.found.size >= MOST
  }

  /** `at`: where the schema says it, if that is elsewhere. */
  refuse(stage: RenderStage, note: ValuesNote, at: YamlPath = note.path): void {
    if (this.isFull) return
    const text = this.line(note)
    if (!this.found.has(text)) this.found.set(text, { ...note, stage, at, text })
  }

  warn(path: YamlPath, what: string, more: TrapDetails = {}): void {
    const note = { path, what, ...more }
    const text = this.line(note)
    if (!this.said.has(text)) this.said.set(text, note)
  }

  private line({ path, what, todo }: ValuesNote): string {
    const file = this.layers.of(path)?.file
    const field = valuePathText(path)
    const shown = field.length > LONGEST ? `${field.slice(0, LONGEST - 1)}…` : field
    return `${file === undefined ? '' : `${file}: `}${shown}${what}${todo === undefined ? '' : `; ${todo}`}`
  }
}
