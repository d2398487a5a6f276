import type { YamlPath } from '@lockstep/kube/object'
import type { FilePosition } from './fileposition.ts'
import type { Trap } from './trap.ts'

/** Where rendering stops: files that cannot be read, values that no schema would take, templates that would fail. */
export type RenderStage = 'read' | 'values' | 'template'

export interface Problem {
  readonly stage: RenderStage
  /** Of the schema: where what is wrong stands, for a key that is unknown or missing the map around it. */
  readonly at: YamlPath
  /** One line: file, path, what is wrong, what to do. */
  readonly text: string
  /** Of a file that cannot be read: where that was noticed. */
  readonly place?: FilePosition
}

/** Something that is said of a value. */
export interface ValuesNote {
  /** Where what it is about stands, or would stand. */
  readonly path: YamlPath
  /** Begins with `: ` or a blank. */
  readonly what: string
  readonly todo?: string
  readonly trap?: Trap
}
