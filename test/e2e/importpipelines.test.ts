/** `lockstep import pipelines`: files in, files and a report out. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pipelineImportReport } from '../../packages/lockstep/src/cli/commands/import/importpipelines.ts'
import { sit } from './person.ts'

/** With the fields and values of those that the pipeline-controller is tested with, end to end. */
const pipeline = (host: string, url: string): string => `apiVersion: pipelines.weave.works/v1alpha1
kind: Pipeline
metadata:
  name: podinfo-${host}
  namespace: flux-system
spec:
  appRef:
    apiVersion: helm.toolkit.fluxcd.io/v2beta1
    kind: HelmRelease
    name: podinfo
  environments:
    - name: dev
      targets:
        - namespace: dev-${host}
    - name: prod
      targets:
        - namespace: prod-${host}
  promotion:
    strategy:
      pull-request:
        type: "${host}"
        baseBranch: "main"
        url: "${url}"
        secretRef:
          name: "${host}-promotion-credentials"
`
const GITHUB = pipeline('github', 'https://github.com/weaveworks/pipeline-controller-e2e')
const GITLAB = pipeline('gitlab', 'https://gitlab.example.com/pipeline-controller/pipeline-controller-e2e')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-pipelines-'))
  writeFileSync(join(folder, 'good.yaml'), `${GITHUB}---\n${GITLAB}`)
  writeFileSync(
    join(folder, 'wrong.yaml'),
    `${GITHUB}---\n${GITLAB.replace('  appRef', '  paused: true\n  appRef')}`,
  )
  writeFileSync(join(folder, 'broken.yaml'), `${GITHUB}---\n{`)
  writeFileSync(join(folder, 'none.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: string) => sit(args.split(' '), { cwd: folder, variables: { KUBECONFIG: '' } })

it('writes what lockstep apply takes', async () => {
  const ran = await run('import pipelines -f good.yaml --out made')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.out).toContain('2 Pipelines written to made: flux-system.podinfo-github.yaml')
  expect(ran.err).toMatch(
    /good\.yaml:6:1 spec of Pipeline flux-system\/podinfo-github note: .*unsigned events/,
  )
  expect(readdirSync(join(folder, 'made'))).toEqual([
    ...['flux-system.podinfo-github.yaml', 'flux-system.podinfo-gitlab.yaml'],
  ])
  expect(await run('apply --dry-run=client -f made')).toMatchObject({ code: 0 })
})

it('prints them without --out, the same for equal files', async () => {
  const ran = await run('import pipelines good.yaml')
  const texts = readdirSync(join(folder, 'made')).map((f) => readFileSync(join(folder, 'made', f), 'utf8'))
  expect([ran.code, ran.out]).toEqual([0, texts.join('---\n')])
})

it('writes nothing where a field is unknown, and says where it is', async () => {
  const ran = await run('import pipelines wrong.yaml --out nothing')
  expect(ran.code).toBe(1)
  expect(ran.err).toMatch(
    /wrong\.yaml:33:3 spec\.paused of Pipeline flux-system\/podinfo-gitlab error: unknown field/,
  )
  expect(ran.err).toContain('Nothing was written')
  expect(readdirSync(folder)).not.toContain('nothing')
})

it('is exit 2 where something cannot be read, and where there is none', async () => {
  expect(await run('import pipelines broken.yaml')).toMatchObject({ code: 2, out: '' })
  expect(await run('import pipelines away')).toMatchObject({ code: 2, out: '' })
  expect((await run('import pipelines none.yaml')).err).toContain('no Pipeline of pipelines.weave.works')
  expect(await run('import pipelines')).toMatchObject({ code: 2 })
})

it.each([
  'import pipelines good.yaml --accept-loss',
  'import pipelines good.yaml --all',
  'import crs a -f good.yaml',
])('%s is no use', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '' })
})

it('reports to programs', async () => {
  const good = pipelineImportReport.schema.parse(
    JSON.parse((await run('import pipelines good.yaml -o json')).out),
  )
  expect(good).toMatchObject({
    pipelines: [{ kind: 'Pipeline', metadata: { name: 'podinfo-github', namespace: 'flux-system' } }, {}],
    problems: [],
    written: false,
  })
  const wrong = pipelineImportReport.schema.parse(
    JSON.parse((await run('import pipelines wrong.yaml -o json')).out),
  )
  expect(wrong).toMatchObject({
    pipelines: [],
    problems: [{ file: 'wrong.yaml', line: 33, field: 'spec.paused' }],
  })
})
