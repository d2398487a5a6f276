import { expect, it } from 'vitest'
import { units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { identityOf, type ObjectReference } from '../../../../kube/src/object/index.ts'
import type { WriteIntent } from '../../api/kinds/inventory/spec.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { entriesOf } from '../state/evaluate.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { announcedObjects, intentWaitMs, servedIntents } from './intents.ts'

const intentsOf = (input: UnitInput): readonly WriteIntent[] => input.inventory.spec.intents!

const known = (input: UnitInput, o: ObjectReference) => entriesOf(input).get(identityOf(o))

function liveOf(input: UnitInput, o: ObjectReference): LiveObject | undefined {
  const live = input.live(input.desired.objects[input.desired.byId.get(identityOf(o))!]!)
  return live === 'unknown' ? undefined : live
}

function decide(input: UnitInput) {
  const known = entriesOf(input)
  return {
    found: announcedObjects(input.inventory, new Map([...known].map(([id, o]) => [id, o.uid])), (i) =>
      liveOf(input, i),
    ),
    served: servedIntents(intentsOf(input), known, input.memory, input.steady, input.isSeen, input.desired),
  }
}

it('intents come to something, whatever became of their creates', () => {
  decidesAlike(units, decide, {
    'they find only objects that are ours and that nobody has written down': (input, { found }) => {
      const known = entriesOf(input)
      const { uid } = input.inventory.metadata
      for (const o of found) {
        expect(known.get(identityOf(o))?.uid).not.toBe(o.uid)
        expect(liveOf(input, o)).toMatchObject({ inventory: uid, uid: o.uid })
      }
    },
    'they are kept as long as their request may arrive, and then looked at again': (input, { served }) => {
      const known = entriesOf(input)
      const left = intentsOf(input).filter((i) => !served.includes(i))
      const isMadeAnew = (i: WriteIntent) =>
        i.replaces !== undefined && known.get(identityOf(i))?.uid === i.replaces.uid
      const isOurs = (i: WriteIntent) => input.memory.announced.has(i.nonce)
      expect(left.filter((i) => known.has(identityOf(i)) && !isMadeAnew(i) && isOurs(i))).toEqual([])
      // They are not older than their fence: what another process has sent may still arrive.
      expect(served.filter((i) => !isOurs(i))).toEqual([])
      const wait = intentWaitMs(left, input.memory, input.steady, input.isSeen)
      expect(wait === undefined).toBe(left.length === 0)
      if (wait === undefined) return
      // Nothing is wanted any more: time alone drops them.
      const later = servedIntents(left, known, input.memory, input.steady + wait, input.isSeen)
      expect(later.length).toBeGreaterThan(0)
    },
    'one of a replacement stays until its object is made anew, or other content is wanted': (
      input,
      { served },
    ) => {
      for (const { replaces, ...i } of served) {
        const d = input.desired.objects[input.desired.byId.get(identityOf(i))!]
        if (replaces === undefined || replaces.content !== d?.content) continue
        const entry = known(input, i)
        expect(entry !== undefined && (entry.uid !== replaces.uid || entry.content === d.content)).toBe(true)
      }
    },
  })
})
