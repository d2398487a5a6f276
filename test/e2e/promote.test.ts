/** `promote`: asked once however often, waited for, and what it says of a promotion that fails. */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROMOTION_MANAGER } from '../../packages/lockstep/src/controllers/promotion/strategies/modulestrategy.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig }, cwd: fleet.folder })
const json = async (line: string) => JSON.parse((await run(`${line} -o json`)).out)

const NAMESPACES = ['dev', 'prod']
const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`

const content = (at: string, text: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: ${at}}
data: {a: '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": {"v": "${text}"}}'}
`
const module = (at: string, fields: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: app, namespace: ${at}}
spec:
${fields}`
const SOURCE = '  source: {configMaps: [{name: app}]}\n  targets: {allowEmpty: true}\n'

/** What is settled in dev goes into prod, as the content and the release of a Module. */
const PIPELINE = `apiVersion: lockstep.dev/v1alpha1
kind: Pipeline
metadata: {name: app}
spec:
  identity: app
  appRef: {apiVersion: lockstep.dev/v1alpha1, kind: Module, name: app}
  environments:
    - {name: dev, targets: [{namespace: dev}]}
    - {name: prod, targets: [{namespace: prod}], promotion: {strategy: module}}
`

async function apply(text: string): Promise<void> {
  expect(await run('apply -f -', text)).toMatchObject({ code: 0, err: '' })
}

/** As docs/reference/reasons.md says of `FieldOwned`. */
function handOver(text: string): void {
  const args = ['apply', '--server-side', `--field-manager=${PROMOTION_MANAGER}`, '-f', '-']
  const env = { ...process.env, KUBECONFIG: fleet.kubeconfig, HOME: fleet.folder }
  execFileSync('kubectl', args, { input: text, env, stdio: ['pipe', 'ignore', 'inherit'] })
}

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('kubectl is not on the PATH: a promotion that is handed its field is left out')
    return false
  }
}

const release = async (at: string): Promise<string | undefined> =>
  (await json(`get module app -n ${at}`)).spec.release
const promotions = async (): Promise<{ spec: { requestID?: string }; status?: { phase?: string } }[]> =>
  (await json('get promotions')).items

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 1, also: NAMESPACES })
  for (const at of NAMESPACES) await apply(namespace(at))
  for (const at of NAMESPACES) await apply(content(at, '1'))
  await apply(module('dev', `${SOURCE}  release: "1"\n`))
  await apply(module('prod', `${SOURCE}  release: "1"\n`))
  await apply(PIPELINE)
  await eventually(
    async () => (await promotions()).some((p) => p.status?.phase === 'Succeeded'),
    'what is there already counts as promoted',
  )
})
afterAll(async () => {
  await fleet.end()
})

const promote = (more: string) => run(`promote app ${more}`.trim())
const ended = async (count: number) =>
  eventually(
    async () =>
      (await promotions()).filter((p) => /Succeeded|Failed/.test(p.status?.phase ?? '')).length === count,
    `${count} promotions have ended`,
  )

describe.sequential('promote', () => {
  it('asks once for an id, however often it is given; waited for, a failure is exit 1 and says why', async () => {
    for (const at of NAMESPACES) await apply(content(at, '2'))
    await apply(module('dev', `${SOURCE}  release: "2"\n`))
    await ended(2)
    const asked = await promote('--to prod --request-id build-7')
    expect(asked).toMatchObject({ code: 0, err: '' })
    expect(asked.out).toContain('app: settled revision into prod requested with ID build-7')
    const again = await promote('--to prod --request-id build-7 --wait')
    expect(again.code).toBe(1)
    expect(again.err).toContain('was already requested with ID build-7: not promoted again')
    expect(again.err).toMatch(
      /error: promotion\/app-prod-3-\w+: Failed: Module prod\/app: spec\.release managed by lockstep-cli; .*\nhint: for the root cause, use lockstep why pipeline\/app@prod\n\[E_REFUSED\] exit 1/,
    )
    expect(await promotions()).toHaveLength(3)
    expect(await release('prod')).toBe('1')
  })

  it.skipIf(!hasKubectl())(
    'waits until it is on all targets, and is exit 0; for a script its name alone',
    async () => {
      handOver(module('prod', '  release: "1"\n'))
      await apply(module('prod', SOURCE))
      const done = await promote('--to prod --request-id build-8 --wait -o name')
      // What it waits for may be over before it is said; what is asked for is always said.
      const asked = 'app: settled revision into prod requested with ID build-8'
      expect([done.code, done.err]).toEqual([0, expect.stringContaining(asked)])
      expect(done.out).toMatch(/^promotion\.lockstep\.dev\/app-prod-4-\w+\n$/)
      expect(await release('prod')).toBe('2')
      const again = await promote('--to prod --request-id build-8 --wait')
      expect(again.code).toBe(0)
      expect(again.out).toMatch(/app-prod-4-\w+: \S+ is promoted to all targets of prod/)
      expect(await promotions()).toHaveLength(4)
    },
  )

  it('suspend and resume of a pipeline or of one environment create and delete a Hold', async () => {
    const holds = async () =>
      (await json('get holds')).items.map((h: { metadata: { name: string }; spec: object }) => [
        h.metadata.name,
        h.spec,
      ])
    const spec = {
      targetRef: { kind: 'Pipeline', name: 'app' },
      action: 'Suspend',
      reason: 'lockstep suspend',
    }
    expect((await run('suspend pipeline/app@prod')).out).toBe(
      'hold.lockstep.dev/pipeline-app-suspended-prod: pipeline app promotes and merges nothing to prod; open pull requests stay open; end it with: lockstep resume pipeline/app@prod\n',
    )
    expect(await holds()).toEqual([['pipeline-app-suspended-prod', { ...spec, environments: ['prod'] }]])
    expect((await run('resume pipeline/app@prod')).out).toBe('prod of pipeline app resumes: 1 Hold deleted\n')
    await run('suspend pipeline/app')
    expect(await holds()).toEqual([['pipeline-app-suspended', spec]])
    expect(await run('resume pipeline/app@prod')).toMatchObject({
      code: 1,
      out: 'prod of pipeline app stays suspended: Hold pipeline-app-suspended applies to all environments (lockstep suspend); nothing was changed. lockstep resume pipeline/app ends it on all environments\n',
    })
    expect((await run('resume pipeline/app')).out).toBe('pipeline app resumes: 1 Hold deleted\n')
    expect(await holds()).toEqual([])
    const paused = `apiVersion: lockstep.dev/v1alpha1
