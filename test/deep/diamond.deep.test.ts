import { describe, it } from 'vitest'
import { holdsInDiamond, orders } from '../fleet/postrenderscenarios.ts'

describe('a diamond, written by Helm in every order and killed at each write', () => {
  it.each([
    ['off', false],
    ['on', true],
  ])(
    'additive gate %s: nobody acts on a release before all it needs is ready at it',
    async (_, isAdditive) => {
      for (const order of orders)
        for (const after of [1, 2, 3, 4]) await holdsInDiamond(order, after, isAdditive)
    },
  )
})
