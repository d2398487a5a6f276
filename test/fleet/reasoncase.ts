/** A reason of the table on a simulated fleet: a user causes it and removes the cause, and nothing else ends it. */
import { describe, expect, it } from 'vitest'
import type { Story } from './steps.ts'

export interface ReasonCase<S extends Story = Story> {
  /** All of the fleet but `edge`. */
  readonly others?: readonly string[]
  readonly cause: (story: S) => Promise<unknown>
  /** `Reason: message` of the place that stores it. */
  readonly stored: (story: S) => readonly string[]
  readonly says: RegExp
  /** Seconds until it is stored. */
  readonly within?: number
  readonly mend: (story: S) => Promise<unknown>
  /** Module `m` is ready, unless the row says otherwise. */
  readonly isOver?: (story: S) => boolean
  /** Seconds until it has ended. */
  readonly ends?: number
}

/** One test a row, and one with a restart of the controllers while the reason is stored. */
export function reasonCases<S extends Story = Story>(
  rows: Readonly<Record<string, ReasonCase<S>>>,
  begin: (name: string, clusters: readonly string[]) => Promise<S>,
): void {
  describe.each(['ends with its cause', 'ends with its cause after a restart'])('%s', (promise) => {
    it.each(Object.entries(rows))('%s', async (name, row) => {
      const story = await begin(`${promise} ${name}`, ['edge', ...(row.others ?? [])])
      await row.cause(story)
      const isStored = (): boolean => row.stored(story).some((text) => row.says.test(text))
      expect(await story.until(isStored, row.within ?? 60), row.stored(story).join('\n')).toBe(true)
      if (promise.endsWith('restart')) story.restart()
      await story.pass(30)
      expect(row.stored(story).find((text) => row.says.test(text))).toBeDefined()
      await row.mend(story)
      const { isOver = () => story.isReady('m') } = row
      const isEnded = await story.until(() => !isStored() && isOver(story), row.ends ?? 15)
      expect(isEnded, [...row.stored(story), ...story.blockers('m')].join('\n')).toBe(true)
      expect(story.fleet.oracles.violations).toEqual([])
    })
  })
}
