import { expect, it } from 'vitest'
import { moduleFacts } from '../../../../../test/arbitrary/arbitrarystatus.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { moduleBlockers } from './moduleblockers.ts'

it('a module waits for clusters too, whatever they are', () => {
  decidesAlike(moduleFacts, ({ module, units, clusters }) => moduleBlockers(module, units, clusters), {
    'and says so in words': (_, blockers) => {
      expect(blockers.filter((b) => typeof b.message !== 'string' || b.message.includes('function'))).toEqual(
        [],
      )
    },
    'for clusters that are missing only while it stays, for a deletion only while it goes': (
      { module },
      blockers,
    ) => {
      const isDeleting = module.metadata.deletionTimestamp !== undefined
      const other = isDeleting ? 'ClusterMissing' : 'DeletionBlocked'
      expect(blockers.filter((b) => b.reason === other)).toEqual([])
    },
  })
})
