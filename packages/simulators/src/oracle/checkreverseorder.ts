/** Going back to an earlier release (I8): who relies on the later one goes first, if it has been there before. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import {
  HUB,
  INVENTORIES,
  keyOfMeta,
  list,
  modulesOf,
  REVISIONS,
  text,
  wantedRelease,
  wantedRevision,
} from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

/** When a release was published for the first time in a namespace; nothing: never. */
function publishedAt(o: OracleContext, namespace: string | undefined, release: string): string | undefined {
  const times = [...o.history.all(HUB, REVISIONS)].flatMap((r) => {
    const isIts = r.metadata.namespace === namespace && text(r, 'data', 'spec', 'release') === release
    return isIts ? [text(r, 'metadata', 'annotations', 'lockstep.dev/published-at')] : []
  })
  return times.sort()[0]
}

const admittedRelease = (inventory: KubeObject | undefined): string =>
  text(inventory, 'spec', 'admitted', 'release')

/** What a unit was ever admitted at, in the order of the first time. */
function releasesOf(o: OracleContext, unit: KubeObject): string[] {
  const versions = o.history.versionsOf(HUB, INVENTORIES, keyOfMeta(unit))
  const its = versions.filter((v) => v.object.metadata.uid === unit.metadata.uid)
  return [...new Set(its.map((v) => admittedRelease(v.object)).filter((r) => r !== ''))]
}

/** Whether a unit was at the one release before the other, and so was the fleet. */
export function isBefore(o: OracleContext, unit: KubeObject, release: string, than: string): boolean {
  const all = releasesOf(o, unit)
  const [one, other] = [all.indexOf(release), all.indexOf(than)]
  const { namespace } = unit.metadata
  const [first, second] = [publishedAt(o, namespace, release), publishedAt(o, namespace, than)]
  return one >= 0 && one < other && first !== undefined && second !== undefined && first < second
}

/** An admission takes its unit from a later release to an earlier one. */
export const isBack = (o: OracleContext, c: CommitRecord): boolean =>
  isBefore(o, c.next!, admittedRelease(c.next), admittedRelease(c.old))

/** Called for each admission. */
export function checkReverseOrder(o: OracleContext, c: CommitRecord): void {
  if (!isBack(o, c)) return
  o.tested('I8')
  const target = admittedRelease(c.next)
  for (const other of o.history.all(HUB, INVENTORIES)) {
    const release = admittedRelease(other)
    if (release === '' || (release === target && isDone(other))) continue
    for (const e of list(other, 'spec', 'admitted', 'evidence')) {
      if (text(e, 'uid') !== c.next!.metadata.uid || isAny(o, other, e)) continue
      if (!isBefore(o, c.next!, target, text(e, 'release')) || isNewTo(o, other, c.next!, target)) continue
      const relies = `${other.metadata.name} relies on ${text(e, 'release')}`
      o.broken('I8', `${c.key} rolls back to ${target} while ${relies}`)
    }
  }
}

/** What it is admitted to was delivered, or at least written. */
function isDone(inventory: KubeObject): boolean {
  const { spec, status } = inventory as {
    spec?: { admitted?: { serial?: number } }
    status?: { admittedSerial?: number; objects?: { applied: number; total: number } }
  }
  const { applied, total } = status?.objects ?? { applied: -1, total: 0 }
  return status?.admittedSerial === spec?.admitted?.serial && applied === total
}

/** It wants that release, and it or something between the two has never been there: it comes after, as on the way forward. */
function isNewTo(o: OracleContext, unit: KubeObject, below: KubeObject, target: string): boolean {
  const between = unitsBetween(o, unit, below, [])
  if (wantedRelease(moduleOf(o, unit)) !== target) return false
  return between.some((u) => !isBefore(o, u, target, admittedRelease(u)))
}

/** The unit itself, and all that it needs and that need `below`, as they are published. */
function unitsBetween(
  o: OracleContext,
  unit: KubeObject,
  below: KubeObject,
  way: readonly KubeObject[],
): readonly KubeObject[] {
  if (unit.metadata.uid === below.metadata.uid) return way
  if (way.includes(unit)) return []
  return neededBy(o, unit).flatMap((next) => unitsBetween(o, next, below, [...way, unit]))
}

const moduleOf = (o: OracleContext, unit: KubeObject): KubeObject | undefined =>
  o.history.get(
    HUB,
    modulesOf(text(unit, 'spec', 'moduleRef', 'kind')),
    `${unit.metadata.namespace}/${text(unit, 'spec', 'moduleRef', 'name')}`,
  )

/** Units at the other ends of a unit's edges. */
function neededBy(o: OracleContext, unit: KubeObject): KubeObject[] {
  const current = wantedRevision(moduleOf(o, unit))
  const revision = [...o.history.all(HUB, REVISIONS)].find((r) => text(r, 'data', 'revision') === current)
  const names = list(revision, 'data', 'spec', 'dependsOn').map((e) => [
    text(e, 'module', 'name'),
    text(e, 'module', 'clusterRef', 'name') || text(unit, 'spec', 'clusterRef', 'name'),
  ])
  return [...o.history.all(HUB, INVENTORIES)].filter((u) =>
    names.some(
      ([name, cluster]) =>
        text(u, 'spec', 'moduleRef', 'name') === name && text(u, 'spec', 'clusterRef', 'name') === cluster,
    ),
  )
}

function isAny(o: OracleContext, inventory: KubeObject, evidence: JsonValue): boolean {
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  for (const r of o.history.all(HUB, REVISIONS)) {
    if (text(r, 'data', 'revision') !== revision) continue
    const edge = list(r, 'data', 'spec', 'dependsOn').find((e) => text(e, 'id') === text(evidence, 'edge'))
    return text(edge, 'release') === 'Any'
  }
  return false
}
