/** The key of digests over secrets is lost, and nobody has a backup. */
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, encodeJson, kidOf } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { adviceOf } from '../../packages/lockstep/src/api/reasons/index.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

const ANY = { ...WRITE, precondition: 'any', force: true } as const
const KEY = { namespace: 'lockstep-system', name: 'lockstep-hmac' }

const base64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))

/** Versions of what is delivered: another one is a write. */
async function versions(c: Corner): Promise<string[]> {
  const read = async (kind: typeof secretKind | typeof configMapKind, name: string) =>
    value(await c.c1.get(kind, { namespace: c.namespace, name }, READ)).metadata.resourceVersion
  return [await read(secretKind, 's'), await read(configMapKind, 'b')]
}

export const rehashCases: readonly FleetCase[] = [
  {
    // The others' secrets wait from then on; nobody looks at them any more.
    alone: true,
    name: 'a lost key of digests is given up: what is delivered is compared, and nothing is written',
    async run(c) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: c.namespace } }
      const manifests = [{ ...secret, data: { v: base64('hunter2') } }, config('b', c.namespace, { v: '1' })]
      const source = { ...secret, metadata: { name: 'source', namespace: c.namespace } }
      const text = manifests.map((m) => encodeJson(m)).join('\n---\n')
      value(await c.hub.apply(secretKind, { ...source, data: { 'all.yaml': base64(text) } }, ANY))
      await c.module('web', { source: { secrets: [{ name: 'source' }] } })
      const lost = kidOf((await c.untilReady('web')).status!.bundle!)
      const before = await versions(c)
      c.controllers.kill()
      value(await c.hub.delete(secretKind, KEY, ANY))
      c.controllers.start()
      const { blocker } = await reasonOf(c, 'web', 'HmacKeyMissing')
      expect(adviceOf(blocker)).toContain(`lockstep reconcile module/web -n ${c.namespace} --rebuild-digests`)
      const patch = { metadata: { annotations: { 'lockstep.dev/rehash': 'now' } } }
      value(await c.hub.patch(moduleKind, { namespace: c.namespace, name: 'web' }, patch, ANY))
      const done = await c.untilModule('web', 'rehashed', (m) => m.status?.lastHandledRehashAt === 'now')
      await c.untilReady('web')
      const current = kidOf(done.status!.bundle!)
      expect([undefined, lost]).not.toContain(current)
      await c.untilInventory('web', 'at the new revision', (i) => {
        const kids = (i.spec.objects ?? []).map((o) => kidOf(o.content))
        return i.spec.admitted?.bundle === done.status!.bundle && kids.every((kid) => kid === current)
      })
      expect(await versions(c)).toEqual(before)
    },
  },
]
