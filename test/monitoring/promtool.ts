/** Runs promtool, where it is on PATH. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) console.info('promtool: skipped, since it is not on PATH')

/** Empty: promtool accepts the input; else its output. */
export function promtoolProblems(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', [...args], { encoding: 'utf8', input })
  return status === 0 ? '' : `exit ${status}\n${stdout}${stderr}`
}

/** The same for a file of JSON, which promtool reads as YAML. */
export function promtoolProblemsOf(args: readonly string[], content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-promtool-'))
  try {
    const file = join(folder, 'input.json')
    writeFileSync(file, JSON.stringify(content))
    return promtoolProblems([...args, file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
