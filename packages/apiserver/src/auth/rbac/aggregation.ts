import { jsonEqual } from '@lockstep/kube/object'
import { asObject } from '../../resources/objectdraft.ts'
import type { ServedKind } from '../../resources/servedkind.ts'
import type { EmbeddedCluster } from '../../server/embeddedcluster.ts'
import { updateObject } from '../../write/updateobject.ts'
import type { ServerWriteOptions } from '../../write/writeoptions.ts'
import { LOOPBACK } from '../user.ts'
import { aggregateRoles, selectorsOf } from './aggregateroles.ts'

const OPTIONS: ServerWriteOptions = {
  manager: 'clusterrole-aggregation-controller',
  user: LOOPBACK,
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
}

/** Keeps the rules of ClusterRoles that gather others. */
export class Aggregation {
  private readonly cluster: EmbeddedCluster
  private readonly roles: ServedKind
  private scheduled = false

  constructor(cluster: EmbeddedCluster, roles: ServedKind) {
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
      const next = asObject({ ...role, rules: aggregateRoles(role, all) } as never)
      if (!jsonEqual(next.rules, role.rules))
        updateObject(this.cluster, this.roles, stored, { next, verb: 'update' }, OPTIONS)
    }
  }
}
