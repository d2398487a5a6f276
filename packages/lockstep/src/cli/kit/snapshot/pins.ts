/** Clusters that Holds keep at a revision of their own: in no total of a rollout, whatever they are at. */
import { parseTimestampMs, type Stored, short10 } from '@lockstep/kube/object'
import type { Hold, Module } from '../../../api/kinds/index.ts'
import { listText } from '../terminal/index.ts'
import { type FleetSnapshot, inventoryOf } from './snapshot.ts'

interface Pin {
  readonly hold: Stored<Hold>
  readonly clusters: readonly string[]
}

const isOver = ({ spec: { until } }: Hold, nowMs: number): boolean =>
  until !== undefined && (parseTimestampMs(until) ?? 0) <= nowMs

/** By Hold. A pause of the same cluster comes before a pin (specs: rollouts, Holds). */
export function pinsOf(
  { holds, nowMs }: Pick<FleetSnapshot, 'holds' | 'nowMs'>,
  { kind, metadata }: Stored<Module>,
): Pin[] {
  const now = holds.filter(
    (h) => h.spec.targetRef.kind === kind && h.spec.targetRef.name === metadata.name && !isOver(h, nowMs),
  )
  const isPaused = (cluster: string): boolean =>
    now.some((h) => h.spec.action !== 'Pin' && h.spec.clusters?.includes(cluster))
  return now.flatMap((hold) => {
    const { action, clusters = [] } = hold.spec
    const held = action === 'Pin' ? clusters.filter((name) => !isPaused(name)).sort() : []
    return held.length === 0 ? [] : [{ hold, clusters: held }]
  })
}

/** Release of a pin where one of its clusters has it, else the short revision. */
export function pinRelease(
  s: FleetSnapshot,
  m: Stored<Module>,
  { hold: { spec }, clusters }: { readonly hold: Pick<Hold, 'spec'>; readonly clusters: readonly string[] },
): string {
  const releases = clusters.map((name) => {
    const admitted = inventoryOf(s, m.metadata.name, name)?.spec.admitted
    return admitted && short10(admitted.revision) === short10(spec.revision ?? '')
      ? admitted.release
      : undefined
  })
  return releases.find((r) => r !== undefined) ?? short10(spec.revision ?? '')
}

const MOST = 4

/** `Pinned: c2 and c5 at 2026.10 (Hold shop-audit: audit)`. */
export function pinnedLines(s: FleetSnapshot, m: Stored<Module>): string[] {
  return pinsOf(s, m).map(({ hold: { metadata, spec }, clusters }) => {
    const more =
      clusters.length > MOST + 1
        ? [...clusters.slice(0, MOST), `${clusters.length - MOST} more`]
        : [...clusters]
    const at = pinRelease(s, m, { hold: { spec }, clusters })
    return `Pinned: ${listText(more)} at ${at} (Hold ${metadata.name}: ${spec.reason}).`
  })
}
