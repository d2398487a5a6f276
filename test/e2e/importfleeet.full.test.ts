/** `lockstep import fleeet`: files in, files and a report out. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fleeetReport } from '../../packages/lockstep/src/cli/commands/import/importreport.ts'
import { fleetPlanReport } from '../../packages/lockstep/src/cli/commands/plan/fleetplanreport.ts'
import { lockstep } from './lockstep.ts'
import { sit } from './person.ts'
import { servedFleet } from './servedfleet.ts'

const MODULE = `apiVersion: fleet.squaremo.dev/v1alpha1
kind: Module
metadata: {name: podinfo}
spec:
  selector: {}
  sync:
    source: {git: {url: "https://example.com/podinfo", version: {tag: 5.2.0}}}
    package:
      kustomize:
        path: ./kustomize
`
/** Nobody listens there: the answer comes at once. */
const NOWHERE = MODULE.replace('https://example.com/podinfo', 'https://127.0.0.1:1/podinfo')
const named = (name: string, selector: string): string =>
  NOWHERE.replace('name: podinfo', `name: ${name}`).replace('  selector: {}\n', selector)
const BINDINGS = `  controlPlaneBindings:
    - {name: place, value: "$(CLUSTER_NAME)/eu"}
`
const SET_UP = [
  named('everywhere', '  selector: {}\n'),
  named('nowhere', ''),
  named('canary', `  selector: {matchLabels: {tier: canary}}\n${BINDINGS}`),
  named('components', '  selector: {matchLabels: {}}\n').replace('kind: Module', 'kind: BootstrapModule'),
].join('---\n')
const SUBSTITUTED = MODULE.replace('name: podinfo', 'name: other').concat('        substitute: {A: b}\n')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-fleeet-'))
  writeFileSync(join(folder, 'good.yaml'), MODULE)
  writeFileSync(join(folder, 'lossy.yaml'), SUBSTITUTED)
  writeFileSync(join(folder, 'none.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: string) =>
  sit(['import', 'fleeet', ...args.split(' ')], { cwd: folder, variables: { KUBECONFIG: '' } })

it('writes what can be imported, for lockstep apply', async () => {
  expect(await run('good.yaml -n platform --out modules')).toMatchObject({ code: 0 })
  expect(readdirSync(join(folder, 'modules'))).toEqual(['platform.podinfo.yaml'])
  expect(readFileSync(join(folder, 'modules', 'platform.podinfo.yaml'), 'utf8')).toMatch(
    /^# Module platform\/podinfo\n/,
  )
  const applied = await sit(['apply', '--dry-run=client', '-f', 'modules'], {
    cwd: folder,
    variables: { KUBECONFIG: '' },
  })
  expect(applied).toMatchObject({ code: 0 })
})

it('lists what it cannot, with its place, and writes nothing without --accept-loss', async () => {
  const { code, out, err } = await run('good.yaml lossy.yaml')
  expect([code, out.includes('kind: Module')]).toEqual([1, false])
  const said = `${out}${err}`.replace(/\s+/g, ' ')
  expect(said).toContain(
    'lossy.yaml:11:22 spec.sync.package.kustomize.substitute.A of Module other not imported',
  )
  const accepted = await run('lossy.yaml --accept-loss')
  expect(accepted.out).toContain(
    '# It selects no cluster yet, because of spec.sync.package.kustomize.substitute.A',
  )
})

it('is a report for programs, and says where there is nothing', async () => {
  const { out } = await run('good.yaml lossy.yaml -o json')
  const report = fleeetReport.schema.parse(JSON.parse(out))
  expect([report.of, report.modules.length, report.lost.length]).toEqual(['FleeetImport', 2, 1])
  const nothing = await run('none.yaml')
  expect([nothing.code, nothing.err.includes('no Module and no BootstrapModule of Fleeet')]).toEqual([
    2,
    true,
  ])
})

it('a plan shows the clusters that Fleeet would select, also where nobody can fetch yet', async () => {
  writeFileSync(join(folder, 'setup.yaml'), SET_UP)
  expect(await run('setup.yaml -n platform --out setup')).toMatchObject({ code: 0 })
  const fleet = await servedFleet({ clusters: 3, namespace: 'platform' })
  try {
    const env = { KUBECONFIG: fleet.kubeconfig }
    const { out } = await lockstep(['plan', '-f', 'setup', '-o', 'json'], { cwd: folder, env })
    const { modules } = fleetPlanReport.schema.parse(JSON.parse(out))
    expect(Object.fromEntries(modules.map((m) => [m.module, m.selected.sort()]))).toEqual({
      canary: ['cluster-1'],
      components: ['cluster-1', 'cluster-2', 'cluster-3'],
      everywhere: ['cluster-1', 'cluster-2', 'cluster-3'],
      nowhere: [],
    })
  } finally {
    await fleet.end()
  }
})
