import { expect, it } from 'vitest'
import builtin from '../../../apiserver/src/schema/builtin.generated.json' with { type: 'json' }
import { isClusterScoped } from './clusterscoped.ts'

it('built-in kinds have the scope of their discovery', () => {
  const wrong = builtin.resources.filter((r) => isClusterScoped(r.group, r.kind) === r.namespaced)
  expect(wrong).toEqual([])
})

it.each([
  ['example.com', 'Namespace'],
  ['', 'constructor'],
  ['constructor', 'name'],
])('%s/%s is none of them', (group, kind) => {
  expect(isClusterScoped(group, kind)).toBe(false)
})
