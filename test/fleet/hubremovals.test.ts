/** Deletions that would empty most of a hub wait for a person. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { configMapKind, crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { CONFIRM_DELETION_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { type FaultPlan, spawn } from '../simulation/process.ts'
import { TIER } from '../tier.ts'
import { allowed, blocked, exists, there } from './removedmodules.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { manyModules } from './starts/manymodules.ts'
import { forked } from './starts/start.ts'

const NINE = manyModules(9)
const { names } = NINE

it.skipIf(TIER === 'short')(
  'a removal that was in the ledger when the controller died is counted once',
  async () => {
    const story = await forked(NINE, 'counted once')
    const last = names.at(-1)!
    story.manager.stop()
    const start = (who: string, crash?: FaultPlan['crash']) => {
      const process = spawn(story.fleet.env, who, {
        delayMs: 1,
        lossRate: 0,
        dropRate: 0,
        ...(crash && { crash }),
      })
      const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
      story.manager = startManager(
        process.env,
        createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
      )
      return process
    }
    const isLedger = (r: NetRequest): boolean =>
      r.path.includes(`/modules/${last}/status`) && (r.body ?? '').includes('"kind":"Remove"')
    const first = start('first', { write: 1, after: true, of: isLedger })
    await story.pass(5)
    await story.deleteModule(last)
    expect(await story.until(() => !first.alive, 60)).toBe(true)
    expect(there(story, [last])).toBe(3)
    start('second')
    expect(await story.until(() => story.manager.hub.synced && !exists(story, last), 120)).toBe(true)
    const key = { namespace: 'lockstep-system', name: 'lockstep-removals' }
    const record = must(await story.during(story.fleet.hub.get(configMapKind, key, USER)))
    expect(record.data).toMatchObject({ of: '27', begun: '3' })
    expect(story.fleet.oracles.violations).toEqual([])
  },
)

describe('a kind or a Namespace of Modules that is deleted', () => {
  it.each([
    // Ten minutes of nine Modules.
    ...(TIER === 'short' ? [] : [['CustomResourceDefinition', crdKind, 'modules.lockstep.dev'] as const]),
    // Its Secrets go with it, so that no cluster can be reached when it is confirmed.
    ['Namespace', namespaceKind, NAMESPACE],
  ] as const)('%s: nothing is deleted on clusters before that is confirmed', async (kind, of, name) => {
    const story = await forked(NINE, `gone ${kind}`)
    must(await story.during(story.fleet.hub.delete(of, { name }, USER)))
    await story.pass(600)
    expect(there(story, names)).toBe(27)
    const { uid } = must(await story.during(story.fleet.hub.get(of, { name }, USER))).metadata
    expect(blocked(story, names)).toHaveLength(9)
    expect(blocked(story, names)[0]).toBe(
      `DeletionUnconfirmed: ${kind} ${name} is being deleted; to remove 3 units too, set lockstep.dev/confirm-deletion to its uid`,
    )
    const confirmed = { metadata: { annotations: { [CONFIRM_DELETION_ANNOTATION]: uid } } }
    must(await story.during(story.fleet.hub.patch(of, { name }, confirmed, USER)))
    if (kind === 'Namespace') {
      expect(await story.until(() => names.every((m) => !exists(story, m)), 60)).toBe(true)
      expect(there(story, names)).toBe(27)
      return
    }
    await story.pass(600)
    expect(there(story, names)).toBe(27)
    expect(blocked(story, names)[0]).toMatch(/^RemovalTooLarge: 27 units of 9 Modules on 3 clusters/)
    await allowed(story, names)
    expect(await story.until(() => there(story, names) === 0, 300)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
