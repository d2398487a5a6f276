import { goQuote } from '@lockstep/kube/fields'
import type { ManagedFieldsEntry } from '@lockstep/kube/object'

/** What tells managers apart (apimachinery `managedfields/internal/managedfields.go`, BuildManagerIdentifier). */
export interface ManagerKey {
  readonly manager?: string
  readonly operation: ManagedFieldsEntry['operation']
  /** Only updaters are told apart by version: an applier's next configuration replaces its last in any version. */
  readonly apiVersion?: string
  readonly subresource?: string
}

export function identifierOf(key: ManagerKey): string {
  return JSON.stringify({
    manager: key.manager || undefined,
    operation: key.operation,
    apiVersion: key.operation === 'Apply' ? undefined : key.apiVersion,
    subresource: key.subresource || undefined,
  })
}

export const keyOfIdentifier = (identifier: string): ManagerKey => JSON.parse(identifier) as ManagerKey

/** `"U" with subresource "status" using ex.io/v1` */
export function printManager(identifier: string): string {
  const { manager, operation, apiVersion, subresource } = keyOfIdentifier(identifier)
  const where = subresource ? ` with subresource ${goQuote(subresource)}` : ''
  const version = operation === 'Update' ? ` using ${apiVersion ?? ''}` : ''
  return goQuote(manager ?? '') + where + version
}
