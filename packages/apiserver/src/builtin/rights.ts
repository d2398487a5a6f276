import {
  at,
  isArray,
  isObject,
  isString,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  member,
} from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { items, within } from '../resources/objectdraft.ts'
import { invalid, notSupported, required } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { pathSegment } from '../write/dns1123label.ts'
import { subdomainName } from '../write/validatemeta.ts'
import type { SpecialRules } from './specialrules.ts'

const GROUP = 'rbac.authorization.k8s.io'

const filled = (v: JsonValue | undefined): boolean => isArray(v) && v.length > 0
const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')

/** kubernetes pkg/apis/rbac/validation. */
function ruleFindings(role: KubeObject): FieldError[] {
  const isLocal = role.kind === 'Role'
  return (isArray(role.rules) ? role.rules : []).flatMap((rule, i) => ofRule(rule, `rules[${i}]`, isLocal))
}

function ofRule(rule: JsonValue, path: string, isLocal: boolean): FieldError[] {
  const out: FieldError[] = []
  const has = (name: string): boolean => filled(member(rule, name))
  if (!has('verbs')) out.push(required(`${path}.verbs`, 'verbs must contain at least one value'))
  if (has('nonResourceURLs')) {
    const refuse = (why: string): void =>
      void out.push(invalid(`${path}.nonResourceURLs`, member(rule, 'nonResourceURLs'), why))
    if (isLocal) refuse('namespaced rules cannot apply to non-resource URLs')
    if (has('apiGroups') || has('resources') || has('resourceNames'))
      refuse('rules cannot apply to both regular resources and non-resource URLs')
    return out
  }
  if (!has('apiGroups'))
    out.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  if (!has('resources'))
    out.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
  return out
}

function aggregationFindings(role: KubeObject): FieldError[] {
  if (!isObject(role.aggregationRule) || filled(member(role.aggregationRule, 'clusterRoleSelectors')))
    return []
  const says = 'at least one clusterRoleSelector required if aggregationRule is non-nil'
  return [required('aggregationRule.clusterRoleSelectors', says)]
}

function bindingFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const subjects = isArray(next.subjects) ? next.subjects : []
  const changed =
    old && !jsonEqual(next.roleRef, old.roleRef)
      ? [invalid('roleRef', next.roleRef as JsonValue, 'cannot change roleRef')]
      : []
  return [
    ...refFindings(next),
    ...subjects.flatMap((s, i) => subjectFindings(s, `subjects[${i}]`, next.kind === 'RoleBinding')),
    ...changed,
  ]
}

function refFindings(binding: KubeObject): FieldError[] {
  const of = (name: string): string => text(at(binding, 'roleRef', name))
  const kinds = binding.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const out: FieldError[] = []
  if (of('apiGroup') !== GROUP) out.push(notSupported('roleRef.apiGroup', of('apiGroup'), [GROUP]))
  if (!kinds.includes(of('kind'))) out.push(notSupported('roleRef.kind', of('kind'), kinds))
  if (of('name') === '') return [...out, required('roleRef.name')]
  return [...out, ...pathSegment(of('name')).map((e) => invalid('roleRef.name', of('name'), e))]
}

function subjectFindings(subject: JsonValue, path: string, hasNamespace: boolean): FieldError[] {
  const of = (name: string): string => text(member(subject, name))
  const out: FieldError[] = of('name') === '' ? [required(`${path}.name`)] : []
  const group = (wanted: string): void => {
    if (of('apiGroup') !== wanted) out.push(notSupported(`${path}.apiGroup`, of('apiGroup'), [wanted]))
  }
  switch (of('kind')) {
    case 'ServiceAccount':
      if (of('name') !== '')
        for (const e of subdomainName(of('name'), false)) out.push(invalid(`${path}.name`, of('name'), e))
      group('')
      if (!hasNamespace && of('namespace') === '') out.push(required(`${path}.namespace`))
      return out
    case 'User':
    case 'Group':
      group(GROUP)
      return out
    default:
      return [...out, notSupported(`${path}.kind`, of('kind'), ['ServiceAccount', 'User', 'Group'])]
  }
}

function inGroup(named: ObjectDraft | undefined): void {
  if (named && !named.apiGroup) named.apiGroup = GROUP
}

const binding: SpecialRules = {
  defaults(o) {
    inGroup(within(o, 'roleRef'))
    for (const s of items(o, 'subjects')) if (s.kind === 'User' || s.kind === 'Group') inGroup(s)
  },
  validate: bindingFindings,
}

/** Kinds of rights. */
export const rightsRules: Readonly<Record<string, SpecialRules>> = {
  'Role.rbac.authorization.k8s.io': { validate: ruleFindings },
  'ClusterRole.rbac.authorization.k8s.io': {
    validate: (next) => [...ruleFindings(next), ...aggregationFindings(next)],
  },
  'RoleBinding.rbac.authorization.k8s.io': binding,
  'ClusterRoleBinding.rbac.authorization.k8s.io': binding,
}
