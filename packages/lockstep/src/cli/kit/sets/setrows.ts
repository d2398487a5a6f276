/** ClusterResourceSets as a table: whose they are, how they are delivered, how far that is. Pure. */
import type { Stored } from '@lockstep/kube/object'
import { type ClusterResourceSet, SET } from '../../../api/kinds/index.ts'
import {
  type AddonsVersion,
  bindingEntryOf,
  bindingResourceOf,
  conditionIn,
  MANAGED,
  settingsOf,
} from '../../../decisions/resourceset/index.ts'
import { ageText } from '../terminal/index.ts'
import { bindingOf, type SetClusters, selectedBy } from './setclusters.ts'

export interface SetsView {
  readonly version: string
  /** Undefined: who asks may not read Clusters or bindings. */
  readonly around: SetClusters | undefined
  readonly showNamespace: boolean
  readonly nowMs: number
}

const HEAD = ['NAME', 'MODE', 'MANAGED', 'APPLIED', 'STATUS', 'AGE']

export function setRows(sets: readonly Stored<ClusterResourceSet>[], view: SetsView): string[][] {
  const space = (text: string): string[] => (view.showNamespace ? [text] : [])
  const rows = sets.map((s) => [...space(s.metadata.namespace ?? ''), ...cellsOf(s, view)])
  return [[...space('NAMESPACE'), ...HEAD], ...rows]
}

function cellsOf(set: Stored<ClusterResourceSet>, view: SetsView): string[] {
  const { name, creationTimestamp } = set.metadata
  const said = (type: string) => conditionIn(view.version as AddonsVersion, set.status, type)
  // What Cluster API says of all sources is what the last cluster left there.
  const summary = said('Ready') ?? said('ResourcesApplied')
  return [
    ...[name, modeText(set), managedText(set, said), appliedText(set, view)],
    ...[summary?.message || summary?.reason || '', ageText(creationTimestamp, view.nowMs)],
  ]
}

/** A bad value is shown as it is written: nothing is taken in its place. */
const modeText = (set: ClusterResourceSet): string =>
  settingsOf(set).settings?.mode ?? set.metadata.annotations?.[SET.mode] ?? set.spec.strategy ?? ''

/**
 * Empty: nobody has asked for it. Before somebody has looked, only that it is asked for is known. On a hub with our own
 * definition nobody had it before; only we say `Ready`.
 */
function managedText(set: ClusterResourceSet, said: (type: string) => ShownCondition): string {
  const managed = said(MANAGED)
  if (managed) return managed.status === 'True' ? 'True' : managed.reason
  const asked = set.metadata.annotations?.[SET.managed]
  if (asked !== 'false' && said('Ready')) return 'True'
  return asked === 'true' ? 'Asked' : ''
}

type ShownCondition = ReturnType<typeof conditionIn>

/** Clusters on which all sources are, by their bindings, of those that are selected. */
function appliedText(set: Stored<ClusterResourceSet>, { around }: SetsView): string {
  if (!around) return '?'
  const clusters = selectedBy(set, around)
  const applied = clusters.filter((v) => {
    const entry = bindingEntryOf(bindingOf(around, v), set.metadata.name)
    return entry && (set.spec.resources ?? []).every((ref) => bindingResourceOf(entry, ref)?.applied)
  })
  return `${applied.length}/${clusters.length}`
}
