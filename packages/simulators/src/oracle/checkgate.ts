/** I1: an admission's evidence, looked up in true history, shows every edge open by reads not older than its base. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { anything, compile, freshBudget, fromJson } from '@lockstep/cel/program'
import { healthOf } from '@lockstep/health/health'
import { at, digestOf, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { checkReverseOrder, isBack, isBefore } from './checkreverseorder.ts'
import {
  HUB,
  INVENTORIES,
  identity,
  keyOfMeta,
  list,
  modulesOf,
  REVISIONS,
  type RecordedVersion,
  text,
  wantedRelease,
  wantedRevision,
} from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkGate(o: OracleContext, c: CommitRecord): void {
  if (c.cluster !== HUB || c.resource !== INVENTORIES || !c.next || !c.old) return
  const admitted = (c.next as { spec?: { admitted?: JsonValue } }).spec?.admitted
  const before = (c.old as { spec?: { admitted?: JsonValue } }).spec?.admitted
  if (admitted === undefined || jsonEqual(admitted, before)) return
  if (isRebound(admitted, before)) return
  checkReverseOrder(o, c)
  const namespace = c.next.metadata.namespace ?? ''
  const edges = edgesOf(o, namespace, c.next)
  if (!edges) return void o.broken('I1', `${c.key} admits a revision that was never published`)
  const base = versionAt(o, c.key, c.old.metadata.resourceVersion ?? '')
  const digests: [string, string][] = []
  for (const edge of edges) {
    o.tested('I1')
    const from = base?.from ?? 0
    const isObject = text(edge, 'object', 'name') !== ''
    digests.push([text(edge, 'id'), isObject ? checkObject(o, c, edge, from) : checkModule(o, c, edge, from)])
  }
  const attempt = attemptOf(o, namespace, c.next)
  const expected = digestOf('gate/1', [
    text(admitted, 'revision'),
    attempt,
    digests.sort((a, b) => (a[0] < b[0] ? -1 : 1)),
  ])
  if (expected !== text(admitted, 'gateDigest'))
    o.broken('I1', `${c.key}: its gate digest is not made of what its evidence names`)
}

/** The same revision on the same grounds, bound to other values: it relies on what it relied on. */
const isRebound = (admitted: JsonValue, before: JsonValue | undefined): boolean =>
  ['revision', 'gateDigest', 'evidence'].every((x) => jsonEqual(at(admitted, x), at(before, x))) &&
  text(admitted, 'values') !== text(before, 'values')

/** Edges of the revision that a unit is admitted to; undefined: it was never published. */
export function edgesOf(
  o: OracleContext,
  namespace: string,
  inventory: KubeObject,
): readonly JsonValue[] | undefined {
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  for (const r of o.history.all(HUB, REVISIONS)) {
    if (r.metadata.namespace === namespace && text(r, 'data', 'revision') === revision)
      return list(r, 'data', 'spec', 'dependsOn')
  }
  return undefined
}

function attemptOf(o: OracleContext, namespace: string, inventory: KubeObject): number {
  const kind = text(inventory, 'spec', 'moduleRef', 'kind')
  const module = o.history.get(
    HUB,
    modulesOf(kind),
    `${namespace}/${text(inventory, 'spec', 'moduleRef', 'name')}`,
  )
  return Number((module as { spec?: { attempt?: number } } | undefined)?.spec?.attempt ?? 0)
}

function versionAt(o: OracleContext, key: string, resourceVersion: string): RecordedVersion | undefined {
  return o.history
    .versionsOf(HUB, INVENTORIES, key)
    .find((v) => v.object.metadata.resourceVersion === resourceVersion)
}

/** Checks an edge to an object; returns what stands for it in the gate digest. */
function checkObject(o: OracleContext, c: CommitRecord, edge: JsonValue, baseFrom: number): string {
  const expr = text(edge, 'readyExpr')
  const fail = (why: string): void => o.broken('I1', `${c.key}: dependency ${text(edge, 'id')}: ${why}`)
  const evidence = evidenceOf(c, edge)
  if (evidence === undefined) {
    if (!isOptional(edge)) fail('admission without evidence')
    return expr
  }
  const cluster = text(c.next, 'spec', 'clusterRef', 'name')
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((f) => text(edge, 'object', f))
  const metadata = { name: name!, namespace: text(edge, 'object', 'namespace') }
  const id = identity({ apiVersion: apiVersion!, kind: kind!, metadata })
  const seen = o.history
    .versionsOfNamed(cluster, id)
    .find((v) => v.object.metadata.resourceVersion === text(evidence, 'resourceVersion'))
  if (!seen || seen.object.metadata.uid !== text(evidence, 'uid'))
    fail('its evidence names a version that never was')
  else if (seen.to <= baseFrom) fail('its evidence was read before the base of the swap')
  else if (!isReady(seen.object, expr)) fail('the object was not ready')
  return expr
}

function isReady(object: KubeObject, expr: string): boolean {
  // Deadlines of objects are not looked at: what counts is what the object says of itself.
  if (expr === '') return healthOf(object, 0).state === 'Healthy'
  const program = compile(expr, { object: anything })
  if (!program.ok) return false
  const value = program.value.evaluate({ object: fromJson(object as unknown as JsonValue) }, freshBudget())
  return value.ok && value.value === true
}

const evidenceOf = (c: CommitRecord, edge: JsonValue): JsonValue | undefined =>
  list(c.next, 'spec', 'admitted', 'evidence').find((e) => text(e, 'edge') === text(edge, 'id'))

export const isOptional = (edge: JsonValue): boolean => (edge as { optional?: boolean }).optional === true

