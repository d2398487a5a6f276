/** Types of `words.js`, for its test and for scripts. */
export type Surface = 'strings' | 'comments' | 'markdown' | 'descriptions'
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface Rule {
  readonly pattern: string
  readonly use: string
  readonly surfaces: readonly Surface[]
  readonly allow?: readonly { readonly path: string; readonly text: string; readonly reason?: string }[]
}

export interface Hit {
  readonly path: string
  readonly line: number
  readonly hit: string
  readonly rule: string
  readonly surface: string
  readonly use: string
  readonly weight?: number
}

export interface Baseline {
  /** Rules whose counts only fall; any other rule is recorded at the next update. */
  readonly rules: readonly string[]
  readonly files: Counts
}

export interface Difference {
  readonly path: string
  readonly rule: string
  readonly count: number
  readonly allowed: number
}

export interface Scan {
  readonly hits: readonly Hit[]
  readonly allowProblems: readonly string[]
  readonly ruleNames: readonly string[]
}

export interface Summary {
  readonly totals: Readonly<Record<string, number>>
  readonly rules: Counts
}

export function isScanned(path: string): boolean
export function scan(
  files: Iterable<{ readonly path: string; readonly text: string }>,
  table: Readonly<Record<string, Rule>>,
): Scan
export function scanRepository(): Scan
export function countsOf(hits: readonly Hit[]): Counts
export function differences(counts: Counts, baseline: Baseline): readonly Difference[]
export function report(
  hits: readonly Hit[],
  baseline: Baseline,
): { readonly above: readonly string[]; readonly below: readonly string[] }
export function lowered(
  counts: Counts,
  baseline: Baseline,
  ruleNames: readonly string[],
): { readonly raised: readonly Difference[]; readonly baseline?: Baseline }
export function moved(baseline: Baseline, moves: Readonly<Record<string, string>>): Baseline
export function movedPaths(tableText: string, moves: Readonly<Record<string, string>>): string
export function baselineText(baseline: Baseline): string
export function summaryOf(hits: readonly Hit[]): Summary
