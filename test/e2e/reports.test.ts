/** `-o json` of every command that reads: objects as their definition says, reports as their schema says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { compileSchema } from '../../packages/apiserver/src/schema/compileschema.ts'
import type { Schema } from '../../packages/apiserver/src/schema/schematypes.ts'
import { at, type JsonValue, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { crdOf } from '../../packages/lockstep/src/api/crd/crd.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { ownKinds } from '../../packages/lockstep/src/api/registry.ts'
import { adoptReport } from '../../packages/lockstep/src/cli/commands/adopt/adoptplan.ts'
import { explainReport } from '../../packages/lockstep/src/cli/commands/explain/explain.ts'
import { graphReport } from '../../packages/lockstep/src/cli/commands/graph/graphreport.ts'
import { fleeetReport, importReport } from '../../packages/lockstep/src/cli/commands/import/importreport.ts'
import { fleetPlanReport } from '../../packages/lockstep/src/cli/commands/plan/fleetplanreport.ts'
import { planReport } from '../../packages/lockstep/src/cli/commands/plan/planreport.ts'
import { versionReport } from '../../packages/lockstep/src/cli/commands/version/version.ts'
import { checkReport } from '../../packages/lockstep/src/cli/kit/check/checkreport.ts'
import { fluxReport } from '../../packages/lockstep/src/cli/kit/check/flux/fluxreport.ts'
import { clustersReport } from '../../packages/lockstep/src/cli/kit/clusters/getclusters.ts'
import { diffReport } from '../../packages/lockstep/src/cli/kit/diff/diffreport.ts'
import {
  pipelineReport,
  promotionReport,
} from '../../packages/lockstep/src/cli/kit/pipelines/pipelineview.ts'
import { clusterReport } from '../../packages/lockstep/src/cli/kit/snapshot/clusterview.ts'
import { fleetReport } from '../../packages/lockstep/src/cli/kit/snapshot/fleetview.ts'
import { moduleReport } from '../../packages/lockstep/src/cli/kit/snapshot/moduleview.ts'
import { waitReport } from '../../packages/lockstep/src/cli/kit/wait/waitreport.ts'
import { whyReport } from '../../packages/lockstep/src/cli/kit/why/whytree.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { PIPELINE } from './pipelines.ts'
import { BROKEN, FLEEET, FLUX, SAID } from './reportmanifests.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (args: string, input = ''): Promise<Ran> =>
  sit(args.split(' '), { variables: { KUBECONFIG: fleet.kubeconfig }, input })
const json = async (args: string): Promise<JsonValue> => JSON.parse((await run(`${args} -o json`)).out)
/** Without hooks, as without statuses: the controllers retry what is broken meanwhile. */
const specs = async (): Promise<object[]> =>
  Object(await json('get inventories')).items.map((i: Inventory) => ({ ...i.spec, hooks: undefined }))

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2, namespace: 'platform' })
  await run('apply -f examples/platform/v1')
  expect(await run('apply -f -', BROKEN)).toMatchObject({ code: 0, err: '' })
  expect(await run('apply -f -', SAID)).toMatchObject({ code: 0, err: '' })
  expect(await run('apply -f -', PIPELINE)).toMatchObject({ code: 0, err: '' })
  const isPending = async () => (await run('get promotions')).out.includes('Pending')
  await eventually(isPending, 'a promotion waits for consent')
  await eventually(async () => {
    const text = JSON.stringify(await json('status'))
    return text.includes('"failed"') && /"monitoring","release":"2026.10","ready":"2\/2"/.test(text)
  }, 'the platform is ready, and one module has failed')
})
afterAll(async () => {
  await fleet.end()
})

describe('objects', () => {
  it.each(ownKinds.map((k) => [k.plural, k] as const))('get %s -o json', async (plural, kind) => {
    const schema = at(crdOf(kind), 'spec', 'versions', 0, 'schema', 'openAPIV3Schema') as Schema
    const ops = compileSchema(schema)
    const list = (await json(`get ${plural}`)) as unknown as { kind: string; items: KubeObject[] }
    expect([list.kind, list.items.length > 0]).toEqual(['List', true])
    for (const item of list.items) {
      expect(ops.validate(item as unknown as JsonValue)).toEqual([])
      expect(ops.prune(item as unknown as JsonValue).dropped).toEqual([])
      expect([item.apiVersion, item.kind]).toEqual(['lockstep.dev/v1alpha1', kind.kind])
    }
    const [first] = list.items
    expect(await json(`get ${plural} ${first!.metadata.name}`)).toMatchObject({
      kind: kind.kind,
      metadata: { name: first!.metadata.name, uid: first!.metadata.uid },
    })
  })
})

