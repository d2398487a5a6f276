/** Who may do what, and in which words it is refused, on the embedded and on a real API server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../packages/kube/src/object/index.ts'
import { accessCases } from './access.cases.ts'
import { comparable, openTwin, send, type Twin, type TwinAnswer, words } from './servertwin.ts'

let twin: Twin
/** Minor version of the real server. */
let minor = 0

beforeAll(async () => {
  twin = openTwin()
  const { body } = await send(twin.real, { method: 'GET', path: '/version' })
  minor = Number.parseInt(String(at(body, 'minor')), 10)
})
afterAll(() => twin.close())

/** All of it but what is in no two answers: and a Status with its words as both versions say them. */
function shown({ status, body }: TwinAnswer): JsonValue {
  if (!isObject(body) || body.kind === 'Status') {
    const message = isObject(body) ? String(at(body, 'message')) : String(body)
    return { status, message: words(message), reason: at(body, 'reason') ?? '', details: named(body) }
  }
  if (String(body.kind).endsWith('List') || body.kind === 'APIVersions') return { status }
  return { status, body: sorted(comparable({ ...body, metadata: {} })) }
}

/** Rules come in the order of a cache, and what could not be resolved likewise. */
function sorted(value: JsonValue): JsonValue {
  const { status } = value as JsonObject
  if (!isObject(status)) return value
  const rules = Object.entries(status).map(([name, v]) => [name, isArray(v) ? [...v].sort(byText) : v])
  return { ...(value as JsonObject), status: Object.fromEntries(rules) as JsonObject }
}

const byText = (a: JsonValue, b: JsonValue): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const named = (body: JsonValue): JsonValue => ({
  name: at(body, 'details', 'name') ?? '',
  kind: at(body, 'details', 'kind') ?? '',
  group: at(body, 'details', 'group') ?? '',
})

describe.each(Object.entries(accessCases))('%s', (_, steps) => {
  it.each(steps.map((s) => [s.name, s] as const))('%s', async (_name, step) => {
    const embedded = shown(await send(twin.embedded, step))
    if (minor < (step.since ?? 0)) {
      const { status } = await send(twin.real, step)
      return expect(status).toBeGreaterThanOrEqual(400)
    }
    // A right that was given just now is known to a real server once its cache has it; a refusal has changed nothing.
    let answer: TwinAnswer | undefined
    const ask = async () => {
      if (answer === undefined || step.method === 'GET' || answer.status === 403)
        answer = await send(twin.real, step)
      return shown(answer)
    }
    await expect.poll(ask, { timeout: 10_000 }).toEqual(embedded)
  })
})
