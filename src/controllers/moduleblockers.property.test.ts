import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { moduleFacts } from '../../test/arbitrary/status.ts'
import { furtherBlockers } from './moduleblockers.ts'

describe('what else a module waits for, whatever its clusters', () => {
  it('is a text each, and names clusters that are missing only while it stays', () => {
    decidesAlike(
      moduleFacts,
      ({ module, units, clusters }) => furtherBlockers(module, units, clusters),
      ({ module }, blockers) => {
        for (const b of blockers) {
          expect(typeof b.message).toBe('string')
          expect(b.message).not.toContain('function')
        }
        const isDeleting = module.metadata.deletionTimestamp !== undefined
        if (isDeleting) expect(blockers.map((b) => b.reason)).not.toContain('ClusterMissing')
        else expect(blockers.map((b) => b.reason)).not.toContain('DeletionWaits')
      },
    )
  })
})
