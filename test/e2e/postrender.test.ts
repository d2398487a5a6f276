/** `lockstep post-render` as a process: what goes where, and how it ends. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { postRenderReport } from '../../packages/lockstep/src/cli/commands/postrender/postrenderreport.ts'
import { chartOf } from '../flux/fluxchart.ts'
import { lockstep } from './lockstep.ts'
import { sit } from './person.ts'

const CHART = chartOf({ units: 6, depth: 3 })
const REFUSED = CHART.replace('name: unit-0\n', 'name: unit-0\n  annotations: {helm.sh/hook: pre-install}\n')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-postrender-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (args: readonly string[], input: string) =>
  lockstep(['post-render', ...args], { input, cwd: folder, env: { TMPDIR: folder } })
/** In this process. */
const ask = (args: readonly string[], input: string, variables = {}) =>
  sit(['post-render', ...args], { input, cwd: folder, variables })

describe('post-render', () => {
  it('prints what it read where there is nothing of Flux, byte for byte, also nothing', async () => {
    const texts = ['', '\n', '# only this', 'a: 1\r\n---\r\n---\nb:   [ 2 ] # x\n...\n', '\uFEFFa: "ü"\n']
    for (const text of texts) expect(await ask([], text)).toEqual({ code: 0, out: text, err: '' })
    expect(await run([], texts[3]!)).toEqual({ code: 0, out: texts[3], err: '' })
  })

  it('does the same in a terminal that knows no Unicode', async () => {
    const ascii = { LANG: 'C' }
    expect((await ask([], 'a: "✔ ü"\n', ascii)).out).toBe('a: "✔ ü"\n')
  })

  it('says what it did beside the output, and in a report', async () => {
    const made = await ask(['--report', 'done.json'], CHART)
    expect(made.code).toBe(0)
    expect(made.err).toMatch(
      /^note: line \d+: Kustomization flux-system\/unit-0 has neither wait nor healthChecks/,
    )
    const report = postRenderReport.schema.parse(JSON.parse(readFileSync(join(folder, 'done.json'), 'utf8')))
    expect(report).toMatchObject({ refused: false, sources: [{ from: 'infra' }, { from: 'apps' }] })
    expect(report.gates).toHaveLength(4)
    expect(statSync(join(folder, 'done.json')).mode & 0o777).toBe(0o600)
    expect((await ask(['-q'], CHART)).err).toBe('')
  })

  it('prints nothing where it refuses: exit 1, and a report of its own each time', async () => {
    const [one, two] = await Promise.all([run([], REFUSED), run([], REFUSED)])
    const files = readdirSync(folder).filter((f) => f.startsWith('lockstep-post-render-'))
    expect(files).toHaveLength(2)
    for (const made of [one, two]) {
      expect([made.code, made.out]).toEqual([1, ''])
      expect(made.err).toContain('is a Helm hook (pre-install)')
      expect(files.some((f) => made.err.includes(`${f}/report.json`))).toBe(true)
    }
    for (const f of files) {
      expect([
        statSync(join(folder, f)).mode & 0o777,
        statSync(join(folder, f, 'report.json')).mode & 0o777,
      ]).toEqual([0o700, 0o600])
      const report = postRenderReport.schema.parse(
        JSON.parse(readFileSync(join(folder, f, 'report.json'), 'utf8')),
      )
      expect(report.refused).toBe(true)
      expect(report.notes.filter((n) => n.level === 'error').map((n) => n.code)).toEqual(['PR01'])
    }
  })

  it('ends with 2 for what is no YAML, with the place', async () => {
    const made = await run(['--report', 'r.json'], `${CHART}---\n# fluxcd.io\na: [\n`)
    expect([made.code, made.out]).toEqual([2, ''])
    expect(made.err).toMatch(
      /^error: standard input:\d+:1 .*\nhint: .*\nNothing was printed\. The report is in .*r\.json\. \[E_YAML_SYNTAX\] exit 2\n$/,
    )
  })

  it.each(['manifests', 'patches'])('tells whether a file with %s is current', async (emit) => {
    const { out } = await ask(['-q', '--emit', emit], CHART)
    writeFileSync(join(folder, 'kept.yaml'), out)
    expect(await ask(['-q', '--emit', emit, '--check', 'kept.yaml'], CHART)).toEqual({
      code: 0,
      out: '',
      err: '',
    })
    const stale = await ask(['-q', '--emit', emit, '--check', 'kept.yaml', '--release', '2'], CHART)
    expect([stale.code, stale.out]).toEqual([1, ''])
    expect(stale.err).toContain('kept.yaml is out of date')
    expect((await ask(['--check', 'missing.yaml'], CHART)).code).toBe(2)
  })

  it('finds its patches in a HelmRelease, beside others', async () => {
    const { out } = await ask(['-q', '--emit', 'patches'], CHART)
    const indented = out.trimEnd().replaceAll('\n', '\n  ')
    const release = `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  ${indented}\n    - kustomize: {images: []}\n`
    writeFileSync(join(folder, 'release.yaml'), release)
    expect((await ask(['-q', '--emit', 'patches', '--check', 'release.yaml'], CHART)).code).toBe(0)
  })

  it('writes its flags into the plugin of Helm 4', async () => {
    const made = await ask(
      [
        '--strategy',
        'name',
        '--release',
        '1',
        '-n',
        'ns',
        '--keep-source',
        'a',
        '--keep-source',
        'b',
        '--strict',
        '--write-helm-plugin',
        'plug',
      ],
      '',
    )
    expect([made.code, made.out]).toEqual([
      0,
      `${join(folder, 'plug/plugin.yaml')} written. Next: helm plugin install plug\n`,
    ])
    const text = readFileSync(join(folder, 'plug', 'plugin.yaml'), 'utf8')
    expect(at(parseYamlStream(text)[0], 'runtimeConfig', 'platformCommand', 0, 'args')).toEqual([
      'post-render',
      '--strategy',
      'name',
      '--release',
      '1',
      '--namespace',
      'ns',
      '--keep-source',
      'a',
      '--keep-source',
      'b',
      '--strict',
    ])
  })

  it('tells the terminal where Helm 4 hides what it says', async () => {
    const heard: string[] = []
    const tty = (text: string) => void heard.push(text)
    const made = await sit(['post-render', '--report', 'x.json'], {
      input: REFUSED,
      cwd: folder,
      tty,
      variables: { HELM_PLUGIN_NAME: 'lockstep' },
    })
    expect(made.code).toBe(1)
    expect(heard.join('')).toMatch(
      /^lockstep: error: line \d+: Kustomization flux-system\/unit-0 is a Helm hook/,
    )
    const quiet: string[] = []
    await sit(['post-render', '--report', 'x.json'], {
      input: REFUSED,
      cwd: folder,
      tty: (t) => void quiet.push(t),
    })
    expect(quiet).toEqual([])
  })
})
