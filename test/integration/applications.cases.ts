/** A cluster group whose applications are Modules: real git over HTTPS, the Helm of this machine; without one they are left out. */
import { expect } from 'vitest'
import { failure, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { configMapKind, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { type Setting, withGit } from './git.cases.ts'
import { reasonOf } from './refusals.cases.ts'

const isThere = (await createNodeEnv(createSimEnv('helm').log).processes.find('helm')) !== undefined
if (!isThere) process.stdout.write('skipped: applications as Modules, since helm is not there\n')

const WAVE = 'argocd.argoproj.io/sync-wave'
const chart = (name: string): Readonly<Record<string, string>> => ({
  [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
  [`charts/${name}/templates/a.yaml`]: `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}", annotations: {checked: "{{ .Values.global.namespace }}"}}
data:
  revision: {{ .Values.global.targetRevision | quote }}
  count: {{ .Values.count | quote }}
  type: {{ kindOf .Values.count }}
`,
})

/** The loop of the chart, in a Job of people's own: a wait. */
const LOOP = (name: string, namespace: string): string => `while [ 1 ];
do
  oc get configmap ${name} -n ${namespace} && break
  echo "configmap ${name} in ${namespace} not found, waiting..."
  sleep 5
done
echo "configmap ${name} in ${namespace} found, exiting..."
exit 0
`

function values(c: Corner, s: Setting, revision: string): string {
  const app = (name: string, wave: number) => ({
    name,
    namespace: c.namespace,
    path: `charts/${name}`,
    annotations: { [WAVE]: String(wave) },
    overrides: [{ name: 'count', value: '2' }],
  })
  const settings = (name: string, wave: number) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: c.namespace, annotations: { [WAVE]: String(wave) } },
  })
  const wait = (name: string, wave: number) => {
    const command = ['/bin/bash', '-c', LOOP(name, c.namespace)]
    const containers = [{ name: 'wait', image: 'tools:v1', command }]
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `wait-${name}`,
        annotations: { [WAVE]: String(wave), 'argocd.argoproj.io/hook': 'Sync' },
      },
      spec: { template: { spec: { restartPolicy: 'OnFailure', containers } } },
    }
  }
  return JSON.stringify({
    global: { pattern: 'p', repoURL: `${s.server.url}/platform.git`, targetRevision: revision },
    clusterGroup: {
      name: 'hub',
      applications: { vault: app('vault', 10), ui: app('ui', 15) },
      extraObjects: {
        settings: settings('settings', 5),
        wait: wait('storage', 5),
        // What the application of wave 10 makes.
        made: wait('vault', 12),
        last: settings('last', 20),
      },
    },
  })
}

/** Revisions that each Module of an application has published. */
async function revisionsOf(c: Corner): Promise<Record<string, number>> {
  const { items } = value(await c.hub.list(controllerRevisionKind, { ...READ, namespace: c.namespace }))
  const count: Record<string, number> = {}
  for (const { data } of items) {
    const { module } = data as unknown as { module: string }
    count[module] = (count[module] ?? 0) + 1
  }
  return count
}

