/** W1a, W5a, W6a: what a change from one state to another does on its way. */
import { at, type JsonObject, jsonEqual } from '@lockstep/kube/object'
import { positionOf } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { edgesOf } from './checkedges.ts'
import { releaseNameOf, storageOf, targetOf } from './checknames.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  type RelatedPosition,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

export const checkChange: FluxCheckRule = (c) => {
  if (!c.before) return []
  const pairs = pairsOf(c.before, c.set)
  return [
    ...unordered(c, pairs),
    ...unchecked(c, pairs),
    ...renamed(c.before, c.set, pairs),
    ...movedReleases(pairs),
  ]
}

/** Units that are there after the change, as they were before it. */
type Pairs = ReadonlyMap<FluxUnit, FluxUnit>

function pairsOf(before: FluxSet, after: FluxSet): Pairs {
  const key = (u: FluxUnit): string => `${u.kind}/${u.namespace}/${u.name}`
  const old = new Map<string, FluxUnit[]>()
  for (const u of before.units) old.set(key(u), [...(old.get(key(u)) ?? []), u])
  const pairs = new Map<FluxUnit, FluxUnit>()
  for (const u of after.units) {
    const same = old.get(key(u)) ?? []
    const alike = same.map((o) => commonEnd(o.manifest.document.file, u.manifest.document.file))
    const [was] = same.splice(alike.indexOf(Math.max(...alike)), 1)
    if (was) pairs.set(u, was)
  }
  return pairs
}

/** Units of several clusters are told apart by their files; before the change, these may be in another folder. */
function commonEnd(a: string, b: string): number {
  const [as, bs] = [a.split('/').reverse(), b.split('/').reverse()]
  const different = as.findIndex((step, i) => step !== bs[i])
  return different < 0 ? as.length : different
}

const ownSpec = ({ dependsOn: _, ...spec }: JsonObject): JsonObject => spec

/** Its own spec, or what it reads. */
function isChanged(c: CheckedFlux, pairs: Pairs, u: FluxUnit): boolean {
  const was = pairs.get(u)
  if (!was) return true
  if (!jsonEqual(ownSpec(was.spec), ownSpec(u.spec))) return true
  const [now, then] = [
    u.source && c.set.source(u.manifest, u.source),
    was.source && c.before?.source(was.manifest, was.source),
  ]
  return now !== undefined && then !== undefined && !jsonEqual(now.spec, then.spec)
}

function unordered(c: CheckedFlux, pairs: Pairs): FluxFinding[] {
  return edgesOf(c).flatMap(({ unit, edge, to, asked }): FluxFinding[] => {
    const was = pairs.get(to)
    const isHit =
      was !== undefined && !jsonEqual(ownSpec(was.spec), ownSpec(to.spec)) && isChanged(c, pairs, unit)
    if (!isHit || asked?.bound) return []
    const [b, a] = [unitText(unit), unitText(to)]
    return [
      {
        rule: 'W1a',
        level: 'error',
        place: positionOf(unit.manifest, edge.path),
        message: `this change is in ${b} and in the spec of ${a}, on which it depends without naming a release`,
        race: [
          `${shortUnitText(b)} is written first`,
          `${shortUnitText(a)} is still as before: Ready=True, its generation observed`,
          `${shortUnitText(b)} applies the new release`,
          `${shortUnitText(a)} is written`,
        ],
        fix: 'Apply the change of the dependency first and wait until it is ready; or write both with lockstep post-render.',
        related: [relatedTo(to.manifest, ['spec'], `changed: ${a}`, 'key')],
      },
    ]
  })
}

function unchecked(c: CheckedFlux, pairs: Pairs): FluxFinding[] {
  return c.set.units.flatMap((a): FluxFinding[] => {
    const dependants = c.set.dependants(a)
    if (dependants.length === 0 || isChanged(c, pairs, a)) return []
    const changed = a.edges.flatMap((e) => {
      const to = c.set.dependency(a, e)
      return to && isChanged(c, pairs, to) ? [to] : []
    })
    if (changed.length === 0) return []
    const [text, below, above] = [unitText(a), unitText(changed[0]!), unitText(dependants[0]!.unit)]
    return [
      {
        rule: 'W5a',
        level: 'error',
        place: positionOf(a.manifest, ['metadata', 'name']),
        message: `${text} does not change, but ${below} does, on which it depends; ${above} passes on its old result`,
        race: [
          `${shortUnitText(below)} gets the new release`,
          `${shortUnitText(text)} is unchanged: nothing runs, Ready=True stays`,
          `${shortUnitText(above)} sees a ready dependency and applies`,
        ],
        fix: `Change something in the spec of ${text} with each release; lockstep post-render does.`,
        related: changed.map((u) => relatedTo(u.manifest, ['metadata', 'name'], 'changed')),
      },
    ]
  })
}

