import type { NewBlocker } from '../../api/blocker.ts'
import type { Module } from '../../api/kinds/index.ts'
import { MAX_REFS, type WaitRef } from '../../api/reasons/index.ts'
import type { SourceFailure } from '../../sources/intake/index.ts'

/** Failures of one source that a status names. */
const MAX_BLOCKERS = 20
/** A failure to publish as blockers of its Module: the first, then those of other objects or bindings. */
export function failureBlockers(
  failure: SourceFailure,
  module: Pick<Module, 'kind' | 'apiVersion' | 'metadata' | 'spec'>,
): NewBlocker[] {
  const refs = sourceRefs(module)
  return [failure, ...(failure.others ?? [])]
    .slice(0, MAX_BLOCKERS)
    .map(({ reason, on, facts, message }) => ({
      reason,
      on: on.length > 0 ? on : refs,
      facts,
      message,
    }))
}

/** The Module, which has the spec, and the URL or the objects of its source. */
function sourceRefs({
  kind,
  apiVersion,
  metadata: { name = '', namespace = '' },
  spec: { source },
}: Pick<Module, 'kind' | 'apiVersion' | 'metadata' | 'spec'>): WaitRef[] {
  const url = source.git?.url ?? source.helm?.repository
  const objects = (of: 'ConfigMap' | 'Secret', items: readonly { readonly name: string }[] = []) =>
    items.map((item) => hubObject(of, namespace, item.name))
  const refs: WaitRef[] = [
    { kind: 'Module', name, namespace, ...(kind === 'Module' ? {} : { object: { apiVersion, kind } }) },
    ...(url === undefined ? [] : [{ kind: 'Source', name: url } as const]),
    ...objects('ConfigMap', source.configMaps),
    ...objects('Secret', source.secrets),
    ...(source.resources ?? []).map((r) => hubObject(r.kind, namespace, r.name)),
  ]
  return refs.slice(0, MAX_REFS)
}

const hubObject = (kind: 'ConfigMap' | 'Secret', namespace: string, name: string): WaitRef => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion: 'v1', kind },
})
