import type { JsonValue } from '../../packages/kube/src/object/index.ts'

/** One case of a data file, ready to run. */
export interface Case {
  readonly id: string
  /** What of its data is not looked at, and why. */
  readonly aside?: string
  /** What is not as expected, a line each: `path: expected … got …`. Empty means passed. */
  run(): readonly string[] | CaseResult | Promise<readonly string[]>
}

/** One that is there and is not run, and why. */
export interface NotCompared {
  readonly id: string
  readonly aside: string
}

/** For kinds that have messages, too: they are counted, and do not decide. */
export interface CaseResult {
  readonly differences: readonly string[]
  readonly said?: { readonly expected: string; readonly got: string }
}

/** A kind of conformance data: one file and one line in `kinds.ts`. */
export interface ConformanceKind {
  /** Which files of a folder are of this kind; all data files if none is. */
  readonly files: RegExp
  /**
   * Reads one line of a file of this name.
   * @throws BadInput
   */
  parse(line: JsonValue, file: string): Case
}

/** A kind whose cases are folders with files of their own. */
export interface FolderKind {
  /**
   * All cases below a folder.
   * @throws BadInput
   */
  folders(path: string): readonly (Case | NotCompared)[]
}

/** Data that cannot be run. Nothing is skipped, so this ends the run. */
export class BadInput extends Error {}
