/** The end of the demo: what it took, and whether every invariant held. */

import type { OracleVerdict } from '@lockstep/simulators/oracle'
import { z } from 'zod'
import { defineReport } from '../../kit/output/index.ts'
import { plural, type Terminal, textTable } from '../../kit/terminal/index.ts'

export interface DemoCost {
  readonly hubWrites: number
  readonly clusterWrites: number
  readonly requests: number
  readonly changed: number
}

const count = z.int().min(0)

export const invariantReport = z.array(
  z.strictObject({ id: z.string(), name: z.string(), tested: count, violations: z.array(z.string()) }),
)

/** The verdict for programs: what `drawDemoVerdict` draws. */
export const demoReport = defineReport('Demo', {
  seed: z.string(),
  hubWrites: count,
  clusterWrites: count,
  requests: count,
  changed: count,
  invariants: invariantReport,
})

export const verdictFacts = ({ id, name, tested, violations }: OracleVerdict) => ({
  id,
  name,
  tested,
  violations: violations.map((v) => v.message),
})

const MOST_VIOLATIONS = 5

export function drawDemoVerdict(t: Terminal, cost: DemoCost, verdicts: readonly OracleVerdict[]): string[] {
  const ratio = cost.changed === 0 ? '–' : (cost.requests / cost.changed).toFixed(2)
  const head = [
    `Writes: ${cost.clusterWrites} on the clusters, ${cost.hubWrites} on the hub.`,
    `${plural(cost.changed, 'object')} changed, ${ratio} requests for each.`,
    '',
    'Invariants checked on every write:',
  ]
  return [...head, ...resultRows(t, verdicts)]
}

/** A line an invariant, then the first that broke it. */
export function resultRows(t: Terminal, verdicts: readonly OracleVerdict[]): string[] {
  const rows = verdicts.map((v) => [v.id, v.name, countText(v), resultText(t, v)])
  const broken = verdicts.flatMap((v) => v.violations.map((x) => `  ${v.id}: ${x.message}`))
  const more = broken.length > MOST_VIOLATIONS ? [`  … and ${broken.length - MOST_VIOLATIONS} more`] : []
  return [
    ...textTable(rows, { indent: 2, gap: 2, width: t.look.width }),
    ...broken.slice(0, MOST_VIOLATIONS),
    ...more,
  ]
}

const countText = (v: OracleVerdict): string => (v.tested === 0 ? '' : plural(v.tested, 'time'))

/** What was never put to the test has not passed. */
function resultText(t: Terminal, v: OracleVerdict): string {
  if (v.violations.length > 0) return t.paint('red', `✗ broken, ${plural(v.violations.length, 'time')}`)
  return v.tested === 0 ? t.paint('yellow', 'not exercised') : t.paint('green', '✔')
}
