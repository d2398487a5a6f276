import { jsonEqual } from '../../../../kube/src/object/index.ts'
import type { Cluster } from '../../server/embeddedcluster.ts'
import { asObject } from '../../resources/objectdraft.ts'
import type { Kind } from '../../resources/servedkind.ts'
import type { WriteOptions } from '../../write/writeoptions.ts'
import { replace } from '../../write/updateobject.ts'
import { LOOPBACK } from '../user.ts'
import { aggregated, selectorsOf } from './aggregateroles.ts'

const OPTIONS: WriteOptions = {
  manager: 'clusterrole-aggregation-controller',
  user: LOOPBACK,
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
}

/** Keeps the rules of ClusterRoles that gather others. */
export class Aggregation {
  private readonly cluster: Cluster
  private readonly roles: Kind
  private scheduled = false

  constructor(cluster: Cluster, roles: Kind) {
    this.cluster = cluster
    this.roles = roles
    cluster.store.observe((table) => {
      if (table === roles.table) this.schedule()
    })
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    const { clock } = this.cluster.env
    clock.at(clock.steady(), () => {
      this.scheduled = false
      this.gather()
    })
  }

  /** A role that was changed may be gathered by the next one: its own write leads here again. */
  private gather(): void {
    const { live } = this.roles.table
    const all = [...live.keys('', '')].map((key) => live.get(key)!.object)
    for (const role of all) {
      if (selectorsOf(role).length === 0) continue
      const stored = live.get(role.metadata.name ?? '')!
      const next = asObject({ ...role, rules: aggregated(role, all) } as never)
      if (!jsonEqual(next.rules, role.rules))
        replace(this.cluster, this.roles, stored, { next, verb: 'update' }, OPTIONS)
    }
  }
}
