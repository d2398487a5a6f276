/** Watches that neither the server nor the client has ended. */
import type { Handler, ServerResponse } from '../../packages/kube/src/env/net.ts'
import { type AuditEntry, auditEntry } from './auditentry.ts'

export class OpenWatches {
  private readonly open = new Set<AuditEntry>()

  /** Those that were opened as a user. */
  of(user: string): AuditEntry[] {
    return [...this.open].filter((e) => e.impersonated === user)
  }

  around(handler: Handler): Handler {
    return async (request) => {
      const answer = await handler(request)
      const { method, url, headers } = request
      const entry = auditEntry({ method, url, headers, code: answer.status })
      if (entry?.verb !== 'watch' || !isStream(answer.body)) return answer
      return { ...answer, body: this.counted(entry, answer.body) }
    }
  }

  private async *counted(entry: AuditEntry, body: AsyncIterable<string>): AsyncIterable<string> {
    this.open.add(entry)
    try {
      yield* body
    } finally {
      this.open.delete(entry)
    }
  }
}

const isStream = (body: ServerResponse['body']): body is AsyncIterable<string> =>
  typeof body === 'object' && Symbol.asyncIterator in body
