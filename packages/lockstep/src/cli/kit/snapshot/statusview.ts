import type { Report } from '../output/index.ts'

/** What a view says: lines for people, facts for programs, and whether something failed. */
export interface StatusView {
  readonly lines: readonly string[]
  readonly facts: Report
  readonly names: readonly string[]
  readonly hasFailed: boolean
}
