/** Random Modules whose objects change hands: contents, selected clusters and dependencies. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { Place } from '../../fleet/handoverstory.ts'
import { chance } from '../scenario.ts'

/** An object that is in the bundle of one Module, of several, or of none. */
export interface HandedPart {
  readonly name: string
  readonly place: Place
  /** Name of the part without which it cannot be created: its Namespace, or the definition of its kind. */
  readonly needs: readonly string[]
  /** Manifest of a version; the same for all where the kind has no content that changes. */
  text(value: string): string
}

export interface HandoverModule {
  readonly name: string
  readonly parts: ReadonlySet<string>
  /** Label `ring` of its clusters; `all`, or `none`: it is switched off. */
  readonly ring: string
  readonly edges: readonly { readonly on: string; readonly optional: boolean }[]
  readonly takesFrom: readonly string[]
  /** Raised by each release. */
  readonly version: number
}

export interface HandoverPlan {
  readonly clusters: readonly string[]
  readonly rings: ReadonlyMap<string, string>
  readonly parts: ReadonlyMap<string, HandedPart>
  readonly modules: ReadonlyMap<string, HandoverModule>
  /** A Namespace and a claim that exist on each cluster before the first Module. */
  readonly existing: readonly string[]
}

export const RINGS = ['blue', 'green'] as const

const meta = (name: string, namespace: string): string => `metadata: {name: ${name}, namespace: ${namespace}}`

const namespacePart = (name: string): HandedPart => ({
  name,
  place: ['namespaces', '', name],
  needs: [],
  text: () => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`,
})

const configPart = (name: string, namespace: string): HandedPart => ({
  name,
  place: ['configmaps', namespace, name],
  needs: namespace === 'default' ? [] : [namespace],
  text: (value) => `apiVersion: v1\nkind: ConfigMap\n${meta(name, namespace)}\ndata: {value: "${value}"}\n`,
})

const claimPart = (name: string, namespace: string): HandedPart => ({
  name,
  place: ['persistentvolumeclaims', namespace, name],
  needs: [namespace],
  text: () =>
    `apiVersion: v1\nkind: PersistentVolumeClaim\n${meta(name, namespace)}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n`,
})

const DEFINITION = 'widgets.example.com'
const definitionPart: HandedPart = {
  name: DEFINITION,
  place: ['customresourcedefinitions.apiextensions.k8s.io', '', DEFINITION],
  needs: [],
  text: () => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${DEFINITION}}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`,
}

const widgetPart = (name: string, namespace: string): HandedPart => ({
  name,
  place: ['widgets.example.com', namespace, name],
  needs: [DEFINITION, ...(namespace === 'default' ? [] : [namespace])],
  text: (value) =>
    `apiVersion: example.com/v1\nkind: Widget\n${meta(name, namespace)}\nspec: {value: "${value}"}\n`,
})

/** At most 24 units, as people have them on a small fleet. */
export const MOST_UNITS = 24

export function randomHandoverPlan(random: Random): HandoverPlan {
  const clusters = Array.from({ length: 1 + Math.floor(random.next() * 3) }, (_, i) => `c${i + 1}`)
  const count = 3 + Math.floor(random.next() * 4)
  const parts = randomParts(random)
  const names = Array.from({ length: count }, (_, i) => `m${i}`)
  const contents = new Map(names.map((n) => [n, new Set<string>()]))
  for (const part of parts) {
    contents.get(one(random, names))!.add(part.name)
    // A forgotten copy.
    if (chance(random, 0.08)) contents.get(one(random, names))!.add(part.name)
  }
  const modules = names.map((name, i): HandoverModule => {
    const before = names.slice(0, i).filter(() => chance(random, 0.25))
    return {
      name,
      parts: contents.get(name)!,
      ring: chance(random, 0.6) ? 'all' : one(random, RINGS),
      edges: before.map((on) => ({ on, optional: chance(random, 0.3) })),
      takesFrom: [],
      version: 1,
    }
  })
  return {
    clusters,
    rings: new Map(clusters.map((c) => [c, one(random, RINGS)])),
    parts: new Map(parts.map((p) => [p.name, p])),
    modules: new Map(modules.map((m) => [m.name, m])),
    existing: chance(random, 0.25) ? ['n0', 'n0-data'] : [],
  }
}

function randomParts(random: Random): HandedPart[] {
  const namespaces = chance(random, 0.5) ? ['n0'] : ['n0', 'n1']
  const hasDefinition = chance(random, 0.3)
  return [
    ...namespaces.flatMap((n) => [
      namespacePart(n),
      claimPart(`${n}-data`, n),
      configPart(`${n}-one`, n),
      ...(chance(random, 0.5) ? [configPart(`${n}-two`, n)] : []),
    ]),
    configPart('plain', 'default'),
    ...(hasDefinition ? [definitionPart, widgetPart('w0', 'n0'), widgetPart('w1', 'default')] : []),
  ]
}

export const one = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random.next() * of.length)]!

/** The text of its source; a Module without objects has one of its own. */
export const contentOf = (plan: HandoverPlan, { name, parts, version }: HandoverModule): string =>
  parts.size === 0
    ? configPart(`only-${name}`, 'default').text('1')
    : [...parts].map((p) => plan.parts.get(p)!.text(`${name} ${version}`)).join('---\n')

export const selects = (plan: HandoverPlan, { ring }: HandoverModule, cluster: string): boolean =>
  ring === 'all' || plan.rings.get(cluster) === ring
