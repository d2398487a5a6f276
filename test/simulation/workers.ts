/**
 * Seeds in processes of their own, bundled by esbuild: many times faster than through a test runner's module loader,
 * and on all cores.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { facesOf } from '../../packages/lockstep/bin/faces.js'
import { rowToAdd } from '../seeds.ts'
import type { RunResult } from './trace.ts'

/** Bundled once a process: a test file runs several sets of seeds. */
let bundle: Promise<Uint8Array> | undefined

async function bundled(): Promise<Uint8Array> {
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
  return outputFiles[0]!.contents
}

/** Results of the seeds, in their order; `told` hears each of them when it is there. */
export async function runSeeds(
  seeds: readonly string[],
  told: (result: RunResult) => void = () => {},
): Promise<RunResult[]> {
  bundle ??= bundled()
  const code = await bundle
  // Below node_modules, so that packages that are not bundled are found.
  const dir = mkdtempSync(join(process.cwd(), 'node_modules', '.simulation-'))
  try {
    const file = join(dir, 'worker.mjs')
    writeFileSync(file, code)
    const workers = Math.min(availableParallelism(), seeds.length)
    const parts = await Promise.all(
      Array.from({ length: workers }, (_, i) =>
        runWorker(
          file,
          seeds.filter((_, n) => n % workers === i),
          told,
        ),
      ),
    )
    const all = new Map(parts.flat().map((r) => [r.seed, r]))
    return seeds.map((s) => all.get(s)!)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function runWorker(
  file: string,
  seeds: readonly string[],
  told: (result: RunResult) => void,
): Promise<RunResult[]> {
  return new Promise((resolve, reject) => {
    const results: RunResult[] = []
    const child = fork(file, [], { execArgv: ['--enable-source-maps'] })
    child.on('message', (m) => {
      results.push(m as RunResult)
      told(m as RunResult)
      if (results.length === seeds.length) child.kill()
    })
    child.on('exit', () => {
      if (results.length === seeds.length) resolve(results)
      else
        reject(
          new Error(
            `seed ${seeds[results.length]} ended its process; replay: LOCKSTEP_SEED=${seeds[results.length]} npx vitest run test/simulation`,
          ),
        )
    })
    child.send(seeds)
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
