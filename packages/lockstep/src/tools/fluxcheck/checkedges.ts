/** W1a, W4a: what an edge compares, and what it does not. */
import { at } from '@lockstep/kube/object'
import { positionOf } from '../flux/fluxmanifest.ts'
import { type FluxEdge, type FluxSourceRef, type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { checkReadyExpr } from './checkreadyexpr.ts'
import { type ExpressionRequirements, expressionRequirements } from './expressionrequirements.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

const BIND =
  'Write units and dependencies with lockstep post-render, or compare in readyExpr a release in the spec of the dependency, and its observedGeneration.'

/** Fields that are content: they change what is applied, and no source has a revision for them. */
const CONTENT = [
  'patches',
  'images',
  'postBuild',
  'components',
  'commonMetadata',
  'namePrefix',
  'nameSuffix',
  'targetNamespace',
]

export interface EdgeInSet {
  readonly unit: FluxUnit
  readonly edge: FluxEdge
  readonly to: FluxUnit
  readonly asked: ExpressionRequirements | undefined
}

/** Edges within the set, with what their expressions ask. */
export const edgesOf = (c: CheckedFlux): EdgeInSet[] =>
  c.set.units.flatMap((unit) =>
    unit.edges.flatMap((edge) => {
      const to = c.set.dependency(unit, edge)
      return to
        ? [
            {
              unit,
              edge,
              to,
              asked: edge.readyExpr === undefined ? undefined : expressionRequirements(edge.readyExpr),
            },
          ]
        : []
    }),
  )

export const checkEdges: FluxCheckRule = (c) =>
  edgesOf(c).flatMap((b) => [...unboundContent(b), ...checkReadyExpr(b), ...skew(c, b)])

function unboundContent({ unit, edge, to, asked }: EdgeInSet): FluxFinding[] {
  const field =
    unit.kind === 'HelmRelease' ? contentOfRelease(to) : CONTENT.find((f) => at(to.spec, f) !== undefined)
  if (field === undefined || asked?.bound || asked?.problem !== undefined) return []
  const [b, a] = [unitText(unit), unitText(to)]
  return [
    {
      rule: 'W1a',
      level: 'warning',
      place: positionOf(unit.manifest, edge.path),
      message: `${b} depends on ${a}, but not on a release: ${a} has content in spec.${field}, which no revision covers`,
      race: [
        `a new release writes ${shortUnitText(b)} first`,
        `${shortUnitText(a)} is still as before: Ready=True, its generation observed`,
        `${shortUnitText(b)} sees a ready dependency and applies the new release`,
        `${shortUnitText(a)} gets its new spec.${field} only then`,
      ],
      fix: BIND,
      related: [relatedTo(to.manifest, ['spec', field], `content of ${a}`, 'key')],
    },
  ]
}

const contentOfRelease = (u: FluxUnit): string =>
  ['values', 'valuesFrom', 'chart', 'chartRef'].find((f) => at(u.spec, f) !== undefined) ?? 'chart'

function skew(c: CheckedFlux, { unit, edge, to, asked }: EdgeInSet): FluxFinding[] {
  const [own, other] = [unit.source, to.source]
  if (unit.kind !== 'Kustomization' || !own || !other || asked?.bound || asked?.problem !== undefined)
    return []
  const [b, a] = [unitText(unit), unitText(to)]
  const related = [
    relatedTo(unit.manifest, own.path, `${b} reads ${own.kind} ${own.name}`),
    relatedTo(to.manifest, other.path, `${a} reads ${other.kind} ${other.name}`),
  ]
  const place = positionOf(unit.manifest, edge.path)
  if (!isSame(own, other))
    return [
      {
        rule: 'W4a',
        level: 'error',
        place,
        related,
        fix: BIND,
        message: `${b} depends on ${a} but reads ${own.kind} ${own.name}, ${a} reads ${other.kind} ${other.name}: new content of ${own.name} may be applied before ${a} applies new content of ${other.name}`,
        race: [
          `both get a new release; Flux fetches ${own.name} first`,
          `${shortUnitText(b)} has new content, ${shortUnitText(a)} is Ready at the old one`,
          `Flux compares no revisions across sources: ${shortUnitText(b)} applies`,
          `${other.name} is fetched, ${shortUnitText(a)} applies the new release`,
        ],
      },
    ]
  if (!asked || c.additiveGate) return []
  return [
    {
      rule: 'W4a',
      level: 'error',
      place: positionOf(unit.manifest, [...edge.path, 'readyExpr']),
      related,
      message: `the readyExpr of ${b} ends Flux's own comparison: ${b} and ${a} read ${own.kind} ${own.name}, but nothing compares their revisions any more`,
      race: [
        `${own.name} has a new revision, ${shortUnitText(b)} is reconciled first`,
        `${shortUnitText(a)} is Ready at the old revision; without readyExpr ${shortUnitText(b)} would wait for it`,
        `the expression is true, ${shortUnitText(b)} applies the new revision`,
      ],
      fix: `${BIND} Or start kustomize-controller with --feature-gates=AdditiveCELDependencyCheck=true, and check with --additive-gate.`,
    },
  ]
}

const isSame = (a: FluxSourceRef, b: FluxSourceRef): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace
