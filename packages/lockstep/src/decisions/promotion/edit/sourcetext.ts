/** A file of a repository as text, for offsets that become places. */
import { err, ok, type Result } from '@lockstep/kube/env'
import type { FactsOf } from '../../../api/reasons/index.ts'
import type { RepoFile } from '../repofile.ts'
import { type EditReason, type EditRefusal, refusal } from './editresult.ts'

export const MAX_FILE_BYTES = 5 * 1024 * 1024

export class YamlSourceText {
  readonly path: string
  /** With its byte order mark, if it has one. */
  readonly text: string
  private readonly where: string
  private starts: readonly number[] | undefined

  constructor(path: string, text: string, where: string) {
    this.path = path
    this.text = text
    this.where = where
  }

  /** Counted from 1; a byte order mark is no column. */
  place(offset: number): { readonly line: number; readonly column: number } {
    this.starts ??= lineStarts(this.text)
    let [low, high] = [0, this.starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.starts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: Math.max(0, offset - this.starts[low]!) + 1 }
  }

  /** `apps/a.yaml:3:9`. */
  at(offset: number): string {
    const { line, column } = this.place(offset)
    return `${this.path}:${line}:${column}`
  }

  refused(offset: number, facts: FactsOf<'EditRefused'>) {
    return this.refusedBy('EditRefused', offset, facts)
  }

  refusedBy<R extends EditReason>(reason: R, offset: number, facts: FactsOf<R>) {
    const located = Object.assign({}, facts, { at: this.at(offset) })
    return err<EditRefusal>(refusal(reason, this.where, located))
  }
}

function lineStarts(text: string): number[] {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Of git-lfs: its file is elsewhere, and what stands here is no YAML of anybody. */
const LFS = 'version https://git-lfs.github.com/spec/'

/** The bytes of an entry, where they may be changed at all. */
export function bytesOf(file: RepoFile, where: string): Result<Uint8Array, EditRefusal> {
  const refused = (because: FactsOf<'EditRefused'>['because'], count?: number) =>
    err(refusal('EditRefused', where, { because, at: `${file.path}:1:1`, count }))
  if (file.kind === 'link') return refused('Link')
  if (file.kind === 'other') return refused('NotAFile')
  if (file.size > MAX_FILE_BYTES || file.bytes === undefined) return refused('TooLarge', file.size)
  if (includesText(file.bytes.subarray(0, LFS.length), LFS)) return refused('GitLfs')
  const isUtf16 = [0xfeff, 0xfffe].includes((file.bytes[0]! << 8) | file.bytes[1]!)
  return isUtf16 ? refused('Utf16') : ok(file.bytes)
}

/** Whether bytes have an ASCII text in them: without making a text of them, which most files are not worth. */
export function includesText(bytes: Uint8Array, text: string): boolean {
  for (let at = bytes.indexOf(text.charCodeAt(0)); at >= 0; at = bytes.indexOf(text.charCodeAt(0), at + 1)) {
    let i = 1
    while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++
    if (i === text.length) return true
  }
  return false
}

const decoded = (bytes: Uint8Array, fatal: boolean): string =>
  new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes)

export function sourceText(
  path: string,
  bytes: Uint8Array,
  where: string,
): Result<YamlSourceText, EditRefusal> {
  try {
    return ok(new YamlSourceText(path, decoded(bytes, true), where))
  } catch {
    const text = decoded(bytes, false)
    const readable = new YamlSourceText(path, text, where)
    return readable.refused(firstBroken(bytes, text), { because: 'NotUtf8' })
  }
}

/** Where a text first has the sign for unreadable bytes that is not in its bytes. */
function firstBroken(bytes: Uint8Array, text: string): number {
  const again = new TextEncoder().encode(text)
  const at = again.findIndex((byte, i) => byte !== bytes[i])
  return decoded(again.subarray(0, at), false).length
}
