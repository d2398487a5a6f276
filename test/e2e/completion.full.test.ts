/** Completion as shells do it: the real scripts in real shells, against a fleet. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionScripts } from '../../packages/lockstep/src/cli/commands/completion/completionscripts.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: monitoring}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}]}}
  targets: {clusterSelector: {}}
`

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0
const has = { bash: isThere('bash'), zsh: isThere('zsh'), fish: isThere('fish') }
for (const [shell, there] of Object.entries(has))
  if (!there) console.warn(`${shell} is not on the PATH: its completion is not tested`)

let fleet: NamespacedFleet

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
  const bin = join(fleet.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'lockstep'),
    `#!/bin/sh\nexec "${process.execPath}" "${resolve('packages/lockstep/bin/lockstep.js')}" "$@"\n`,
  )
  chmodSync(join(bin, 'lockstep'), 0o755)
  for (const [shell, script] of Object.entries(completionScripts))
    writeFileSync(join(fleet.folder, shell), script)
  writeFileSync(join(fleet.folder, 'a module.yaml'), MODULE)
  await sit(['apply', '-f', '-'], { variables: { KUBECONFIG: fleet.kubeconfig }, input: MODULE })
  await eventually(async () => (await ask('get', 'inventories', '')).length === 2, 'both units are there')
})
afterAll(async () => {
  await fleet.end()
})

const ask = async (...words: string[]): Promise<string[]> => {
  const { out } = await sit(['__complete', ...words], { variables: { KUBECONFIG: fleet.kubeconfig } })
  return out.split('\n').filter((l) => l !== '')
}

/** Runs a program of a shell in the folder; the lines that it prints. */
function inShell(shell: string, args: readonly string[], program: string): Promise<string[]> {
  const env = {
    PATH: `${join(fleet.folder, 'bin')}${delimiter}${process.env.PATH}`,
    HOME: fleet.folder,
    LANG: 'C.UTF-8',
    KUBECONFIG: fleet.kubeconfig,
  }
  return new Promise((done, fail) => {
    execFile(shell, [...args, '-c', program], { env, cwd: fleet.folder, timeout: 60_000 }, (e, out, err) => {
      if (e || err !== '') fail(new Error(`${shell}: ${e?.message ?? ''}${err}`))
      else done(out.split('\n').filter((l) => l !== ''))
    })
  })
}

/** What bash would put in place of its last word. */
const bash = (line: string): Promise<string[]> =>
  inShell(
    'bash',
    ['--norc'],
    `source ./bash; complete -p lockstep >/dev/null || exit 9
COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
compopt() { echo "compopt $*"; }
_lockstep lockstep; printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

describe.skipIf(!has.bash)('bash', () => {
  const cases: readonly [line: string, offered: readonly string[]][] = [
    ['lockstep gr', ['graph']],
    ['lockstep get clusters ', ['cluster-1', 'cluster-2']],
    ['lockstep get -n plat', ['platform']],
    ['lockstep graph -o m', ['mermaid']],
    // bash replaces what is behind the last =, and an @ with what is behind it.
    ['lockstep graph --output=m', ['mermaid']],
    ['lockstep why monitoring@', ['@cluster-1', '@cluster-2']],
    ['lockstep why mon', ['compopt -o nospace', 'monitoring@']],
    ['lockstep wait mod', ['compopt -o nospace', 'module/']],
    ['lockstep wait module/mon', ['module/monitoring']],
    ['lockstep takeover c', ['crs']],
    ['lockstep explain module.spec.release', ['module.spec.release']],
    ['lockstep apply -f a', ['compopt -o filenames', 'a module.yaml']],
    ['lockstep get modules --kubeconfig=kube', ['compopt -o filenames', 'kubeconfig']],
    ['lockstep nothing --like ', expect.arrayContaining(['get', 'why'])],
    ['lockstep why monitoring@nowhere', []],
  ]
  it.each(cases)('%s', async (line, offered) => {
    expect(await bash(line)).toEqual(offered)
  })
})

/** zsh completes in its line editor only: what it would add is seen at the door. */
const zsh = (...words: string[]): Promise<string[]> =>
  inShell(
    'zsh',
    ['-f'],
    `compdef() { :; }; _files() { print -r -- files $PREFIX; }; compset() { :; }
compadd() { while [[ $1 != -a ]]; do [[ $1 == -S ]] && print open; shift; done; print -rl -- \${(P)2}; }
source ./zsh
words=(${words.map(quoted).join(' ')}); CURRENT=$#words; PREFIX=$words[-1]; _lockstep; true`,
  )

describe.skipIf(!has.zsh)('zsh', () => {
  const cases: readonly [words: readonly string[], offered: readonly string[]][] = [
    [['gr'], ['graph']],
    [
      ['get', 'clusters', ''],
      ['cluster-1', 'cluster-2'],
    ],
    [['graph', '--output=m'], ['--output=mermaid']],
    [
      ['why', 'mon'],
      ['open', 'monitoring@'],
    ],
    [
      ['why', 'monitoring@'],
      ['monitoring@cluster-1', 'monitoring@cluster-2'],
    ],
    [['apply', '-f', 'a'], ['files a']],
  ]
  it.each(cases)('lockstep %s', async (words, offered) => {
    expect(await zsh('lockstep', ...words)).toEqual(offered)
  })
})

describe.skipIf(!has.fish)('fish', () => {
  const cases: readonly [line: string, offered: readonly string[]][] = [
    ['lockstep gr', ['graph\tShow dependencies']],
    ['lockstep get clusters ', ['cluster-1', 'cluster-2']],
    ['lockstep graph --output=m', ['--output=mermaid']],
    ['lockstep why monitoring@', ['monitoring@cluster-1', 'monitoring@cluster-2']],
    ['lockstep apply -f a', ['a module.yaml']],
  ]
  it.each(cases)('%s', async (line, offered) => {
    const found = await inShell('fish', ['--no-config'], `source ./fish; complete -C ${quoted(line)}`)
    expect(found).toEqual(offered)
  })
})

describe('a hub', () => {
  const kubeconfigFor = (name: string, server: string): string => {
    const path = join(fleet.folder, name)
    writeFileSync(
      path,
      `current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "${server}"}}]\n`,
    )
    return path
  }
  it.each([
    ['that is away', (): string => kubeconfigFor('away', 'http://127.0.0.1:9')],
    ['of which nothing is known', (): string => '/nonexistent/kubeconfig'],
  ])('%s: nothing is offered, and nothing is said', async (_, kubeconfig) => {
    const ran = await sit(['__complete', 'why', ''], { variables: { KUBECONFIG: kubeconfig() } })
    expect(ran).toEqual({ code: 0, out: '', err: '' })
  })
})
