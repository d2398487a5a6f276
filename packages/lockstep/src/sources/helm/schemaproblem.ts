/** What a chart's schemas of values would have Helm read from elsewhere. Pure. */
import { isArray, isObject, isString, type JsonValue } from '@lockstep/kube/object'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { TreeFile } from '../intake/sourcetree.ts'

export const isSchema = (path: string): boolean => /(^|\/)values\.schema\.json$/.test(path)

/** Keywords whose value is where a schema is, of all drafts. */
const KEYWORDS: ReadonlySet<string> = new Set([
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  '$schema',
  '$id',
  'id',
])
/** Places in the same schema, and the drafts, which Helm has itself. */
const KNOWN = /^(#|https?:\/\/json-schema\.org\/)/

/**
 * A schema may name others by URL, also files of this machine, whose content Helm would show in what it says. Names of
 * schemas are allowed to be URLs, as long as nothing is read from there.
 */
export function schemaProblem(files: readonly TreeFile[]): SourceFailure | undefined {
  for (const { path, bytes } of files) {
    if (!isSchema(path)) continue
    const schema = parsed(bytes)
    // Helm may read what comes before the error.
    if (schema === undefined) return fault('RenderFailed', { place: `helm: ${path}`, because: 'Json' })
    const found = elsewhere(schema)
    if (found === undefined) continue
    const [name, url] = found
    return fault('RemoteBaseRefused', { place: `helm: ${path}`, because: 'Schema', name, url })
  }
  return undefined
}

function parsed(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue
  } catch {
    return undefined
  }
}

/** The first place outside of the schema, with its keyword. However deep it lies: nothing calls itself. */
function elsewhere(schema: JsonValue): readonly [keyword: string, to: string] | undefined {
  const left: JsonValue[] = [schema]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isArray(value)) for (const item of value) left.push(item)
    if (!isObject(value)) continue
    for (const [key, inner] of Object.entries(value)) {
      if (isString(inner) && KEYWORDS.has(key) && leadsOut(key, inner)) return [key, inner]
      if (inner !== undefined) left.push(inner)
    }
  }
  return undefined
}

function leadsOut(key: string, to: string): boolean {
  // A name that is a place on the web is not read; one that is a file would make files of all that is relative to it.
  if (key === '$id' || key === 'id') return /^[a-z][a-z0-9+.-]*:/i.test(to) && !/^(https?|urn):/i.test(to)
  return !KNOWN.test(to)
}
