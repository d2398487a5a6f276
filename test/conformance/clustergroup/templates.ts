import { canonicalJson, isArray, type JsonObject } from '../../../packages/kube/src/object/index.ts'
import { renderClusterGroup } from '../../../packages/lockstep/src/decisions/clustergroup/render/renderclustergroup.ts'
import { mergeValues } from '../../../packages/lockstep/src/decisions/clustergroup/values/merge.ts'
import { BadInput } from '../conformancekind.ts'
import { without } from './objects.ts'

/** What a template of the chart makes. Extra objects may be of these kinds, too. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'core/catalog-sources.yaml': ['CatalogSource'],
  'core/namespaces.yaml': ['Namespace'],
  'core/nodes.yaml': ['Node'],
  'core/operatorgroup.yaml': ['OperatorGroup'],
  'core/scheduler.yaml': ['Scheduler'],
  'core/subscriptions.yaml': ['Subscription', 'ClusterExtension', 'Job'],
  'plumbing/applications.yaml': ['Application'],
  'plumbing/argoProjects.yaml': ['AppProject'],
}
const EXTRA = 'core/extraObjects.yaml'
const OURS = new Set([EXTRA, ...Object.keys(KINDS)])

/** What others make, none of it rendered here. All else of `core/` is. */
const OUTSIDE: readonly (readonly [template: RegExp, what: string])[] = [
  [/^imperative\//, 'what the jobs of imperative need'],
  [/^plumbing\/argocd/, 'the Argo CD instance and its rights'],
  [/^plumbing\/gitops-namespace\./, 'the namespace of the Argo CD instance'],
  [/^plumbing\/trusted-bundle/, 'certificates of the Argo CD instance'],
  [/^core\/(?:clusterroles|roles|serviceaccounts)\./, 'rights'],
  [/^(?!core\/)/, 'something else'],
]

const bare = (template: string): string => template.replace(/^templates\//, '')

/** Why nothing is rendered here of what a template makes; undefined: all of it is. */
export function staysWithChart(template: string): string | undefined {
  const [, what] = OUTSIDE.find(([pattern]) => pattern.test(bare(template))) ?? []
  if (what === undefined || OURS.has(bare(template))) return undefined
  return `${template} makes ${what}, which stays with the chart`
}

/**
 * Objects by template, or why there are none, a line each.
 * @throws BadInput for a template of which nobody has said what it makes
 */
export type Rendering =
  | ((template: string) => readonly JsonObject[])
  | { readonly refused: readonly string[] }

/** All templates are rendered at once: what comes of which one is told by kinds, and by what is gone without extra objects. */
export function renderTemplates(values: JsonObject): Rendering {
  const all = render(values)
  const plain = render(mergeValues(values, { clusterGroup: { extraObjects: null } }))
  if (!isArray(all)) return all
  if (!isArray(plain)) return plain
  return (template) => {
    const name = bare(template)
    if (name === EXTRA) return without(all, plain, canonicalJson)
    const kinds = Object.hasOwn(KINDS, name) ? KINDS[name]! : undefined
    if (!kinds) throw new BadInput(`${template}: nobody has said what it makes; add it to templates.ts`)
    return plain.filter((o) => kinds.includes(String(o.kind)))
  }
}

function render(values: JsonObject): readonly JsonObject[] | { readonly refused: readonly string[] } {
  const made = renderClusterGroup({ files: [], inline: { place: 'values', values }, sequencing: 'Jobs' })
  return made.ok ? made.value.objects : { refused: made.error.map((p) => `stage ${p.stage}: ${p.text}`) }
}
