/** Races of Flux in manifests: found without a cluster. */
import { type FluxFile, type Manifest, placeOf } from '../flux/fluxmanifest.ts'
import { type FluxSet, readFlux } from '../flux/fluxset.ts'
import { isOtherVersion } from '../flux/fluxunit.ts'
import { lookAtChange } from './checkchange.ts'
import { lookAtContent } from './checkcontent.ts'
import { lookAtEdges } from './checkedges.ts'
import type { FluxFinding, Related } from './fluxcheckrule.ts'
import { type Sorted, withoutIgnored } from './ignoredfindings.ts'
import { lookAtInputs } from './checkinputs.ts'
import { lookAtNames } from './checknames.ts'
import { lookAtWaits } from './checkwaits.ts'

export interface FluxCheck extends Sorted {
  readonly set: FluxSet
  /** What makes units or sources, but only in a cluster. */
  readonly notLookedAt: readonly Related[]
}

export interface FluxCheckOptions {
  readonly namespace?: string
  readonly before?: readonly FluxFile[]
  readonly additiveGate?: boolean
}

const LOOKS = [lookAtEdges, lookAtWaits, lookAtInputs, lookAtContent, lookAtNames, lookAtChange]

export function checkFlux(files: readonly FluxFile[], o: FluxCheckOptions = {}): FluxCheck {
  const set = readFlux(files, o.namespace)
  const before = o.before && readFlux(o.before, o.namespace)
  const checked = { set, additiveGate: o.additiveGate === true, ...(before ? { before } : {}) }
  const found = LOOKS.flatMap((look) => look(checked))
  const sorted = withoutIgnored(oneAPlace(found).sort(byPlace), files)
  return { ...sorted, set, notLookedAt: set.manifests.flatMap(skipped) }
}

/** Of these a change says more than a state: it happens, where otherwise it may. */
const OF_CHANGES = ['W1a', 'W5a']

function oneAPlace(found: readonly FluxFinding[]): FluxFinding[] {
  const key = (f: FluxFinding): string => `${f.rule} ${f.place.file}:${f.place.line}:${f.place.column}`
  const worst = new Set(
    found.flatMap((f) => (f.level === 'error' && OF_CHANGES.includes(f.rule) ? [key(f)] : [])),
  )
  return found.filter((f) => f.level === 'error' || !worst.has(key(f)))
}

const byPlace = (a: FluxFinding, b: FluxFinding): number =>
  a.place.file < b.place.file
    ? -1
    : a.place.file > b.place.file
      ? 1
      : a.place.line - b.place.line || a.place.column - b.place.column || (a.rule < b.rule ? -1 : 1)

const MAKERS: Readonly<Record<string, string>> = {
  'fluxcd.controlplane.io/ResourceSet': 'what a ResourceSet makes is only known in a cluster',
  'source.extensions.fluxcd.io/ArtifactGenerator':
    'what an ArtifactGenerator makes is only known in a cluster',
}

function skipped(m: Manifest): Related[] {
  const why = isOtherVersion(m) ? `version ${m.version} is not read` : MAKERS[`${m.group}/${m.kind}`]
  if (why === undefined) return []
  return [{ place: placeOf(m, ['metadata', 'name']), message: `${m.kind} ${m.name}: ${why}` }]
}
