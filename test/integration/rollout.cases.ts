/** Stages, consent and Holds. */
import { expect } from 'vitest'
import { deploymentKind, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { configMapKind, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { approvalPolicy } from '../../packages/lockstep/src/api/crd/approvalpolicy.ts'
import { type Approval, approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { OUTCOME_ANNOTATION, OUTCOME_CLUSTERS_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'

const FORCE = { ...WRITE, precondition: 'any', force: true } as const
const GROUP = 'admissionregistration.k8s.io'
const kinds = [
  ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies'],
  ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'],
].map(([kind, plural]) =>
  defineKind({ group: GROUP, version: 'v1', kind: kind!, plural: plural!, namespaced: false }),
)

const RBAC = 'rbac.authorization.k8s.io'
const rbac = Object.fromEntries(
  [
    ['Role', 'roles'],
    ['RoleBinding', 'rolebindings'],
  ].map(([kind, plural]) => [
    kind,
    defineKind({ group: RBAC, version: 'v1', kind: kind!, plural: plural!, namespaced: true }),
  ]),
)

/** A role of one user. */
const rolesOf = (namespace: string, user: string, rules: readonly object[]) => {
  const metadata = { name: 'bob', namespace }
  const roleRef = { kind: 'Role', name: 'bob', apiGroup: RBAC }
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef,
      subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
    },
  ]
}

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

const BOTH = { targets: { clusters: ['c1', 'c2'] } }
const TWO = {
  ...BOTH,
  rollout: {
    strategy: 'Staged',
    onFailure: 'Rollback',
    stages: [
      { name: 'first', clusters: ['c1'] },
      { name: 'second', clusters: ['c2'] },
    ],
  },
}

interface Running {
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { image: string }[] } }
  }
}

const imageAt =
  (c: Corner) =>
  async (client: KubeClient): Promise<string | undefined> => {
    const found = value(await client.get(deploymentKind, { namespace: c.namespace, name: 'web' }, READ))
    return (found as Running).spec?.template.spec.containers[0]?.image
  }

/** What became of all revisions, in the order in which they were published. */
async function outcomesOf(c: Corner): Promise<string[]> {
  const found = value(await c.hub.list(controllerRevisionKind, { ...READ, namespace: c.namespace }))
  return [...found.items]
    .sort((a, b) => a.revision - b.revision)
    .map(({ metadata: { annotations } }) =>
      [annotations?.[OUTCOME_ANNOTATION], annotations?.[OUTCOME_CLUSTERS_ANNOTATION]].join(' '),
    )
}

/** Until the server obeys the policy: a forged one is refused. */
async function refused(c: Corner, forged: Approval): Promise<string> {
  for (let tries = 0; tries < 2000; tries++) {
    const done = await c.hub.create(approvalKind, forged, { ...WRITE, dryRun: true })
    if (!done.ok) return done.error.kind === 'Invalid' ? done.error.message : done.error.kind
  }
  throw new Error('a forged Approval is still taken')
}

/** A server that has just been told who may do what obeys after a moment, and nothing says when. */
async function comes(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2000; tries++) if (await holds()) return
  throw new Error(`${what} never comes`)
}

