import type { Cancel } from '@lockstep/kube/env'
import type { RequestListOptions } from '../request/listoptions.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { expired, statusOf } from '../status/apifailure.ts'
import { listPage } from '../store/listpage.ts'
import { seen } from '../write/writeresult.ts'
import type { ServedEvent } from './watchqueue.ts'
import { classify, WatchQueue } from './watchqueue.ts'

/** How events are written on the wire. */
export interface WatchFormat {
  event(e: ServedEvent): string
  bookmark(version: number, initialEnd: boolean): string
}

const BOOKMARK_EVERY_MS = 60_000
const BOOKMARK_BEFORE_END_MS = 2_000

/** A watch as lines of JSON. It ends cleanly at its time, or when the reader goes or is too slow. */
export function watchLines(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  o: RequestListOptions,
  format: WatchFormat,
  signal: AbortSignal,
): AsyncIterable<string> {
  const opening = openingOf(cluster, kind, namespace, o)
  if (opening === 'expired') return oneLine(tooOld(kind, o.version ?? 0))
  const { after } = opening
  const queue = new WatchQueue(cluster, kind, { namespace, matches: o.matches, after }, opening.events)
  return run(cluster, queue, o, format, signal, o.sendInitialEvents === true)
}

/** What is sent before anything happens: all there is, or what happened since. */
function openingOf(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  o: RequestListOptions,
): { events: ServedEvent[]; after: number } | 'expired' {
  const all = o.sendInitialEvents ?? (o.version === undefined || o.version === 0)
  const now = cluster.store.version
  if (!all) {
    const since = kind.table.history.since(o.version ?? now)
    if (!since) return 'expired'
    const prefix = namespace === '' ? '' : `${namespace}/`
    const events = since.filter((e) => e.key.startsWith(prefix)).flatMap((e) => classify(e, o.matches) ?? [])
    return { events, after: Math.max(now, o.version ?? 0) }
  }
  const page = listPage(kind.table, {
    namespace,
    matches: o.matches,
    start: '',
    limit: 0,
    version: undefined,
    counting: false,
  })
  if (page === 'expired') return 'expired'
  return { events: page.items.map((stored) => ({ type: 'ADDED', stored: seen(kind, stored) })), after: now }
}

/** The first bookmark says that the initial events are over, whoever asked for them (as kube-apiserver has it). */
async function* run(
  cluster: EmbeddedCluster,
  queue: WatchQueue,
  o: RequestListOptions,
  format: WatchFormat,
  signal: AbortSignal,
  marksInitialEnd: boolean,
): AsyncIterable<string> {
  const timers = new Timers(cluster, queue, o)
  const stop = (): void => queue.close('cut')
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  let owesInitialEnd = marksInitialEnd && o.bookmarks
  let isFirst = !owesInitialEnd
  const startVersion = queue.version
  try {
    for (;;) {
      if (owesInitialEnd) {
        owesInitialEnd = false
        const first = queue.size > 0 ? ((await queue.take()) ?? []) : []
        yield `${first.map(format.event).join('')}${format.bookmark(startVersion, true)}`
        continue
      }
      const events = await queue.take()
      if (!events) return
      const mark = timers.takeBookmark() ? format.bookmark(queue.version, isFirst) : ''
      if (mark !== '') isFirst = false
      const chunk = events.map(format.event).join('') + mark
      if (chunk !== '') yield chunk
    }
  } finally {
    timers.stop()
    signal.removeEventListener('abort', stop)
    queue.close('cut')
  }
}

/** The clock of one watch: bookmarks each minute and shortly before the end, and the end. */
class Timers {
  private readonly cancels: Cancel[] = []
  private due = false
  private readonly cluster: EmbeddedCluster
  private readonly queue: WatchQueue
  private periodic: Cancel | undefined

  constructor(cluster: EmbeddedCluster, queue: WatchQueue, o: RequestListOptions) {
    this.cluster = cluster
    this.queue = queue
    const { clock, random } = cluster.env
    const lifetime = (o.timeoutSeconds ?? 1800 + Math.floor(random.next() * 1800)) * 1000
    const end = clock.steady() + lifetime
    this.cancels.push(clock.at(end, () => queue.close('ending')))
    if (!o.bookmarks) return
    this.tick()
    if (lifetime > BOOKMARK_BEFORE_END_MS)
      this.cancels.push(clock.at(end - BOOKMARK_BEFORE_END_MS, () => this.mark()))
  }

  takeBookmark(): boolean {
    const was = this.due
    this.due = false
    return was
  }

  stop(): void {
    this.periodic?.()
    for (const cancel of this.cancels) cancel()
  }

  private tick(): void {
    const { clock } = this.cluster.env
    this.periodic = clock.at(clock.steady() + BOOKMARK_EVERY_MS, () => {
      this.mark()
      this.tick()
    })
  }

  private mark(): void {
    this.due = true
    this.queue.notify()
  }
}

function tooOld(kind: ServedKind, version: number): string {
  const f = expired(`too old resource version: ${version} (${kind.table.history.floor})`)
  return `${JSON.stringify({ type: 'ERROR', object: statusOf(f) })}\n`
}

async function* oneLine(line: string): AsyncIterable<string> {
  yield line
}
