/** The time that rules take. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../kube/src/object/index.ts'
import { compileSchema } from '../compileschema.ts'
import { ruled } from './rulenode.cases.ts'

describe('compiled rules', () => {
  it('20 of them look at an object of 10 KiB within a millisecond', () => {
    const ops = compileSchema(ruled(20))
    const items = Array.from({ length: 100 }, (_, i) => ({ a: `x${String(i).padEnd(90, '.')}` }))
    const value: JsonObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { items } }
    const times = Array.from({ length: 50 }, () => {
      const start = performance.now()
      expect(ops.validateRules(value, { found: [], warn: () => {} })).toEqual([])
      return performance.now() - start
    })
    expect(Math.min(...times)).toBeLessThan(1)
  })
})