const cases: readonly FleetCase[] = [
  {
    name: 'applications as Modules: nothing of them before waves of the group that come first, which may wait for them later; one revision for each change',
    run: (c) =>
      withGit(c, async (s) => {
        const files = { ...chart('vault'), ...chart('ui'), 'values-hub.yaml': 'count: 1\n' }
        s.repository.commit({ ...files, 'group.yaml': values(c, s, 'main') })
        const recorder = await c.record()
        const { git } = s.source({ branch: 'main' }, { path: '.' }) as { git: object }
        await c.module('group', {
          source: { git },
          render: {
            namespace: c.namespace,
            clusterGroup: { valuesFiles: ['group.yaml'], applications: 'Modules' },
          },
        })
        await c.untilInventory('group', 'waiting', (i) =>
          (i.status?.blockers ?? []).some((b) => b.reason === 'WaitNotFound'),
        )
        const waiting = await c.until(c.hub, moduleKind, 'group-vault', 'waiting for its group', (m) =>
          (m?.status?.blockers ?? []).some((b) => b.reason.startsWith('Dependency')),
        )
        expect(waiting.spec.dependsOn?.map((e) => [e.module?.name, e.beforeWave])).toEqual([['group', 10]])
        const key = { namespace: c.namespace, name: 'vault' }
        expect(failure(await c.c1.get(configMapKind, key, READ)).kind).toBe('NotFound')
        const storage = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'storage', namespace: c.namespace },
        }
        value(await c.c1.create(configMapKind, storage, WRITE))
        await c.untilReady('group-ui')
        await recorder.expectOrder('created settings', 'created vault')
        await recorder.expectOrder('created storage', 'created vault')
        await recorder.expectOrder('created vault', 'created ui')
        await c.untilReady('group')
        // Both are in waves before it.
        await recorder.expectOrder('created vault', 'created last')
        await recorder.expectOrder('created ui', 'created last')
        const made = value(await c.c1.get(configMapKind, key, READ))
        // A parameter over the values files of the pattern, and a number as `--set` makes one.
        expect(made.data).toEqual({ revision: 'main', count: '2', type: 'int64' })
        expect(made.metadata.annotations?.checked).toBe(c.namespace)
        expect(await revisionsOf(c)).toEqual({ group: 1, 'group-ui': 1, 'group-vault': 1 })
        s.repository.tag('v1.0.0', s.repository.commit({ ...files, 'group.yaml': values(c, s, 'v1.0.0') }))
        await s.reconcile('group')
        for (const name of ['vault', 'ui'])
          await c.until(c.c1, configMapKind, name, 'of the tag', (o) => o?.data?.revision === 'v1.0.0')
        await c.untilReady('group-ui')
        expect(await revisionsOf(c)).toEqual({ group: 2, 'group-ui': 2, 'group-vault': 2 })
        recorder.expectNone('deleted')
      }),
  },
  {
    name: 'applications of the branch of their group come with it: a commit that it cannot take moves none of them',
    run: (c) =>
      withGit(c, async (s) => {
        const filesOf = (group: string, more: string) => ({
          ...chart('vault'),
          ...chart('ui'),
          'charts/vault/templates/more.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\ndata: {v: "${more}"}\n`,
          'group.yaml': group,
        })
        const group = values(c, s, 'main')
        const storage = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'storage', namespace: c.namespace },
        }
        value(await c.c1.create(configMapKind, storage, WRITE))
        const one = s.repository.commit(filesOf(group, '1'))
        const { git } = s.source({ branch: 'main' }, { path: '.' }) as { git: object }
        const clusterGroup = { valuesFiles: ['group.yaml'], applications: 'Modules' }
        await c.module('group', { source: { git }, render: { namespace: c.namespace, clusterGroup } })
        await c.untilReady('group-ui')
        s.repository.commit(filesOf('[', '2'))
        // The group has seen it, so its answer is there for whoever else asks for the branch.
        await s.reconcile('group')
        expect((await reasonOf(c, 'group', 'RenderFailed')).message).toContain('group.yaml')
        await s.reconcile('group-vault')
        const vault = await c.untilModule('group-vault', 'asked', (m) => {
          const asked = m.metadata.annotations?.['lockstep.dev/reconcile']
          return asked !== undefined && m.status?.lastHandledReconcileAt === asked
        })
        expect(vault.status?.sourceRevision).toBe(`main@sha1:${one}`)
        expect(vault.spec.source.git?.ref).toEqual({ branch: 'main', commit: one })
        const three = s.repository.commit(filesOf(group, '3'))
        await s.reconcile('group')
        await c.until(c.c1, configMapKind, 'more', 'of the third commit', (o) => o?.data?.v === '3')
        const after = await c.untilReady('group-vault')
        expect(after.status?.sourceRevision).toBe(`main@sha1:${three}`)
        await c.untilModule(
          'group-ui',
          'there, too',
          (m) => m.status?.sourceRevision === `main@sha1:${three}`,
        )
        expect(await revisionsOf(c)).toEqual({ group: 2, 'group-ui': 2, 'group-vault': 2 })
      }),
  },
]

/** Git and Helm are programs, and a few of them run at a time for all cases. */
export const applicationCases: readonly FleetCase[] = isThere
  ? cases.map((c) => ({ patienceSeconds: 120, ...c }))
  : []
