/** A pull request of a host, as decisions see it. */
import type { PullSeen } from '../../core/promotion/lookup.ts'
import { keyInBody } from '../../core/promotion/marks.ts'
import { ok } from '../../env/result.ts'
import { parseTimestampMs } from '../../object/object.ts'
import type { CallOptions, GitHost, Pull } from '../../promote/githost.ts'
import type { Out } from './work.ts'

/** Two clocks: what was opened so much before is older for sure, in milliseconds. */
const CLOCKS_MS = 300_000

/** `createdAt`: of the promotion; `recorded`: what it has seen open itself is its own, however old. */
export function pullSeen(p: Pull, createdAt: string | undefined, recorded: number | undefined): PullSeen {
  const createdMs = parseTimestampMs(createdAt ?? '')
  const openedMs = parseTimestampMs(p.createdAt)
  return {
    ...{ number: p.number, url: p.url, state: p.state, key: keyInBody(p.body) },
    ...{ headCommit: p.headCommit, mergeCommit: p.mergeCommit },
    isOlder:
      p.number !== recorded &&
      createdMs !== undefined &&
      openedMs !== undefined &&
      openedMs < createdMs - CLOCKS_MS,
  }
}

/** Of a branch, and the one that is recorded, which a list that is late may not have yet. */
export async function pullsOf(
  host: GitHost,
  branch: string,
  recorded: number | undefined,
  o: CallOptions,
): Out<readonly Pull[]> {
  const listed = await host.pullsOf(branch, o)
  if (!listed.ok || recorded === undefined || listed.value.some((p) => p.number === recorded)) return listed
  const read = await host.pull(recorded, o)
  if (read.ok) return ok([...listed.value, read.value])
  return read.error.kind === 'NotFound' ? listed : read
}
