/** What Helm rendered, so that no unit of Flux acts on a release before all it depends on is ready at that release. */
import type { Digest, JsonObject } from '@lockstep/kube/object'
import {
  annotationOf,
  type BrokenDocument,
  type FluxDocument,
  type FluxManifest,
  readManifests,
} from '../flux/fluxmanifest.ts'
import { type FluxSet, fluxSet, orderOf } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { exprNotes, gateByExpression } from './gatebyexpression.ts'
import { gateByName, isCheckpoint, nameNotes } from './gatebyname.ts'
import { gateDigests } from './gatedigests.ts'
import { ManifestDraft } from './manifestdraft.ts'
import { movingNotes } from './movingnotes.ts'
import { type PostRenderNote, postRenderNote } from './postrendernote.ts'
import { type RenamedSource, versionSources } from './versionsources.ts'

export interface PostRenderOptions {
  readonly strategy: 'expr' | 'name'
  /** Of what names none. */
  readonly namespace: string
  /** Part of every digest: another one has everything checked again, also what did not change. */
  readonly release?: string
  readonly keepSources: readonly string[]
  /** The controllers go on comparing where there is a readyExpr. */
  readonly additiveGate: boolean
  /** Warnings refuse too. */
  readonly strict: boolean
}

export interface PostRenderResult {
  /** The input with what changed; absent where it is refused. */
  readonly text: string | undefined
  /** What changed, before and after. */
  readonly changes: readonly (readonly [FluxManifest, JsonObject])[]
  readonly notes: readonly PostRenderNote[]
  readonly renamed: readonly RenamedSource[]
  /** Of units that others depend on. */
  readonly gates: readonly { readonly unit: string; readonly digest: Digest }[]
  /** Documents that are no YAML: then nothing else was looked at. */
  readonly broken: readonly BrokenDocument[]
}

const NOTHING = { changes: [], renamed: [], gates: [], broken: [] } as const

/** Equal input and options give equal output; its own output it leaves as it is. */
export function postRenderFlux(text: string, o: PostRenderOptions): PostRenderResult {
  const set = fluxSet(readManifests([{ file: INPUT, text }], isOfFlux), o.namespace)
  if (set.broken.length > 0) return { ...NOTHING, text: undefined, notes: [], broken: set.broken }
  const { order, cycle } = orderOf(set)
  const before = [...hookNotes(set), ...cycleNotes(cycle), ...outsideNotes(set)]
  if (cycle) return { ...NOTHING, text: undefined, notes: before }
  const draft = new ManifestDraft()
  const { renamed, notes: sourceNotes } = versionSources(set, draft, {
    namespace: o.namespace,
    keep: o.keepSources,
  })
  const waits = addWaits(set, draft)
  const digests = gateDigests(set, draft, order, o.release)
  const strategyNotes = o.strategy === 'expr' ? exprNotes(set) : nameNotes(set)
  if (o.strategy === 'expr') gateByExpression(set, draft, digests)
  else strategyNotes.push(...gateByName(set, draft, digests))
  const soft = [
    ...sourceNotes,
    ...waits,
    ...movingNotes(set, o.strategy === 'expr' && !o.additiveGate),
    ...checkpointNotes(set),
  ]
  const notes = levelled([...before, ...strategyNotes, ...soft], o.strict)
  const made = written(set, draft)
  const isRefused = notes.some((n) => n.level === 'error')
  return {
    text: isRefused ? undefined : made.text,
    changes: isRefused ? [] : draft.changes(set.manifests),
    notes: isRefused ? notes : [...notes, ...made.notes],
    renamed,
    gates: order.flatMap((u) =>
      set.dependants(u).length > 0 ? [{ unit: unitText(u), digest: digests.get(u)! }] : [],
    ),
    broken: [],
  }
}

/** What says nothing of Flux is not even parsed: Helm takes documents that we would not, such as with a key twice. */
const isOfFlux = (text: string): boolean => text.includes('fluxcd.io')

/** How messages call what came on standard input. */
const INPUT = 'standard input'

/** The documents one behind the other, as they came; those that changed are written anew where they have to be. */
function written(set: FluxSet, draft: ManifestDraft): { text: string; notes: PostRenderNote[] } {
  const notes: PostRenderNote[] = []
  const byDocument = new Map<FluxDocument, FluxManifest[]>()
  for (const m of set.manifests) byDocument.set(m.document, [...(byDocument.get(m.document) ?? []), m])
  const parts = set.documents.map((document) => {
    const manifests = byDocument.get(document) ?? []
    const made = draft.text(document, manifests)
    const first = manifests[0]
    if (!made.inPlace && first)
      notes.push(postRenderNote('note', 'PR06', { what: `${first.kind} ${first.name}` }, first))
    return made.text
  })
  return { text: parts.join(''), notes }
}

/** By place; with --strict warnings are errors. */
const levelled = (notes: readonly PostRenderNote[], strict: boolean): PostRenderNote[] =>
  notes
    .map((n) => (strict && n.level === 'warning' ? { ...n, level: 'error' as const } : n))
    .sort((a, b) => a.line - b.line)

/** Helm does not keep a hook: it deletes and makes it again, with all that it owns. */
const hookNotes = (set: FluxSet): PostRenderNote[] =>
  set.units.flatMap((u) => {
    const hook = annotationOf(u.manifest, 'helm.sh/hook')
    return hook === undefined
      ? []
      : [
          postRenderNote('error', 'PR01', { unit: unitText(u), hook }, u.manifest, [
            'metadata',
            'annotations',
            'helm.sh/hook',
          ]),
        ]
  })

function cycleNotes(cycle: readonly FluxUnit[] | undefined): PostRenderNote[] {
  if (!cycle) return []
  return [
    postRenderNote('error', 'PR02', { chain: cycle.map((u) => u.name).join(' → ') }, cycle[0]!.manifest, [
      'spec',
      'dependsOn',
    ]),
  ]
}

const outsideNotes = (set: FluxSet): PostRenderNote[] =>
  set.units.flatMap((unit) =>
    unit.edges.flatMap((edge) =>
      set.dependency(unit, edge)
        ? []
        : [
            postRenderNote(
              'warning',
              'PR04',
              { unit: unitText(unit), to: unitText(edge) },
              unit.manifest,
              edge.path,
            ),
          ],
    ),
  )

/** Ready means applied, and no more, unless Flux is told to look at the health of what it applied. */
function addWaits(set: FluxSet, draft: ManifestDraft): PostRenderNote[] {
  return set.units.flatMap((unit) => {
    const { wait, healthChecks } = unit.spec
    const looks = wait === true || (Array.isArray(healthChecks) && healthChecks.length > 0)
    if (unit.kind !== 'Kustomization' || looks || set.dependants(unit).length === 0) return []
    draft.set(unit.manifest, ['spec', 'wait'], true)
    return [postRenderNote('note', 'PR09', { unit: unitText(unit) }, unit.manifest)]
  })
}

/** In sync, Flux does not look at the health of a release again, whatever its spec says now. */
const checkpointNotes = (set: FluxSet): PostRenderNote[] =>
  set.units.flatMap((u) =>
    u.kind === 'HelmRelease' && set.dependants(u).length > 0 && (isCheckpoint(u) || u.edges.length > 0)
      ? [postRenderNote('warning', 'PR12', { unit: unitText(u) }, u.manifest)]
      : [],
  )
