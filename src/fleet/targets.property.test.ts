import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { targeted } from '../../test/arbitrary/status.ts'
import { selectsCluster } from './targets.ts'

describe('which clusters a module goes to, whatever its targets', () => {
  it('the hub only by name of it, the others by label or name, less what is excluded', () => {
    decidesAlike(
      targeted,
      ({ targets, cluster }) => selectsCluster(targets, cluster),
      ({ targets, cluster }, selects) => {
        if (cluster.kind === 'Hub') return expect(selects).toBe(targets.hub === true)
        if (targets.hub === true) return expect(selects).toBe(false)
        const { exclude, ...wanted } = targets
        const isWanted = selectsCluster(wanted, cluster)
        const { labels } = cluster
        const isExcluded =
          exclude !== undefined && (exclude.matchLabels === undefined || labels.env === 'dev')
        expect(selects).toBe(isWanted && !isExcluded)
        if (targets.clusters?.includes(cluster.name)) expect(isWanted).toBe(true)
        else if (!targets.clusterSelector) expect(isWanted).toBe(false)
        return undefined
      },
    )
  })
})
