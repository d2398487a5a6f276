/** Which Pipelines of weaveworks are served, and whether their own controller is still at work. */
import type { Lease } from '@lockstep/kube/kinds'
import { type KubeObject, parseApiVersion, parseTimestampMs } from '@lockstep/kube/object'
import { SET } from '../../api/kinds/index.ts'
import { weavePipelineKind } from './weavepipelinekind.ts'

/** client-go: `LeaseDuration`. */
const DEFAULT_SECONDS = 15

/** The one that somebody keeps; undefined: nobody does any more. */
export const previousLease = (leases: readonly Lease[], nowMs: number): Lease | undefined =>
  leases.find(({ spec }) => {
    const renewedMs = parseTimestampMs(spec?.renewTime ?? '')
    const lastsMs = (spec?.leaseDurationSeconds ?? DEFAULT_SECONDS) * 1000
    return (spec?.holderIdentity ?? '') !== '' && renewedMs !== undefined && renewedMs + lastsMs > nowMs
  })

/** Who keeps it, as `namespace/name of holder`. */
export function previousController(leases: readonly Lease[], nowMs: number): string | undefined {
  const live = previousLease(leases, nowMs)
  return live && `Lease ${live.metadata.namespace}/${live.metadata.name} of ${live.spec?.holderIdentity}`
}

/** With `--managed-all` those that do not say otherwise. */
export function isServed({ metadata }: KubeObject, managesAll: boolean): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const said = metadata.annotations?.[SET.managed]
  return said === 'true' || (managesAll && said !== 'false')
}

/** The Pipeline of ours was made for one of theirs: its uid. */
export function weaveOwner({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(
    (o) =>
      o.kind === weavePipelineKind.kind && parseApiVersion(o.apiVersion).group === weavePipelineKind.group,
  )?.uid
}