/** Where the unit is that an edge means: as it says, or on the hub for a module of the hub, or beside the dependant. */
function placeOf(o: OracleContext, c: CommitRecord, edge: JsonValue): string {
  const said = text(edge, 'module', 'clusterRef', 'name')
  if (said !== '') return said
  const key = `${c.next!.metadata.namespace}/${text(edge, 'module', 'name')}`
  const module = o.history.get(HUB, modulesOf(text(edge, 'module', 'kind')), key)
  const isHub = (module as { spec?: { targets?: { hub?: boolean } } } | undefined)?.spec?.targets?.hub
  return isHub === true ? HUB : text(c.next, 'spec', 'clusterRef', 'name')
}

/** Checks an edge to a module; returns what stands for it in the gate digest. */
function checkModule(o: OracleContext, c: CommitRecord, edge: JsonValue, baseFrom: number): string {
  const id = text(edge, 'id')
  const namespace = c.next!.metadata.namespace ?? ''
  const cluster = placeOf(o, c, edge)
  const isAny = text(edge, 'release') === 'Any'
  const evidence = evidenceOf(c, edge)
  const fail = (why: string): void => o.broken('I1', `${c.key}: dependency ${id}: ${why}`)
  if (evidence === undefined) {
    if (!isOptional(edge)) fail('admission without evidence')
    return isAny ? 'any' : 'absent'
  }
  const seen = dependencyVersion(o, namespace, cluster, evidence)
  if (!seen) fail('its evidence names a version that never was')
  else {
    if (seen.to <= baseFrom) fail('its evidence was read before the base of the swap')
    const { object } = seen
    if (goesBackBefore(o, c, object, baseFrom)) return isAny ? 'any' : text(evidence, 'gateDigest')
    for (const why of lackOf(object, edge, text(evidence, 'gateDigest'))) fail(why)
    const theirs = text(object, 'spec', 'admitted', 'release')
    const ours = text(c.next, 'spec', 'admitted', 'release')
    if (!isAny && theirs !== '' && ours !== '' && theirs !== ours)
      fail(`acts at release ${ours} while the dependency is at ${theirs}`)
    const isApart = text(c.next, 'spec', 'admitted', 'apart') !== ''
    if (!isApart && !wasPublished(o, namespace, object, baseFrom))
      fail('the dependency had published another revision')
  }
  return isAny ? 'any' : text(evidence, 'gateDigest')
}

/** What keeps a dependency from being what an edge asks for: all of it in health, or the waves before one. */
function lackOf(inventory: KubeObject, edge: JsonValue, digest: string): string[] {
  const status = at(inventory, 'status')
  const isOfIt = at(status, 'admittedSerial') === at(inventory, 'spec', 'admitted', 'serial')
  const isHealthy = isOfIt && text(status, 'health') === 'Healthy'
  const wave = at(edge, 'beforeWave')
  if (wave === undefined)
    return [
      ...(isHealthy ? [] : ['the dependency was not healthy at its admission']),
      ...(text(status, 'verifiedGateDigest') === digest
        ? []
        : ['the dependency was not verified at that gate digest']),
    ]
  const isDone = isOfIt && Number(at(status, 'doneBeforeWave') ?? Number.NaN) >= Number(wave)
  return [
    ...(isHealthy || isDone ? [] : [`the dependency was not done with its waves before ${wave}`]),
    ...(text(inventory, 'spec', 'admitted', 'gateDigest') === digest
      ? []
      : ['the dependency had no admission with that gate digest']),
  ]
}

/**
 * Both go back, and the dependant goes first: what it was read beside is what the dependency has admitted, at the later
 * release, while the earlier one was published.
 */
function goesBackBefore(o: OracleContext, c: CommitRecord, dependency: KubeObject, from: number): boolean {
  const ours = text(c.next, 'spec', 'admitted', 'release')
  const theirs = text(dependency, 'spec', 'admitted', 'release')
  return isBack(o, c) && isBefore(o, dependency, ours, theirs) && wasReleased(o, dependency, ours, from)
}

/** At some instant between the base and now the module of a unit had published this release. */
function wasReleased(o: OracleContext, unit: KubeObject, release: string, from: number): boolean {
  const namespace = unit.metadata.namespace ?? ''
  const key = `${namespace}/${text(unit, 'spec', 'moduleRef', 'name')}`
  const versions = o.history.versionsOf(HUB, modulesOf(text(unit, 'spec', 'moduleRef', 'kind')), key)
  return versions.some((v) => v.to > from && wantedRelease(v.object) === release)
}

function dependencyVersion(
  o: OracleContext,
  namespace: string,
  cluster: string,
  evidence: JsonValue,
): RecordedVersion | undefined {
  for (const inventory of o.history.all(HUB, INVENTORIES)) {
    if (inventory.metadata.uid !== text(evidence, 'uid') || inventory.metadata.namespace !== namespace)
      continue
    if (text(inventory, 'spec', 'clusterRef', 'name') !== cluster) return undefined
    const all = o.history.versionsOf(HUB, INVENTORIES, keyOfMeta(inventory))
    return all.find((v) => v.object.metadata.resourceVersion === text(evidence, 'resourceVersion'))
  }
  return undefined
}

/** At some instant between the base and now, what the dependency had admitted was what its module published. */
function wasPublished(o: OracleContext, namespace: string, inventory: KubeObject, from: number): boolean {
  const kind = text(inventory, 'spec', 'moduleRef', 'kind')
  const key = `${namespace}/${text(inventory, 'spec', 'moduleRef', 'name')}`
  const revision = text(inventory, 'spec', 'admitted', 'revision')
  return o.history
    .versionsOf(HUB, modulesOf(kind), key)
    .some((v) => v.to > from && wantedRevision(v.object) === revision)
}
