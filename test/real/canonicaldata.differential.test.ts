/** Data of ConfigMaps and Secrets: a bundle refuses and holds the same values as a real API server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, type JsonObject, type JsonValue, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import {
  accepted,
  dataFields,
  dataManifest,
  refusals,
} from '../../packages/lockstep/src/sources/intake/canonicaldata.cases.ts'
import { normalize } from '../../packages/lockstep/src/sources/intake/normalize.ts'
import { openTwin, send, type Twin } from './servertwin.ts'

const NAMESPACE = 'canonicaldata'
const COLLECTIONS = '/api/v1/namespaces'

let twin: Twin

beforeAll(async () => {
  twin = openTwin()
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
  const made = await send(twin.real, { method: 'POST', path: COLLECTIONS, body })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
})

afterAll(() => twin.close())

let count = 0

/** Creates an object under a new name. */
async function create(object: JsonValue) {
  count++
  const { kind, metadata: _, ...rest } = object as JsonObject
  const metadata = { name: `object-${count}`, namespace: NAMESPACE }
  const path = `${COLLECTIONS}/${NAMESPACE}/${kind === 'Secret' ? 'secrets' : 'configmaps'}`
  return send(twin.real, { method: 'POST', path, body: { kind, metadata, ...rest } as JsonObject })
}

const parsed = (text: string): JsonValue => parseYamlStream(text)[0]!

/** Go decodes a list of numbers as bytes. A bundle refuses it: no tool writes bytes that way. */
const isBytes = (kind: string, field: string, text: string): boolean =>
  (kind === 'Secret' ? field === 'data' : field === 'binaryData') && text === 'list: [1]'

describe('data on a real API server', () => {
  for (const [kind, field] of dataFields)
    it.each(refusals.filter(([text]) => !isBytes(kind, field, text)))(
      `${kind} ${field} {%s}: refused`,
      async (text) => {
        const { status } = await create(parsed(dataManifest(kind, `${field}: {ok: "MQ==", ${text}}`)))
        expect(status).toBe(400)
      },
    )

  it.each(accepted)('%s: stored alike', async (_, kind, text, stored) => {
    const raw = parsed(dataManifest(kind, text))
    const canonical = normalize([{ object: raw as never, origin: 'a' }])
    if (!canonical.ok) throw new Error(canonical.error.message)
    for (const object of [raw, canonical.value[0] as unknown as JsonValue]) {
      const { status, body } = await create(object)
      expect(status).toBe(201)
      const fields = Object.keys(stored)
      expect(Object.fromEntries(fields.map((f) => [f, at(body, f)]))).toEqual(stored)
    }
  })
})
