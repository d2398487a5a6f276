import { expect, it } from 'vitest'
import { isOurs } from './applytarget.ts'

const target = { inventoryUid: 'own', unit: 'm.p.a' } as never
const entry = { uid: '1' } as never
const is = (live: object | undefined, of = entry): boolean => isOurs(target, live as never, of)

it('an object is ours by our marks, or as it was recorded, unless another unit has it by now', () => {
  expect(is({ uid: '1', unit: 'm.p.a', inventory: 'own' })).toBe(true)
  expect(is({ uid: '1', unit: undefined, inventory: undefined })).toBe(true)
  expect(is({ uid: '1', unit: 'm.p.a', inventory: undefined })).toBe(true)
  expect(is({ uid: '1', unit: 'm.p.b', inventory: 'other' })).toBe(false)
  expect(is({ uid: '2', unit: undefined, inventory: undefined })).toBe(false)
  expect(is(undefined)).toBe(false)
})
