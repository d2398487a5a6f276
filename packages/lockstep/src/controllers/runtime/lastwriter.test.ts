import { describe, expect, it } from 'vitest'
import type { ManagedFieldsEntry } from '../../../../kube/src/object/index.ts'
import { specWriter } from './lastwriter.ts'

describe('who has changed a spec', () => {
  const wrote = (
    manager: string,
    minute: number,
    over: Partial<ManagedFieldsEntry> = {},
  ): ManagedFieldsEntry => ({
    manager,
    operation: 'Apply',
    time: `2026-11-22T10:0${minute}:00Z`,
    fieldsV1: { 'f:spec': { 'f:release': {} } },
    ...over,
  })
  it.each<[string, ManagedFieldsEntry[], string | undefined]>([
    ['who wrote it last', [wrote('flux', 2), wrote('kubectl', 1)], 'flux'],
    [
      'not who wrote a status, or annotations',
      [
        wrote('flux', 1),
        wrote('lockstep', 3, { subresource: 'status' }),
        wrote('other', 3, { fieldsV1: { 'f:metadata': {} } }),
      ],
      'flux',
    ],
    ['nobody that is known', [], undefined],
  ])('%s', (_, managers, by) => {
    expect(specWriter(managers)).toBe(by)
    expect(specWriter([...managers].reverse())).toBe(by)
  })
})
