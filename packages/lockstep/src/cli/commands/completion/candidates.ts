/** Candidates for the word under the cursor. */

import { isReadied, type OwnKind, pipelineKind, setKind } from '../../../api/kinds/index.ts'
import { ownKinds } from '../../../api/registry.ts'
import { CHECK_TOPICS } from '../../kit/check/index.ts'
import { fieldFacts, fieldsOf, findField } from '../../kit/explain/index.ts'
import {
  CLUSTERS,
  type Command,
  type Completes,
  type Flags,
  kindOfWord,
  knownKinds,
} from '../../kit/index.ts'
import { pipelineWord } from '../../kit/pipelines/index.ts'
import { CLUSTERGROUP_TOPIC } from '../../kit/render/index.ts'
import { ROLLOUT_ACTIONS, rolloutPages } from '../../kit/rollout/index.ts'
import { CLUSTER_ACTIONS, DEMO_STORIES, IMPORT_TOPICS, REMOVAL_ACTIONS } from '../../kit/topics/index.ts'
import type { CompletionNames } from './completionnames.ts'
import type { CompletionPoint } from './completionpoint.ts'

export interface CompletionCandidate {
  /** The whole word. One that ends in `/ @ = .` is not finished. */
  readonly word: string
  readonly text?: string
}

/** The shell completes names of files itself. */
export const FILES = 'files'

export async function candidatesOf(
  commands: readonly Command[],
  p: CompletionPoint,
  names: CompletionNames,
): Promise<readonly CompletionCandidate[] | typeof FILES> {
  const all = await unfiltered(commands, p, names)
  if (all === FILES) return FILES
  const fitting = all.filter((c) => c.word.startsWith(p.typed) && c.word !== '')
  return fitting.map((c) => ({ ...c, word: `${p.before}${c.word}` }))
}

async function unfiltered(commands: readonly Command[], p: CompletionPoint, names: CompletionNames) {
  const { asked } = p
  if (asked.type === 'command') return commands.map((c) => ({ word: c.name, text: c.summary }))
  if (asked.type === 'flag') return asked.known.map((f) => ({ word: f.long, text: f.text }))
  const { what, words } = asked.wanted
  if (words) return words.map((word) => ({ word }))
  if (what === 'file' || (what === 'importSource' && !isOfSets(p))) return FILES
  if (!what) return []
  return isFixed(what) ? FIXED[what](p.typed) : valuesOf(what, p, names)
}

/** True if the command reads sets, not files. */
const isOfSets = ({ args }: CompletionPoint): boolean => args[0] === 'crs'

const plain = (words: readonly string[]): CompletionCandidate[] => words.map((word) => ({ word }))

const wordsFor = (kinds: readonly OwnKind[]): CompletionCandidate[] =>
  kinds.map((k) => ({ word: k.plural, text: k.summary }))
const PIPELINE = { word: 'pipeline/', text: 'Environments, their revisions and promotions' }
const PROMOTION = { word: 'promotion/', text: 'Promotion of one revision' }
const VIEWS: readonly CompletionCandidate[] = [{ word: 'cluster/', text: 'One cluster' }, PIPELINE, PROMOTION]
/** Words that stand where units do. */
const BESIDE_UNITS = { unit: [], suspendable: [PIPELINE], waiting: [PIPELINE, PROMOTION] } as const
const FORMS = ['ready', 'revision=', 'release=', 'delete']

/** Values that this program knows without a hub. */
type FixedCompletes =
  | 'checkTopic'
  | 'clusterAction'
  | 'field'
  | 'goal'
  | 'importTopic'
  | 'kind'
  | 'ownKind'
  | 'removalAction'
  | 'rolloutAction'
  | 'setKind'
  | 'shell'
  | 'story'

const FIXED: Readonly<Record<FixedCompletes, (typed: string) => readonly CompletionCandidate[]>> = {
  kind: () => [...wordsFor(knownKinds), { word: CLUSTERS, text: 'Fleet, Module, cluster or Pipeline' }],
  ownKind: () => wordsFor(ownKinds),
  field: fields,
  goal: () => plain(FORMS),
  checkTopic: () => plain(CHECK_TOPICS),
  importTopic: () => plain(IMPORT_TOPICS),
  clusterAction: () => plain(CLUSTER_ACTIONS),
  removalAction: () => plain(REMOVAL_ACTIONS),
  rolloutAction: () => ROLLOUT_ACTIONS.map((word) => ({ word, text: rolloutPages[word].summary })),
  setKind: () => [{ word: setKind.shortNames[0]!, text: setKind.summary }],
  shell: () => plain(['bash', 'zsh', 'fish']),
  story: () => plain(DEMO_STORIES),
}

