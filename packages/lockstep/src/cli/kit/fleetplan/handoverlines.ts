/** Handovers of a plan: equal ones of several clusters together, as lines and for reports. Pure. */
import { z } from 'zod'
import type { HandoverOutcome, PlannedHandover } from '../../../controllers/plan/index.ts'
import { moduleText, objectText } from '../../../decisions/graph/index.ts'
import { asTyped, firstOf, type TerminalStyle, wrap } from '../terminal/index.ts'

export const handoverShape = z.strictObject({
  clusters: z.array(z.string()),
  objects: z.array(z.string()),
  from: z.string().describe('Unit that holds the objects.'),
  to: z
    .string()
    .optional()
    .describe('Module that has the objects as well; omitted with `NeedsConfirmation`.'),
  outcome: z
    .enum([
      'HandedOver',
      'HandedOverOnStart',
      'HandedOverOnDeletion',
      'Conflict',
      'Race',
      'NeedsConfirmation',
    ])
    .describe(
      '`HandedOver`: with this plan. `HandedOverOnStart`: when `to` starts. `HandedOverOnDeletion`: when `from` is deleted; until then `to` does not start. `Conflict`: `to` does not start, and other units wait for the objects, too. `Race`: no unit holds the objects; the first of `from` and `to` that starts owns them, and the other does not start. `NeedsConfirmation`: a Module of another namespace has the objects, and they stay until a person confirms.',
    ),
  foreign: z.string().optional().describe('Module of another namespace.'),
})

export type HandoverFacts = z.infer<typeof handoverShape>

const OUTCOMES = {
  AfterDeletion: 'HandedOverOnDeletion',
  Conflict: 'Conflict',
  Race: 'Race',
  Confirm: 'NeedsConfirmation',
} as const

const outcomeOf = (o: HandoverOutcome): HandoverFacts['outcome'] =>
  o.type === 'HandOver' ? (o.isPending ? 'HandedOverOnStart' : 'HandedOver') : OUTCOMES[o.type]

/** Namespaces and other objects without a namespace come first. */
const isBefore = (a: PlannedHandover, b: PlannedHandover): boolean => {
  const [left, right] = [a.object, b.object].map(
    (o) => `${o.namespace === undefined ? 0 : 1} ${objectText(o)}`,
  )
  return left! < right!
}

export function handoverFacts(handovers: readonly PlannedHandover[]): HandoverFacts[] {
  const parties = new Map<string, PlannedHandover[]>()
  for (const h of [...handovers].sort((a, b) => (isBefore(a, b) ? -1 : 1))) {
    const { from, outcome } = h
    const other = outcome.type === 'Confirm' ? outcome.foreign : moduleText(outcome.to)
    const key = JSON.stringify([outcomeOf(outcome), moduleText(from), other])
    parties.set(key, [...(parties.get(key) ?? []), h])
  }
  return [...parties.values()].flatMap(samePlaces)
}

/** Clusters on which the same objects move between two units. */
function samePlaces(of: readonly PlannedHandover[]): HandoverFacts[] {
  const byCluster = new Map<string, string[]>()
  for (const { cluster, object } of of)
    byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), objectText(object)])
  const groups = new Map<string, HandoverFacts>()
  const { from, outcome } = of[0]!
  for (const [cluster, objects] of [...byCluster].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const clusters = [...(groups.get(objects.join())?.clusters ?? []), cluster]
    const other = outcome.type === 'Confirm' ? { foreign: outcome.foreign } : { to: moduleText(outcome.to) }
    groups.set(objects.join(), {
      clusters,
      objects,
      from: moduleText(from),
      ...other,
      outcome: outcomeOf(outcome),
    })
  }
  return [...groups.values()]
}

const MOST_NAMES = 5

/** Between columns: a line breaks within them only. */
const [GAP, UNBROKEN] = ['  ', '\u00a0\u00a0']

export function handoverLines(look: TerminalStyle, facts: readonly HandoverFacts[]): string[] {
  if (facts.length === 0) return []
  const lines = facts.flatMap((f) => linesOf(f).map((line) => `${GAP}${line}`))
  if (!look.wraps) return ['Handover:', ...lines]
  const wrapped = lines.map((line) =>
    wrap(asTyped(look, line).replaceAll(GAP, UNBROKEN), look.width - 4, 4).replaceAll(UNBROKEN, GAP),
  )
  return ['Handover:', ...wrapped]
}

function linesOf(f: HandoverFacts): string[] {
  const where = firstOf(f.clusters).join(', ')
  const what = namesOf(f.objects)
  const [from, to] = [nameOf(f.from), nameOf(f.to ?? '')]
  const move = `${where}  ${what}  ${from} → ${to}`
  const isOne = f.objects.length === 1
  const blocked = `${where}  conflict: ${to} does not start (OwnedByAnother): delete ${from}, remove ${isOne ? 'the object' : 'the objects'} from one of the two, or list Module ${from} in spec.apply.takeOverFrom of ${to}`
  switch (f.outcome) {
    case 'HandedOver':
      return [move]
    case 'HandedOverOnStart':
      return [`${move}, when ${to} starts`]
    case 'HandedOverOnDeletion':
      return [`${move}, when ${from} is deleted`, blocked]
    case 'Conflict':
      return [`${where}  ${what}  stays with ${from}`, blocked]
    case 'Race':
      return [
        `${where}  ${what}  conflict: in ${from} and ${to}; the first that starts owns ${isOne ? 'it' : 'them'}, and the other does not start (OwnedByAnother): remove ${isOne ? 'it' : 'them'} from one of the two`,
      ]
    case 'NeedsConfirmation':
      return [
        `${where}  ${what}  ${isOne ? 'stays' : 'stay'} until confirmed: also in ${f.foreign}; lockstep rollout approve ${from} --stage prune`,
      ]
  }
}

const nameOf = (text: string): string => text.replace(/^Module\//, '')

function namesOf(objects: readonly string[]): string {
  const more = objects.length - MOST_NAMES
  return `${objects.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
