/** Races of Flux in manifests: found without a cluster. */
import { type FluxFile, type FluxManifest, positionOf } from '../flux/fluxmanifest.ts'
import { type FluxSet, readFlux } from '../flux/fluxset.ts'
import { isOtherVersion } from '../flux/fluxunit.ts'
import { checkChange } from './checkchange.ts'
import { checkContent } from './checkcontent.ts'
import { checkEdges } from './checkedges.ts'
import { checkInputs } from './checkinputs.ts'
import { checkNames } from './checknames.ts'
import { checkWaits } from './checkwaits.ts'
import type { FluxFinding, RelatedPosition } from './fluxcheckrule.ts'
import { dropIgnoredFindings, type ReportedFindings } from './ignoredfindings.ts'

export interface FluxCheck extends ReportedFindings {
  readonly set: FluxSet
  /** What makes units or sources, but only in a cluster. */
  readonly notLookedAt: readonly RelatedPosition[]
}

export interface FluxCheckOptions {
  readonly namespace?: string
  readonly before?: readonly FluxFile[]
  readonly additiveGate?: boolean
}

const LOOKS = [checkEdges, checkWaits, checkInputs, checkContent, checkNames, checkChange]

export function checkFlux(files: readonly FluxFile[], o: FluxCheckOptions = {}): FluxCheck {
  const set = readFlux(files, o.namespace)
  const before = o.before && readFlux(o.before, o.namespace)
  const checked = { set, additiveGate: o.additiveGate === true, ...(before ? { before } : {}) }
  const found = LOOKS.flatMap((look) => look(checked))
  const sorted = dropIgnoredFindings(oneAPlace(found).sort(byPlace), files)
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

function skipped(m: FluxManifest): RelatedPosition[] {
  const why = isOtherVersion(m) ? `version ${m.version} is not read` : MAKERS[`${m.group}/${m.kind}`]
  if (why === undefined) return []
  return [{ place: positionOf(m, ['metadata', 'name']), message: `${m.kind} ${m.name}: ${why}` }]
}
