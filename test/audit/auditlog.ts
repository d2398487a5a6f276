/** The audit log of a kube-apiserver. */
import { readFile } from 'node:fs/promises'
import type { AuditEntry } from './auditentry.ts'

/** `audit.k8s.io/v1` Event, as far as it is read here. */
interface AuditEvent {
  readonly userAgent?: string
  readonly verb: string
  readonly impersonatedUser?: { readonly username: string }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly apiGroup?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
}

export async function readAuditLog(path: string): Promise<AuditEntry[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  // The last line may be on its way.
  return lines.slice(0, -1).flatMap((line) => entryOf(JSON.parse(line)))
}

function entryOf({ userAgent, verb, impersonatedUser, objectRef, responseStatus }: AuditEvent): AuditEntry[] {
  if (!objectRef?.resource) return []
  const { resource, subresource, apiGroup = '', namespace = '', name = '' } = objectRef
  return [
    {
      agent: userAgent ?? '',
      impersonated: impersonatedUser?.username,
      verb,
      group: apiGroup,
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      namespace,
      name,
      code: responseStatus?.code,
    },
  ]
}
