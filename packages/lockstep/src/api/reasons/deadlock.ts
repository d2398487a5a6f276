/** The reason of units that wait for each other. */
import { z } from 'zod'
import { clustersText } from './nameof.ts'
import { type MessageInput, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore } from './waitref.ts'

/** A change that ends a deadlock: of `module` (`Module/web`); `of`: what it is about. */
const way = z.object({
  way: oneOf(
    'RemoveDependency',
    'MakeOptional',
    'Publish',
    'TakeOver',
    'RaiseBudget',
    'RaiseLimit',
    'Replace',
    'EndUndo',
  ),
  module: text,
  of: text,
})

const deadlockFacts = {
  /** Units; it begins and ends with the same one. Without a cluster: on the cluster of the blocked unit. */
  ring: texts,
  /** Why each of them waits for the next one. */
  reasons: texts,
  ways: z.array(way).readonly(),
}

type DeadlockInput = MessageInput<z.output<z.ZodObject<typeof deadlockFacts>>>

/** `web` of `Module/web`. */
const bare = (module: string): string => module.split('/')[1] ?? module

function wayText({ way: kind, module, of }: z.output<typeof way>): string {
  switch (kind) {
    case 'RemoveDependency':
      return `remove ${bare(of)} from spec.dependsOn of ${bare(module)}`
    case 'MakeOptional':
      return `set optional: true on the dependency ${bare(of)} of ${bare(module)}`
    case 'Publish':
      return `publish ${bare(module)} at ${of}`
    case 'TakeOver':
      return `list ${bare(of)} in spec.apply.takeOverFrom of ${bare(module)}`
    case 'RaiseBudget':
      return `raise DisruptionBudget ${of}`
    case 'RaiseLimit':
      return `raise ${of} in spec.rollout of ${bare(module)}`
    case 'Replace':
      return `set spec.rollout.supersede: Replace on ${bare(module)}`
    case 'EndUndo':
      return `remove spec.rollout.undo from ${bare(module)}`
  }
}

const inPlace = (f: DeadlockInput, name: string): string => {
  const [cluster] = f.clusters?.names ?? []
  const isOne = f.clusters?.count === 1 && cluster !== undefined
  return isOne && !name.includes('@') ? `${name}@${cluster}` : name
}

/** `b@c1 → a@c1 → b@c1: b waits for a (ReleaseMismatch), a for b (DependentsRemain)`. */
function ringText(f: DeadlockInput): string {
  const where = f.clusters === undefined || f.clusters.count === 1 ? '' : ` on ${clustersText(f.clusters)}`
  const waits = f.reasons.map(
    (why, i) => `${f.ring[i]}${i === 0 ? ' waits' : ''} for ${f.ring[i + 1]} (${why})`,
  )
  return `${f.ring.map((name) => inPlace(f, name)).join(' → ')}${where}: ${waits.join(', ')}`
}

/** Ways out that a message names. */
const NAMED = 2

export const deadlockReasons = {
  Deadlock: reason({
    actor: 'author',
    on: oneOrMore('Unit'),
    facts: deadlockFacts,
    message: (f) => {
      const ways = f.ways.slice(0, NAMED).map(wayText)
      return `${ringText(f)}${ways.length === 0 ? '' : `; ${ways.join(', or ')}`}`
    },
    setMessage: ringText,
    meaning:
      'Units wait for each other in a ring, unchanged for 30 seconds: none of these waits ends by itself.',
    advice: (f) =>
      f.ways.length === 0 ? 'delete one of the Modules of the ring' : f.ways.map(wayText).join(', or '),
    examples: [
      {
        on: [
          { kind: 'Unit', name: 'b', namespace: 'platform', cluster: '$self' },
          { kind: 'Unit', name: 'a', namespace: 'platform', cluster: '$self' },
        ],
        ring: ['b', 'a', 'b'],
        reasons: ['DependencyDeleting', 'DependentsRemain'],
        ways: [{ way: 'RemoveDependency', module: 'Module/b', of: 'Module/a' }],
        clusters: { count: 1, names: ['c1'] },
      },
    ],
  }),
} as const
