/** Charts in Git, rendered by the Helm of this machine; without one these cases are left out. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { configMapKind, controllerRevisionKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, encodeYaml } from '../../packages/kube/src/object/index.ts'
import { job } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { withGit } from './git.cases.ts'
import { reasonOf } from './refusals.cases.ts'

const isThere = (await createNodeEnv(createSimEnv('helm').log).processes.find('helm')) !== undefined
if (!isThere) process.stdout.write('skipped: charts in Git, since helm is not there\n')

const CHART = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n'

const configMap = (data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata:\n${data}`

const PASSWORD =
  'apiVersion: v1\nkind: Secret\nmetadata: {name: chance}\nstringData: {password: "{{ randAlphaNum 20 }}"}\n'

const password = (c: Corner, text: string) =>
  c.hub.apply(
    secretKind,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db', namespace: c.namespace },
      data: { 'values.yaml': bytesToBase64(new TextEncoder().encode(`password: ${text}\n`)) },
    },
    { ...ANY, force: true },
  )

const has = (key: string, v: string) => (o: { data?: Readonly<Record<string, string>> } | undefined) =>
  o?.data?.[key] === v

/** Paths of the inputs of what was published last. */
async function inputsOf(c: Corner): Promise<string[]> {
  const { items } = value(await c.hub.list(controllerRevisionKind, { ...READ, namespace: c.namespace }))
  const [last] = [...items].sort((x, y) => y.revision - x.revision)
  const { inputs } = last!.data as unknown as { inputs: readonly { path: string }[] }
  return inputs.map((i) => i.path)
}

