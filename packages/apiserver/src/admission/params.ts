import { err, ok, type Result } from '@lockstep/kube/env'
import { type KubeObject, matchesSelector } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import { seen, storeKey } from '../write/writeresult.ts'
import type { Review } from './review.ts'
import type { ParamRef, PolicyBinding, ValidatingPolicy } from './validatingpolicy.ts'

/**
 * The parameters with which a binding uses a policy: it is evaluated once for each. Undefined is one evaluation without
 * (apiserver pkg/admission/plugin/policy/generic CollectParams).
 */
export function paramsOf(
  r: Review,
  policy: ValidatingPolicy,
  binding: PolicyBinding,
): Result<readonly (KubeObject | undefined)[], string> {
  const { paramKind } = policy
  const ref = binding.paramRef
  if (!paramKind || !ref) return ok([undefined])
  const kind = r.cluster.kinds.byType(paramKind.apiVersion, paramKind.kind)
  if (!kind) return err(`paramKind kind \`${paramKind.apiVersion}, Kind=${paramKind.kind}\` not known`)
  const namespace = ref.namespace || (kind.info.namespaced ? r.namespace : '')
  if (kind.info.namespaced && namespace === '')
    return err('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  if (!kind.info.namespaced && ref.namespace !== '')
    return err('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  const found = named(kind, ref, namespace)
  if (found.length > 0 || !ref.deniesAbsence) return ok(found)
  return err('no params found for policy binding with `Deny` parameterNotFoundAction')
}

function named(kind: ServedKind, ref: ParamRef, namespace: string): KubeObject[] {
  const { live } = kind.table
  const prefix = kind.info.namespaced ? `${namespace}/` : ''
  const keys = ref.name !== '' ? [storeKey(kind, namespace, ref.name)] : [...live.keys(prefix, prefix)]
  return keys
    .flatMap((key) => live.get(key) ?? [])
    .map((stored) => seen(kind, stored).object)
    .filter((o) => ref.selector === undefined || matchesSelector(ref.selector, o.metadata.labels))
}
