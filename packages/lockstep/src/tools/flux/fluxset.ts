/** Everything of Flux that some texts hold: who is in them, and who means whom. */
import { cycleThrough } from '../../decisions/graph/index.ts'
import {
  type BrokenDocument,
  type FluxFile,
  type FluxManifest,
  type FluxManifests,
  readManifests,
} from './fluxmanifest.ts'
import { type FluxSource, sourceObjectOf } from './fluxsource.ts'
import { type FluxEdge, type FluxUnit, unitOf } from './fluxunit.ts'

export interface FluxSet {
  readonly documents: FluxManifests['documents']
  readonly manifests: readonly FluxManifest[]
  readonly broken: readonly BrokenDocument[]
  readonly units: readonly FluxUnit[]
  readonly sources: readonly FluxSource[]
  /** The unit that an edge means. */
  dependency(of: FluxUnit, edge: FluxEdge): FluxUnit | undefined
  /** Edges to a unit, in order. */
  dependants(of: FluxUnit): readonly FluxDependent[]
  /** The source that a reference means, seen from the manifest that has it. */
  source(from: FluxManifest, ref: Named): FluxSource | undefined
  /** Any object by its kind and name, seen from a manifest. */
  object(from: FluxManifest, ref: Named): FluxManifest | undefined
}

export interface FluxDependent {
  readonly unit: FluxUnit
  readonly edge: FluxEdge
}

interface Named {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** Reads texts. `namespace`: of objects that name none; leave it out where nobody knows. */
export function readFlux(files: readonly FluxFile[], namespace = ''): FluxSet {
  return fluxSet(readManifests(files), namespace)
}

export function fluxSet(read: FluxManifests, namespace: string): FluxSet {
  const units = read.manifests.flatMap((m) => unitOf(m, namespace) ?? [])
  const sources = read.manifests.flatMap((m) => sourceObjectOf(m, namespace) ?? [])
  const unitIndex = new FluxIndex(units)
  const sourceIndex = new FluxIndex(sources)
  const objectIndex = new FluxIndex(
    read.manifests.map((m) => ({ ...m, namespace: m.namespace || namespace, manifest: m })),
  )
  const dependency = (of: FluxUnit, edge: FluxEdge) => unitIndex.find(of.manifest, edge)
  const dependants = new Map<FluxUnit, FluxDependent[]>()
  for (const unit of units)
    for (const edge of unit.edges) {
      const to = dependency(unit, edge)
      if (!to) continue
      const there = dependants.get(to)
      if (there) there.push({ unit, edge })
      else dependants.set(to, [{ unit, edge }])
    }
  return {
    ...read,
    units,
    sources,
    dependency,
    dependants: (of) => dependants.get(of) ?? [],
    source: (from, ref) => sourceIndex.find(from, ref),
    object: (from, ref) => objectIndex.find(from, ref)?.manifest,
  }
}

/**
 * Finds by kind and name. One repository often holds several clusters, in folders, with objects of equal names: then the
 * one meant is in the folder nearest to who asks.
 */
class FluxIndex<T extends Named & { readonly manifest: FluxManifest }> {
  private readonly byName = new Map<string, T[]>()

  constructor(all: readonly T[]) {
    for (const one of all) {
      const key = `${one.kind} ${one.name}`
      const there = this.byName.get(key)
      if (there) there.push(one)
      else this.byName.set(key, [one])
    }
  }

  find(from: FluxManifest, ref: Named): T | undefined {
    const named = this.byName.get(`${ref.kind} ${ref.name}`) ?? []
    // Where a namespace is not written, an overlay may fill in any.
    const exact = named.filter((o) => o.namespace === ref.namespace)
    const meant = exact.length > 0 ? exact : named.filter((o) => o.namespace === '' || ref.namespace === '')
    if (meant.length <= 1) return meant[0]
    const near = meant.map((o) => nearness(from.document.file, o.manifest.document.file))
    return meant[near.indexOf(Math.max(...near))]
  }
}

/** How many folders two paths have in common; one more for the same file. */
function nearness(a: string, b: string): number {
  if (a === b) return Number.POSITIVE_INFINITY
  const [as, bs] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)]
  const different = as.findIndex((step, i) => step !== bs[i])
  return different < 0 ? as.length : different
}

export interface OrderedUnits {
  /** Dependencies first, otherwise as written. */
  readonly order: readonly FluxUnit[]
  /** A shortest one, its first unit again at the end. `order` then lacks the units on cycles and behind them. */
  readonly cycle: readonly FluxUnit[] | undefined
}

/** Units in an order in which each comes after what it depends on. */
export function orderOf(set: FluxSet): OrderedUnits {
  const missing = new Map(set.units.map((u) => [u, needsOf(set, u).length]))
  const ready = set.units.filter((u) => missing.get(u) === 0)
  // Grows while it is walked.
  for (const unit of ready)
    for (const { unit: next } of set.dependants(unit)) {
      const left = missing.get(next)! - 1
      missing.set(next, left)
      if (left === 0) ready.push(next)
    }
  if (ready.length === set.units.length) return { order: ready, cycle: undefined }
  const ids = new Map(set.units.map((u, i) => [u, String(i)]))
  const successors = (id: string) => needsOf(set, set.units[Number(id)]!).map((u) => ids.get(u)!)
  const done = new Set(ready)
  for (const unit of set.units) {
    const found = done.has(unit) ? undefined : cycleThrough(ids.get(unit)!, successors)
    if (found) return { order: ready, cycle: found.map((id) => set.units[Number(id)]!) }
  }
  return { order: ready, cycle: undefined }
}

/** What a unit depends on, as far as it is in the set; twice what is named twice. */
const needsOf = (set: FluxSet, unit: FluxUnit): FluxUnit[] =>
  unit.edges.flatMap((e) => set.dependency(unit, e) ?? [])
