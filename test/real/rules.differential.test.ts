/** What rules in CEL make of definitions and of objects, here and on a real API server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  badDefinitions,
  definitionWith,
} from '../../packages/apiserver/src/schema/rules/definitions.cases.ts'
import {
  cases,
  keyOf,
  RULED,
  ruledDefinition,
  ruledObject,
} from '../../packages/apiserver/src/schema/rules/rules.cases.ts'
import {
  wholeDefinition,
  wholeList,
  wholeSteps,
} from '../../packages/apiserver/src/schema/rules/whole.cases.ts'
import type { Connection } from '../../packages/kube/src/env/net.ts'
import { at, type JsonObject, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { causesOf, openTwin, send, type Twin, type TwinAnswer, words } from './servertwin.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let twin: Twin

const warningOf = ({ warning }: TwinAnswer): string | undefined =>
  warning && words(JSON.parse(warning.slice('299 - '.length)) as string)

/** A real server serves a definition, and a change of it, a while after it took it. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not within 20 s: ${what}`)
}

async function expectDone(c: Connection, method: string, path: string, body: JsonValue, type?: string) {
  const answer = await send(c, { method, path, body, type })
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
}

beforeAll(async () => {
  twin = openTwin()
  const first = cases.findIndex((c) => c.causes && c.old === undefined)
  for (const c of [twin.embedded, twin.real]) {
    await expectDone(c, 'POST', DEFINITIONS, ruledDefinition(true))
    await until('served', async () => (await send(c, { method: 'GET', path: RULED })).status === 200)
    for (const [i, { old }] of cases.entries())
      if (old !== undefined) await expectDone(c, 'POST', RULED, ruledObject(i, old))
    const changed = { spec: ruledDefinition(false).spec as JsonObject }
    const name = at(ruledDefinition(false), 'metadata', 'name')
    await expectDone(c, 'PATCH', `${DEFINITIONS}/${name}`, changed, 'application/merge-patch+json')
    await expectDone(c, 'POST', DEFINITIONS, wholeDefinition)
    await until('served', async () => (await send(c, { method: 'GET', path: wholeList })).status === 200)
    const body = ruledObject(first, cases[first]!.value)
    await until('rules', async () => {
      const answer = await send(c, { method: 'POST', path: `${RULED}?dryRun=All`, body })
      return answer.status === 422
    })
  }
})

afterAll(() => twin.close())

describe('an object and its rules: the same findings', () => {
  for (const [i, { name, value, old, causes }] of cases.entries())
    it(name, async () => {
      const answers = await Promise.all(
        [twin.embedded, twin.real].map(async (c) => {
          const body = ruledObject(i, value)
          if (old === undefined) return send(c, { method: 'POST', path: RULED, body })
          const live = (await send(c, { method: 'GET', path: `${RULED}/${keyOf(i)}` })).body as JsonObject
          return send(c, { method: 'PUT', path: `${RULED}/${keyOf(i)}`, body: { ...live, spec: body.spec! } })
        }),
      )
      const [embedded, real] = answers as [TwinAnswer, TwinAnswer]
      expect(causesOf(embedded)).toEqual(causesOf(real))
      expect(embedded.status).toBe(real.status)
      expect(warningOf(embedded)).toBe(warningOf(real))
      expect(real.status >= 400).toBe(causes !== undefined)
    })
})

describe('an object with rules at its root, and a status: the same findings', () => {
  for (const { name, method, path, body, causes } of wholeSteps)
    it(name, async () => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : undefined
      const [embedded, real] = (await Promise.all(
        [twin.embedded, twin.real].map((c) => send(c, { method, path, body, type })),
      )) as [TwinAnswer, TwinAnswer]
      expect(causesOf(embedded)).toEqual(causesOf(real))
      expect(embedded.status).toBe(real.status)
      expect(real.status >= 400).toBe(causes !== undefined)
    })
})

describe('a definition whose rules are no good: the same findings', () => {
  for (const [name, schema] of Object.entries(badDefinitions))
    it(name, async () => {
      const body = definitionWith(schema) as JsonObject
      const [embedded, real] = (await Promise.all(
        [twin.embedded, twin.real].map((c) => send(c, { method: 'POST', path: DEFINITIONS, body })),
      )) as [TwinAnswer, TwinAnswer]
      expect(causesOf(embedded)).toEqual(causesOf(real))
      expect(real.status).toBe(422)
      expect(embedded.status).toBe(422)
    })
})
