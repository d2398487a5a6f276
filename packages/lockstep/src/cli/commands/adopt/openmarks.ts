/** `lockstep adopt --from-markers`: reads each cluster once, and adopts unit by unit. */
import { requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import { refText } from '@lockstep/kube/object'
import { type MarkedObject, markedObjects } from '../../../deliver/ownership/index.ts'
import type { ClusterConnection, ClusterConnections, HubConnection } from '../../kit/hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../../kit/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import type { SelectedUnit } from '../../kit/units/index.ts'
import { type AdoptableUnit, headOf, unreadUnit } from './adoptableunit.ts'
import { markedAdoption } from './adoptplan.ts'
import { adoptMarks, answerOf, type MarksPlace } from './marks.ts'

/** Connections and lists of one run. */
interface OpenedMarks {
  readonly c: CommandContext
  readonly place: Omit<MarksPlace, 'cluster'>
  readonly clusters: ClusterConnections
  /** Objects of a cluster, or why they could not be read. */
  readonly marked: Map<string, Promise<readonly MarkedObject[] | string>>
}

export async function openMarks(
  c: CommandContext,
  hub: HubConnection,
  clusters: ClusterConnections,
  fromHub: string | undefined,
): Promise<Result<OpenedMarks, CliFailure>> {
  const system = await hub.client.get(
    namespaceKind,
    { name: 'kube-system' },
    { purpose: 'user', signal: c.signal },
  )
  if (!system.ok) return requestFailure(system.error, hub.server)
  const hubUid = system.value.metadata.uid
  const place = { env: c.env, hub: hub.client, hubUid, fromHub, signal: c.signal }
  return ok({ c, place, clusters, marked: new Map() })
}

export async function lookAtMarks(o: OpenedMarks, unit: SelectedUnit): Promise<AdoptableUnit> {
  const there = await o.clusters.reach(unit.cluster)
  if (typeof there === 'string') return unreadUnit(unit, there)
  const marked = await markedOn(o, unit.cluster, there)
  if (typeof marked === 'string') return unreadUnit(unit, marked)
  const place = { ...o.place, cluster: there.client }
  const answer = await answerOf(place, unit, marked)
  if (!answer.ok) return unreadUnit(unit, answer.error)
  const found = answer.value
  if (found.type === 'refused') return unreadUnit(unit, found.problem, found.suggestion)
  const planned = (taken: boolean) => ({
    ...headOf(unit),
    objects: found.objects.map((object) => markedAdoption(object, taken)),
  })
  return {
    plan: planned(false),
    takable: found.objects.length,
    isStampOnly: found.objects.length === 0 && found.stamp !== undefined,
    take: async () => {
      const done = await adoptMarks(place, unit, found)
      if (!done.ok) return { ...planned(false), problem: done.error }
      tell(o.c, unit, found.objects)
      return planned(true)
    },
  }
}

/** Listed once for all units of a cluster. */
function markedOn(
  { c, marked, clusters }: OpenedMarks,
  cluster: string,
  { client, served }: ClusterConnection,
): Promise<readonly MarkedObject[] | string> {
  const known = marked.get(cluster)
  if (known) return known
  const { namespaces } = clusters.view(cluster) ?? {}
  const read = markedObjects({ client, served, namespaces, signal: c.signal }, undefined).then((found) =>
    found.ok ? found.value : `cannot list the objects of ${cluster}: ${requestErrorText(found.error)}`,
  )
  marked.set(cluster, read)
  return read
}

function tell(
  { terminal: t }: CommandContext,
  { cluster }: SelectedUnit,
  objects: readonly MarkedObject[],
): void {
  for (const { ref } of objects)
    t.talk(fit(t.look, `${t.paint('green', '✔')} ${cluster}: adopted ${refText(ref)}`))
}
