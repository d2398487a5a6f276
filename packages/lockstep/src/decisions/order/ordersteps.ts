/** An order as people read it: numbered steps, each with what it waits for and who says so. */
import { refOf, refText } from '@lockstep/kube/object'
import type { HookNode, OrderGraph, OrderNode, RequiredState, WaitNode } from './ordergraph.ts'
import { emptyWavePromises } from './wavepromises.ts'

export interface OrderStep {
  /** Steps of one number may go at once. */
  readonly number: number
  readonly action: 'apply' | 'run' | 'wait for' | 'leave' | 'delete'
  /** `apps/Deployment app/api`. */
  readonly object: string
  /** Of hooks: the phase and, where it is not always, the events. */
  readonly note: string
  readonly after: readonly OrderReason[]
}

export interface OrderReason {
  /** An object, or `wave 5` and the like. */
  readonly name: string
  readonly ask: RequiredState
  readonly why: string
  readonly dialect: string
}

/** Beginnings of reasons, and whose they are; other reasons are implied by manifests. */
const DIALECTS: readonly (readonly [begin: string, dialect: string])[] = [
  ['lockstep.dev/', 'Own'],
  ['argocd.argoproj.io/', 'Argo'],
  ['kind order in ', 'Argo'],
  ['helm.sh/', 'Helm'],
  ['kapp.k14s.io/', 'Kapp'],
  ['config.kubernetes.io/', 'CliUtils'],
]

/** All objects, hooks and conditions, by number; those of one number in the order in which they start. */
export function orderSteps({ nodes, needs, sequence }: OrderGraph): OrderStep[] {
  const numbers = nodes.map(() => 0)
  const steps: OrderStep[] = []
  for (const n of sequence) {
    const before = needs[n]!.reduce((most, e) => Math.max(most, numbers[e.from]!), 0)
    const node = nodes[n]!
    numbers[n] = before + (node.type === 'barrier' ? 0 : 1)
    if (node.type === 'barrier') continue
    const after = needs[n]!.map(({ from, ask, why }) => ({
      name: nameOf(nodes[from]!),
      ask,
      why,
      dialect: DIALECTS.find(([begin]) => why.startsWith(begin))?.[1] ?? 'implied',
    }))
    steps.push({ number: numbers[n]!, ...whatOf(node), object: nameOf(node), after })
  }
  return steps.sort((a, b) => a.number - b.number)
}

/** One line a step: `3. apply apps/Deployment app/api after …`; then hooks of other times, then warnings. */
export function orderText(graph: OrderGraph): string[] {
  const later = [
    ['after a failure', graph.syncFail],
    ['before deletion', graph.preDelete],
    ['after deletion', graph.postDelete],
  ] as const
  return [
    ...orderSteps(graph).map(lineOf),
    ...later.flatMap(([when, steps]) =>
      steps.flatMap((hooks, i) => hooks.map((h) => `${when}, ${i + 1}. run ${nameOf(h)}`)),
    ),
    ...emptyWavePromises(graph),
    ...graph.warnings.map((w) => `warning: ${w}`),
  ]
}

function lineOf({ number, action, object, note, after }: OrderStep): string {
  const reasons = after.map((r) => `${r.name} ${r.ask} (${r.dialect}: ${r.why})`)
  const what = [`${number}. ${action} ${object}`, ...(note === '' ? [] : [`(${note})`])].join(' ')
  return reasons.length === 0 ? what : `${what} after ${reasons.join('; ')}`
}

function whatOf(node: Exclude<OrderNode, { type: 'barrier' }>): Pick<OrderStep, 'action' | 'note'> {
  if (node.type === 'wait') return { action: 'wait for', note: waitNote(node) }
  if (node.type === 'delete') return { action: 'delete', note: '' }
  if (node.type === 'hook') return { action: 'run', note: hookNote(node) }
  const { mode } = node.options
  if (mode === 'Ignore') return { action: 'leave', note: mode }
  if (mode === 'Observe') return { action: 'wait for', note: mode }
  return { action: 'apply', note: mode === 'Override' ? '' : mode }
}

const waitNote = ({ expression, ask, called, why }: WaitNode): string =>
  called === undefined ? (expression ?? ask) : `${ask}: ${why}`

const hookNote = ({ phase, when }: HookNode): string =>
  when.includes('always') ? phase : `${phase} at ${when.join(', ')}`

function nameOf(node: OrderNode): string {
  if (node.type === 'barrier') return node.id
  if (node.type === 'delete') return refText(node.ref)
  if (node.type === 'wait' && node.application !== undefined) return `application ${node.application}`
  return refText(node.type === 'wait' ? node.target : refOf(node.object))
}
