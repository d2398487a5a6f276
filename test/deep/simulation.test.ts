import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** 10,000 unless `LOCKSTEP_SEEDS` says otherwise. */
const RUNS = Number(process.env.LOCKSTEP_SEEDS ?? 10_000)
/** Seeds that the short run does not have. */
const FIRST = 1000

describe(`${RUNS} random platforms`, () => {
  it('hold every invariant and converge', { timeout: 24 * 3_600_000 }, async () => {
    const dir = mkdtempSync(join(process.cwd(), 'node_modules', '.deep-'))
    try {
      const outfile = join(dir, 'worker.mjs')
      await build({
        entryPoints: ['test/deep/worker.ts'],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        sourcemap: 'inline',
      })
      const workers = availableParallelism()
      const parts = await Promise.all(
        Array.from({ length: workers }, (_, i) => {
          const from = FIRST + Math.floor((RUNS * i) / workers)
          return runWorker(outfile, from, FIRST + Math.floor((RUNS * (i + 1)) / workers))
        }),
      )
      expect(parts.flat()).toEqual([])
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

function runWorker(file: string, from: number, to: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const failures: string[] = []
    const child = fork(file, [String(from), String(to)])
    child.on('message', (m) => void failures.push(String(m)))
    child.on('exit', (code) =>
      code === 0
        ? resolve(failures)
        : reject(new Error(`worker for seeds ${from} to ${to} ended with ${code}`)),
    )
  })
}
