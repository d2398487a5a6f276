/** What the annotations of one object add up to. */
import { type KubeObject, refOf, refText } from '@lockstep/kube/object'
import type { AnnotationNote } from './dialect/dialects.ts'
import type { HookText, Need } from './dialect/orderdialect.ts'
import type { HookPolicy, HookResult } from './ordergraph.ts'
import { DEFAULT_ORDER_OPTIONS, type OrderOptions, type WeighedRule, type WriteMode } from './orderoptions.ts'

export interface OrderingNeed extends Need {
  /** The annotation that says so. */
  readonly why: string
}

export interface OrderingHook {
  readonly runs: HookText['runs']
  readonly policy: readonly HookPolicy[]
  readonly timeoutSeconds: number | undefined
  readonly retries: number
  readonly outputs: readonly HookResult[]
  /** Helm runs it, in the order of weights; undefined: it has no key of Helm. */
  readonly weight: number | undefined
}

export interface ObjectOrdering {
  readonly options: OrderOptions
  readonly hook: OrderingHook | undefined
  readonly step: number
  readonly wave: number
  /** It asks for the waves of Argo CD, by a wave or a hook of its own. */
  readonly waved: boolean
  readonly needs: readonly OrderingNeed[]
  readonly rules: readonly WeighedRule[]
  /** No preferred edge that manifests imply touches it. */
  readonly unimplied: boolean
  readonly warnings: readonly string[]
}

const SILENT: ObjectOrdering = Object.freeze({
  options: DEFAULT_ORDER_OPTIONS,
  hook: undefined,
  step: 0,
  wave: 0,
  waved: false,
  needs: [],
  rules: [],
  unimplied: false,
  warnings: [],
})

/** All notes of all dialects add up; where only one thing can be, ours goes first, then what touches the object least. */
export function orderingOfAnnotations(o: KubeObject, notes: readonly AnnotationNote[]): ObjectOrdering {
  if (notes.length === 0) return SILENT
  const text = hookText(notes)
  const mode = text?.ignored ? 'Ignore' : modeOf(notes)
  return {
    options: optionsOf(notes, mode),
    hook: text && text.runs.length > 0 ? hookOf(o, text, notes) : undefined,
    step: effectOf(notes, 'Own', 'step') ?? 0,
    wave: waveOf(notes),
    waved: notes.some(
      (n) => n.dialect === 'Argo' && (n.effect.wave !== undefined || n.effect.hook !== undefined),
    ),
    needs: gathered(notes, ({ key, effect }) => effect.needs?.map((need) => ({ ...need, why: key }))),
    rules: gathered(notes, ({ effect }) => effect.rules),
    unimplied: notes.some(({ effect }) => effect.unimplied === true),
    warnings: gathered(notes, ({ key, effect }) =>
      effect.warning === undefined ? undefined : [`${refText(refOf(o))}: ${key} ${effect.warning}`],
    ),
  }
}

/** Of all notes together: mostly nothing, which then costs nothing. */
function gathered<T>(
  notes: readonly AnnotationNote[],
  of: (n: AnnotationNote) => readonly T[] | undefined,
): readonly T[] {
  let all: readonly T[] = NOTHING
  for (const n of notes) {
    const some = of(n)
    if (some && some.length > 0) all = all.length === 0 ? some : [...all, ...some]
  }
  return all
}

const NOTHING: readonly never[] = []

const effectOf = <K extends keyof AnnotationNote['effect']>(
  notes: readonly AnnotationNote[],
  dialect: string,
  member: K,
) => notes.find((n) => n.dialect === dialect && n.effect[member] !== undefined)?.effect[member]

/** Types of ours go before Argo CD's, and those before Helm's. */
const hookText = (notes: readonly AnnotationNote[]): HookText | undefined =>
  effectOf(notes, 'Own', 'hook') ?? effectOf(notes, 'Argo', 'hook') ?? effectOf(notes, 'Helm', 'hook')

function hookOf(o: KubeObject, { runs }: HookText, notes: readonly AnnotationNote[]): OrderingHook {
  const ofHelm = effectOf(notes, 'Helm', 'hook') !== undefined
  const byHelm = ofHelm && !notes.some((n) => n.dialect !== 'Helm' && n.effect.hook)
  return {
    runs,
    policy: byHelm && o.kind === 'CustomResourceDefinition' ? [] : policyOf(notes),
    timeoutSeconds: effectOf(notes, 'Own', 'timeoutSeconds'),
    retries: effectOf(notes, 'Own', 'retries') ?? 0,
    outputs: effectOf(notes, 'Helm', 'outputs') ?? [],
    weight: ofHelm ? (effectOf(notes, 'Helm', 'weight') ?? 0) : undefined,
  }
}

/** Ours alone, or those of the two others together. */
function policyOf(notes: readonly AnnotationNote[]): readonly HookPolicy[] {
  const ours = effectOf(notes, 'Own', 'policy')
  const all = ours ?? notes.flatMap((n) => n.effect.policy ?? [])
  return all.length > 0 ? [...new Set(all)].sort() : ['BeforeHookCreation']
}

/** The wave of Argo CD: `sync-wave`; if absent or not a number, `hook-weight`; else 0 (gitops-engine `syncwaves/waves.go`). */
const waveOf = (notes: readonly AnnotationNote[]): number =>
  effectOf(notes, 'Argo', 'wave')?.number ?? effectOf(notes, 'Helm', 'weight') ?? 0

/** What touches the object less goes first. */
const MODES: readonly WriteMode[] = ['Ignore', 'Observe', 'IfNotPresent', 'Replace', 'Merge', 'Override']

function modeOf(notes: readonly AnnotationNote[]): WriteMode {
  const ours = effectOf(notes, 'Own', 'mode')
  return ours ?? MODES.find((m) => notes.some((n) => n.effect.mode === m)) ?? 'Override'
}

type PartialOptions = Partial<Omit<OrderOptions, 'mode'>>

function optionsOf(notes: readonly AnnotationNote[], mode: WriteMode): OrderOptions {
  const parts = gathered(notes, ({ effect }) => effect.options && [effect.options])
  const groups = gathered(notes, ({ effect }) => effect.groups)
  const rules = gathered(notes, ({ effect }) => effect.rules)
  if (mode === 'Override' && parts.length + groups.length + rules.length === 0) return DEFAULT_ORDER_OPTIONS
  const any = (is: (p: PartialOptions) => boolean): boolean => parts.some(is)
  return {
    mode,
    prune: !any((p) => p.prune === false),
    delete: !any((p) => p.delete === false),
    confirm: [...new Set(parts.flatMap((p) => p.confirm ?? []))],
    replaceImmutable: any((p) => p.replaceImmutable === true),
    adopt: any((p) => p.adopt === true),
    validate: any((p) => p.validate === 'Warn') ? 'Warn' : 'Strict',
    disableWait: any((p) => p.disableWait === true),
    ignoreRestartPolicy: any((p) => p.ignoreRestartPolicy === true),
    nonce: parts.find((p) => p.nonce !== undefined)?.nonce,
    mutations: parts.flatMap((p) => p.mutations ?? []),
    health: parts.find((p) => p.health !== undefined)?.health,
    changeGroups: [...new Set(groups)].sort(),
    changeRules: rules.filter(isMixed),
  }
}

/** Between what is applied and what is deleted in the same pass: both ends of an edge are not in one bundle. */
const isMixed = (r: WeighedRule): boolean => (r.action === 'upsert') !== (r.other === 'upserting')
