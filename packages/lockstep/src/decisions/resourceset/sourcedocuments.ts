/** What stands in one value of a source: YAML documents, or a JSON array. */
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  isArray,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  parseYamlStream,
  splitYaml,
  utf8Length,
  YamlError,
  type YamlPart,
} from '@lockstep/kube/object'
import type { FactsOf } from '../../api/reasons/index.ts'

export interface SourceDataDocument {
  readonly value: JsonValue
  /** From 1; empty documents are not counted. */
  readonly number: number
  /** `document 3`, `element 3`. */
  readonly place: string
}

/**
 * In the order of the text. The error says where it is broken, and never what stands there where the value is secret.
 * What begins with `[` is a JSON array, everything else YAML as `sigs.k8s.io/yaml` reads it; a value of less than 32 bytes
 * is read as any other (`objsFromYamlData`, whose `Peek(32)` refuses it).
 */
export function sourceDocuments(
  bytes: Uint8Array,
  isSecret: boolean,
): Result<SourceDataDocument[], FactsOf<'InvalidResource'>> {
  const text = textOf(bytes)
  if (!text.ok) return text
  if (/^\s*\[/.test(text.value)) return elementsOf(text.value)
  const out: SourceDataDocument[] = []
  for (const part of splitYaml(text.value)) {
    const number = out.length + 1
    try {
      for (const value of parseYamlStream(part.text, 'Last'))
        out.push({ value, number, place: `document ${number}` })
    } catch (e) {
      if (!(e instanceof YamlError)) throw e
      return err({
        because: 'NotYaml',
        at: `document ${number}`,
        place: placeOf(text.value, part, e),
        ...(isSecret ? {} : { error: e.message }),
      })
    }
  }
  return ok(out)
}

/** Cluster API swallows one that is broken, and records it as applied. */
function elementsOf(text: string): Result<SourceDataDocument[], FactsOf<'InvalidResource'>> {
  try {
    const list = parseJson(text)
    const elements = isArray(list) ? list : []
    return ok(elements.map((value, i) => ({ value, number: i + 1, place: `element ${i + 1}` })))
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    const isCut = text.slice(e.offset).trim() === ''
    const byte = utf8Length(text.slice(0, e.offset))
    return err({ because: 'JsonArray', error: isCut ? 'ends' : 'breaks', byte })
  }
}

function textOf(bytes: Uint8Array): Result<string, FactsOf<'InvalidResource'>> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const again = new TextEncoder().encode(text)
  const wrong = again.findIndex((byte, i) => byte !== bytes[i])
  return wrong < 0 ? ok(text) : err({ because: 'NotUtf8', byte: wrong })
}

/** In the value, from the place in one of its documents. */
function placeOf(text: string, part: YamlPart, { line, column }: YamlError): string {
  const lines = /\r\n|[\r\n]/g
  for (let i = 1; i < line && lines.exec(part.text); i++);
  const offset = part.offset + Math.min(part.text.length, lines.lastIndex + column - 1)
  return `byte ${utf8Length(text.slice(0, offset))} (line ${part.line + line - 1}, column ${column})`
}
