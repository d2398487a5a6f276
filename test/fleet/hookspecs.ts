/** Hooks as people write them, and what the tests ask of them. */
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import type { HookRecord } from '../../packages/lockstep/src/api/kinds/inventory/spec.ts'
import type { Story } from './steps.ts'

export const jobKind = defineKind({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})

export interface TestHookOptions {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly image?: string
}

/** A Job that is a hook of Argo CD in `phase`, or of whatever the annotations say. */
export const jobHook = (name: string, phase: string | undefined, o: TestHookOptions = {}): string =>
  manifest({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', annotations: { ...argo(phase), ...o.annotations } },
    spec: { backoffLimit: 0, ...o.spec, template: podTemplate(o.image ?? 'job:1') },
  })

export const podHook = (name: string, phase: string, o: TestHookOptions = {}): string =>
  manifest({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations: { ...argo(phase), ...o.annotations } },
    ...podTemplate(o.image ?? 'job:1'),
  })

export const configHook = (name: string, phase: string, o: TestHookOptions = {}): string =>
  manifest({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', annotations: { ...argo(phase), ...o.annotations } },
  })

const argo = (phase: string | undefined) => (phase ? { 'argocd.argoproj.io/hook': phase } : {})
const podTemplate = (image: string) => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] },
})
const manifest = (o: object): string => `${JSON.stringify(o)}\n`

export const together = (...manifests: string[]): string => manifests.join('---\n')

/** `PreSync db Succeeded 1`: phase, name, state, attempt. */
export const hooksOf = (story: Story, module: string, cluster = 'edge'): string[] =>
  (story.inventory(module, cluster)?.spec.hooks ?? []).map(
    (h: HookRecord) => `${h.phase} ${h.name} ${h.state} ${h.attempt}`,
  )

/** Creates and writes of content, as `create jobs.batch db`: without deletes, finalizers, and what is kept for later. */
export const createsOf = (story: Story, from = 0, cluster = 'edge'): string[] =>
  story.fleet.commits
    .slice(from)
    .filter(
      (c) => c.cluster === cluster && c.old === undefined && c.next?.metadata.labels?.['lockstep.dev/unit'],
    )
    .map((c) => c.next!.metadata.name ?? '')
