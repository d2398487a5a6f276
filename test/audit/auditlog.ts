/** The audit log of a kube-apiserver. */
import { readFile } from 'node:fs/promises'
import type { AuditEntry } from './auditentry.ts'

/** `audit.k8s.io/v1` Event, as far as it is read here. */
interface AuditEvent {
  readonly auditID: string
  /** `ResponseStarted` of watches only; `ResponseComplete`: the request has ended. */
  readonly stage: string
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
  return (await eventsOf(path)).flatMap(entryOf)
}

/** Watches that a user has begun, and that have not ended. */
export async function openWatchesIn(path: string, user: string): Promise<AuditEntry[]> {
  const open = new Map<string, AuditEntry>()
  for (const event of await eventsOf(path)) {
    const [entry] = entryOf(event)
    if (event.stage === 'ResponseComplete') open.delete(event.auditID)
    else if (entry?.verb === 'watch' && entry.impersonated === user) open.set(event.auditID, entry)
  }
  return [...open.values()]
}

async function eventsOf(path: string): Promise<AuditEvent[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  // The last line may be incomplete.
  return lines.slice(0, -1).map((line) => JSON.parse(line))
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
