/** Rights as rules of Roles: as few as there can be without a right too much. Pure. */
import type { NeededRight } from './neededrights.ts'

export interface RoleRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** Absent: all objects. */
  readonly resourceNames?: readonly string[]
}

/** Rights of one place and resource. */
export interface ResourceRights {
  /** Undefined: of the whole hub. */
  readonly namespace: string | undefined
  readonly group: string
  readonly resource: string
  /** Undefined: all objects. */
  readonly name: string | undefined
  readonly verbs: readonly string[]
  readonly usedBy: readonly string[]
}

/** Verbs in the order of RBAC's documentation. */
const ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']

const rank = (verb: string): number => (ORDER.includes(verb) ? ORDER.indexOf(verb) : ORDER.length)
const inOrder = (verbs: Iterable<string>): string[] =>
  [...new Set(verbs)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))

/** One entry for each namespace, resource and name, without rights that a right on more objects includes. */
export function resourceRightsOf(rights: readonly NeededRight[]): ResourceRights[] {
  const found = new Map<string, { first: NeededRight; verbs: Set<string>; usedBy: Set<string> }>()
  for (const r of rights) {
    const key = keyOf(r, r.name)
    const entry = found.get(key) ?? { first: r, verbs: new Set(), usedBy: new Set() }
    entry.verbs.add(r.verb)
    entry.usedBy.add(r.usedBy)
    found.set(key, entry)
  }
  for (const { first, verbs, usedBy } of found.values()) {
    const everywhere = { ...first, namespace: undefined }
    const wider = [keyOf(first, undefined), keyOf(everywhere, first.name), keyOf(everywhere, undefined)]
    for (const key of wider) {
      const other = found.get(key)
      if (!other || other.first === first) continue
      const before = verbs.size
      for (const verb of other.verbs) verbs.delete(verb)
      if (verbs.size < before && verbs.size === 0) for (const u of usedBy) other.usedBy.add(u)
    }
  }
  return [...found.values()]
    .filter(({ verbs }) => verbs.size > 0)
    .map(({ first: { namespace, group, resource, name }, verbs, usedBy }) => ({
      namespace,
      group,
      resource,
      name,
      verbs: inOrder(verbs),
      usedBy: [...usedBy],
    }))
    .sort(compared)
}

/** Rules of one place: resources with equal verbs share one, and so do names of a resource. */
export function roleRules(rights: readonly ResourceRights[]): RoleRule[] {
  const rules = new Map<
    string,
    { group: string; resources: Set<string>; verbs: readonly string[]; names: Set<string> }
  >()
  for (const { group, resource, name, verbs } of rights) {
    const key = [group, verbs.join(), name === undefined ? '' : resource].join(' ')
    const rule = rules.get(key) ?? { group, resources: new Set(), verbs, names: new Set() }
    rule.resources.add(resource)
    if (name !== undefined) rule.names.add(name)
    rules.set(key, rule)
  }
  return [...rules.values()].map(({ group, resources, verbs, names }) => ({
    apiGroups: [group],
    resources: [...resources].sort(),
    verbs,
    ...(names.size === 0 ? {} : { resourceNames: [...names].sort() }),
  }))
}

const keyOf = ({ namespace = '', group, resource }: NeededRight, name = ''): string =>
  [namespace, group, resource, name].join(' ')

const textOf = ({ namespace = '', group, resource, name = '' }: ResourceRights): string =>
  [namespace, group, resource, name].join(' ')

const compared = (a: ResourceRights, b: ResourceRights): number => (textOf(a) < textOf(b) ? -1 : 1)