kind: Hold
metadata: {name: paused, namespace: platform}
spec: {targetRef: {kind: Pipeline, name: app}, action: Pause, reason: test}
`
    const refused = await run('apply -f -', paused)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('a Pipeline can only be suspended')
    const scoped = await run('apply -f -', paused.replace('Pause', 'Suspend, scope: Starts'))
    expect(scoped.err).toMatch(
      /Hold\/platform\/paused: spec\.scope: unknown field[\s\S]*hint: use action: Pause or Suspend/,
    )
  })

  it.each([
    [
      '--to dev',
      'dev is only observed: it has no promotion',
      'set spec.environments[0].promotion in Pipeline app',
    ],
    ['--to nowhere', 'app has no environment "nowhere"', 'Environments: dev, prod.'],
    ['', 'which environment? give --to', 'Environments: dev, prod.'],
    [
      '--to prod --request-id a=b',
      '--request-id: "a=b" is no id; write letters, digits, -, _ and .',
      'for example: build-7',
    ],
    ['--to prod --revision=', '--revision is empty', 'remove it to promote the settled revision'],
  ])('%s is refused, and nothing is asked for', async (flags, problem, hint) => {
    const before = await json('get pipeline app')
    expect(await promote(flags)).toEqual({
      code: 2,
      out: '',
      err: `error: ${problem}\nhint: ${hint}\n[E_USAGE] exit 2\n`,
    })
    expect((await json('get pipeline app')).metadata.annotations).toEqual(before.metadata.annotations)
  })
})
