import type { Env } from '@lockstep/kube/env'
import { type ClusterResourceSet, resourceSetKinds } from '../../api/kinds/index.ts'
import type { RecordKind } from '../../api/records.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { HubInformers, SetPlans } from '../cache/index.ts'
import type { EventRecorder, FinalizersTarget, StatusWriter } from '../runtime/index.ts'

/** Dependencies of the controllers of ClusterResourceSets. */
export interface SetDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly plans: SetPlans
}

/** The kind of a set as the hub serves it. */
export const setKindOn = ({ hub }: Pick<SetDeps, 'hub'>): RecordKind<ClusterResourceSet> =>
  hub.sets.kind ?? resourceSetKinds[0]!

export const setTarget = ({ hub }: Pick<SetDeps, 'hub'>): FinalizersTarget<ClusterResourceSet> => ({
  own: hub.own,
  kind: setKindOn({ hub }),
  purpose: 'status',
  observeWrite: (o) => hub.sets.observeWrite(o),
})

/** The name of the binding of a cluster that units know as `cluster`: that of its Cluster object. */
export const bindingName = (
  { fleet }: { readonly fleet: Pick<Fleet, 'view'> },
  namespace: string,
  cluster: string,
): string => fleet.view(namespace, cluster)?.objectName ?? cluster