const isFixed = (what: Completes): what is FixedCompletes => Object.hasOwn(FIXED, what)

/** Values from a hub, or from a kubeconfig. */
async function valuesOf(
  what: Exclude<Completes, 'file' | FixedCompletes>,
  p: CompletionPoint,
  names: CompletionNames,
): Promise<readonly CompletionCandidate[]> {
  switch (what) {
    case 'clusterOrContext':
      return plain(await (p.args[0] === 'add' ? names.contexts() : names.clusters()))
    case 'name':
      return plain(await namesFor(p.args[0] ?? '', names))
    case 'target':
      return targets(
        p.typed,
        knownKinds.filter(isReadied).map((k) => k.singular),
        names,
      )
    case 'rendered':
      return [
        { word: CLUSTERGROUP_TOPIC, text: 'Values files of a Validated Pattern' },
        ...(await sourced(p.typed, names)),
      ]
    case 'moduleTarget':
      return sourced(p.typed, names)
    case 'view':
      return VIEWS.some(({ word }) => p.typed.startsWith(word))
        ? targets(p.typed, [], names)
        : [...plain(await names.modules()), ...VIEWS]
    case 'module':
      return plain(await names.modules())
    case 'unit':
    case 'suspendable':
    case 'waiting':
      return BESIDE_UNITS[what].some(({ word }) => p.typed.startsWith(word))
        ? targets(p.typed, [], names)
        : besideUnits(await units(p.typed, p.flags, names), BESIDE_UNITS[what], p.typed)
    case 'pipeline':
      return plain(await names.of(pipelineKind))
    case 'environment':
      return plain(await names.environments((p.args[0] ?? '').replace(/^[^/]*\//, '')))
    case 'cluster':
      return plain(await names.clusters())
    case 'namespace':
      return plain(await names.namespaces())
    case 'context':
      return plain(await names.contexts())
    case 'set':
    case 'importSource':
      return plain(await names.of(setKind as unknown as OwnKind))
  }
}

/** An empty word gets no candidates if the hub has returned none. */
const besideUnits = (
  found: readonly CompletionCandidate[],
  others: readonly CompletionCandidate[],
  typed: string,
): readonly CompletionCandidate[] => (found.length === 0 && typed === '' ? [] : [...found, ...others])

async function namesFor(word: string, names: CompletionNames): Promise<readonly string[]> {
  const kind = kindOfWord(word)
  if (!kind.ok) return []
  return kind.value === CLUSTERS ? names.clusters() : names.of(kind.value)
}

/** `module/`, then its names. */
async function targets(
  typed: string,
  kinds: readonly string[],
  names: CompletionNames,
): Promise<CompletionCandidate[]> {
  const [word = '', name] = typed.split('/')
  const pipeline = pipelineWord(typed)?.split('@')
  if (pipeline?.[1] !== undefined)
    return plain((await names.environments(pipeline[0]!)).map((e) => `${word}/${pipeline[0]}@${e}`))
  if (name === undefined) return plain(kinds.map((k) => `${k}/`))
  return plain((await namesFor(word, names)).map((n) => `${word}/${n}`))
}

/** Those that make objects of their own. */
const sourced = (typed: string, names: CompletionNames): Promise<CompletionCandidate[]> =>
  targets(
    typed,
    ownKinds.filter((k) => k.sourced).map((k) => k.singular),
    names,
  )

/** `monitoring@`, then the clusters. */
async function units(typed: string, flags: Flags, names: CompletionNames): Promise<CompletionCandidate[]> {
  const [module = '', cluster] = typed.split('@')
  if (cluster !== undefined) return plain((await names.clusters()).map((c) => `${module}@${c}`))
  const modules = await names.modules()
  return plain(flags.cluster === undefined ? modules.map((m) => `${m}@`) : modules)
}

/** A field, and with a dot behind it what is below it. */
function fields(typed: string): CompletionCandidate[] {
  const steps = typed.split('.')
  if (steps.length === 1) return knownKinds.flatMap((k) => both(k.singular, k.summary, true))
  const kind = kindOfWord(steps[0]!)
  if (!kind.ok || kind.value === CLUSTERS) return []
  const parent = findField(kind.value, steps.slice(1, -1))
  if (!parent.ok) return []
  return fieldsOf(parent.value).flatMap((f) => {
    // As they were typed: the kind may go by another word.
    const path = [steps[0], ...f.path].join('.')
    const { type, description } = fieldFacts(f)
    return both(path, description ? `${type}: ${description}` : type, fieldsOf(f).length > 0)
  })
}

const both = (word: string, text: string, goesOn: boolean): CompletionCandidate[] => [
  { word, text },
  ...(goesOn ? [{ word: `${word}.`, text }] : []),
]
