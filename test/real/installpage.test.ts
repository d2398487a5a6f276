/** Every command of docs/operations/install.md, on real hubs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasHelm, helmPath } from '../charts/lockstepchart.ts'
import { absentLine, commandsOf, untypedFences } from '../docs/consolepage.ts'
import { eventually } from '../e2e/lockstep.ts'
import { findPrograms, kubeconfigOf, type RealServers, startRealServers } from './realservers.ts'

const PAGE = 'docs/operations/install.md'
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

let servers: RealServers
let folder: string

beforeAll(async () => {
  servers = await startRealServers(findPrograms()!, ['manifests', 'chart'])
  folder = mkdtempSync(join(tmpdir(), 'lockstep-page-'))
  mkdirSync(join(folder, 'bin'))
  const launcher = join(folder, 'bin/lockstep')
  writeFileSync(
    launcher,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve('packages/lockstep/bin/lockstep.js')}" "$@"\n`,
  )
  chmodSync(launcher, 0o755)
  // Commands name the chart as in the clone.
  execFileSync('ln', ['-s', resolve('charts'), join(folder, 'charts')])
  for (const c of servers.clusters) writeFileSync(join(folder, c.name), kubeconfigOf(c), { mode: 0o600 })
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await servers.stop()
})

function inShell(hub: string, command: string) {
  const env = {
    PATH: [join(folder, 'bin'), helmPath].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    KUBECONFIG: join(folder, hub),
  }
  const ran = spawnSync('bash', ['-o', 'pipefail', '-c', `${command} 2>&1`], {
    env,
    cwd: folder,
    encoding: 'utf8',
  })
  return { code: ran.status, out: ran.stdout }
}

/** Runs a section as a reader types it. */
function follow(hub: string, section: string): void {
  const commands = commandsOf(PAGE, section)
  expect(commands.length).toBeGreaterThan(0)
  for (const { command, shown } of commands) {
    const { code, out } = inShell(hub, command)
    expect({ command, code, out: code === 0 ? '' : out }).toEqual({ command, code: 0, out: '' })
    expect({ command, absent: absentLine(shown, out), out }).toEqual({ command, absent: undefined, out })
  }
}

/** Kinds are served a moment after their definitions were applied. */
const served = (hub: string) =>
  eventually(async () => inShell(hub, 'kubectl get lockstep -A').code === 0, 'all kinds are served')

it('every fence is either run or marked as text', () => {
  expect(untypedFences(PAGE)).toBe(0)
})

describe.skipIf(!hasKubectl || !hasHelm)(PAGE, () => {
  it('the manifests', async () => {
    follow('manifests', 'Command line')
    follow('manifests', 'Install with manifests')
    await served('manifests')
    follow('manifests', 'Check the installation')
    follow('manifests', 'Uninstall')
  }, 120_000)

  it('the chart', () => follow('chart', 'Install with Helm'), 120_000)
})
