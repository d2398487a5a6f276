import { expect, it } from 'vitest'
import { targeted } from '../../../../../test/arbitrary/arbitrarystatus.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { selectsCluster } from './clusterselection.ts'

it('a module goes to a cluster or not, whatever its targets', () => {
  decidesAlike(targeted, ({ targets, cluster }) => selectsCluster(targets, cluster), {
    'to the hub exactly if it names it, and then nowhere else': ({ targets, cluster }, selects) => {
      if (cluster.kind === 'Hub') expect(selects).toBe(targets.hub === true)
      else if (targets.hub === true) expect(selects).toBe(false)
    },
    'to others by label or name, less what is excluded': ({ targets, cluster }, selects) => {
      if (cluster.kind === 'Hub' || targets.hub === true) return
      const { exclude, inventories, properties, ...wanted } = targets
      const isWanted = selectsCluster(wanted, cluster)
      const isExcluded =
        exclude !== undefined && (exclude.matchLabels === undefined || cluster.labels.env === 'dev')
      const isLeft = selectsCluster({ clusterSelector: {}, inventories, properties }, cluster)
      expect(selects).toBe(isWanted && !isExcluded && isLeft)
      if (targets.clusters?.includes(cluster.name)) expect(isWanted).toBe(true)
      else if (!targets.clusterSelector) expect(isWanted).toBe(false)
    },
    'never beyond the inventories and properties that it names': ({ targets, cluster }, selects) => {
      if (!selects || cluster.kind === 'Hub') return
      expect(targets.inventories ?? [cluster.kind]).toContain(cluster.kind)
      for (const p of targets.properties ?? [])
        expect(cluster.properties.region).toBe(p.operator === 'In' ? 'eu' : undefined)
    },
  })
})
