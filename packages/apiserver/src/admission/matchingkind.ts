import { type KubeObject, matchesSelector } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { Review } from './review.ts'
import type { Constraints, ResourceRule } from './validatingpolicy.ts'
import { GROUP } from './validatingpolicy.ts'

/**
 * The version of the resource in which constraints ask for a write; undefined: they are not about it
 * (apiserver pkg/admission/plugin/policy/matching).
 */
export function matchingKind(r: Review, c: Constraints): ServedKind | undefined {
  if (!matchesNamespace(r, c) || !matchesObject(r, c)) return undefined
  if (c.excluded.some((rule) => versionFor(r, rule, c.isExact))) return undefined
  // A binding without rules is about all that its policy is about.
  if (c.rules.length === 0) return r.kind
  for (const rule of c.rules) {
    const kind = versionFor(r, rule, c.isExact)
    if (kind) return kind
  }
  return undefined
}

/** Policies are not asked about what admission itself is made of: nobody must lock themselves out. */
export const isExempt = (kind: ServedKind): boolean => !kind.custom && kind.info.group === GROUP

const namespaceOf = (cluster: EmbeddedCluster, name: string): KubeObject | undefined =>
  cluster.kinds.find('', 'v1', 'namespaces')?.table.live.get(name)?.object

/** The Namespace that a write is in; a Namespace is in itself. */
export function namespaceObject(r: Review): KubeObject | undefined {
  if (r.kind.info.group === '' && r.kind.info.plural === 'namespaces' && r.subresource === '')
    return r.object ?? r.old
  return r.namespace === '' ? undefined : namespaceOf(r.cluster, r.namespace)
}

/** What is in no namespace is not chosen by its labels. */
function matchesNamespace(r: Review, c: Constraints): boolean {
  const namespace = namespaceObject(r)
  return !namespace || matchesSelector(c.namespaces, namespace.metadata.labels)
}

const matchesObject = (r: Review, c: Constraints): boolean =>
  [r.object, r.old].some((o) => o && matchesSelector(c.objects, o.metadata.labels))

function versionFor(r: Review, rule: ResourceRule, isExact: boolean): ServedKind | undefined {
  if (!includes(rule.operations, r.operation) || !inScope(r, rule)) return undefined
  if (rule.resourceNames.length > 0 && !rule.resourceNames.includes(r.name)) return undefined
  if (namesKind(r, rule, r.kind)) return r.kind
  if (isExact) return undefined
  return r.cluster.kinds.all().find((k) => k.table === r.kind.table && namesKind(r, rule, k))
}

const includes = (list: readonly string[], value: string): boolean =>
  list.includes('*') || list.includes(value)

const namesKind = (r: Review, rule: ResourceRule, { info }: ServedKind): boolean =>
  includes(rule.apiGroups, info.group) &&
  includes(rule.apiVersions, info.version) &&
  rule.resources.some((named) => coversResource(named, info.plural, r.subresource))

function coversResource(named: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = named.split('/')
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource)
}

/** A Namespace is in no scope of namespaces. */
function inScope(r: Review, rule: ResourceRule): boolean {
  if (rule.scope === '*') return true
  return (rule.scope === 'Namespaced') === r.kind.info.namespaced
}
