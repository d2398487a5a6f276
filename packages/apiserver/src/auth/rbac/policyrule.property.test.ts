import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import type { Attributes } from '../attributes.ts'
import { allows, missing, type PolicyRule } from './policyrule.ts'

const words = (...list: string[]) => fc.subarray(list, { minLength: 1 })
const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record(
    {
      apiGroups: words('', 'apps', '*'),
      resources: words('pods', 'pods/log', '*/log', '*'),
      verbs: words('get', 'list', '*'),
      resourceNames: words('a', 'b'),
    },
    { requiredKeys: ['apiGroups', 'resources', 'verbs'] },
  ),
  fc.record({ nonResourceURLs: words('/a', '/a/*', '*'), verbs: words('get', '*') }),
)
const asked: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    verb: fc.constantFrom('get', 'list', 'approve'),
    group: fc.constantFrom('', 'apps', 'x.io'),
    resource: fc.constantFrom('pods', 'things'),
    subresource: fc.constantFrom('', 'log'),
    namespace: fc.constant('n'),
    name: fc.constantFrom('', 'a', 'b', 'c'),
  }),
  fc.record({ verb: fc.constantFrom('get', 'put'), path: fc.constantFrom('/a', '/a/b', '/c') }),
)

describe('what rules have more than others', () => {
  it('lets nobody do by wanted rules what the owned ones do not allow, when nothing is missing', () => {
    assertProperty(
      fc.property(fc.array(anyRule), fc.array(anyRule), asked, (owned, wanted, a) => {
        if (missing(owned, wanted).length > 0) return
        if (wanted.some((r) => allows(r, a))) expect(owned.some((r) => allows(r, a))).toBe(true)
      }),
    )
  })

  it('is nothing for rules themselves', () => {
    assertProperty(
      fc.property(fc.array(anyRule), (rules) => {
        expect(missing(rules, rules)).toEqual([])
      }),
    )
  })
})
