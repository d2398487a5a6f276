import { expect, it } from 'vitest'
import { units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike, sameAnswer } from '../../../../../test/arbitrary/decision.ts'
import { identityOf } from '../../../../kube/src/object/index.ts'
import type { InventorySpec } from '../../api/kinds/inventory/spec.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { rehashedSpec } from './rehash.ts'

const rehash = ({ inventory, desired }: UnitInput): InventorySpec => rehashedSpec(inventory.spec, desired)

const withoutContents = ({ objects, intents, ...rest }: InventorySpec) => ({
  ...rest,
  objects: objects?.map(({ content: _, ...o }) => o),
  intents: intents?.map(({ replaces, ...i }) => ({ ...i, replaces: replaces?.uid })),
})

it('digests are made anew, and nothing else is', () => {
  decidesAlike(units, rehash, {
    'what is applied, announced and admitted stays': ({ inventory }, spec) =>
      sameAnswer(withoutContents(spec), withoutContents(inventory.spec)),
    'of what the bundle has: its digest; of the rest none': ({ desired }, { objects, intents }) => {
      const replaced = (intents ?? []).flatMap((i) => (i.replaces ? [{ ...i, ...i.replaces }] : []))
      for (const o of [...(objects ?? []), ...replaced]) {
        const n = desired.byId.get(identityOf(o))
        expect(o.content).toBe(n === undefined ? '' : desired.objects[n]!.content)
      }
    },
    'once is enough': ({ desired }, spec) => sameAnswer(rehashedSpec(spec, desired), spec),
  })
})
