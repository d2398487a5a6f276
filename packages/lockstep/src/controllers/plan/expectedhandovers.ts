/** Objects that would change hands between a unit and others of its cluster, by the decisions of the controllers. */

import type { Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ExpectedHandovers } from '../../deliver/ownership/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ServedKinds } from '../../fleet/connection/index.ts'
import { UnitClaims, type UnitClaimsDeps } from '../unit/index.ts'

interface ComparedUnit {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly inventory: Stored<Inventory> | undefined
  /** Recorded uid of its Namespace kube-system. */
  readonly clusterUid: string | undefined
  readonly served: ServedKinds['served']
}

export function expectedHandovers(
  c: UnitClaimsDeps,
  { ref, cluster, inventory, clusterUid, served }: ComparedUnit,
): ExpectedHandovers {
  const scope = { ref, cluster, inventory, session: { served, uid: clusterUid } }
  return {
    takes: async (object, marks) =>
      (await new UnitClaims(c, scope, false).decideLate(object, marks)) === 'Take',
    receiverOf: async (entry, live) => {
      const claims = new UnitClaims(c, scope, false)
      await claims.open([{ entry, live }], [])
      const fate = claims.fateOf({ entry, live })
      return fate?.type === 'HandOver' ? unitName(fate.to) : undefined
    },
  }
}
