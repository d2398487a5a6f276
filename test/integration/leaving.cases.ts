/** A deleted module and a cluster that cannot be worked on: who may give it up, and what becomes of it. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind } from '../../packages/kube/src/object/kind.ts'
import { orphanPolicy } from '../../packages/lockstep/src/api/crd/orphanpolicy.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import {
  ORPHAN_ANNOTATION,
  ORPHANED_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../../packages/lockstep/src/api/labels.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const FORCE = { ...ANY, force: true } as const

const kind = (group: string, name: string, plural: string, namespaced: boolean): Kind =>
  defineKind({ group, version: 'v1', kind: name, plural, namespaced })
const ADMISSION = 'admissionregistration.k8s.io'
const RBAC = 'rbac.authorization.k8s.io'
const policyKinds = [
  kind(ADMISSION, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false),
  kind(ADMISSION, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', false),
]

/** Somebody who may change modules of the namespace, and not delete them. */
async function editor(c: Corner): Promise<KubeClient> {
  const metadata = { name: 'editor', namespace: c.namespace }
  const rules = [{ apiGroups: ['lockstep.dev'], resources: ['modules'], verbs: ['get', 'patch'] }]
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'editor' }
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'joe' }]
  const role = { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules }
  const bound = { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects }
  value(await c.hub.apply(kind(RBAC, 'Role', 'roles', true), role as KubeObject, FORCE))
  value(await c.hub.apply(kind(RBAC, 'RoleBinding', 'rolebindings', true), bound as KubeObject, FORCE))
  const target = parseKubeconfig(c.subject.hub.kubeconfig, 'Person')
  if (!target.ok) throw new Error(target.error.message)
  const { endpoint } = target.value.source
  const headers = { ...endpoint.headers, 'impersonate-user': 'joe' }
  return createHttpClient(
    c.subject.env,
    'hub',
    c.subject.env.net.connect({ ...endpoint, headers }, 'operator'),
  )
}

const pause = async (c: Corner, isPaused: boolean): Promise<void> => {
  const key = { namespace: c.namespace, name: 'c1' }
  const patch = { metadata: { annotations: { [PAUSED_ANNOTATION]: String(isPaused) } } }
  value(await c.hub.patch(secretKind, key, patch, ANY))
}

const named = (by: KubeClient, c: Corner, dryRun: boolean) =>
  by.patch(
    moduleKind,
    { namespace: c.namespace, name: 'web' },
    { metadata: { annotations: { [ORPHAN_ANNOTATION]: 'c1' } } },
    { ...ANY, dryRun },
  )

/** What the server says to somebody who has just been given a right, and is then held to a policy. */
async function refusal(by: KubeClient, c: Corner): Promise<string> {
  let said = ''
  for (let tries = 0; tries < 2000; tries++) {
    const done = await named(by, c, true)
    said = done.ok ? 'it is taken' : 'message' in done.error ? done.error.message : done.error.kind
    if (said.includes('may not orphan')) return said
  }
  return said
}

export const leavingCases: readonly FleetCase[] = [
  {
    name: 'a deleted module goes without a cluster that somebody who may delete it has named; what is there stays',
    async run(c) {
      for (const [i, o] of orphanPolicy().entries())
        value(await c.hub.apply(policyKinds[i]!, o as unknown as KubeObject, FORCE))
      await c.release('web', 1, [config('web', c.namespace, { v: '1' })])
      await c.untilReady('web')
      await pause(c, true)
      // Else the deletion may be through before anybody has seen it.
      await c.untilModule('web', 'paused', (m) =>
        (m.status?.blockers ?? []).some((b) => b.reason === 'ClusterPaused'),
      )
      await c.deleteModule('web')
      const waiting = await c.untilModule('web', 'waiting', (m) =>
        (m.status?.blockers ?? []).some((b) => b.reason === 'DeletionBlocked'),
      )
      expect(waiting.status?.blockers?.map((b) => b.message)).toContain(
        '1 cluster not usable (c1): restore it, or lockstep delete module web --orphan c1',
      )
      expect(await refusal(await editor(c), c)).toContain(
        `joe may not orphan objects of Module ${c.namespace}/web (annotation ${ORPHAN_ANNOTATION}): a role must allow the verb delete on it`,
      )
      const key = { namespace: c.namespace, name: 'web' }
      const before = value(await c.c1.get(configMapKind, key, READ))
      value(await named(c.hub, c, false))
      await c.untilGone(c.hub, moduleKind, 'web')
      await pause(c, false)
      // It is worked on again.
      await c.release('other', 1, [config('other', c.namespace, { v: '1' })])
      await c.untilReady('other')
      const orphan = await c.untilInventory('web', 'orphaned', (i) => i.status?.state === 'Orphaned')
      expect(orphan.metadata.annotations?.[ORPHANED_ANNOTATION]).toBeDefined()
      expect(value(await c.c1.get(configMapKind, key, READ)).metadata).toEqual(before.metadata)
    },
  },
]