const helmCases: readonly FleetCase[] = [
  {
    name: 'helm: a chart with values of files, of another repository, of ConfigMaps and Secrets; a change of one is delivered',
    run: (c) =>
      withGit(c, async (s) => {
        const hook = job('migrate', c.namespace, 'migrate:v1')
        s.repository.commit({
          'apps/Chart.yaml': CHART,
          'apps/values.yaml': 'a: chart\nb: chart\nc: chart\nd: chart\n',
          'apps/templates/a.yaml': configMap(
            ['a', 'b', 'c', 'd'].map((v) => `  ${v}: {{ .Values.${v} | quote }}\n`).join('') +
              '  kube: {{ .Capabilities.KubeVersion.Version | quote }}\n',
          ),
          'apps/templates/db.yaml':
            'apiVersion: v1\nkind: Secret\nmetadata: {name: db-of-chart}\nstringData: {password: {{ .Values.password | quote }}}\n',
          'apps/templates/hook.yaml': encodeYaml({
            ...hook,
            metadata: { ...hook.metadata, annotations: { 'helm.sh/hook': 'pre-install' } },
          } as never),
          'apps/templates/NOTES.txt': 'Thank you.',
          'env/prod.yaml': 'b: file\nc: file\nd: file\n',
        })
        s.another('env').commit({ 'prod.yaml': 'c: other\nd: other\n' })
        await c.manifests('base', [])
        const map = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'base', namespace: c.namespace },
        }
        const say = async (text: string) =>
          value(await c.hub.apply(configMapKind, { ...map, data: { d: text } }, { ...ANY, force: true }))
        await say('map')
        value(await password(c, 'hunter2'))
        const recorder = await c.record()
        const { git } = s.source({ branch: 'main' }) as { git: object }
        await c.module('web', {
          source: {
            git,
            refs: [{ name: 'env', git: { ...git, path: undefined, url: `${s.server.url}/env.git` } }],
          },
          render: {
            namespace: c.namespace,
            helm: {
              valuesFiles: ['/env/prod.yaml', '$env/prod.yaml'],
              valuesFrom: [
                { kind: 'ConfigMap', name: 'base', valuesKey: 'd', targetPath: 'd' },
                { kind: 'Secret', name: 'db' },
                { kind: 'Secret', name: 'none', optional: true },
              ],
              values: { c: 'own' },
            },
          },
        })
        await c.untilReady('web')
        await recorder.expectOrder('complete migrate', 'created web')
        const made = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'web' }, READ))
        expect(made.data).toEqual({ a: 'chart', b: 'file', c: 'own', d: 'map', kube: 'v1.30.0' })
        await c.untilEvent('RenderWarned', 'W_CAPABILITIES apps/templates/a.yaml:')
        expect(await inputsOf(c)).toEqual([
          'source.git',
          'source.refs[env]',
          'render.helm.valuesFrom[0]',
          'render.helm.valuesFrom[1]',
        ])
        await say('changed')
        await c.until(c.c1, configMapKind, 'web', 'of the changed ConfigMap', has('d', 'changed'))
        const encoded = bytesToBase64(new TextEncoder().encode('secret3'))
        value(await password(c, 'secret3'))
        await c.until(c.c1, secretKind, 'db-of-chart', 'of the changed Secret', has('password', encoded))
        s.another('env').commit({ 'prod.yaml': 'a: moved\n' })
        await s.reconcile('web')
        await c.until(c.c1, configMapKind, 'web', 'of the other repository', has('a', 'moved'))
        recorder.expectNone('deleted')
      }),
  },
  {
    name: 'helm: what is wrong with a chart or its values is said with its place, and shows no Secret',
    run: (c) =>
      withGit(c, async (s) => {
        s.repository.commit({
          'apps/Chart.yaml': CHART,
          'apps/templates/a.yaml': configMap('  v: {{ required "v is needed" .Values.v | quote }}\n'),
          'chance/Chart.yaml': CHART,
          'chance/templates/a.yaml': PASSWORD,
          'told/Chart.yaml': CHART,
          'told/templates/a.yaml': '{{ fail .Values.password }}',
          'needs/Chart.yaml': `${CHART}dependencies:\n- {name: redis, version: 17.x, repository: "https://x"}\n`,
        })
        value(await password(c, 'hunter2'))
        const of = (path: string, helm: object = {}) => ({
          source: s.source({ branch: 'main' }, { path }),
          render: { namespace: c.namespace, helm },
        })
        const secret = { valuesFrom: [{ kind: 'Secret', name: 'db' }] }
        const wrong: readonly [string, object, string, RegExp][] = [
          ['value', of('apps'), 'RenderFailed', /^helm: apps\/templates\/a\.yaml:5:8: v is needed$/],
          ['file', of('apps', { valuesFiles: ['v.yaml'] }), 'PathMissing', /no file apps\/v\.yaml;/],
          ['out', of('apps', { valuesFiles: ['../../v.yaml'] }), 'PathEscapes', /is outside the repository$/],
          ['chance', of('chance'), 'NondeterministicRender', /Secret chance: stringData\.password differs/],
          ['needs', of('needs'), 'ChartDependencyMissing', /^needs\/Chart\.yaml:5: redis 17\.x is not in/],
          [
            'none',
            of('apps', { valuesFrom: [{ kind: 'Secret', name: 'none' }] }),
            'ResourceNotFound',
            /does not exist$/,
          ],
          [
            'told',
            of('told', secret),
            'RenderFailed',
            /^helm: told\/templates\/a\.yaml:1:3: failed; the output of helm is hidden/,
          ],
        ]
        for (const [name, spec] of wrong) await c.module(name, spec)
        await c.module('good', of('apps', { values: { v: '1' } }))
        for (const [name, , reason, text] of wrong) {
          const { message } = await reasonOf(c, name, reason)
          expect(message).toMatch(text)
          expect(message).not.toContain('hunter2')
        }
        await c.untilReady('good')
      }),
  },
  {
    alone: true,
    name: 'helm: what chance has made stays until the chart or its values are others, also after a restart',
    run: (c) =>
      withGit(c, async (s) => {
        const chart = (more: string) => ({
          'apps/Chart.yaml': CHART,
          'apps/templates/a.yaml': PASSWORD + more,
        })
        s.repository.commit(chart(''))
        const spec = (more: object) => ({
          source: s.source({ branch: 'main' }),
          render: { namespace: c.namespace, helm: { allowRandom: true } },
          ...more,
        })
        const made = async () =>
          value(await c.c1.get(secretKind, { namespace: c.namespace, name: 'chance' }, READ)).data?.password
        await c.module('web', spec({}))
        const first = (await c.untilReady('web')).status?.currentRevision
        const before = await made()
        expect(before).toMatch(/^[\w+/=]{28}$/)
        c.controllers.kill()
        c.controllers.start()
        await s.reconcile('web')
        await c.module('web', spec({ apply: { driftInterval: '1m' } }))
        const other = (m: { status?: { currentRevision?: string | undefined } | undefined }) =>
          m.status?.currentRevision !== first
        await c.untilModule('web', 'another revision', other)
        await c.untilReady('web')
        expect(await made()).toBe(before)
        s.repository.commit(chart('# changed\n'))
        await s.reconcile('web')
        await c.until(c.c1, secretKind, 'chance', 'made anew', (o) => o?.data?.password !== before)
      }),
  },
]

/** Git and Helm are programs, and a few of them run at a time for all cases. */
export const chartCases: readonly FleetCase[] = isThere
  ? helmCases.map((c) => ({ patienceSeconds: 120, ...c }))
  : []
