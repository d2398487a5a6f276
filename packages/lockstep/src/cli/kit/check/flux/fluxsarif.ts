/** What `lockstep check flux` found as SARIF. */
import { type FluxFinding, fluxRuleIds, fluxRuleTable } from '../../../../tools/fluxcheck/index.ts'
import { type SarifResult, sarifOf } from '../sarif.ts'
import { type FluxResult, skippedOf, unreadableOf } from './fluxreport.ts'

export const fluxSarif = (r: FluxResult, version: string): object =>
  sarifOf(
    {
      rules: fluxRuleIds.map((id) => ({ id, ...fluxRuleTable[id] })),
      results: [
        ...r.check.findings.map(resultOf),
        ...r.check.ignored.map((i) => ({ ...resultOf(i.finding), silenced: i.reason })),
      ],
      unreadable: unreadableOf(r).map(({ problem, ...at }) => ({ ...at, text: problem })),
      notLookedAt: skippedOf(r).map(({ message, ...at }) => ({ ...at, text: message })),
    },
    version,
  )

/** The steps of the race are lines of the text: not every reader shows what is beside it. */
const resultOf = ({ rule, level, place, message, race, fix, related }: FluxFinding): SarifResult => ({
  rule,
  level,
  place,
  related,
  text: `${message}\n${race.map((step, i) => `${i + 1}. ${step}`).join('\n')}\nFix: ${fix}`,
})
