/**
 * Seeds in processes of their own, bundled by esbuild: many times faster than through a test runner's module loader,
 * and on all cores.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { facesOf } from '../../packages/lockstep/bin/faces.js'
import { rowToAdd } from '../seeds.ts'
import type { RunResult } from './trace.ts'

/** The file of the bundle: made once a process; the workers remove it at their end. */
let bundle: Promise<string> | undefined

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['test/simulation/worker.ts'],
    write: false,
    alias: facesOf(process.cwd()),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
  })
  // Below node_modules, so that packages that are not bundled are found.
  const dir = mkdtempSync(join(process.cwd(), 'node_modules', '.simulation-'))
  const file = join(dir, 'worker.mjs')
  writeFileSync(file, outputFiles[0]!.contents)
  return file
}

/** Workers without a seed. They stay for the seeds of other tests: half of the time of a first seed is start and compilation. */
const idle: ChildProcess[] = []

function started(file: string): ChildProcess {
  const child = fork(file, [], { execArgv: ['--enable-source-maps'] })
  // An idle worker ends with this process.
  child.unref()
  child.channel?.unref()
  return child
}

/** Results of the seeds, in their order; `told` hears each of them when it is there. Two equal seeds run beside each other. */
export async function runSeeds(
  seeds: readonly string[],
  told: (result: RunResult) => void = () => {},
): Promise<RunResult[]> {
  bundle ??= bundled()
  const file = await bundle
  const results: RunResult[] = []
  const left = seeds.entries()
  const work = async (): Promise<void> => {
    const child = idle.pop() ?? started(file)
    for (const [i, seed] of left) {
      const result = await resultOf(child, seed)
      results[i] = result
      told(result)
    }
    idle.push(child)
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), seeds.length) }, work))
  return results
}

function resultOf(child: ChildProcess, seed: string): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const ended = (): void =>
      reject(
        new Error(
          `seed ${seed} ended its process; replay: LOCKSTEP_SEED=${seed} npx vitest run test/simulation`,
        ),
      )
    child.once('exit', ended)
    child.channel?.ref()
    child.once('message', (m) => {
      child.off('exit', ended)
      child.channel?.unref()
      resolve(m as RunResult)
    })
    child.send(seed)
  })
}

/** For each failed seed: its problems, the command that replays it, and the row that keeps it. */
export function failuresOf(results: readonly RunResult[]): string[] {
  return results
    .filter((r) => r.problems.length > 0)
    .map(
      (r) =>
        `seed ${r.seed}: ${r.problems.join('\n  ')}\n  replay: LOCKSTEP_SEED=${r.seed} npx vitest run test/simulation\n  ${rowToAdd(r.seed)}`,
    )
}
