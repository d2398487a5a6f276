/** Texts of the schemas, as `kubectl explain` prints them. */
import { at, isObject, type JsonValue } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import { ownCrds, sharedCrds } from './crd.ts'

interface SchemaNode {
  readonly path: string
  readonly schema: JsonValue
}

/** All nodes that have fields or are fields. Scalars in lists and maps have no text of their own. */
function nodesOf(path: string, schema: JsonValue | undefined): SchemaNode[] {
  if (!isObject(schema)) return []
  const { properties, items, additionalProperties } = schema
  const fields = isObject(properties) ? Object.entries(properties) : []
  const below = [items, additionalProperties].filter((s) => at(s, 'type') === 'object')
  return [
    { path, schema },
    ...fields.flatMap(([name, field]) => nodesOf(`${path}.${name}`, field)),
    ...below.flatMap((s) => nodesOf(`${path}[]`, s)),
  ]
}

const nodes = [...ownCrds(), ...sharedCrds()].flatMap((crd) =>
  nodesOf(
    String(at(crd, 'spec', 'names', 'kind')),
    at(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema'),
  ),
)

describe('the schemas', () => {
  it('describe every node; an API server describes metadata itself', () => {
    expect(nodes.length).toBeGreaterThan(1000)
    const silent = nodes.filter(({ schema }) => at(schema, 'description') === undefined).map((n) => n.path)
    expect(silent.filter((path) => !/^\w+\.metadata$/.test(path))).toEqual([])
  })
  it('describe with a noun phrase that ends in a period', () => {
    const texts = nodes.map(({ path, schema }) => [path, at(schema, 'description')] as const)
    const isPhrase = (text: string): boolean =>
      /^(?:[A-Z`]|https?:)/.test(text) &&
      /\.$|\.\.$/.test(text) &&
      !/^(?:It|Of|What|Who|So|True)\b/.test(text)
    expect(texts.filter(([, text]) => text !== undefined && !isPhrase(String(text)))).toEqual([])
  })
})
