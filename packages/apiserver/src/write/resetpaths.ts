import type { KubeObject } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'

/**
 * Paths that an endpoint never owns: the status on the main path, all but the status on `/status`
 * (apiextensions-apiserver `customresource/strategy.go` GetResetFields).
 */
export function resetPaths(
  kind: ServedKind,
  object: KubeObject,
  subresource: string | undefined,
): readonly (readonly string[])[] {
  if (subresource === 'status')
    return [...new Set(['spec', ...Object.keys(object)])]
      .filter((k) => k !== 'status' && k !== 'apiVersion' && k !== 'kind')
      .map((k) => [k])
  return kind.hasStatus ? [['status']] : []
}
