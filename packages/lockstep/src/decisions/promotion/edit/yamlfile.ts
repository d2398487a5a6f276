/** A file of YAML documents, each read when it is asked for, and once. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { splitYaml, type YamlPart } from '@lockstep/kube/object'
import type { EditRefusal } from './editresult.ts'
import type { YamlSourceText } from './sourcetext.ts'
import { readDocument, type YamlDocument } from './yamldocument.ts'

export class YamlFile {
  readonly source: YamlSourceText
  private readonly parts: readonly YamlPart[]
  private readonly read = new Map<YamlPart, Result<YamlDocument, EditRefusal>>()

  constructor(source: YamlSourceText) {
    this.source = source
    this.parts = splitYaml(source.text)
  }

  private document(part: YamlPart): Result<YamlDocument, EditRefusal> {
    const known = this.read.get(part) ?? readDocument(this.source, part)
    this.read.set(part, known)
    return known
  }

  documentAt(offset: number): Result<YamlDocument, EditRefusal> {
    return this.document(this.parts.findLast((p) => p.offset <= offset)!)
  }

  /** All that have a value. */
  documents(): Result<readonly YamlDocument[], EditRefusal> {
    const all: YamlDocument[] = []
    for (const part of this.parts) {
      const read = this.document(part)
      if (!read.ok) return err(read.error)
      if (read.value.value !== undefined) all.push(read.value)
    }
    return ok(all)
  }
}
