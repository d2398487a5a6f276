/**
 * Decodes a page of a list while it arrives: each item is parsed and passed on as soon as it is complete, so neither the text nor all
 * objects of a long list are in memory at once. Pure.
 */

import { BytePieces } from '../env/bytepieces.ts'
import { err, ok } from '../env/result.ts'
import { JsonSyntaxError, parseJson } from '../object/encode.ts'
import { at, isArray, isString, type JsonValue } from '../object/json.ts'
import type { Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { apiVersionOf } from '../object/objectref.ts'
import type { Page } from './client.ts'
import type { Decoded } from './decode.ts'
import { type AnswerFault, fault, JsonScanner } from './jsonscanner.ts'
import { type AskedObjects, isText, itemKindFault, kindFault, objectFault } from './objectfault.ts'

/** Bytes of one item, or of everything beside the items. A watch reads no longer lines. */
const MAX_HELD = 8 * 1024 * 1024
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
/** The key of the items before their bracket. */
const ITEMS_KEY = /(?<!\\)"items"\s*:\s*$/
const LONGEST_KEY = 100
/** One character for each byte, so places of brackets are those in the bytes. */
const byteText = new TextDecoder('latin1')

/** The fields of a page beside its items. */
export type PageHead = Omit<Page<KubeObject>, 'items'>

export class ListDecoder<T extends KubeObject> {
  private readonly asked: AskedObjects
  private readonly take: (object: Stored<T>) => void
  private readonly scanner = new JsonScanner()
  /** The text around the items, with an empty list in their place. */
  private readonly rest = new BytePieces()
  /** The end of that text. */
  private restEnd = ''
  /** The text of the item that is not complete. */
  private readonly begun = new BytePieces()
  private isInItems = false
  private items = 0
  private size = 0
  /** Bytes of items, which are missing in `rest`, and the place in `rest` where they were. */
  private omitted = 0
  private omittedAt = 0
  private piece: Uint8Array = new Uint8Array()
  /** First byte of the piece that is in neither text yet. */
  private from = 0
  private problem: AnswerFault | undefined

  /** `take` gets each item that is sound, in their order. Its kind and version are the requested ones: a real server omits them. */
  constructor(asked: AskedObjects, take: (object: Stored<T>) => void) {
    this.asked = asked
    this.take = take
  }

  /** Bytes in memory. */
  get held(): number {
    return this.rest.length + this.begun.length
  }

  /** After a fault the rest is not read. */
  push(piece: Uint8Array): AnswerFault | undefined {
    this.piece = piece
    this.from = 0
    const text = byteText.decode(piece)
    const problem = this.scanner.push(text, (char, i) => this.visit(text, char, i))
    this.keep(piece.length, text)
    this.size += piece.length
    this.problem ??= problem ?? this.lengthFault()
    return this.problem
  }

  private lengthFault(): AnswerFault | undefined {
    if (this.held <= MAX_HELD) return undefined
    return {
      problem: this.isInItems ? 'an item over 8 MiB' : 'over 8 MiB beside its items',
      isTooLong: false,
    }
  }

  /** The page beside its items, after the last piece. */
  end(): Decoded<PageHead> {
    if (this.problem) return err(this.problem)
    const { size } = this
    if (size > 0 && !this.scanner.isComplete) return fault(`broken JSON at offset ${size} of ${size}`)
    const parsed = this.parse(this.rest.take(), (i) => (i > this.omittedAt ? i + this.omitted : i))
    if (!parsed.ok) return parsed
    const problem = this.pageFault(parsed.value)
    if (problem) return err(problem)
    const next = at(parsed.value, 'metadata', 'continue') ?? ''
    const resourceVersion = at(parsed.value, 'metadata', 'resourceVersion') as string
    return ok({ resourceVersion, size, ...(next === '' ? {} : { continue: next as string }) })
  }

  private visit(text: string, char: number, i: number): void {
    const { depth } = this.scanner
    if (this.isInItems) {
      if (depth === 2 && char === COMMA) this.itemEnds(i, false)
      else if (depth === 1) this.listEnds(i)
    } else if (depth === 2 && char === OPENING_BRACKET) this.listBegins(text, i)
  }

  private listBegins(text: string, i: number): void {
    const before = this.restEnd + text.slice(Math.max(this.from, i - LONGEST_KEY), i)
    if (!ITEMS_KEY.test(before)) return
    this.keep(i + 1, text)
    this.omittedAt = this.rest.length
    this.isInItems = true
  }

  /** `i`: the comma or bracket after the item. */
  private itemEnds(i: number, isLast: boolean): void {
    this.keep(i)
    const { length } = this.begun
    const offset = this.size + i - length
    this.omitted += length + 1
    this.from = i + 1
    const text = this.begun.take()
    const isNone = isLast && this.items === 0 && text.trim() === ''
    if (this.problem || isNone) return
    const parsed = this.parse(text, (at) => offset + at)
    if (parsed.ok) this.problem = this.item(parsed.value)
    else this.problem = parsed.error
  }

  private listEnds(i: number): void {
    this.itemEnds(i, true)
    // The bracket belongs to the text around.
    this.omitted--
    this.from = i
    this.isInItems = false
  }

  /** Keeps the bytes before `to`, of which `text` is the text. */
  private keep(to: number, text = ''): void {
    const bytes = this.piece.subarray(this.from, to)
    if (this.isInItems) this.begun.push(bytes)
    else {
      this.rest.push(bytes)
      this.restEnd = (this.restEnd + text.slice(Math.max(this.from, to - LONGEST_KEY), to)).slice(
        -LONGEST_KEY,
      )
    }
    this.from = to
  }

  private parse(text: string, offset: (at: number) => number): Decoded<JsonValue> {
    try {
      return ok(parseJson(text))
    } catch (e) {
      if (!(e instanceof JsonSyntaxError)) throw e
      return fault(`broken JSON at offset ${offset(e.offset)}`)
    }
  }

  private item(value: JsonValue): AnswerFault | undefined {
    const { asked } = this
    const problem = itemKindFault(value, asked) ?? objectFault(value, asked)
    if (problem !== undefined) return { problem: `items[${this.items}]: ${problem}`, isTooLong: false }
    this.items++
    const stored = value as unknown as Stored<T>
    this.take({ ...stored, apiVersion: apiVersionOf(asked.kind), kind: asked.kind.kind })
    return undefined
  }

  /** Also passes on items that stand where `listBegins` does not look for them, such as below an escaped key. */
  private pageFault(page: JsonValue): AnswerFault | undefined {
    const { kind } = this.asked.kind
    const wrong =
      this.asked.fields === 'metadata'
        ? kindFault(page, ['PartialObjectMetadataList'], 'meta.k8s.io/v1')
        : at(page, 'kind') === 'List'
          ? kindFault(page, ['List'], 'v1')
          : kindFault(page, [`${kind}List`], apiVersionOf(this.asked.kind))
    const items = at(page, 'items') ?? []
    const problem =
      wrong ??
      (isText(at(page, 'metadata', 'resourceVersion'))
        ? undefined
        : 'metadata.resourceVersion of the list is missing') ??
      (isString(at(page, 'metadata', 'continue') ?? '')
        ? undefined
        : 'metadata.continue of the list is not a text') ??
      (isArray(items) ? undefined : 'items of the list are not a list')
    if (problem !== undefined) return { problem, isTooLong: false }
    for (const item of items as readonly JsonValue[]) {
      const bad = this.item(item)
      if (bad) return bad
    }
    return undefined
  }
}
