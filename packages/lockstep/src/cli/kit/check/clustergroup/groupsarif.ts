/** What `lockstep check clustergroup` found as SARIF. */
import { clusterGroupRuleIds, clusterGroupRules } from '../../../../tools/clustergroupcheck/index.ts'
import { sarifOf } from '../sarif.ts'
import type { GroupCheckResult } from './groupcheckreport.ts'

export const groupSarif = ({ findings, unreadable }: GroupCheckResult, version: string): object =>
  sarifOf(
    {
      rules: clusterGroupRuleIds.map((id) => ({ id, ...clusterGroupRules[id] })),
      results: findings.map(({ rule, level, place, path, message, fix }) => ({
        rule,
        level,
        place,
        related: [],
        text: `${path}: ${message}\nFix: ${fix}`,
      })),
      unreadable: unreadable.map(({ place, problem }) => ({ ...place, text: problem })),
      notLookedAt: [],
    },
    version,
  )
