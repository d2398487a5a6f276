/** What an admission policy refuses. */
import { expect } from 'vitest'
import { ANY, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { unitReasonOf } from './refusals.cases.ts'

const GROUP = 'admissionregistration.k8s.io'

const kind = (name: string, plural: string) =>
  defineKind({ group: GROUP, version: 'v1', kind: name, plural, namespaced: false })
const policyKind = kind('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const bindingKind = kind('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings')

/** Nobody deletes what has the label `keep`; one namespace only. Resolves once that is so. */
async function forbid(c: Corner): Promise<void> {
  const name = `keep-${c.namespace}`
  const policy = {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': c.namespace } },
        objectSelector: { matchLabels: { keep: 'true' } },
      },
      validations: [{ expression: 'false', message: 'it is needed' }],
    },
  }
  const binding = {
    apiVersion: `${GROUP}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  }
  value(await c.c1.create(policyKind, policy, WRITE))
  value(await c.c1.create(bindingKind, binding, WRITE))
  const probe = {
    ...config('probe', c.namespace, {}),
    metadata: { name: 'probe', namespace: c.namespace, labels: { keep: 'true' } },
  }
  value(await c.c1.create(configMapKind, probe, WRITE))
  await untilDeletable(c, 'probe', false)
}

/** A server obeys a policy some time after it was stored, and until some time after it is gone. */
async function untilDeletable(c: Corner, name: string, wanted: boolean): Promise<void> {
  for (let tries = 0; tries < 2000; tries++) {
    const done = await c.c1.delete(configMapKind, { namespace: c.namespace, name }, { ...ANY, dryRun: true })
    if (done.ok === wanted) return
  }
  throw new Error(`${name} is still ${wanted ? 'not ' : ''}deletable`)
}

export const deniedCases: readonly FleetCase[] = [
  {
    name: 'a delete that a policy refuses: PruneBlocked with its words; the entry stays until it may go',
    async run(c) {
      const x = config('x', c.namespace, {})
      const labelled = { ...x, metadata: { ...x.metadata, labels: { keep: 'true' } } }
      await c.release('base', 1, [
        labelled,
        config('goes', c.namespace, {}),
        config('stays', c.namespace, {}),
      ])
      await c.untilReady('base')
      await forbid(c)
      await c.release('base', 2, [config('stays', c.namespace, {})])
      expect(await unitReasonOf(c, 'base', 'PruneBlocked')).toMatch(
        /^ConfigMap .*\/x cannot be removed: the cluster refuses it: .*ValidatingAdmissionPolicy 'keep-.*' .*denied request: it is needed/,
      )
      await c.untilGone(c.c1, configMapKind, 'goes')
      value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'x' }, READ))
      value(await c.c1.delete(bindingKind, { name: `keep-${c.namespace}` }, ANY))
      await untilDeletable(c, 'x', true)
      // Tried again at once, since something happens to it; else in five minutes.
      const news = { metadata: { annotations: { news: 'yes' } } }
      value(await c.c1.patch(configMapKind, { namespace: c.namespace, name: 'x' }, news, ANY))
      await c.untilReady('base')
      await c.untilGone(c.c1, configMapKind, 'x')
    },
  },
]
