/** A ClusterResourceSet with its conditions where every other kind has them. Pure. */
import { type Kind, type Stored, timestamp } from '@lockstep/kube/object'
import { type ClusterResourceSet, SET, setKind } from '../../../api/kinds/index.ts'
import { type AddonsVersion, conditionIn } from '../../../decisions/resourceset/index.ts'

export const isSets = (kind: Kind): boolean => kind.group === setKind.group && kind.kind === setKind.kind

/**
 * As what waits for it reads it: v1beta1 has its own conditions at the top, which are of no generation, and those that are
 * meant below. One that Cluster API reconciles has no `Ready`, and never gets one: whoever waits is told.
 */
export function withReportedConditions(kind: Kind, o: Stored): Stored {
  if (!isSets(kind)) return o
  const { status, metadata } = o as Stored<ClusterResourceSet>
  const version = kind.version as AddonsVersion
  const types = ['Ready', 'Stalled'] as const
  const conditions = types.flatMap((type) => conditionIn(version, status, type) ?? [])
  const isReported =
    conditions.some((x) => x.type === 'Ready') || metadata.annotations?.[SET.managed] === 'true'
  return { ...o, status: { ...status, conditions: isReported ? conditions : [unmanaged(o)] } } as Stored
}

const unmanaged = ({ metadata: { name } }: Stored) => ({
  type: 'Ready',
  status: 'False' as const,
  reason: 'NotManaged',
  lastTransitionTime: timestamp(0),
  message: `no condition Ready: not reconciled, or not managed by Lockstep (lockstep takeover crs ${name})`,
})
