/** W1a, W4a: what an edge compares, and what it does not. */
import { at } from '../../../../kube/src/object/index.ts'
import { placeOf } from '../flux/fluxmanifest.ts'
import { type Edge, type SourceRef, type Unit, unitText } from '../flux/fluxunit.ts'
import { type Asked, askedBy } from './expressionrequirements.ts'
import { type Checked, type FluxFinding, type Look, relatedTo, short } from './fluxcheckrule.ts'
import { expressionOf } from './checkreadyexpr.ts'

const BIND =
  'Write units and edges with lockstep post-render, or compare a release that the spec of the dependency carries, and its observedGeneration, in readyExpr.'

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

export interface Between {
  readonly unit: Unit
  readonly edge: Edge
  readonly to: Unit
  readonly asked: Asked | undefined
}

/** Edges within the set, with what their expressions ask. */
export const edgesOf = (c: Checked): Between[] =>
  c.set.units.flatMap((unit) =>
    unit.edges.flatMap((edge) => {
      const to = c.set.dependency(unit, edge)
      return to
        ? [{ unit, edge, to, asked: edge.readyExpr === undefined ? undefined : askedBy(edge.readyExpr) }]
        : []
    }),
  )

export const lookAtEdges: Look = (c) =>
  edgesOf(c).flatMap((b) => [...unboundContent(b), ...expressionOf(b), ...skew(c, b)])

function unboundContent({ unit, edge, to, asked }: Between): FluxFinding[] {
  const field =
    unit.kind === 'HelmRelease' ? contentOfRelease(to) : CONTENT.find((f) => at(to.spec, f) !== undefined)
  if (field === undefined || asked?.bound || asked?.problem !== undefined) return []
  const [b, a] = [unitText(unit), unitText(to)]
  return [
    {
      rule: 'W1a',
      level: 'warning',
      place: placeOf(unit.manifest, edge.path),
      message: `${b} depends on ${a}, but not on a release of it: ${a} has content in spec.${field}, which no revision covers`,
      race: [
        `a new release writes ${short(b)} first`,
        `${short(a)} is still as before: Ready=True, its generation observed`,
        `${short(b)} sees a ready dependency and applies the new release`,
        `${short(a)} gets its new spec.${field} only then`,
      ],
      fix: BIND,
      related: [relatedTo(to.manifest, ['spec', field], `content of ${a}`, 'key')],
    },
  ]
}

const contentOfRelease = (u: Unit): string =>
  ['values', 'valuesFrom', 'chart', 'chartRef'].find((f) => at(u.spec, f) !== undefined) ?? 'chart'

function skew(c: Checked, { unit, edge, to, asked }: Between): FluxFinding[] {
  const [own, other] = [unit.source, to.source]
  if (unit.kind !== 'Kustomization' || !own || !other || asked?.bound || asked?.problem !== undefined)
    return []
  const [b, a] = [unitText(unit), unitText(to)]
  const related = [
    relatedTo(unit.manifest, own.path, `${b} reads ${own.kind} ${own.name}`),
    relatedTo(to.manifest, other.path, `${a} reads ${other.kind} ${other.name}`),
  ]
  const place = placeOf(unit.manifest, edge.path)
  if (!isSame(own, other))
    return [
      {
        ...{ rule: 'W4a', level: 'error', place, related, fix: BIND },
        message: `${b} depends on ${a} but reads ${own.kind} ${own.name}, ${a} reads ${other.kind} ${other.name}: what is new in ${own.name} may be applied before ${a} has taken what is new in ${other.name}`,
        race: [
          `both get a new release; Flux fetches ${own.name} first`,
          `${short(b)} has new content, ${short(a)} is Ready at the old one`,
          `Flux compares no revisions across sources: ${short(b)} applies`,
          `${other.name} is fetched, ${short(a)} applies the new release`,
        ],
      },
    ]
  if (!asked || c.additiveGate) return []
  return [
    {
      ...{ rule: 'W4a', level: 'error', place: placeOf(unit.manifest, [...edge.path, 'readyExpr']), related },
      message: `the readyExpr of ${b} ends Flux's own comparison: ${b} and ${a} read ${own.kind} ${own.name}, but nothing compares their revisions any more`,
      race: [
        `${own.name} has a new revision, ${short(b)} is looked at first`,
        `${short(a)} is Ready at the old revision; without readyExpr ${short(b)} would wait for it`,
        `the expression is true, ${short(b)} applies the new revision`,
      ],
      fix: `${BIND} Or start kustomize-controller with --feature-gates=AdditiveCELDependencyCheck=true, and check with --additive-gate.`,
    },
  ]
}

const isSame = (a: SourceRef, b: SourceRef): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace
