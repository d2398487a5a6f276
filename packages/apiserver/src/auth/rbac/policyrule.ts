import type { Attributes } from '../attributes.ts'

/** A rule of a Role or ClusterRole: what may be done with what. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  /** None: all. */
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

const ALL = '*'

/** Whether a rule allows something (kubernetes pkg/apis/rbac/v1/evaluation_helpers.go). */
export function allows(rule: PolicyRule, a: Attributes): boolean {
  if (!holds(rule.verbs, a.verb)) return false
  if ('path' in a) return (rule.nonResourceURLs ?? []).some((u) => coversPath(u, a.path))
  return (
    holds(rule.apiGroups, a.group) &&
    (rule.resources ?? []).some((r) => coversResource(r, a.resource, a.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(a.name))
  )
}

const holds = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes(ALL) || list.includes(value))

/** The rule names everything, a resource, a subresource of it, or that subresource of every resource. */
function coversResource(rule: string, resource: string, subresource: string): boolean {
  if (rule === ALL) return true
  if (subresource === '') return rule === resource
  return rule === `${resource}/${subresource}` || rule === `${ALL}/${subresource}`
}

const coversPath = (rule: string, path: string): boolean =>
  rule === ALL || rule === path || (rule.endsWith(ALL) && path.startsWith(rule.slice(0, -1)))

/**
 * What of the wanted rules no owned rule has, one right each (component-helpers auth/rbac/validation Covers). Owned rules are
 * not added up for one right: nobody can take half of it from each of two.
 */
export const missing = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] =>
  wanted.flatMap(singleRights).filter((right) => !owned.some((rule) => covers(rule, right)))

function singleRights(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames?.length ? rule.resourceNames.map((n) => [n]) : [undefined]
  const onResources = (rule.apiGroups ?? []).flatMap((g) =>
    (rule.resources ?? []).flatMap((r) =>
      rule.verbs.flatMap((v) =>
        names.map((resourceNames) => ({
          apiGroups: [g],
          resources: [r],
          verbs: [v],
          ...(resourceNames && { resourceNames }),
        })),
      ),
    ),
  )
  const onPaths = (rule.nonResourceURLs ?? []).flatMap((u) =>
    rule.verbs.map((v) => ({ nonResourceURLs: [u], verbs: [v] })),
  )
  return [...onResources, ...onPaths]
}

function covers(rule: PolicyRule, right: PolicyRule): boolean {
  if (!holds(rule.verbs, right.verbs[0]!)) return false
  const [url] = right.nonResourceURLs ?? []
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((u) => coversPath(u, url))
  const [resource = '', subresource = ''] = cut(right.resources?.[0] ?? '')
  const [name] = right.resourceNames ?? []
  return (
    holds(rule.apiGroups, right.apiGroups?.[0] ?? '') &&
    (rule.resources ?? []).some((r) => coversResource(r, resource, subresource)) &&
    (!rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name)))
  )
}

function cut(resource: string): [string, string] {
  const slash = resource.indexOf('/')
  return slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)]
}

/** Rights to the same resource, and name if there is one, as one rule (component-helpers auth/rbac/validation CompactRules). */
export function compacted(rights: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>()
  for (const r of rights) {
    const { verbs, ...target } = r
    // Paths are not put together.
    const key = r.nonResourceURLs ? JSON.stringify(r) : JSON.stringify(target)
    const known = merged.get(key)
    merged.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : r)
  }
  return [...merged.values()]
}
