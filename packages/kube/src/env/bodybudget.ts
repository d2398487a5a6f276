/**
 * Reads bodies of answers within limits: a server that sends without end, or drop by drop, occupies memory and connections only
 * for a limited time.
 */
import { BytePieces } from './bytepieces.ts'
import type { Cancel, Clock } from './env.ts'
import type { NetFailure } from './net.ts'
import { StreamBroken } from './net.ts'
import { err, ok, type Result } from './result.ts'

const MIB = 1024 * 1024
/** Bytes of one body. */
export const MAX_BODY = 32 * MIB
/** Bytes of one line. */
const MAX_LINE = 8 * MIB
/** Milliseconds from the head of the answer to the end of its body, or from the first byte of a line to its last. */
const MOST_MS = 60_000
/** From then on bytes have to come so fast. */
const GRACE_MS = 10_000
const LEAST_BYTES_PER_SECOND = 1024
/** Bytes of all bodies that are being read. The process takes several times as much before its garbage is collected. */
const MAX_IN_FLIGHT = 16 * MIB
/** Smaller bodies never wait, so a few large bodies do not delay many small ones. */
const SMALL = 256 * 1024

/** Source of one body. */
export interface BodySource {
  readonly pieces: AsyncIterable<Uint8Array>
  /** Ends the body; a pending read fails. */
  cancel(): void
  /** Absent: the body comes from this process, without a time limit. */
  readonly clock?: Clock
  readonly budget?: BodyBudget
}

/** The memory of all bodies that are being read. */
export class BodyBudget {
  private readonly most: number
  /** Bytes by reader, the oldest first. The oldest never waits, so one reader always reaches its end. */
  private readonly open = new Map<object, number>()
  private used = 0
  private waiting: (() => void)[] = []

  constructor(most = MAX_IN_FLIGHT) {
    this.most = most
  }

  /** Records that a reader holds `size` bytes; resolves when the reader may read more. */
  async claim(reader: object, size: number): Promise<void> {
    if (size <= SMALL) return this.release(reader)
    const before = this.open.get(reader) ?? 0
    this.open.set(reader, before)
    while (this.used + size - before > this.most && this.open.keys().next().value !== reader)
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.open.set(reader, size)
    this.used += size - before
  }

  release(reader: object): void {
    if (!this.open.has(reader)) return
    this.used -= this.open.get(reader)!
    this.open.delete(reader)
    for (const go of this.waiting.splice(0)) go()
  }
}

/** The whole body. Failures of phase `limit`: the body is longer than `limit` bytes, or too slow. */
export async function textOf(source: BodySource, limit: number): Promise<Result<string, NetFailure>> {
  const pieces = new BytePieces()
  try {
    for await (const piece of piecesOf(source, limit, () => pieces.length)) pieces.push(piece)
    return ok(pieces.take())
  } catch (e) {
    if (!(e instanceof StreamBroken)) throw e
    return err(e.failure)
  }
}

/** The body as it arrives. `held`: bytes that the caller keeps. Throws `StreamBroken` for all failures of `textOf`. */
export async function* piecesOf(
  source: BodySource,
  limit: number,
  held: () => number,
): AsyncIterable<Uint8Array> {
  const reader = new BoundedReader(source)
  let size = 0
  try {
    for (;;) {
      const piece = await reader.next(size, held())
      if (!piece) return
      size += piece.length
      if (size > limit) throw new StreamBroken(reader.refuse(`over ${sizeText(limit)}`))
      yield piece
    }
  } finally {
    reader.end()
  }
}

const NEWLINE = 0x0a

/** Lines without their ends. Throws `StreamBroken` if the stream breaks, or a line is too long or too slow. */
export async function* linesOf(source: BodySource): AsyncIterable<string> {
  const reader = new BoundedReader(source)
  const begun = new BytePieces()
  try {
    for (;;) {
      // Between two lines a stream may be silent.
      const piece = await reader.next(begun.length === 0 ? undefined : begun.length)
      if (!piece) break
      let from = 0
      for (let i = piece.indexOf(NEWLINE); i >= 0; i = piece.indexOf(NEWLINE, from)) {
        begun.push(piece.subarray(from, i))
        from = i + 1
        yield begun.take()
        reader.restart()
      }
      begun.push(piece.subarray(from))
      if (begun.length > MAX_LINE) throw new StreamBroken(reader.refuse(`a line over ${sizeText(MAX_LINE)}`))
    }
    if (begun.length > 0) yield begun.take()
  } finally {
    reader.end()
  }
}

/** Reads pieces within the time limit and the shared memory. */
class BoundedReader {
  private readonly source: BodySource
  private readonly iterator: AsyncIterator<Uint8Array>
  private since = 0
  private isDone = false

  constructor(source: BodySource) {
    this.source = source
    this.iterator = source.pieces[Symbol.asyncIterator]()
    this.restart()
  }

  /** Starts a new measurement of time and memory. */
  restart(): void {
    this.since = this.now()
    this.source.budget?.release(this)
  }

  /**
   * The next piece; undefined at the end. `size`: bytes of the unfinished part; undefined: nothing is unfinished, so no limit.
   * `held`: how many of them are in memory.
   */
  async next(size: number | undefined, held = size): Promise<Uint8Array | undefined> {
    if (held !== undefined) await this.room(held)
    const step = size === undefined ? await this.iterator.next() : await this.inTime(size)
    if (size === undefined) this.restart()
    this.isDone = step.done === true
    return step.done ? undefined : step.value
  }

  refuse(detail: string): NetFailure {
    this.source.cancel()
    return { phase: 'limit', detail }
  }

  end(): void {
    this.source.budget?.release(this)
    if (this.isDone) return
    // Releases the connection of an unfinished body. A pending read settles later, so nothing waits for it.
    this.iterator.return?.()?.catch(() => {})
  }

  /** Time spent in this queue is not charged to the server. */
  private async room(held: number): Promise<void> {
    const before = this.now()
    await this.source.budget?.claim(this, held)
    this.since += this.now() - before
  }

  private async inTime(size: number): Promise<IteratorResult<Uint8Array>> {
    const { clock } = this.source
    if (!clock) return this.iterator.next()
    const allowedMs = Math.min(MOST_MS, Math.max(GRACE_MS, (size / LEAST_BYTES_PER_SECOND) * 1000))
    let cancel: Cancel = () => {}
    const late = new Promise<'late'>((resolve) => {
      cancel = clock.at(this.since + allowedMs, () => resolve('late'))
    })
    try {
      const step = await Promise.race([this.iterator.next(), late])
      if (step !== 'late') return step
    } finally {
      cancel()
    }
    const isSlow = allowedMs < MOST_MS
    throw new StreamBroken(this.refuse(isSlow ? 'below 1 KiB/s' : `not complete after ${MOST_MS / 1000}s`))
  }

  private now(): number {
    return this.source.clock?.steady() ?? 0
  }
}

const sizeText = (bytes: number): string => (bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`)
