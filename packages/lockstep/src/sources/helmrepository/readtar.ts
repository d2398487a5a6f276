/**
 * Entries of a tar archive: ustar, long names of GNU, paths and sizes of PAX. What is odd is refused, not guessed: readers that
 * differ about it would see different files.
 */
import { err, ok, type Result } from '@lockstep/kube/env'

export interface TarEntry {
  /** 1 is the first, as messages count. */
  readonly number: number
  readonly type: 'file' | 'directory'
  /** As the archive has it. */
  readonly name: string
  /** A view of the archive. */
  readonly bytes: Uint8Array
}

const BLOCK = 512
const MAX_NAME = 1024
/** Of records that say something about an entry. */
const MAX_EXTRA = 64 * 1024

/** What was said before an entry, for it alone. */
interface PaxHeader {
  readonly path?: string
  readonly size?: number
}

const OTHERS: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
}

/** The problem is for people: `entry 17 x/link: is a symbolic link`. More than `limit` entries are refused. */
export function readTar(archive: Uint8Array, limit: number): Result<TarEntry[], string> {
  const out: TarEntry[] = []
  let said: PaxHeader = {}
  let count = 0
  for (let at = 0; at < archive.length; ) {
    const head = archive.subarray(at, at + BLOCK)
    if (head.length < BLOCK) return err(`is cut off after entry ${count}`)
    if (head.every((b) => b === 0)) break
    if (!hasChecksum(head)) return err(`entry ${count + 1}: its header is damaged`)
    const type = String.fromCharCode(head[156]!)
    const isExtra = 'xgL'.includes(type)
    if (!isExtra) count++
    const size = isExtra ? numberIn(head, 124, 12) : (said.size ?? numberIn(head, 124, 12))
    const name = said.path ?? nameIn(head)
    const where = `entry ${isExtra ? count + 1 : count} ${shown(name)}`
    if (size === undefined || at + BLOCK + size > archive.length)
      return err(`${where}: is truncated, or claims a size above that of the archive`)
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + size)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    if (isExtra) {
      const more = saidIn(type, bytes)
      if (!more.ok) return err(`${where}: ${more.error}`)
      said = { ...said, ...more.value }
      continue
    }
    if (count > limit) return err(`has more than ${limit.toLocaleString('en')} entries`)
    const kind = kindOf(type, name)
    if (kind === undefined)
      return err(
        `${where}: is ${OTHERS[type] ?? `of type "${shown(type)}"`}; only files and directories are supported`,
      )
    if (kind === 'directory' && size > 0) return err(`${where}: is a directory with content`)
    out.push({ number: count, type: kind, name, bytes })
    said = {}
  }
  return ok(out)
}

function kindOf(type: string, name: string): TarEntry['type'] | undefined {
  if (type === '5') return 'directory'
  if (type !== '0' && type !== '\0') return undefined
  // As tar had it before there were types.
  return name.endsWith('/') ? 'directory' : 'file'
}

/** The sum of all bytes, those of the checksum itself taken for spaces. */
function hasChecksum(head: Uint8Array): boolean {
  let sum = 0
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : head[i]!
  return numberIn(head, 148, 8) === sum
}

/** Octal digits; sizes that are written in another way are larger than any chart. */
function numberIn(head: Uint8Array, from: number, length: number): number | undefined {
  const text = textIn(head, from, length).trim()
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : undefined
}

function nameIn(head: Uint8Array): string {
  const isUstar = textIn(head, 257, 6) === 'ustar'
  const prefix = isUstar ? textIn(head, 345, 155) : ''
  const name = textIn(head, 0, 100)
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Up to the first zero. */
function textIn(head: Uint8Array, from: number, length: number): string {
  const field = head.subarray(from, from + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}

function saidIn(type: string, bytes: Uint8Array): Result<PaxHeader, string> {
  if (bytes.length > MAX_EXTRA) return err('has more than 64 KiB of metadata for an entry')
  if (type === 'L') return pathOf(textIn(bytes, 0, bytes.length))
  const records = paxRecords(bytes)
  if (!records) return err('has records that cannot be read')
  let said: PaxHeader = {}
  for (const [key, value] of records) {
    if (key.startsWith('GNU.sparse')) return err('is a file with holes')
    if (key !== 'path' && key !== 'size') continue
    // For all entries from there on: no archive of charts needs that.
    if (type === 'g') return err(`has a ${key} for all entries`)
    const more = key === 'path' ? pathOf(value) : sizeOf(value)
    if (!more.ok) return more
    said = { ...said, ...more.value }
  }
  return ok(said)
}

const pathOf = (path: string): Result<PaxHeader, string> =>
  path.length > MAX_NAME ? err(`has a name of more than ${MAX_NAME} characters`) : ok({ path })

const sizeOf = (text: string): Result<PaxHeader, string> =>
  /^\d{1,12}$/.test(text) ? ok({ size: Number(text) }) : err('has a size that is not a number')

/** `<length> <key>=<value>\n`, the length being that of the whole record in bytes. Undefined: it is not so. */
function paxRecords(bytes: Uint8Array): (readonly [key: string, value: string])[] | undefined {
  const out: [string, string][] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const digits = space < 0 ? '' : new TextDecoder().decode(bytes.subarray(at, space))
    const end = at + Number(digits)
    if (!/^[1-9]\d{0,5}$/.test(digits) || end > bytes.length || end <= space + 1 || bytes[end - 1] !== 10)
      return undefined
    const text = new TextDecoder().decode(bytes.subarray(space + 1, end - 1))
    const equals = text.indexOf('=')
    if (equals < 1) return undefined
    out.push([text.slice(0, equals), text.slice(equals + 1)])
    at = end
  }
  return out
}

/** A name in a message: on one line, and not long. */
export function shown(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is not shown
  const line = name.replace(/[\u0000-\u001f\u007f]/g, '?')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
