import { sleep } from '../../../packages/kube/src/env/sleep.ts'
import { at, type JsonValue } from '../../../packages/kube/src/object/index.ts'
import type { WatchFaultClass, WatchStream } from './faultclass.ts'

const SHORT = { leastMs: 5000, mostMs: 120_000 }

/** Milliseconds whose events are merged. */
const BATCH_MS = 10_000
/** Longest delay of an event in milliseconds. */
const MOST_LAG_MS = 20_000
/** Milliseconds until the controllers list instead of a silent watch (`SILENCE_MS` of the informer), and the list's answer. */
const SILENCE_MS = 180_000

const linesOf = (piece: string): string[] => piece.split('\n').filter((line) => line !== '')

/** A proxy keeps all that comes until it is repaired, or the connection was lost without a message: nothing comes any more. */
async function* mute({
  pieces,
  random,
  clock,
  signal,
  endsAt,
  occurred,
}: WatchStream): AsyncIterable<string> {
  let isLost = false
  for await (const piece of pieces) {
    const until = endsAt()
    if (until !== undefined) {
      occurred()
      isLost ||= random.next() < 0.5
      await sleep(clock, until - clock.steady(), signal)
    }
    if (!isLost) yield piece
  }
}

async function* duplicated({ pieces, random, endsAt, occurred }: WatchStream): AsyncIterable<string> {
  for await (const piece of pieces) {
    if (endsAt() === undefined) yield piece
    else
      for (const line of linesOf(piece)) {
        yield `${line}\n`
        if (random.next() < 0.5) continue
        occurred()
        yield `${line}\n`
      }
  }
}

/** The watch cache of a server is behind: events come late, and in their order. */
async function* late({
  pieces,
  random,
  clock,
  signal,
  endsAt,
  occurred,
}: WatchStream): AsyncIterable<string> {
  for await (const piece of pieces) {
    if (endsAt() !== undefined) {
      occurred()
      await sleep(clock, random.next() * MOST_LAG_MS, signal)
    }
    yield piece
  }
}

/** Only the last of several MODIFIED of one object comes. */
async function* coalesced({ pieces, clock, signal, endsAt, occurred }: WatchStream): AsyncIterable<string> {
  const source = pieces[Symbol.asyncIterator]()
  let next = source.next()
  try {
    for (;;) {
      const first = await next
      if (first.done) return
      next = source.next()
      if (endsAt() === undefined) {
        yield first.value
        continue
      }
      const batch = linesOf(first.value)
      const over = sleep(clock, BATCH_MS, signal).then(() => 'over' as const)
      for (;;) {
        const more = await Promise.race([next, over])
        if (more === 'over' || more.done) break
        batch.push(...linesOf(more.value))
        next = source.next()
      }
      const kept = merged(batch)
      if (kept.length < batch.length) occurred()
      yield kept.map((line) => `${line}\n`).join('')
    }
  } finally {
    await source.return?.()
  }
}

function merged(lines: readonly string[]): string[] {
  const events = lines.map((line) => ({ line, modified: modifiedOf(JSON.parse(line)) }))
  return events
    .filter(
      ({ modified }, i) =>
        modified === undefined || !events.slice(i + 1).some((e) => e.modified === modified),
    )
    .map(({ line }) => line)
}

/** Uid of the object of a MODIFIED. */
const modifiedOf = (event: JsonValue): string | undefined =>
  at(event, 'type') === 'MODIFIED' ? String(at(event, 'object', 'metadata', 'uid')) : undefined

export const WATCH_FAULTS: readonly WatchFaultClass[] = [
  { name: 'coalesced watch', ...SHORT, lateMs: BATCH_MS, stream: coalesced },
  { name: 'duplicated watch', ...SHORT, stream: duplicated },
  { name: 'stale watch', ...SHORT, lateMs: 2 * MOST_LAG_MS, stream: late },
  { name: 'mute watch', leastMs: 60_000, mostMs: 600_000, lateMs: SILENCE_MS, stream: mute },
]
