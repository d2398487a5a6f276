/** Real Helm, both of them, with our post-renderer. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { chartOf } from '../flux/fluxchart.ts'
import { lockstep, type Ran } from './lockstep.ts'

/** `go install helm.sh/helm/v3/cmd/helm@latest` with GOBIN=/opt/helm3, and the same for v4. */
const PROGRAMS = {
  3: process.env.LOCKSTEP_HELM3 ?? '/opt/helm3/helm',
  4: process.env.LOCKSTEP_HELM4 ?? '/opt/helm4/helm',
} as const

const POST_RENDERER = {
  3: ['--post-renderer', 'lockstep', '--post-renderer-args', 'post-render'],
  4: ['--post-renderer', 'lockstep'],
} as const

const HOOK = `apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations: {"helm.sh/hook": pre-upgrade}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "check:1"}]}}}
`

const objects = (text: string): KubeObject[] => parseYamlStream(text) as unknown as KubeObject[]

describe.each([3, 4] as const)('Helm %i', (version) => {
  const isThere = existsSync(PROGRAMS[version])
  let folder: string
  const surroundings = () => ({
    PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    LANG: 'C.UTF-8',
  })
  const helm = (...args: readonly string[]): Promise<Ran> =>
    new Promise((done) => {
      const options = { env: surroundings(), cwd: folder, maxBuffer: 64e6, timeout: 60_000 }
      execFile(PROGRAMS[version], [...args], options, (error, out, err) =>
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
      )
    })
  const template = (...more: readonly string[]) => helm('template', 'r', 'chart', ...more)
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const reports = () =>
    readdirSync(join(folder, 'tmp')).map((d) => readFileSync(join(folder, 'tmp', d, 'report.json'), 'utf8'))

  beforeAll(async () => {
    if (!isThere) {
      console.log(`Helm ${version}: skipped, there is no ${PROGRAMS[version]}`)
      return
    }
    folder = mkdtempSync(join(tmpdir(), 'lockstep-helm-'))
    mkdirSync(join(folder, 'tmp'))
    write('bin/lockstep', `#!/bin/sh\nexec node ${resolve('packages/lockstep/bin/lockstep.js')} "$@"\n`)
    chmodSync(join(folder, 'bin/lockstep'), 0o755)
    write('chart/Chart.yaml', 'apiVersion: v2\nname: platform\nversion: 1.0.0\n')
    write('chart/templates/units.yaml', chartOf({ units: 8, depth: 3 }))
    write('chart/templates/hook.yaml', HOOK)
    if (version === 3) return
    const plugin = join(folder, 'plugin')
    expect(await lockstep(['post-render', '--write-helm-plugin', plugin])).toMatchObject({ code: 0 })
    expect(await helm('plugin', 'install', plugin)).toMatchObject({ code: 0 })
  })
  afterAll(() => isThere && rmSync(folder, { recursive: true }))

  it.skipIf(!isThere)(
    'renders as lockstep does by itself; hooks and files stay where they were',
    async () => {
      const plain = await template()
      const made = await template(...POST_RENDERER[version])
      expect(made).toMatchObject({ code: 0, err: '' })
      const wanted = objects((await lockstep(['post-render'], { input: plain.out })).out)
      const byName = (list: readonly KubeObject[]) =>
        list.map((o) => JSON.stringify(o, Object.keys(o).sort())).sort()
      expect(byName(objects(made.out))).toEqual(byName(wanted))
      const unit = objects(made.out).find((o) => o.metadata.name === 'unit-0')
      expect(at(unit, 'spec', 'healthCheckExprs', 0, 'kind')).toBe('ReleaseGate')
      expect(objects(made.out).find((o) => o.kind === 'Job')?.metadata.annotations).toEqual({
        'helm.sh/hook': 'pre-upgrade',
      })
      expect(made.out).toContain('# Source: platform/templates/hook.yaml')
      expect(made.out).not.toContain('generated-by-postrender')
      expect(made.out).not.toContain('postrender-filename')
    },
  )

  it.skipIf(!isThere)(
    'stops where we refuse, and the reason is in a file that nobody else may read',
    async () => {
      write(
        'chart/templates/cycle.yaml',
        chartOf({ units: 1, depth: 1 })
          .replaceAll('unit-0', 'round')
          .replace('  postBuild', '  dependsOn: [{name: round}]\n  postBuild'),
      )
      const [one, two] = await Promise.all([
        template(...POST_RENDERER[version]),
        template(...POST_RENDERER[version]),
      ])
      rmSync(join(folder, 'chart/templates/cycle.yaml'))
      for (const made of [one, two]) {
        expect([made.code !== 0, made.out.trim()]).toEqual([true, ''])
        // Helm 4 keeps what a plugin says to itself.
        expect(made.err.includes('dependency cycle: round → round')).toBe(version === 3)
      }
      expect(reports()).toHaveLength(2)
      for (const report of reports()) expect(report).toContain('dependency cycle: round → round')
    },
  )

  it.skipIf(!isThere)('gives the same for a chart without anything', async () => {
    write('empty/Chart.yaml', 'apiVersion: v2\nname: empty\nversion: 1.0.0\n')
    const [plain, made] = [
      await helm('template', 'r', 'empty'),
      await helm('template', 'r', 'empty', ...POST_RENDERER[version]),
    ]
    expect(plain).toMatchObject({ code: 0, out: '\n' })
    // To Helm 4 no output is an error, whoever the post-renderer is.
    expect([made.code, made.err.includes('produced empty output')]).toEqual(
      version === 3 ? [0, false] : [1, true],
    )
  })
})