const PAUSED =
  'Set prune: false on the old one (and no deletionPolicy) in a separate change, wait until Flux has applied it, then rename; delete leftovers manually. lockstep post-render keeps names.'

function renamed(before: FluxSet, after: FluxSet, pairs: Pairs): FluxFinding[] {
  const kept = new Set(pairs.values())
  const gone = before.units.filter((u) => !kept.has(u) && deletes(u))
  return after.units.flatMap((u): FluxFinding[] => {
    if (pairs.has(u)) return []
    const was = gone.find((o) => o.kind === u.kind && jsonEqual(targetOf(o), targetOf(u)))
    if (!was) return []
    const [from, to] = [unitText(was), unitText(u)]
    const isRelease = u.kind === 'HelmRelease'
    const related: RelatedPosition[] = [relatedTo(was.manifest, ['metadata', 'name'], 'as it was')]
    if (!isRelease && at(was.spec, 'prune') !== undefined)
      related.push(relatedTo(was.manifest, ['spec', 'prune'], 'it prunes'))
    return [
      {
        rule: 'W6a',
        level: 'error',
        place: positionOf(u.manifest, ['metadata', 'name']),
        related,
        message: `${from} becomes ${to}, with the same ${isRelease ? 'release' : 'objects'}: the old one deletes ${isRelease ? 'it' : 'them'} when it goes`,
        race: isRelease
          ? [
              `${shortUnitText(to)} takes the release over`,
              `${shortUnitText(from)} is deleted: its finalizer uninstalls the release`,
              `${shortUnitText(to)} installs it again`,
            ]
          : [
              `${shortUnitText(to)} is created, ${shortUnitText(from)} is deleted`,
              `the finalizer of ${shortUnitText(from)} prunes all that still has its label`,
              `${shortUnitText(to)} applies them again: other objects, without their state`,
            ],
        fix: isRelease
          ? 'Suspend the old one in a separate change, then rename: a suspended release is not uninstalled.'
          : PAUSED,
      },
    ]
  })
}

/** Whether a unit that is deleted takes its objects with it. */
function deletes(u: FluxUnit): boolean {
  if (u.spec.suspend === true) return false
  if (u.kind === 'HelmRelease') return true
  const policy = u.spec.deletionPolicy
  if (policy === 'Orphan') return false
  return policy === 'Delete' || policy === 'WaitForTermination' || u.spec.prune === true
}

/** Another release name, namespace or chart name is another release: the old one is uninstalled first. */
function movedReleases(pairs: Pairs): FluxFinding[] {
  return [...pairs].flatMap(([u, was]): FluxFinding[] => {
    if (u.kind !== 'HelmRelease') return []
    const facts = (of: FluxUnit) => ({
      'release name': releaseNameOf(of),
      'storage namespace': storageOf(of),
      'target namespace': String(at(of.spec, 'targetNamespace') ?? of.namespace),
      chart: chartName(of),
    })
    const [old, now] = [facts(was), facts(u)]
    const field = (Object.keys(now) as (keyof typeof now)[]).find((k) => old[k] !== now[k])
    if (field === undefined) return []
    const text = unitText(u)
    return [
      {
        rule: 'W6a',
        level: 'error',
        place: positionOf(u.manifest, ['metadata', 'name']),
        message: `the ${field} of ${text} changes from ${old[field]} to ${now[field]}: Flux uninstalls the release and installs another`,
        race: [
          'Flux sees another release in the spec',
          `it uninstalls ${old['release name']} with all its objects`,
          `it installs ${now['release name']}; data in volumes and addresses is lost`,
        ],
        fix: 'Keep it (spec.releaseName, spec.storageNamespace name the old one), or move the content by hand.',
        related: [relatedTo(was.manifest, ['metadata', 'name'], 'as it was')],
      },
    ]
  })
}

const chartName = (u: FluxUnit): string =>
  String(at(u.spec, 'chart', 'spec', 'chart') ?? '')
    .split('/')
    .at(-1) ?? ''
