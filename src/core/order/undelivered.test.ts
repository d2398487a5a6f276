import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../object/object.ts'
import { buildOrder } from './build.ts'
import { undelivered } from './undelivered.ts'

const config = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'app', annotations },
})

function refusal(annotations: Record<string, string>): string | undefined {
  const graph = buildOrder([config(annotations)])
  if (!graph.ok) throw new Error(graph.error.message)
  return undelivered(graph.value)?.message
}

describe('what this version does not deliver', () => {
  it.each([
    ['upsert after deleting g', true],
    ['delete before upserting g', true],
    ['upsert before deleting g', false],
    ['delete after upserting g', false],
    ['delete after deleting g', false],
    ['upsert after upserting g', false],
  ])('kapp %s: refused is %s, since what leaves goes last', (rule, refused) => {
    const message = refusal({ 'kapp.k14s.io/change-rule': rule })
    expect(message !== undefined).toBe(refused)
    if (refused) expect(message).toContain(`ConfigMap app/a: kapp's change rule "${rule}"`)
  })

  it.each(['Override', 'Merge', 'IfNotPresent', 'Ignore', 'Replace', 'Observe'])(
    'mode %s is delivered',
    (mode) => {
      expect(refusal({ 'lockstep.dev/apply': mode })).toBeUndefined()
    },
  )
})
