/** What there is to say about values, each once: what is refused, and what people should know. */
import type { JsonValue, ValuePath } from '../../object/object.ts'
import { fieldText } from '../flux/import/reading.ts'
import type { Layers } from './layers.ts'
import type { Problem, Stage } from './problem.ts'

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
  private readonly found = new Map<string, Problem>()
  private readonly said = new Set<string>()

  constructor(layers: Layers) {
    this.layers = layers
  }

  get problems(): Problem[] {
    return [...this.found.values()]
  }

  get warnings(): string[] {
    return [...this.said]
  }

  /** Nobody reads more. */
  get isFull(): boolean {
    return this.found.size >= MOST
  }

  /** `text` begins with `: ` or a blank. */
  refuse(stage: Stage, path: ValuePath, text: string, at: ValuePath = path): void {
    if (this.isFull) return
    const line = this.line(path, text)
    if (!this.found.has(line)) this.found.set(line, { stage, at, text: line })
  }

  warn(path: ValuePath, text: string): void {
    this.said.add(this.line(path, text))
  }

  private line(path: ValuePath, text: string): string {
    const file = this.layers.of(path)?.file
    const field = fieldText(path)
    const shown = field.length > LONGEST ? `${field.slice(0, LONGEST - 1)}…` : field
    return `${file === undefined ? '' : `${file}: `}${shown}${text}`
  }
}
