/** Objects and field owners after random writes are the same on the embedded and on a real API server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection } from '../../src/env/net.ts'
import { seededRandom } from '../../src/env/sim/random.ts'
import { at, isObject, type JsonObject, type JsonValue } from '../../src/object/object.ts'
import { type Step, type Subject, script, subjects, thingDefinition } from './scripts.ts'
import { type Answer, comparable, differences, openTwin, refusal, send, type Twin } from './twin.ts'

const NAMESPACE = 'twin'
const SCRIPTS = Number(process.env.LOCKSTEP_SCRIPTS ?? 40)
const STEPS = 10

let twin: Twin

beforeAll(async () => {
  twin = openTwin()
  for (const c of [twin.embedded, twin.real]) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
    await send(c, { method: 'POST', path: '/api/v1/namespaces', body: namespace })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await send(c, { method: 'POST', path, body: thingDefinition })
    await served(c)
  }
})

afterAll(() => twin.close())

/** A definition is served a moment after it was created. */
async function served(c: Connection): Promise<void> {
  const path = `/apis/twin.x.test/v1/namespaces/${NAMESPACE}/things`
  while ((await send(c, { method: 'GET', path })).status === 404)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

async function perform(c: Connection, subject: Subject, name: string, step: Step): Promise<Answer> {
  const path = `${subject.path}/${name}`
  const typed = { apiVersion: subject.apiVersion, kind: subject.kind }
  const query = `?fieldManager=${step.manager}`
  if (step.type === 'apply') {
    const metadata = { ...(step.body.metadata as JsonObject), name }
    const body = { ...typed, ...step.body, metadata }
    const force = step.force ? '&force=true' : ''
    return send(c, {
      method: 'PATCH',
      path: path + query + force,
      body,
      type: 'application/apply-patch+yaml',
    })
  }
  if (step.type !== 'update') {
    const kind = step.type === 'merge' ? 'merge-patch' : 'strategic-merge-patch'
    return send(c, { method: 'PATCH', path: path + query, body: step.body, type: `application/${kind}+json` })
  }
  const live = await send(c, { method: 'GET', path })
  if (live.status !== 200) return live
  const body = { ...merged(live.body as JsonObject, step.body), ...typed }
  return send(c, { method: 'PUT', path: path + query, body })
}

/** Objects are merged, everything else is replaced: as somebody edits what was read. */
function merged(live: JsonObject, change: JsonObject): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = { ...live }
  for (const [key, v] of Object.entries(change)) {
    const before = out[key]
    out[key] = isObject(before) && isObject(v) ? merged(before, v) : v
  }
  return out as JsonObject
}

async function compare(subject: Subject, seed: string): Promise<string[]> {
  const steps = script(seededRandom(seed), subject, STEPS)
  const name = seed.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  for (const [i, step] of steps.entries()) {
    const embedded = await perform(twin.embedded, subject, name, step)
    const real = await perform(twin.real, subject, name, step)
    const where = `${seed} step ${i} ${step.type} by ${step.manager}`
    const refused = differences(refusal(embedded), refusal(real))
    if (refused.length > 0)
      return [
        `${where}: ${refused.join('; ')} ${String(at(embedded.body, 'message'))} | ${String(at(real.body, 'message'))}`,
      ]
    const path = `${subject.path}/${name}`
    const live = await Promise.all([twin.embedded, twin.real].map((c) => send(c, { method: 'GET', path })))
    const found = differences(comparable(live[0]!.body), comparable(live[1]!.body))
    if (found.length > 0)
      return [`${where}: ${found.join('; ')}\n    ${JSON.stringify(steps.slice(0, i + 1))}`]
  }
  return []
}

describe('random writes: the same objects, orders of items and owners as on a real API server', () => {
  for (const subject of subjects(NAMESPACE)) {
    it(`${subject.name}: ${SCRIPTS} scripts of ${STEPS} writes`, async () => {
      const found: string[] = []
      for (let i = 0; i < SCRIPTS; i++) found.push(...(await compare(subject, `${subject.kind}-${i}`)))
      expect(found).toEqual([])
    }, 120_000)
  }
})
