import type { BlockerReason } from './reasons/reasons.ts'

/** Why something waits. Everything that waits has at least one. */
export interface Blocker {
  readonly reason: BlockerReason
  /** Names the subject, what is seen and what is awaited. */
  readonly message: string
  /** `Module/cert-manager`, `Deployment/cert-manager/webhook@edge-7`: where to look next. */
  readonly subject: string
  /** RFC 3339; since when this reason holds for this subject. */
  readonly since: string
  readonly retryAfter?: string
  /** On how many clusters, where it is a summary. */
  readonly count?: number
}

export type NewBlocker = Omit<Blocker, 'since'>

/** A blocker that was there before keeps its `since`; its message may have become another. */
export function keepSince(
  next: readonly NewBlocker[],
  old: readonly Blocker[] | undefined,
  now: string,
): Blocker[] {
  return next.map((b) => {
    const before = old?.find((o) => o.reason === b.reason && o.subject === b.subject)
    return { ...b, since: before?.since ?? now }
  })
}
