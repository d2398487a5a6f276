import { definitionRules } from '../crd/definitionrules.ts'
import { namespaceRules } from '../namespaces/namespacerules.ts'
import type { ServedKindRules } from '../resources/servedkind.ts'
import { pathSegment } from '../write/dns1123label.ts'
import { subdomainName } from '../write/validatemeta.ts'
import { batchRules } from './batch.ts'
import { configRules } from './config.ts'
import { eventRules } from './eventrules.ts'
import { otherRules } from './otherrules.ts'
import { policyRules } from './policyrules.ts'
import { rightsRules } from './rights.ts'
import { serviceRules } from './servicerules.ts'
import type { SpecialRules } from './specialrules.ts'
import { workloadRules } from './workloadrules.ts'

const USUAL: ServedKindRules = { generation: 'none', unconditional: true, name: subdomainName }

const SPECIAL: Readonly<Record<string, SpecialRules>> = {
  ...workloadRules,
  ...batchRules,
  ...serviceRules,
  ...configRules,
  ...rightsRules,
  ...otherRules,
  ...policyRules,
  Event: eventRules,
  Namespace: namespaceRules,
  'CustomResourceDefinition.apiextensions.k8s.io': definitionRules,
}

/** Rules of a built-in kind. Rights may have any name that fits in a path. */
export function builtinRules(group: string, kind: string): ServedKindRules {
  const id = group === '' ? kind : `${kind}.${group}`
  const special = Object.hasOwn(SPECIAL, id) ? SPECIAL[id] : undefined
  const name = group === 'rbac.authorization.k8s.io' ? pathSegment : USUAL.name
  return { ...USUAL, name, ...special }
}