describe('apply', () => {
  const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: opensesame}\n'
  const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n'
  const modes = ['', ' --dry-run=server', ' --dry-run=client']
  it.each(modes)('-o json%s: one object as it is, several as a list', async (mode) => {
    const one = await run(`apply -f - -o json${mode}`, MAP)
    expect(JSON.parse(one.out)).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      data: { a: '1' },
    })
    const two = await run(`apply -f - -o yaml${mode}`, `${MAP}---\n${SECRET}`)
    expect(parse(two.out)).toMatchObject({ kind: 'List', items: [{ kind: 'ConfigMap' }, { kind: 'Secret' }] })
    expect([one.err, two.err]).toEqual(['', ''])
  })
  it.each(modes)('-o json%s shows no value of a Secret', async (mode) => {
    const { out } = await run(`apply -f - -o json${mode}`, SECRET)
    expect(out).toContain('"***"')
    expect(out).not.toContain('opensesame')
    expect(out).not.toContain(Buffer.from('opensesame').toString('base64'))
  })
  it('leaves out what only servers read', async () => {
    expect((await run('apply -f - -o json', MAP)).out).not.toContain('managedFields')
    expect((await run('get modules -o json')).out).not.toContain('managedFields')
  })
})

describe('rollout history, diff, undo', () => {
  const twice = (a: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: twice}
spec:
  release: "${a}"
  source: {inline: {objects: [
    {apiVersion: v1, kind: ConfigMap, metadata: {name: t, namespace: default}, data: {a: "${a}"}}]}}
  targets: {clusterSelector: {}}
`
  const history = async () =>
    (await json('rollout history twice')) as unknown as {
      revisions: { revision: string; outcome?: string; isWanted: boolean; isPublished: boolean }[]
    }
  const reaches = (outcomes: readonly unknown[]) =>
    eventually(async () => {
      const found = (await history()).revisions.map((r) => r.outcome)
      return JSON.stringify(found) === JSON.stringify(outcomes)
    }, outcomes.join(', '))

  it('what was published, what came of it, what changed, and back', async () => {
    expect(await run('apply -f -', twice('1'))).toMatchObject({ code: 0, err: '' })
    await reaches(['Complete'])
    const first = await run('rollout undo twice')
    expect([first.code, first.err]).toEqual([
      1,
      expect.stringContaining('no earlier revision had a complete rollout'),
    ])
    await run('apply -f -', twice('2'))
    await reaches(['Complete', 'Complete'])
    const table = (await run('rollout history twice')).out.split('\n')
    expect(table[0]).toMatch(/^ +# +REVISION +RELEASE +OUTCOME +CLUSTERS +PUBLISHED +BY +SOURCE/)
    expect(table[1]).toMatch(/^ +1 +[0-9a-f]{10} +1 +Complete +2\/2 /)
    expect(table[2]).toMatch(/^\* +2 +[0-9a-f]{10} +2 +Complete +2\/2 +\S+ +lockstep-cli +inline/)
    const diff = await run('rollout diff twice')
    expect(diff.code).toBe(1)
    expect(diff.out).toContain('--- 1/ConfigMap default/t\n+++ 2/ConfigMap default/t\n')
    expect(diff.out).toContain('-  a: "1"\n+  a: "2"\n')
    expect(diff.out).toContain('1 object changed')
    const [one, two] = (await history()).revisions
    expect(await json('rollout diff twice --from 2 --to 1')).toMatchObject({
      kind: 'Report',
      of: 'RevisionDiff',
      from: two!.revision,
      to: one!.revision,
    })
    const back = await run('rollout undo twice --reason slow')
    expect(back.err).toBe('')
    expect(back.out).toMatch(
      /^module\.lockstep\.dev\/twice is rolling back from [0-9a-f]{10} to [0-9a-f]{10} until/,
    )
    await reaches(['Complete', 'Undone'])
    expect((await history()).revisions.map((r) => [r.isPublished, r.isWanted])).toEqual([
      [false, true],
      [true, false],
    ])
    const again = await run(`rollout undo twice --to-revision 2`)
    expect(again.out).toMatch(
      /^module\.lockstep\.dev\/twice is deploying the published revision [0-9a-f]{10} again/,
    )
    await eventually(async () => (await history()).revisions[1]!.isWanted, 'it is to be at 2')
  })

  it.each([
    ['rollout undo twice --to-revision 7', /no revision "7"[\s\S]*revisions of twice: /],
    ['rollout diff twice --from nope', /no revision "nope"/],
  ])('%s', async (line, message) => {
    const ran = await run(line)
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(message)])
  })
})

describe('rollout retry', () => {
  it('hooks that failed run once more: how many, where, and what becomes of the rollout', async () => {
    const why = await run('why hooked@cluster-1')
    expect(why.out).toMatch(
      /HookTimeout[\s\S]*hook\s+Job\s+default\/migrate\s+\(PreSync,\s+attempt\s+1\s+of\s+1\)/,
    )
    const asked = await run('rollout retry hooked')
    expect([asked.code, asked.err]).toEqual([0, ''])
    expect(asked.out).toMatch(
      /^module\.lockstep\.dev\/hooked: hooks run again on 1 cluster \(cluster-1\); the\s+rollout resumes/,
    )
    await eventually(
      async () => JSON.stringify(await json('get inventory m.hooked.cluster-1')).includes('attempt 2 of 2'),
      'attempt 2 has failed too',
    )
  })
  it('where nothing has failed nothing is done, and that is said', async () => {
    const before = await json('get module monitoring')
    const { code, out } = await run('rollout retry monitoring')
    expect([code, out]).toEqual([
      0,
      'module.lockstep.dev/monitoring: nothing has failed; nothing was changed\n',
    ])
    expect(await json('get module monitoring')).toEqual(before)
  })
  it('-o json: the module', async () => {
    expect(await json('rollout retry hooked@cluster-1')).toMatchObject({
      kind: 'Module',
      metadata: { name: 'hooked' },
    })
  })
  it.each([
    ['rollout retyr hooked', /unknown action "retyr"[\s\S]*did you mean retry\?/],
    ['rollout retry hookd', /no Module "hookd"[\s\S]*did you mean hooked\?/],
    ['rollout retry hooked@cluster-7', /no cluster "cluster-7"/],
  ])('%s: 2, and what to give', async (args, says) => {
    const ran = await run(args)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(says)
  })
})

describe('what a module makes, and what that would do', () => {
  const V2 = 'examples/platform/v2/ingress.yaml'
  it('render: what is published', async () => {
    const { code, out, err } = await run('render module/ingress')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^# Module platform\/ingress, revision [0-9a-f]{10} of release 2026\.10, configMaps@/)
    expect((await run('render module/ingress --revision 2026.10')).out).toBe(out)
    expect((await run('render module/ingress -o name')).out).toContain('deployment.apps/gateway\n')
  })
  it.each([
    ['render module/ingres', /no Module "ingres"[\s\S]*did you mean ingress\?/],
    ['render module/ingress --revision 1.0', /no revision "1\.0"[\s\S]*revisions of ingress: /],
    [`plan -f ${V2} --cluster cluster-9`, /no cluster "cluster-9"[\s\S]*did you mean cluster-/],
    [
      `plan -f ${V2} --cluster cluster-1 -n elsewhere`,
      /Module platform\/ingress is not in namespace elsewhere[\s\S]*-n platform/,
    ],
    ['plan --cluster cluster-1', /plan --cluster requires -f/],
    [`plan -f ${V2} -n elsewhere`, /Module platform\/ingress is not in namespace elsewhere/],
  ])('%s: 2, and what to give', async (args, says) => {
    const ran = await run(args)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(says)
  })
  it('plan: modules of another namespace have other clusters', async () => {
    const other = BROKEN.replace('name: broken}', 'name: broken, namespace: other}')
    const ran = await run('plan -f - --cluster cluster-1', other)
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(/Module other\/broken is not in namespace platform[\s\S]*-n other/)
  })
  it('plan: what would change, what would be refused, in which order; nothing is written', async () => {
    const before = await specs()
    const { code, out, err } = await run(`plan -f ${V2} --cluster cluster-1 --order`)
    expect(code).toBe(1)
    expect(err).toContain('spec.alsoFor: field not declared in schema')
    expect(out).toContain('+          image: registry.example.com/ingress/gateway:4.3.0')
    expect(out).toContain(
      '~ ingress on cluster-1: 1 object to change, 1 object to delete and 1 object refused',
    )
    expect(out).toMatch(/2\. apply apps\/Deployment ingress\/gateway after .*\(implied: serviceAccountName\)/)
    expect(await specs()).toEqual(before)
    const same = await run('plan -f examples/platform/v1 --cluster cluster-1')
    expect([same.code, same.out]).toMatchObject([0, expect.stringContaining('nothing would change')])
  })
})

describe('reports', () => {
  const cases = [
    ['version', versionReport],
    ['get clusters', clustersReport],
    ['get clusters cluster-1', clustersReport],
    ['check', checkReport],
    ['check flux examples', fluxReport],
    ['status', fleetReport],
    ['status -n empty', fleetReport],
    ['status monitoring', moduleReport],
    ['status broken', moduleReport],
    ['status waiting', moduleReport],
    ['status cluster/cluster-1', clusterReport],
    ['status pipeline/podinfo', pipelineReport],
    ['why pipeline/podinfo@prod', whyReport],
    ['explain module', explainReport],
    ['explain inventory --recursive', explainReport],
    ['diff monitoring', diffReport],
    ['diff broken', diffReport],
    ['diff waiting@cluster-1', diffReport],
    ['plan -f examples/platform/v2/ingress.yaml --cluster cluster-1', planReport],
    ['plan -f examples/platform/v1 --cluster cluster-2 --order', planReport],
    ['plan', fleetPlanReport],
    ['plan -n empty', fleetPlanReport],
    ['plan -f examples/platform/v2', fleetPlanReport],
    ['adopt monitoring --dry-run', adoptReport],
    ['graph', graphReport],
    ['graph --cluster cluster-1', graphReport],
    ['graph -n empty', graphReport],
    ['wait module/monitoring --for release=2026.10', waitReport],
    ['wait module/nobody --for delete', waitReport],
    ['why monitoring@cluster-1', whyReport],
    ['why broken@cluster-1', whyReport],
    ['why waiting@cluster-1', whyReport],
  ] as const
  it.each(cases)('%s -o json', async (args, { of, schema }) => {
    const report = await json(args)
    expect([at(report, 'kind'), at(report, 'of')]).toEqual(['Report', of])
    expect(schema.safeParse(report).error).toBeUndefined()
  })
  it('status promotion/NAME -o json', async () => {
    const name = (await run('get promotions -o name')).out
      .trim()
      .split('\n')
      .find((n) => n.includes('-prod-'))
    const report = await json(`status ${name!.replace('.lockstep.dev', '')}`)
    expect(promotionReport.schema.safeParse(report).error).toBeUndefined()
    expect(report).toMatchObject({ environment: 'prod', blockers: [{ reason: 'AwaitingApproval' }] })
  })
  it('import flux - -o json', async () => {
    const { out } = await run('import flux - -o json', FLUX)
    const report = importReport.schema.parse(JSON.parse(out))
    expect([report.of, report.modules.length, report.lost.length]).toEqual(['FluxImport', 1, 1])
  })
  it('import fleeet - -o json', async () => {
    const { out } = await run('import fleeet - -o json', FLEEET)
    const report = fleeetReport.schema.parse(JSON.parse(out))
    expect([report.of, report.modules.length, report.lost.length]).toEqual(['FleeetImport', 1, 0])
  })
  it('are the same as YAML', async () => {
    const { out } = await run('status cluster/cluster-1 -o yaml')
    expect(clusterReport.schema.parse(parse(out))).toMatchObject({
      of: 'ClusterStatus',
      cluster: 'cluster-1',
    })
  })
  it('say what people read: who failed, and why', async () => {
    expect(await json('status broken')).toMatchObject({
      phase: 'Halted',
      failed: [{ message: expect.stringContaining('immutable') }],
    })
    expect(await json('why waiting@cluster-1')).toMatchObject({
      state: 'waits',
      causes: [{ label: 'broken' }],
      rootCauses: [{ reason: expect.any(String) }],
    })
  })
})
