/** W2a, W2b, W2c: edges that do not open, or late. */
import { nearest, type YamlPath } from '@lockstep/kube/object'
import { positionOf } from '../flux/fluxmanifest.ts'
import { orderOf } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

/** How often the controllers look again at a dependency that is not ready (`--requeue-dependency`). */
const REQUEUE_S = 30
const LONGEST_S = 120

export const checkWaits: FluxCheckRule = (c) => [
  ...suspended(c),
  ...leadingNowhere(c),
  ...cycles(c),
  ...longest(c),
]

const suspended = ({ set }: CheckedFlux): FluxFinding[] =>
  set.units.flatMap((a) => {
    const dependants = set.dependants(a)
    if (a.spec.suspend !== true || dependants.length === 0) return []
    const [name, first] = [unitText(a), unitText(dependants[0]!.unit)]
    return [
      {
        rule: 'W2a',
        level: 'error',
        place: positionOf(a.manifest, ['spec', 'suspend']),
        message: `${name} is suspended, and ${first}${dependants.length > 1 ? ` and ${dependants.length - 1} more` : ''} depends on it`,
        race: [
          `${shortUnitText(name)} gets a new spec: a new generation`,
          'Flux does not reconcile it while it is suspended: observedGeneration stays behind',
          `${shortUnitText(first)} waits forever, and its drift is not reverted`,
        ],
        fix: 'Resume it, or take it out of dependsOn while it is suspended.',
        related: dependants.map((d) =>
          relatedTo(d.unit.manifest, d.edge.path, `${unitText(d.unit)} waits for it`),
        ),
      },
    ]
  })

function leadingNowhere({ set }: CheckedFlux): FluxFinding[] {
  return set.units.flatMap((unit) =>
    unit.edges.flatMap((edge): FluxFinding[] => {
      if (set.dependency(unit, edge)) return []
      const other = edge.kind === 'Kustomization' ? 'HelmRelease' : 'Kustomization'
      const ofOther = set.units.find((u) => u.kind === other && u.name === edge.name)
      const elsewhere = set.units.find((u) => u.kind === edge.kind && u.name === edge.name)
      const names = set.units.flatMap((u) => (u.kind === edge.kind ? [u.name] : []))
      const meant = nearest(edge.name, names)
      const [wanted, b] = [unitText(edge), unitText(unit)]
      const hint = elsewhere
        ? ` (did you mean the one in ${elsewhere.namespace}?)`
        : ofOther
          ? ` (${unitText(ofOther)} is a ${other}: Flux has no dependencies between the kinds)`
          : meant
            ? ` (did you mean ${meant}?)`
            : ''
      const field: YamlPath = [...edge.path, 'name']
      return [
        {
          rule: 'W2b',
          level: 'error',
          place: positionOf(unit.manifest, field),
          message: `${b} depends on ${wanted}, which is not here${hint}`,
          race: [
            `Flux finds no ${shortUnitText(wanted)}`,
            `${shortUnitText(b)} waits forever, and its drift is not reverted`,
          ],
          fix:
            ofOther && !elsewhere
              ? `Put ${unitText(ofOther)} into a Kustomization with wait: true and depend on that.`
              : 'Correct the name or the namespace; if it comes from elsewhere, check both together.',
          related:
            ofOther && !elsewhere ? [relatedTo(ofOther.manifest, ['metadata', 'name'], 'of this name')] : [],
        },
      ]
    }),
  )
}

function cycles({ set }: CheckedFlux): FluxFinding[] {
  const { cycle } = orderOf(set)
  if (!cycle) return []
  const edges = cycle.slice(0, -1).map((unit, i) => ({
    unit,
    edge: unit.edges.find((e) => set.dependency(unit, e) === cycle[i + 1])!,
  }))
  const [first, ...others] = edges
  return [
    {
      rule: 'W2b',
      level: 'error',
      place: positionOf(first!.unit.manifest, first!.edge.path),
      message: `dependency cycle: ${cycle.map((u) => u.name).join(' → ')}`,
      race: ['each of them waits until the next one is ready', 'none of them is ever applied again'],
      fix: 'Remove one of the dependencies.',
      related: others.map((e) =>
        relatedTo(e.unit.manifest, e.edge.path, `${unitText(e.unit)} waits for the next`),
      ),
    },
  ]
}

/** The longest chain, told at its last unit. */
function longest({ set }: CheckedFlux): FluxFinding[] {
  const longestTo = new Map<FluxUnit, { readonly length: number; readonly through: FluxUnit | undefined }>()
  for (const unit of orderOf(set).order) {
    let best: { length: number; through: FluxUnit | undefined } = { length: 0, through: undefined }
    for (const edge of unit.edges) {
      const to = set.dependency(unit, edge)
      const length = to ? (longestTo.get(to)?.length ?? 0) + 1 : 0
      if (to && length > best.length) best = { length, through: to }
    }
    longestTo.set(unit, best)
  }
  let [last, length]: [FluxUnit | undefined, number] = [undefined, 0]
  for (const [unit, found] of longestTo) if (found.length > length) [last, length] = [unit, found.length]
  if (!last || length * REQUEUE_S <= LONGEST_S) return []
  const chain = [last]
  for (let here = longestTo.get(last)?.through; here; here = longestTo.get(here)?.through) chain.push(here)
  const next = last.edges.find((e) => set.dependency(last, e) === chain[1])!
  return [
    {
      rule: 'W2c',
      level: 'note',
      place: positionOf(last.manifest, next.path),
      related: [],
      message: `a chain of ${length} dependencies ends here (${chain.map((u) => u.name).join(' → ')}): up to ${length * REQUEUE_S} s only for requeues`,
      race: [
        'the first unit of the chain becomes ready',
        `its dependent was checked just before, and is checked again after ${REQUEUE_S} s`,
        `so each of ${length} dependencies may add ${REQUEUE_S} s`,
      ],
      fix: 'Start the controllers with a shorter --requeue-dependency, or remove dependencies that others imply.',
    },
  ]
}
