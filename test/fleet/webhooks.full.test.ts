/** What a webhook of the same module is asked about is written when the webhook can answer. */
import { expect, it } from 'vitest'
import type { JsonObject, KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must } from './simfleet.ts'
import { deploymentManifest, Story } from './steps.ts'

const validating = defineKind<KubeObject>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
})

const GUARDED = `${deploymentManifest('guard', 'guard:1')}---
apiVersion: v1
kind: Service
metadata: {name: guard, namespace: default}
spec: {selector: {app: guard}, ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
  - name: guard.x.test
    admissionReviewVersions: [v1]
    sideEffects: None
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    clientConfig: {service: {name: guard, namespace: default}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: guarded, namespace: default}
`

// Each run takes its own time to start Pods and to notice changes.
it.each(Array.from({ length: 20 }, (_, i) => i))(
  'behind its backend, and once somebody has written its certificate: run %i',
  async (run) => {
    const story = await Story.begin(`webhooks ${run}`, ['edge'], { delays: LIFELIKE })
    await story.config('guard', GUARDED)
    await story.module('guard', 'guard')
    const configuration = () =>
      story.live('edge', 'validatingwebhookconfigurations.admissionregistration.k8s.io', 'guard', '')
    expect(await story.until(() => configuration() !== undefined)).toBe(true)
    const ready = story.live('edge', 'deployments.apps', 'guard')?.status as { readyReplicas?: number }
    expect(ready.readyReplicas).toBe(1)
    await story.pass(60)
    expect(story.live('edge', 'configmaps', 'guarded')).toBe(undefined)
    expect(
      story.inventory('guard', 'edge')?.status?.blockers?.map((b) => `${b.reason}: ${b.message}`),
    ).toEqual([
      'WaitingForObject: ConfigMap default/guarded waits for ValidatingWebhookConfiguration guard to match its expression (webhook rules, once caBundle is injected)',
    ])

    const { client } = story.fleet.clusters.get('edge')!
    const [webhook] = configuration()!.webhooks as [JsonObject]
    const clientConfig = { ...(webhook.clientConfig as JsonObject), caBundle: 'Zm9v' }
    const injected = { webhooks: [{ ...webhook, clientConfig }] }
    const o = { purpose: 'user', manager: 'injector', precondition: 'any' } as const
    must(await story.during(client.patch(validating, { name: 'guard' }, injected, o)))
    expect(await story.until(() => story.isReady('guard'), 30)).toBe(true)
    expect(story.live('edge', 'configmaps', 'guarded')).toBeDefined()
    expect(story.fleet.oracles.violations).toEqual([])
  },
)
