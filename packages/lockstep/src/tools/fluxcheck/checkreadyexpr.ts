/** W3a: an expression that is true too early. */
import type { YamlPath } from '@lockstep/kube/object'
import { positionOf } from '../flux/fluxmanifest.ts'
import { type FluxEdge, type FluxUnit, unitText } from '../flux/fluxunit.ts'
import type { ExpressionRequirements } from './expressionrequirements.ts'
import { type FluxFinding, shortUnitText } from './fluxcheckrule.ts'

type FindingText = Pick<FluxFinding, 'level' | 'message' | 'race' | 'fix'>

export function checkReadyExpr(on: {
  readonly unit: FluxUnit
  readonly edge: FluxEdge
  readonly to: FluxUnit
  readonly asked: ExpressionRequirements | undefined
}): FluxFinding[] {
  const { unit, edge, to, asked } = on
  if (!asked) return []
  const path: YamlPath = [...edge.path, 'readyExpr']
  return storiesOf(asked, unitText(unit), unitText(to)).map((story) => ({
    ...story,
    rule: 'W3a',
    place: positionOf(unit.manifest, path),
    related: [],
  }))
}

function storiesOf(asked: ExpressionRequirements, b: string, a: string): FindingText[] {
  if (asked.problem !== undefined) return [broken(b, asked.problem)]
  const out: FindingText[] = []
  if (!asked.observed) out.push(unobserved(b, a))
  if (asked.labels && !asked.bound) out.push(byLabel(b, a))
  if (asked.allOfFiltered) out.push(allOfNothing(b, a))
  return out
}

const broken = (b: string, problem: string): FindingText => ({
  level: 'error',
  message: `the readyExpr of ${b} is not a valid expression (${problem})`,
  race: [`Flux compiles it, fails, and stalls ${shortUnitText(b)} for good`],
  fix: 'Correct it.',
})

const unobserved = (b: string, a: string): FindingText => ({
  level: 'error',
  message: `the readyExpr of ${b} does not compare observedGeneration: the status of ${a} may be of an older generation`,
  race: [
    `${shortUnitText(a)} gets a new spec: generation 5`,
    'its status is of generation 4 until Flux begins: Ready=True',
    `the expression is true, ${shortUnitText(b)} applies`,
    `Flux begins with generation 5 of ${shortUnitText(a)}`,
  ],
  fix: 'Add dep.metadata.generation == dep.status.observedGeneration.',
})

const byLabel = (b: string, a: string): FindingText => ({
  level: 'error',
  message: `the readyExpr of ${b} decides on labels or annotations of ${a}: they change without a new generation`,
  race: [
    `the label of ${shortUnitText(a)} has the new release as soon as it is written`,
    'its spec may be the old one: generation and Ready are of the old release',
    `the expression is true, ${shortUnitText(b)} applies`,
  ],
  fix: 'Compare something in dep.spec: its change makes a new generation. lockstep post-render does.',
})

const allOfNothing = (b: string, a: string): FindingText => ({
  level: 'warning',
  message: `the readyExpr of ${b} takes no Ready condition for a true one: all(…) of an empty list is true`,
  race: [
    `${shortUnitText(a)} is new: it has conditions, but no Ready yet`,
    'filter(…) returns an empty list, all(…) of an empty list is true',
    `${shortUnitText(b)} applies`,
  ],
  fix: "Write dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True').",
})