/** A Hold that says on which cluster it acts is known to the controllers: what is released after that meets it. */
const untilActive = (c: Corner, hold: string, cluster: string) =>
  c.until(c.hub, holdKind, hold, 'active', (h) => {
    const { units, clusters, conditions } = h?.status ?? {}
    return units === 1 && clusters?.[0] === cluster && conditions?.[0]?.reason === 'Active'
  })

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
      await c.until(c.hub, approvalKind, 'honest', 'used', (a) => {
        const { revision: meant, conditions } = a?.status ?? {}
        return meant === revision && conditions?.[0]?.reason === 'Used'
      })
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
    name: 'who may make Approvals, and not approve the module, approves nothing',
    async run(c) {
      const objects = approvalPolicy()
      for (const [i, o] of objects.entries()) value(await c.hub.apply(kinds[i]!, o as never, FORCE))
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })], STAGED)
      const isAsked = (m: Stored<Module>) => condition(m, 'Ready')?.reason === 'AwaitingApproval'
      const revision = (await c.untilModule('web', 'waiting', isAsked)).status!.currentRevision!
      const user = `bob-${c.namespace}`
      const bob = c.subject.hubAs(user)
      const allow = async (...rules: readonly object[]): Promise<void> => {
        for (const o of rolesOf(c.namespace, user, rules))
          value(await c.hub.apply(rbac[o.kind as 'Role']!, o as never, FORCE))
      }
      const make = { apiGroups: ['lockstep.dev'], resources: ['approvals'], verbs: ['create'] }
      await allow(make)
      expect(await refused(c, approval(c, 'forged', 'the-boss', revision))).toContain('is not who asks')
      const mine = approval(c, 'mine', user, revision)
      const isToldWhy = async (): Promise<boolean> => {
        const done = await bob.create(approvalKind, mine, { ...WRITE, dryRun: true })
        const error = done.ok ? undefined : done.error
        return (
          error?.kind === 'Forbidden' &&
          error.message.includes(
            `${user} may not approve Module ${c.namespace}/web: a role must allow the verb approve on it`,
          )
        )
      }
      await comes('the right to make one', isToldWhy)
      const approve = { apiGroups: ['lockstep.dev'], resources: ['modules'], resourceNames: ['web'] }
      await allow(make, { ...approve, verbs: ['approve'] })
      await comes('the right to approve', async () => (await bob.create(approvalKind, mine, WRITE)).ok)
      await c.untilReady('web')
      await bob.close()
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
      await untilActive(c, 'stop', 'c1')
      await c.release('web', 2, [config('web', c.namespace, { v: '2' })])
      const isHeld = (m: Stored<Module>) => m.status?.release === 'v2' && m.status.rollout?.phase === 'Paused'
      await c.untilModule('web', 'held', isHeld)
      const key = { namespace: c.namespace, name: 'web' }
      expect(value(await c.c1.get(configMapKind, key, READ)).data).toEqual({ v: '1' })
      value(
        await c.hub.delete(
          holdKind,
          { namespace: c.namespace, name: 'stop' },
          { ...WRITE, precondition: 'any' },
        ),
      )
      await c.untilReady('web')
      expect(value(await c.c1.get(configMapKind, key, READ)).data).toEqual({ v: '2' })
    },
  },
  {
    name: 'drift is reverted while a module is paused, and not while it is suspended',
    async run(c) {
      const key = { namespace: c.namespace, name: 'web' }
      const hold = (name: string, action: string) => ({
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Hold',
        metadata: { name, namespace: c.namespace },
        spec: { targetRef: { kind: 'Module', name: 'web' }, action, reason: 'test' },
      })
      const drop = async (name: string): Promise<void> => {
        value(
          await c.hub.delete(holdKind, { namespace: c.namespace, name }, { ...WRITE, precondition: 'any' }),
        )
      }
      const edit = async (v: string): Promise<void> => {
        value(await c.c1.patch(configMapKind, key, { data: { v } }, { ...WRITE, precondition: 'any' }))
      }
      const is = (v: string) => c.until(c.c1, configMapKind, 'web', `at ${v}`, (o) => o?.data?.v === v)
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })])
      await c.untilReady('web')
      value(await c.hub.apply(holdKind, hold('pause', 'Pause') as never, FORCE))
      await untilActive(c, 'pause', 'c1')
      await edit('paused')
      await is('1')
      value(await c.hub.apply(holdKind, hold('suspend', 'Suspend') as never, FORCE))
      await untilActive(c, 'suspend', 'c1')
      const isSuspended = (m: Stored<Module>) =>
        m.status?.blockers?.some(
          (b) => b.reason === 'Held' && b.facts?.action === 'Suspend' && b.on?.[0]?.name === 'suspend',
        ) === true
      await c.untilModule('web', 'suspended', isSuspended)
      await edit('suspended')
      // Another module shows that the controller has handled later events.
      await c.release('other', 1, [config('other', c.namespace, { v: '1' })])
      await c.untilReady('other')
      expect(value(await c.c1.get(configMapKind, key, READ)).data).toEqual({ v: 'suspended' })
      await drop('suspend')
      await is('1')
      await drop('pause')
      await c.untilReady('web')
    },
  },
  {
    name: 'onFailure: Rollback: the first cluster fails, goes back by itself, and the second never sees it',
    async run(c) {
      const c2 = await c.joinSecond()
      const at = imageAt(c)
      const bad = `${c.namespace}:2`
      for (const server of [c.subject.c1, c.subject.c2])
        server.world.fail({ image: bad, outcome: 'ImagePull' })
      await c.release('web', 1, [deployment('web', c.namespace, `${c.namespace}:1`)], TWO)
      await c.untilReady('web')
      // Of the bad revision alone: the good ones get well when the machine has time for them.
      const soon = { ...TWO, health: { timeoutSeconds: 5 } }
      await c.release('web', 2, [deployment('web', c.namespace, bad)], soon)
      const back = await c.untilModule('web', 'back', (m) => m.status?.rollout?.phase === 'RolledBack')
      expect(back.status?.rollout).toMatchObject({ cause: 'Rollback', refused: back.status?.currentRevision })
      expect([await at(c.c1), await at(c2)]).toEqual([`${c.namespace}:1`, `${c.namespace}:1`])
      expect(await outcomesOf(c)).toEqual(['Complete 2/2', 'RolledBack 1/2'])
      await c.release('web', 3, [deployment('web', c.namespace, `${c.namespace}:3`)], TWO)
      await c.untilReady('web')
      expect([await at(c.c1), await at(c2)]).toEqual([`${c.namespace}:3`, `${c.namespace}:3`])
    },
  },
  {
    name: 'a pin keeps one cluster at a revision, an undo leads the other back; both end',
    async run(c) {
      const c2 = await c.joinSecond()
      const release = (n: number, more: object = {}) =>
        c.release('web', n, [config('web', c.namespace, { v: String(n) })], {
          ...BOTH,
          rollout: { strategy: 'Replace', ...more },
        })
      const at = async (client: KubeClient): Promise<string | undefined> =>
        value(await client.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ)).data?.v
      await release(1)
      const first = (await c.untilReady('web')).status!.currentRevision!
      await release(2)
      const second = (await c.untilReady('web')).status!.currentRevision!
      const hold = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Hold',
        metadata: { name: 'pin', namespace: c.namespace },
        spec: {
          targetRef: { kind: 'Module', name: 'web' },
          reason: 'test',
          action: 'Pin',
          clusters: ['c2'],
          revision: second,
        },
      }
      value(await c.hub.apply(holdKind, hold as never, FORCE))
      await untilActive(c, 'pin', 'c2')
      await release(3)
      const third = await c.untilReady('web')
      expect([await at(c.c1), await at(c2)]).toEqual(['3', '2'])
      await release(3, { undo: { from: third.status!.currentRevision!, to: first } })
      const isUndone = (m: Stored<Module>) =>
        m.status?.rollout?.cause === 'Undo' && m.status.rollout.phase === 'Complete'
      await c.untilModule('web', 'undone', isUndone)
      expect([await at(c.c1), await at(c2)]).toEqual(['1', '2'])
      value(
        await c.hub.delete(
          holdKind,
          { namespace: c.namespace, name: 'pin' },
          { ...WRITE, precondition: 'any' },
        ),
      )
      await c.untilModule('web', 'led back', (m) => isUndone(m) && m.status?.clusters?.ready === 2)
      expect(await at(c2)).toBe('1')
      await release(4, { undo: { from: third.status!.currentRevision!, to: first } })
      await c.untilReady('web')
      expect([await at(c.c1), await at(c2)]).toEqual(['4', '4'])
    },
  },
]
