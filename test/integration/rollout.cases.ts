/** Stages, consent and Holds. */
import { expect } from 'vitest'
import { approvalPolicy } from '../../src/api/approvalpolicy.ts'
import { defineKind } from '../../src/api/kind.ts'
import { configMapKind } from '../../src/api/kinds/foreign.ts'
import { type Approval, approvalKind, holdKind } from '../../src/api/registry.ts'
import { READ, value, WRITE } from '../../src/kube/client.cases.ts'
import type { FleetCase } from './fleet.cases.ts'
import { config } from './manifests.ts'
import { type Corner, condition } from './subject.ts'

const FORCE = { ...WRITE, fence: 'any', force: true } as const
const GROUP = 'admissionregistration.k8s.io'
const kinds = [
  ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies'],
  ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'],
].map(([kind, plural]) =>
  defineKind({ group: GROUP, version: 'v1', kind: kind!, plural: plural!, namespaced: false }),
)

const STAGED = {
  rollout: {
    strategy: 'Staged',
    stages: [{ name: 'first', clusterSelector: {}, clusters: ['c1'], approvalBefore: 'Required' }],
  },
}

function approval(c: Corner, name: string, approvedBy: string, revisionHash: string): Approval {
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Approval',
    metadata: { name, namespace: c.namespace },
    spec: {
      targetRef: { kind: 'Module', name: 'web' },
      stage: 'first',
      point: 'Before',
      revisionHash,
      approvedBy,
    },
  }
}

/** Until the server obeys the policy: a forged one is refused. */
async function refused(c: Corner, forged: Approval): Promise<string> {
  for (let tries = 0; tries < 2000; tries++) {
    const done = await c.hub.create(approvalKind, forged, { ...WRITE, dryRun: true })
    if (!done.ok) return done.error.kind === 'Invalid' ? done.error.message : done.error.kind
  }
  throw new Error('a forged Approval is still taken')
}

export const rolloutCases: readonly FleetCase[] = [
  {
    name: 'a stage begins with the consent of who gives it, not of somebody that others name',
    async run(c) {
      const objects = approvalPolicy()
      for (const [i, o] of objects.entries()) value(await c.hub.apply(kinds[i]!, o as never, FORCE))
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })], STAGED)
      const waiting = await c.untilModule(
        'web',
        'waiting',
        (m) => condition(m, 'Ready')?.reason === 'AwaitingApproval',
      )
      const revision = waiting.status!.currentRevision!
      expect(await refused(c, approval(c, 'forged', 'the-boss', revision))).toContain(
        'spec.approvedBy: the-boss is not who asks',
      )
      const me = await refused(c, approval(c, 'forged', 'the-boss', revision))
      const by = /who asks, (\S+)$/.exec(me)![1]!
      value(await c.hub.create(approvalKind, approval(c, 'honest', by, revision), WRITE))
      await c.untilReady('web')
      const changed = { ...approval(c, 'honest', by, revision) }
      const done = await c.hub.apply(
        approvalKind,
        { ...changed, spec: { ...changed.spec, stage: 'other' } },
        FORCE,
      )
      expect(!done.ok && done.error.kind).toBe('Invalid')
    },
  },
  {
    name: 'a Hold: nothing starts, and nothing is repaired; once it is gone it goes on',
    async run(c) {
      const hold = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Hold',
        metadata: { name: 'stop', namespace: c.namespace },
        spec: { targetRef: { kind: 'Module', name: 'web' }, reason: 'test' },
      }
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })])
      await c.untilReady('web')
      value(await c.hub.apply(holdKind, hold as never, FORCE))
      await c.release('web', 2, [config('web', c.namespace, { v: '2' })])
      await c.untilModule('web', 'held', (m) => m.status?.rollout?.phase === 'Paused')
      const key = { namespace: c.namespace, name: 'web' }
      expect(value(await c.c1.get(configMapKind, key, READ)).data).toEqual({ v: '1' })
      value(
        await c.hub.delete(holdKind, { namespace: c.namespace, name: 'stop' }, { ...WRITE, fence: 'any' }),
      )
      await c.untilReady('web')
      expect(value(await c.c1.get(configMapKind, key, READ)).data).toEqual({ v: '2' })
    },
  },
]
