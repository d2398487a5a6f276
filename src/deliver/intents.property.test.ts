import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { units } from '../../test/arbitrary/unit.ts'
import type { Intent } from '../api/kinds/inventory.ts'
import { identityOf } from '../object/object.ts'
import { entriesOf, type UnitInput } from './evaluate.ts'
import { announcedObjects, intentWaitMs, servedIntents } from './intents.ts'

const intentsOf = (input: UnitInput): readonly Intent[] => input.inventory.spec.intents!

describe('intents, whatever became of their creates', () => {
  it('find only objects that are ours and that nobody has written down', () => {
    decidesAlike(
      units,
      (input) =>
        announcedObjects(input.inventory, new Set(entriesOf(input).keys()), (intent) => {
          const node = input.desired.byId.get(identityOf(intent))!
          const live = input.live(input.desired.objects[node]!)
          return live === 'unknown' ? undefined : live
        }),
      (input, found) => {
        const known = entriesOf(input)
        for (const o of found) {
          expect(known.has(identityOf(o))).toBe(false)
          const live = input.live(input.desired.objects[input.desired.byId.get(identityOf(o))!]!)
          expect(live).toMatchObject({ inventory: input.inventory.metadata.uid, nonce: 'n', uid: o.uid })
        }
      },
    )
  })

  it('are kept as long as their request may arrive, and then there is a time to look again', () => {
    decidesAlike(
      units,
      (input) => servedIntents(intentsOf(input), entriesOf(input), input.memory, input.steady),
      (input, served) => {
        const left = intentsOf(input).filter((i) => !served.includes(i))
        const known = entriesOf(input)
        for (const i of left) expect(known.has(identityOf(i))).toBe(false)
        const wait = intentWaitMs(left, input.memory, input.steady)
        expect(wait === undefined).toBe(left.length === 0)
        if (wait === undefined) return
        const later = servedIntents(left, known, input.memory, input.steady + wait)
        expect(later.length).toBeGreaterThan(0)
      },
    )
  })
})
