/** What rules of a definition say of objects; a real API server says the same (`test/real/rules.differential.test.ts`). */
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestAnswer, testCluster } from '../../server/testcluster.cases.ts'
import { cases, keyOf, RULED, ruledDefinition, ruledObject } from './rules.cases.ts'
import { wholeDefinition, wholeSteps } from './whole.cases.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const { call } = testCluster()

beforeAll(async () => {
  const definition = ruledDefinition(true)
  expect(await call('POST', DEFINITIONS, definition)).toMatchObject({ status: 201 })
  for (const [i, c] of cases.entries())
    if (c.old !== undefined)
      expect(await call('POST', RULED, ruledObject(i, c.old)), c.name).toMatchObject({ status: 201 })
  const { name } = definition.metadata as { name: string }
  const merged = { spec: ruledDefinition(false).spec }
  const type = 'application/merge-patch+json'
  const changed = await call('PATCH', `${DEFINITIONS}/${name}`, merged, type)
  expect(changed.body.message, changed.body.message).toBeUndefined()
})

interface Cause {
  readonly reason: string
  readonly field: string
  readonly message: string
}

const causesOf = ({ body }: TestAnswer): string[] =>
  ((body.details?.causes ?? []) as Cause[]).map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  )

describe('an object is refused by a rule', () => {
  for (const [i, c] of cases.entries())
    it(c.name, async () => {
      const write = { ...ruledObject(i, c.value) }
      const live = c.old === undefined ? undefined : (await call('GET', `${RULED}/${keyOf(i)}`)).body
      const answer = live
        ? await call('PUT', `${RULED}/${keyOf(i)}`, { ...live, spec: write.spec })
        : await call('POST', RULED, write)
      const named = (text: string): string => text.replaceAll('KEY', keyOf(i))
      expect(causesOf(answer)).toEqual((c.causes ?? []).map(named))
      expect(answer.status).toBe(c.causes ? 422 : live ? 200 : 201)
      const quoted = c.warning === undefined ? undefined : JSON.stringify(named(c.warning))
      expect(answer.headers.warning).toBe(quoted && `299 - ${quoted}`)
    })
})

describe('an object with rules at its root, and a status', () => {
  beforeAll(async () => {
    expect(await call('POST', DEFINITIONS, wholeDefinition)).toMatchObject({ status: 201 })
  })
  for (const { name, method, path, body, causes } of wholeSteps)
    it(name, async () => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : undefined
      const answer = await call(method, path, body, type)
      expect(causesOf(answer)).toEqual(causes ?? [])
      expect(answer.status >= 400).toBe(causes !== undefined)
    })
})
