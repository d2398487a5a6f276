/** Digests of what is delivered, made anew with another key, since the one that made them is lost. Pure. */

import { identityOf, refText } from '@lockstep/kube/object'
import type { InventorySpec, InventoryStatus } from '../../api/kinds/index.ts'
import type { UnitDesiredState } from '../plan/desiredstate.ts'
import type { PreviewChange } from '../plan/preview.ts'

/** Of what is applied: what is not as the bundle has it. What is not there yet, or is to be deleted, has nothing to be compared with. */
export function differingObjects(
  changes: readonly PreviewChange[],
  applied: InventorySpec['objects'],
): PreviewChange[] {
  const ids = new Set((applied ?? []).map(identityOf))
  const isSame = (c: PreviewChange): boolean => c.leaves === true || (c.action === 'none' && c.message === '')
  return changes.filter((c) => ids.has(identityOf(c.ref)) && !isSame(c))
}

const MOST_OBJECTS = 10

/** `2 objects: Secret app/a (.data.x by "kubectl"), Secret app/b (deleted)`. Names only: values may be secret. */
export function differingText(changes: readonly PreviewChange[]): string {
  const shown = changes.slice(0, MOST_OBJECTS).map((c) => `${refText(c.ref)} (${whatText(c)})`)
  const more = changes.length > MOST_OBJECTS ? ` and ${changes.length - MOST_OBJECTS} more` : ''
  return `${changes.length} ${changes.length === 1 ? 'object' : 'objects'}: ${shown.join(', ')}${more}`
}

function whatText({ action, message, lost }: PreviewChange): string {
  if (action === 'create') return 'deleted'
  if (message !== '') return message
  return lost.map((f) => `${f.path} by "${f.manager}"`).join(', ') || 'differs'
}

/**
 * With the digests of `desired`, which is what is admitted and, as somebody has made sure, what is there. What is to be
 * deleted is compared with nothing: it has none. A replacement that was announced counts as done for what is there now.
 */
export function rehashedSpec(spec: InventorySpec, desired: UnitDesiredState): InventorySpec {
  const contentOf = (o: Parameters<typeof identityOf>[0]): string => {
    const n = desired.byId.get(identityOf(o))
    return n === undefined ? '' : (desired.objects[n]?.content ?? '')
  }
  const manifestOf = (o: Parameters<typeof identityOf>[0]): { manifest?: string } => {
    const manifest = desired.objects[desired.byId.get(identityOf(o)) ?? -1]?.manifest
    return manifest === undefined ? {} : { manifest }
  }
  const { objects, intents } = spec
  return {
    ...spec,
    ...(objects
      ? {
          objects: objects.map(({ manifest: _, ...o }) => ({
            ...o,
            content: contentOf(o),
            ...manifestOf(o),
          })),
        }
      : {}),
    ...(intents
      ? {
          intents: intents.map((i) =>
            i.replaces ? { ...i, replaces: { ...i.replaces, content: contentOf(i) } } : i,
          ),
        }
      : {}),
  }
}

/** The digest of all contents is that of what is completely delivered: known only if that is what is admitted. */
export function rehashedStatus(
  { contentDigest: _, ...status }: InventoryStatus,
  spec: InventorySpec,
  desired: UnitDesiredState,
): InventoryStatus {
  const isDelivered = status.revision !== undefined && status.revision === spec.admitted?.revision
  return { ...status, ...(isDelivered ? { contentDigest: desired.contentDigest } : {}) }
}
