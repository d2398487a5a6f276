import { definitionRules } from '../crd/rules.ts'
import { namespaceRules } from '../namespaces/rules.ts'
import type { KindRules } from '../resources/kind.ts'
import { subdomainName } from '../write/metadata.ts'
import { pathSegment } from '../write/names.ts'
import { batchRules } from './batch.ts'
import { configRules } from './config.ts'
import { eventRules } from './events.ts'
import { otherRules } from './others.ts'
import { policyRules } from './policies.ts'
import { rightsRules } from './rights.ts'
import { serviceRules } from './services.ts'
import type { BuiltinRules } from './special.ts'
import { workloadRules } from './workloads.ts'

const USUAL: KindRules = { generation: 'none', unconditional: true, name: subdomainName }

const SPECIAL: Readonly<Record<string, BuiltinRules>> = {
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
export function builtinRules(group: string, kind: string): KindRules {
  const id = group === '' ? kind : `${kind}.${group}`
  const special = Object.hasOwn(SPECIAL, id) ? SPECIAL[id] : undefined
  const name = group === 'rbac.authorization.k8s.io' ? pathSegment : USUAL.name
  return { ...USUAL, name, ...special }
}
