/** `lockstep check clustergroup` and `import clustergroup`: what they read, print and write, how they end. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, type JsonObject } from '../../packages/kube/src/object/index.ts'
import { groupImportReport } from '../../packages/lockstep/src/cli/commands/import/importgroup.ts'
import { groupCheckReport } from '../../packages/lockstep/src/cli/kit/check/clustergroup/groupcheckreport.ts'
import { schemaProblems } from './jsonschema.ts'
import { sit } from './person.ts'
import sarifSchema from './sarif.generated.json' with { type: 'json' }

const WAVES = `clusterGroup:
  name: hub
  subscriptions:
    odf:
      name: odf-operator
      annotations: {argocd.argoproj.io/sync-wave: "5"}
    virt:
      name: kubevirt-hyperconverged
      annotations: {argocd.argoproj.io/sync-wave: "10"}
`
const JOB = `clusterGroup:
  subscriptions:
    odf:
      sequenceJob: {resourceType: sc, resourceName: ocs-storagecluster-ceph-rbd}
`
const DISABLED = 'clusterGroup: {subscriptions: {odf: {disabled: "false"}}}\n'

let folder: string
const write = (files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}
const ran = (line: string, input = '', columns?: number) =>
  sit(line.split(' '), {
    cwd: folder,
    input,
    variables: { KUBECONFIG: '', NO_COLOR: '1' },
    ...(columns === undefined ? {} : { columns }),
  })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-checkgroup-'))
  write({
    'hub.yaml': WAVES,
    'job.yaml': JOB,
    'off.yaml': DISABLED,
    'lossy.yaml': 'clusterGroup: {imperative: {jobs: [{name: a, playbook: b}]}}\n',
    'broken.yaml': 'clusterGroup: [\n',
    'refused.yaml': 'clusterGroup: {subscription: {}}\n',
    'repository/.git/config': '[remote "origin"]\n\turl = git@git.example.com:edge/pattern.git\n',
    'repository/.git/HEAD': 'ref: refs/heads/stable\n',
    'repository/values/hub.yaml': WAVES,
    'repository/values/job.yaml': JOB,
    'repository/values/lossy.yaml': 'clusterGroup: {managedClusterGroups: {a: {name: a}}}\n',
    'tree/.git': 'gitdir: ../repository/.git/worktrees/tree\n',
    'tree/hub.yaml': WAVES,
    'repository/.git/worktrees/tree/commondir': '../..\n',
    'repository/.git/worktrees/tree/HEAD': 'ref: refs/heads/next\n',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('check clustergroup', () => {
  const check = (args: string, input?: string, columns?: number) =>
    ran(`check clustergroup ${args}`.trim(), input, columns)

  it('prints place, level, rule, path and what to do; warnings do not fail', async () =>
    expect(await check('-f hub.yaml')).toEqual({
      code: 0,
      out: `hub.yaml:6:21 warning S1 clusterGroup.subscriptions.odf.annotations["argocd.argoproj.io/sync-wave"]: wave 5 → 10: subscription odf-operator healthy; nothing waits for objects that it installs.
    Fix: Add a sequenceJob for what wave 10 needs, such as a CustomResourceDefinition or a StorageClass.
1 file: 0 errors, 1 warning.
`,
      err: '',
    }))
  it('reads files from left to right, paths as well as -f, and standard input', async () => {
    expect((await check('hub.yaml job.yaml -o name')).out).toBe('S7 job.yaml:4:7\n')
    expect((await check('hub.yaml -f job.yaml -f off.yaml -o name')).out).toBe(
      'G1 job.yaml:4:7\nG8 off.yaml:1:38\n',
    )
    expect((await check('-', WAVES)).out).toMatch(/^standard input:6:21 warning S1/)
  })
  it.each<[string, string, number]>([
    ['an error', 'hub.yaml off.yaml', 1],
    ['an error, never', 'hub.yaml off.yaml --fail-on never', 0],
    ['a warning', 'hub.yaml', 0],
    ['a warning, which is asked for', 'hub.yaml --fail-on warning', 1],
    ['values that are refused', 'refused.yaml', 1],
    ['a file that is not there', 'hub.yaml nowhere.yaml --fail-on never', 2],
    ['what YAML is not', 'hub.yaml broken.yaml --fail-on never', 2],
    ['no file', '', 2],
    ['a flag of check flux', 'hub.yaml --explain', 2],
  ])('ends for %s as it says', async (_, args, code) => expect((await check(args)).code).toBe(code))

  it('checks nothing while a file cannot be read', async () => {
    const { out, err } = await check('off.yaml broken.yaml')
    expect(out).toBe('')
    expect(err).toMatch(/^error: broken\.yaml:2:1: .*; correct the YAML\nNothing was checked, because /)
  })
  it('fits a narrow terminal', async () => {
    const { out } = await check('hub.yaml job.yaml', '', 80)
    for (const line of out.split('\n').filter((l) => !l.includes('["')))
      expect(line.length).toBeLessThanOrEqual(80)
  })
  it.each(['hub.yaml', 'hub.yaml off.yaml', 'hub.yaml job.yaml', 'broken.yaml', 'nowhere.yaml'])(
    'reports %s for programs, and as SARIF',
    async (args) => {
      const report = groupCheckReport.schema.parse(JSON.parse((await check(`${args} -o json`)).out))
      const sarif = JSON.parse((await check(`${args} -o sarif`)).out)
      expect(schemaProblems(sarifSchema as unknown as JsonObject, sarif)).toEqual([])
      const results = at(sarif, 'runs', 0, 'results') as unknown as JsonObject[]
      expect(results.map((r) => at(r, 'ruleId'))).toEqual(report.findings.map((f) => `lockstep/${f.rule}`))
      expect(at(sarif, 'runs', 0, 'invocations', 0, 'executionSuccessful')).toBe(
        report.unreadable.length === 0,
      )
      expect(report.findings.length + report.unreadable.length).toBeGreaterThan(0)
    },
  )
  it.each(['check -f hub.yaml', 'check flux -f hub.yaml'])('%s: -f is for it alone', async (line) =>
    expect(await ran(line)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--filename requires check clustergroup'),
    }),
  )
})

describe('import clustergroup', () => {
  const run = (args: string) => ran(`import clustergroup ${args}`.trim())
  const FILES = '-f repository/values/hub.yaml -f repository/values/job.yaml'

  it('prints a Module, and beside it what becomes of the values', async () => {
    const { code, out, err } = await run(FILES)
    expect([code, out]).toEqual([
      0,
      `# Cluster group of repository/values/hub.yaml, repository/values/job.yaml
# Targets no cluster yet: add spec.targets
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata:
  name: hub
spec:
  source:
    git:
      url: ssh://git@git.example.com/edge/pattern.git
      ref:
        branch: stable
  render:
    namespace: openshift-operators
    clusterGroup:
      valuesFiles:
        - values/hub.yaml
        - values/job.yaml
      sequencing: Native
  health:
    timeoutSeconds: 3600
`,
    ])
    expect(err).toBe(
      `wave 5 waits for sc ocs-storagecluster-ceph-rbd: sequenceJob of odf-operator
2 objects (2 Subscription), 1 wait: 0 not imported, 0 notes, 0 traps of the chart.
`,
    )
  })
  it('knows the branch of a work tree', async () =>
    expect((await run('tree/hub.yaml')).out).toContain('branch: next\n'))

  it('prints nothing of what is lost, unless that is accepted', async () => {
    const lossy = `${FILES} -f repository/values/lossy.yaml`
    const refused = await run(lossy)
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(
      /^repository\/values\/lossy\.yaml:1:16 clusterGroup\.managedClusterGroups not imported: renders nothing here \(Use .*\)\n/,
    )
    expect(refused.err).toContain('Nothing was written. With --accept-loss')
    const accepted = await run(`${lossy} --accept-loss`)
    expect([accepted.code, accepted.out.includes('kind: Module')]).toEqual([0, true])
  })
  it('counts as lost where the repository is, if nobody can tell', async () => {
    const { code, err } = await run('hub.yaml')
    expect([code, err]).toEqual([1, expect.stringContaining('to spec.source.git')])
  })
  it('writes a file, and over it only when told', async () => {
    const first = await run(`${FILES} --out made -n fleet`)
    expect([first.code, first.err]).toEqual([0, ''])
    expect(first.out).toContain('made/fleet.hub.yaml written\n')
    expect(readdirSync(join(folder, 'made'))).toEqual(['fleet.hub.yaml'])
    const text = readFileSync(join(folder, 'made/fleet.hub.yaml'), 'utf8')
    expect(text).toContain('  namespace: fleet\n')
    expect(await run(`${FILES} --out made -n fleet`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('already exists'),
    })
    expect((await run(`${FILES} --out made -n fleet --force`)).code).toBe(0)
  })
  it('reports for programs', async () => {
    const args = `${FILES} -f off.yaml -f lossy.yaml -o json`
    const { code, out } = await run(args)
    const report = groupImportReport.schema.parse(JSON.parse(out))
    expect([code, report.traps.map((t) => t.rule), report.written]).toEqual([1, ['G1', 'G8'], false])
    expect(report.lost.map((l) => l.path)).toEqual(['clusterGroup.imperative', 'clusterGroup'])
    expect((await run(`${FILES} -o name`)).out).toBe('module.lockstep.dev/hub\n')
  })
  it.each(['', '-', 'nowhere.yaml', 'broken.yaml', 'refused.yaml', 'hub.yaml --all', 'hub.yaml --force'])(
    '%s: 2, and what to give',
    async (args) =>
      expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('hint: ') }),
  )
})
