/** One document of a YAML file: what kubectl reads in it, and what stands where. */

import { ok, type Result } from '@lockstep/kube/env'
import { type JsonValue, parseYamlStream, scanYaml, YamlError, type YamlPart } from '@lockstep/kube/object'
import type { Node as YamlNode } from 'yaml'
import type { EditRefusal } from './editresult.ts'
import { ParsedNodes, parsedText } from './parsednodes.ts'
import { ScannedNodes } from './scannednodes.ts'
import type { YamlSourceText } from './sourcetext.ts'
import type { YamlNodes } from './yamlnode.ts'

export interface YamlDocument extends YamlNodes {
  readonly source: YamlSourceText
  readonly part: YamlPart
  /** Absent for a document without a value. */
  readonly value: JsonValue | undefined
}

/** Refused where kubectl would refuse it: then nobody knows what a changed value means. */
export function readDocument(source: YamlSourceText, part: YamlPart): Result<YamlDocument, EditRefusal> {
  let value: JsonValue | undefined
  try {
    ;[value] = parseYamlStream(part.text)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return source.refused(offsetOf(part, e), { because: 'Syntax', error: e.message })
  }
  const tree = scanYaml(part.text)
  if (tree) return ok({ source, part, value, ...new ScannedNodes(part.text, part.offset).read(tree) })
  const parsed = parsedText(part.text)
  const [wrong] = parsed.errors
  if (wrong)
    return source.refused(part.offset + wrong.pos[0], {
      because: 'Syntax',
      error: wrong.message.split(' at line ')[0] ?? '',
    })
  return ok({ source, part, value, ...new ParsedNodes(part.offset).read(parsed.contents as YamlNode | null) })
}

function offsetOf(part: YamlPart, { line, column }: YamlError): number {
  let start = 0
  for (let i = 1; i < line; i++) start = part.text.indexOf('\n', start) + 1
  return part.offset + start + column - 1
}
