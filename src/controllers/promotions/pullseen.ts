/** A pull request of a host, as decisions see it. */
import type { PullSeen } from '../../core/promotion/lookup.ts'
import { keyInBody } from '../../core/promotion/marks.ts'
import { parseTimestampMs } from '../../object/object.ts'
import type { Pull } from '../../promote/githost.ts'

/** Two clocks: what was opened so much before is older for sure, in milliseconds. */
const CLOCKS_MS = 300_000

/** `createdAt`: of the promotion. */
export function pullSeen(p: Pull, createdAt: string | undefined): PullSeen {
  const createdMs = parseTimestampMs(createdAt ?? '')
  const openedMs = parseTimestampMs(p.createdAt)
  return {
    ...{ number: p.number, url: p.url, state: p.state, key: keyInBody(p.body) },
    ...{ headCommit: p.headCommit, mergeCommit: p.mergeCommit },
    isOlder: createdMs !== undefined && openedMs !== undefined && openedMs < createdMs - CLOCKS_MS,
  }
}
