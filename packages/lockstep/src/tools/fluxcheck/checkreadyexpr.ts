/** W3a: an expression that is true too early. */
import type { YamlPath } from '../../../../kube/src/object/index.ts'
import { placeOf } from '../flux/fluxmanifest.ts'
import { type Edge, type Unit, unitText } from '../flux/fluxunit.ts'
import type { Asked } from './expressionrequirements.ts'
import { type FluxFinding, short } from './fluxcheckrule.ts'

type Story = Pick<FluxFinding, 'level' | 'message' | 'race' | 'fix'>

export function expressionOf(on: {
  readonly unit: Unit
  readonly edge: Edge
  readonly to: Unit
  readonly asked: Asked | undefined
}): FluxFinding[] {
  const { unit, edge, to, asked } = on
  if (!asked) return []
  const path: YamlPath = [...edge.path, 'readyExpr']
  return storiesOf(asked, unitText(unit), unitText(to)).map((story) => ({
    ...story,
    rule: 'W3a',
    place: placeOf(unit.manifest, path),
    related: [],
  }))
}

function storiesOf(asked: Asked, b: string, a: string): Story[] {
  if (asked.problem !== undefined) return [broken(b, asked.problem)]
  const out: Story[] = []
  if (!asked.observed) out.push(unobserved(b, a))
  if (asked.labels && !asked.bound) out.push(byLabel(b, a))
  if (asked.allOfFiltered) out.push(allOfNothing(b, a))
  return out
}

const broken = (b: string, problem: string): Story => ({
  level: 'error',
  message: `the readyExpr of ${b} is no expression (${problem})`,
  race: [`Flux compiles it, fails, and stalls ${short(b)} for good`],
  fix: 'Correct it.',
})

const unobserved = (b: string, a: string): Story => ({
  level: 'error',
  message: `the readyExpr of ${b} does not compare observedGeneration: what ${a} says may be of an older generation`,
  race: [
    `${short(a)} gets a new spec: generation 5`,
    'its status is of generation 4 until Flux begins: Ready=True',
    `the expression is true, ${short(b)} applies`,
    `Flux begins with generation 5 of ${short(a)}`,
  ],
  fix: 'Add dep.metadata.generation == dep.status.observedGeneration.',
})

const byLabel = (b: string, a: string): Story => ({
  level: 'error',
  message: `the readyExpr of ${b} decides on labels or annotations of ${a}: they change without a new generation`,
  race: [
    `the label of ${short(a)} says the new release as soon as it is written`,
    'its spec may be the old one: generation and Ready are of the old release',
    `the expression is true, ${short(b)} applies`,
  ],
  fix: 'Compare something in dep.spec: its change makes a new generation. lockstep post-render does.',
})

const allOfNothing = (b: string, a: string): Story => ({
  level: 'warning',
  message: `the readyExpr of ${b} takes no Ready condition for a true one: all(…) of an empty list is true`,
  race: [
    `${short(a)} is new: it has conditions, but no Ready yet`,
    'filter(…) leaves nothing, all(…) of nothing is true',
    `${short(b)} applies`,
  ],
  fix: "Write dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True').",
})
