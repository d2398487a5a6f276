/** What rules of a definition say of objects; a real API server says the same (`test/real/rules.differential.test.ts`). */
import { beforeAll, describe, expect, it } from 'vitest'
import { testCluster } from '../../testing.cases.ts'
import { cases, keyOf, RULED, ruledDefinition, ruledObject } from './rules.cases.ts'

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

describe('an object is refused by a rule', () => {
  for (const [i, c] of cases.entries())
    it(c.name, async () => {
      const write = { ...ruledObject(i, c.value) }
      const live = c.old === undefined ? undefined : (await call('GET', `${RULED}/${keyOf(i)}`)).body
      const answer = live
        ? await call('PUT', `${RULED}/${keyOf(i)}`, { ...live, spec: write.spec })
        : await call('POST', RULED, write)
      type Cause = { reason: string; field: string; message: string }
      const causes = ((answer.body.details?.causes ?? []) as Cause[]).map(
        ({ reason, field, message }) => `${reason} ${field}: ${message}`,
      )
      const named = (text: string): string => text.replaceAll('KEY', keyOf(i))
      expect(causes).toEqual((c.causes ?? []).map(named))
      expect(answer.status).toBe(c.causes ? 422 : live ? 200 : 201)
      const quoted = c.warning === undefined ? undefined : JSON.stringify(named(c.warning))
      expect(answer.headers.warning).toBe(quoted && `299 - ${quoted}`)
    })
})
