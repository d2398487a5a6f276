import { expect, it } from 'vitest'
import builtin from '../../../apiserver/src/schema/builtin.generated.json' with { type: 'json' }
import { builtInScope } from './builtinscope.ts'

it('built-in kinds have the scope of their discovery', () => {
  const wrong = builtin.resources.filter(
    (r) => (builtInScope(r.group, r.kind) === 'Cluster') === r.namespaced,
  )
  expect(wrong).toEqual([])
})

it.each([
  ['example.com', 'Namespace'],
  ['', 'constructor'],
  ['constructor', 'name'],
])('%s/%s is none of them', (group, kind) => {
  expect(builtInScope(group, kind)).toBeUndefined()
})
