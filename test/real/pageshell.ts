/** A reader who types the commands of a page, against one hub. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { expect } from 'vitest'
import { helmPath } from '../charts/lockstepchart.ts'
import { absentLine, commandsOf } from '../docs/consolepage.ts'
import { eventually } from '../e2e/lockstep.ts'
import { kubeconfigOf, type RealCluster } from './realservers.ts'

export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
export const LAUNCHER = resolve('packages/lockstep/bin/lockstep.js')

const ASSIGNMENT = /^\w+='[^']*'$/

interface ShellAnswer {
  readonly command: string
  readonly code: number | null
  readonly out: string
}

export class PageShell {
  /** Where files of the page are written. */
  readonly folder: string
  /** Assignments so far: each command has a shell of its own. */
  private readonly assignments: string[] = []

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'lockstep-page-'))
    mkdirSync(join(this.folder, 'bin'))
    const launcher = join(this.folder, 'bin/lockstep')
    writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`)
    chmodSync(launcher, 0o755)
    // Commands name the chart as in the clone.
    execFileSync('ln', ['-s', resolve('charts'), join(this.folder, 'charts')])
  }

  /** Path of its kubeconfig. */
  add(cluster: RealCluster): string {
    const path = join(this.folder, cluster.name)
    writeFileSync(path, kubeconfigOf(cluster), { mode: 0o600 })
    return path
  }

  run(hub: string, command: string): ShellAnswer {
    if (ASSIGNMENT.test(command)) this.assignments.push(command)
    const env = {
      PATH: [join(this.folder, 'bin'), helmPath].join(delimiter),
      HOME: this.folder,
      LANG: 'C.UTF-8',
      KUBECONFIG: join(this.folder, hub),
    }
    const script = [...this.assignments, `{ ${command}\n} 2>&1`].join('\n')
    const o = { env, cwd: this.folder, encoding: 'utf8' } as const
    const ran = spawnSync('bash', ['-o', 'pipefail', '-c', script], o)
    return { command, code: ran.status, out: ran.stdout }
  }

  /** Runs a section as it stands there: each command succeeds, with the output that is shown. `before`: what a reader waits for. */
  async follow(
    hub: string,
    page: string,
    section: string,
    before: (command: string) => Promise<void> = async () => {},
  ): Promise<void> {
    const commands = commandsOf(page, section)
    expect(commands.length).toBeGreaterThan(0)
    for (const { command, shown } of commands) {
      await before(command)
      const { code, out } = this.run(hub, command)
      expect({ command, code, out: code === 0 ? '' : out }).toEqual({ command, code: 0, out: '' })
      expect({ command, absent: absentLine(shown, out), out }).toEqual({ command, absent: undefined, out })
    }
  }

  /** A command succeeds within a while, and prints this. */
  async until(hub: string, command: string, text = ''): Promise<void> {
    let last: ShellAnswer | undefined
    await eventually(
      async () => {
        last = this.run(hub, command)
        return last.code === 0 && last.out.includes(text)
      },
      `${command}: ${text}`,
      () => last?.out ?? '',
    )
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
