/** What a hand-back leaves, and when it is over. Pure. */

import type { Lease } from '@lockstep/kube/kinds'
import { parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { CAPI_PAUSED, type ClusterResourceSet, PAUSED_BY_US, SET } from '../../../api/kinds/index.ts'
import { LABELS_PREFIX } from '../../../api/labels.ts'
import {
  type AddonsVersion,
  conditionIn,
  handBackPatch,
  MANAGED,
  PAUSED,
  settingsOf,
} from '../../../decisions/resourceset/index.ts'

export type HandbackState =
  | { readonly state: 'Refused' | 'NotManaged'; readonly message: string }
  | { readonly state: 'Ours' }

/** Whether there is anything to hand back, and to whom. */
export function handbackStateOf(
  set: Stored<ClusterResourceSet>,
  version: string,
  isOwnDefinition: boolean,
): HandbackState {
  if (isOwnDefinition)
    return {
      state: 'Refused',
      message: `this hub has no Cluster API, and its definition is that of Lockstep; to pause the set: kubectl annotate crs ${set.metadata.name} ${SET.paused}=true`,
    }
  const isAsked = set.metadata.annotations?.[SET.managed] !== undefined
  if (!isAsked && stillOurs(set, version) === undefined)
    return { state: 'NotManaged', message: 'managed by Cluster API' }
  const patch = handBackPatch(set)
  return patch.ok ? { state: 'Ours' } : { state: 'Refused', message: patch.error }
}

/** On objects that Lockstep has written. */
const MARKS = `label ${LABELS_PREFIX}/unit and annotation ${LABELS_PREFIX}/inventory of objects that Lockstep wrote`

/** What the user has written for Lockstep, which means nothing to Cluster API, and what Lockstep has written elsewhere. */
export function leftAfter(set: Stored<ClusterResourceSet>, isStripped: boolean): string[] {
  const { annotations = {} } = set.metadata
  const settings = Object.keys(annotations)
    .filter((a) => a.startsWith(`${LABELS_PREFIX}/`) && a !== SET.managed && a !== SET.paused)
    .sort()
  const isUserPaused = annotations[SET.paused] !== undefined && annotations[SET.paused] !== 'false'
  const mode = settingsOf(set).settings?.mode
  const strategy = set.spec.strategy || 'ApplyOnce'
  return [
    ...(isUserPaused ? [`${CAPI_PAUSED}: a pause by a user, which also stops Cluster API`] : []),
    ...(mode !== undefined && mode !== strategy
      ? [`Cluster API continues with spec.strategy: ${strategy}, not with ${SET.mode}: ${mode}`]
      : []),
    ...(settings.length === 0 ? [] : [`settings without effect on Cluster API: ${settings.join(', ')}`]),
    ...(mode === 'ApplyOnce' || isStripped
      ? []
      : [`on clusters, ${MARKS}, without effect on Cluster API; to remove them, add --strip`]),
  ]
}

/** What of us is still on it; undefined: nothing. The pause goes last, after conditions and Inventories. */
export function stillOurs(
  { metadata, status }: Stored<ClusterResourceSet>,
  version: string,
): string | undefined {
  if (metadata.annotations?.[CAPI_PAUSED] === PAUSED_BY_US) return 'Lockstep still pauses Cluster API'
  return conditionIn(version as AddonsVersion, status, MANAGED)
    ? 'conditions of Lockstep still exist'
    : undefined
}

/** What is lacking until it is Cluster API's: a controller that knows pauses says that there is none. */
export function lacksBack(
  set: Stored<ClusterResourceSet>,
  version: string,
  isUpstreamRunning: boolean,
): string | undefined {
  const ours = stillOurs(set, version)
  if (ours !== undefined || !isUpstreamRunning) return ours
  // Paused by its user it stays.
  if (Object.hasOwn(set.metadata.annotations ?? {}, CAPI_PAUSED)) return undefined
  return conditionIn(version as AddonsVersion, set.status, PAUSED)?.status === 'True'
    ? 'Cluster API has not reported Paused=False'
    : undefined
}

/** Somebody holds it, who has renewed it not long ago. */
export function isHeld({ spec }: Lease, nowMs: number): boolean {
  if ((spec?.holderIdentity ?? '') === '') return false
  const renewedMs = spec?.renewTime === undefined ? undefined : parseTimestampMs(spec.renewTime)
  return renewedMs === undefined || nowMs < renewedMs + 2 * (spec?.leaseDurationSeconds ?? 15) * 1000
}
