import { describe, expect, it } from 'vitest'
import { jsonPath } from './jsonpath.ts'

const doc = {
  spec: { replicas: 3, list: [{ n: 1 }, { n: 2 }] },
  metadata: { annotations: { 'a.b/c': 'x' } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
}

describe('paths of printer columns', () => {
  it.each([
    ['.spec.replicas', [3]],
    ['.spec.list[1].n', [2]],
    ['.spec.list[*].n', [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Other')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Other']],
    ['.metadata.annotations.a\\.b/c', ['x']],
    [".metadata.annotations['a.b/c']", ['x']],
    ['{.spec.replicas}', [3]],
    ['.nothing.here', []],
    ['.constructor', []],
  ])('%s', (path, want) => {
    expect(jsonPath(doc, path)).toEqual(want)
  })
})
