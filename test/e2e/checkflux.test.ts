/** `lockstep check flux`: what it reads, what it prints, how it ends. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, type JsonObject } from '../../packages/kube/src/object/index.ts'
import { fluxReport } from '../../packages/lockstep/src/cli/kit/check/flux/fluxreport.ts'
import { schemaProblems } from './jsonschema.ts'
import { lockstep } from './lockstep.ts'
import { sit } from './person.ts'
import sarifSchema from './sarif.generated.json' with { type: 'json' }

const unit = (name: string, rest = '', source = 'repo') => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: ${name}
  namespace: flux-system
spec:
  wait: true
  path: ./${name.slice(0, 3)}
  sourceRef: {kind: GitRepository, name: ${source}}
${rest}`
const RACE = `${unit('one', '', 'a')}---\n${unit('two', '  dependsOn:\n    - name: one\n', 'b')}`

let folder: string
const write = (files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder })
const check = (args: readonly string[], input = '') => sit(['check', 'flux', ...args], { cwd: folder, input })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-checkflux-'))
  write({
    'race.yaml': RACE,
    'clean/a.yaml': unit('one'),
    'clean/deep/b.yml': unit('two', '  dependsOn: [{name: one}]\n'),
    'clean/.hidden/c.yaml': RACE,
    'clean/readme.md': 'no: [manifest',
    'broken/a.yaml': 'x: [\n',
    'broken/b.yaml': RACE,
    'chart/Chart.yaml': 'name: chart\n',
    'chart/templates/a.yaml': '{{ if }}',
    'silenced.yaml': RACE.replace('- name: one', '- name: one # lockstep:ignore W4a one push for both'),
    'note.yaml': `${unit('one')}---\n${unit('two')}---\n${unit('six-1', '  prune: true\n')}---\n${unit('ten', '  dependsOn: [{name: six-1}]\n')}`,
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('check flux', () => {
  it('prints place, level, rule and what to do; exit 1', async () => {
    const made = await lockstep(['check', 'flux', 'race.yaml'], { cwd: folder })
    expect([made.code, made.err]).toEqual([1, 'For the steps of each race, add --explain.\n'])
    expect(made.out).toMatch(
      /^race\.yaml:21:7 error W4a Kustomization flux-system\/two depends on Kustomization flux-system\/one but reads GitRepository b, .*\.\n {4}Fix: .*\n1 dependency of 2 units in 1 file: 1 error, 0 warnings, 0 notes, 0 ignored\.\n$/,
    )
  })

  it('tells the race when asked', async () => {
    const { out } = await check(['race.yaml', '--explain'])
    expect(out).toMatch(
      /\n {4}1\. .*\n {4}2\. .*\n {4}3\. .*\n {4}4\. .*\n {4}race\.yaml:\d+:\d+ .* reads GitRepository b\n/,
    )
  })

  it('fits a narrow terminal', async () => {
    const { out } = await sit(['check', 'flux', 'race.yaml', '--explain'], {
      cwd: folder,
      columns: 80,
      variables: { NO_COLOR: '1' },
    })
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('reads folders with all that is below them, but no hidden ones; standard input; each file once', async () => {
    expect(await check(['clean', 'clean/a.yaml'])).toEqual({
      code: 0,
      out: '1 dependency of 2 units in 2 files: 0 errors, 0 warnings, 0 notes, 0 ignored.\n',
      err: '',
    })
    expect((await check(['-'], RACE)).out).toMatch(/^standard input:21:7 error W4a/)
  })

  it.each<[string, string[], number]>([
    ['an error', ['race.yaml'], 1],
    ['a warning', ['note.yaml'], 0],
    ['a warning, which is asked for', ['note.yaml', '--fail-on', 'warning'], 1],
    ['an error, never', ['race.yaml', '--fail-on', 'never'], 0],
    ['what is silenced', ['silenced.yaml'], 0],
    ['what cannot be read', ['broken', '--fail-on', 'never'], 2],
    ['what is not there', ['clean', 'missing.yaml'], 2],
    ['no path', [], 2],
    ['a level that there is not', ['race.yaml', '--fail-on', 'eror'], 2],
  ])('ends for %s as it says', async (_, args, code) => {
    expect((await check(args)).code).toBe(code)
  })

  it('checks the rest where something is broken', async () => {
    const made = await check(['broken'])
    expect(made.out).toContain('broken/b.yaml:21:7 error W4a')
    expect(made.err).toMatch(/error: broken\/a\.yaml:2:1 unexpected end of the stream/)
  })

  it('names templates of charts, and does not read them', async () => {
    expect(await check(['chart'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('chart/templates/ not read: templates of a chart'),
    })
  })

  it('counts what is silenced', async () => {
    expect((await check(['silenced.yaml'])).out).toContain('0 errors, 0 warnings, 0 notes, 1 ignored.')
  })

  it.each(['race.yaml', 'silenced.yaml', 'broken', 'chart', 'clean'])(
    'reports %s for programs, and as SARIF',
    async (path) => {
      const report = fluxReport.schema.parse(JSON.parse((await check([path, '-o', 'json'])).out))
      const sarif = JSON.parse((await check([path, '-o', 'sarif'])).out)
      expect(schemaProblems(sarifSchema as unknown as JsonObject, sarif)).toEqual([])
      const results = at(sarif, 'runs', 0, 'results') as unknown as JsonObject[]
      expect(results).toHaveLength(report.findings.length + report.ignored.length)
      expect(results.map((r) => at(r, 'ruleId'))).toEqual(
        [...report.findings, ...report.ignored].map((f) => `lockstep/${f.rule}`),
      )
      expect(results.map((r) => at(r, 'locations', 0, 'physicalLocation', 'region'))).toEqual(
        [...report.findings, ...report.ignored].map((f) => ({ startLine: f.line, startColumn: f.column })),
      )
      expect(at(sarif, 'runs', 0, 'invocations', 0, 'executionSuccessful')).toBe(
        report.unreadable.length === 0,
      )
    },
  )

  it('knows what is no SARIF', () => {
    const wrong = { version: '2.1.0', runs: [{ tool: { driver: {} }, results: [{ level: 'bad' }] }] }
    expect(schemaProblems(sarifSchema as unknown as JsonObject, wrong).length).toBeGreaterThan(2)
  })

  it('refuses its flags where nothing of Flux is checked', async () => {
    const made = await sit(['check', '--explain'], { cwd: folder })
    expect([made.code, made.err]).toEqual([2, expect.stringContaining('--explain requires check flux')])
    expect((await sit(['check', 'flx'], { cwd: folder })).err).toContain('did you mean lockstep check flux?')
  })
})

describe('the state before', () => {
  const RENAMED = unit('new', '  prune: true\n').replace('./new', './old')
  const at1 = (how: string) => ({
    'repo/apps.yaml': unit('old', `  ${how}\n`),
    'repo/gone.yaml': unit('three'),
  })

  it.each<[string, string[]]>([
    ['prune: true', ['repo/apps.yaml:4:9 error W6a']],
    ['prune: false', []],
  ])('is read from Git; a rename with %s', async (how, found) => {
    rmSync(join(folder, '.git'), { recursive: true, force: true })
    write(at1(how))
    git('init', '-q')
    git('add', 'repo')
    git('commit', '-qm', 'one')
    rmSync(join(folder, 'repo/gone.yaml'))
    write({ 'repo/apps.yaml': RENAMED })
    git('commit', '-qam', 'two')
    for (const path of ['repo', 'repo/apps.yaml', '.']) {
      const made = await check([
        path,
        '--before',
        'git:HEAD~1',
        '-o',
        'json',
        ...(path === '.' ? ['--fail-on', 'never'] : []),
      ])
      const report = fluxReport.schema.parse(JSON.parse(made.out))
      const renames = report.findings.filter((f) => f.rule === 'W6a')
      expect(renames.map((f) => `${f.file}:${f.line}:${f.column} ${f.level} ${f.rule}`)).toEqual(found)
      if (found.length === 0) continue
      expect(renames[0]!.related.map((r) => `${r.file}:${r.line}:${r.column}`)).toEqual([
        'git:HEAD~1:repo/apps.yaml:4:9',
        'git:HEAD~1:repo/apps.yaml:10:10',
      ])
      expect(renames[0]!.fix).toMatch(/prune: false .* then rename/)
    }
  })

  it('is another folder', async () => {
    write({ ...at1('prune: true'), 'after/repo/apps.yaml': RENAMED })
    expect((await check(['after', '--before', 'repo'])).out).toMatch(/^after\/repo\/apps\.yaml:4:9 error W6a/)
  })

  it.each<[string, string[], string]>([
    ['an unknown revision', ['repo', '--before', 'git:nowhere'], 'Not a valid object name nowhere'],
    ['a flag', ['repo', '--before', 'git:--help'], 'no such revision'],
    ['standard input', ['-', '--before', 'git:HEAD'], 'standard input has no state before'],
    ['a folder that is not there', ['repo', '--before', 'missing'], 'missing: no such file or folder'],
  ])('is refused for %s', async (_, args, said) => {
    const made = await check(args)
    expect([made.code, made.out]).toEqual([2, ''])
    expect(made.err).toContain(said)
  })
})
