/** A process without free descriptors reports them, and no bug. */
import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { BIN, lockstep, surroundings } from '../e2e/lockstep.ts'

/** Runs the bin with a limit of open files; answers its exit code and standard error. */
const limited = (files: number, args: string): Promise<readonly [code: unknown, err: string]> =>
  new Promise((done) => {
    const script = `ulimit -n ${files}; exec ${process.execPath} ${BIN} ${args}`
    execFile('sh', ['-c', script], { env: surroundings() }, (error, _, err) => done([error?.code ?? 0, err]))
  })

it('too few open files at the start are named, with what to do', { timeout: 60_000 }, async () => {
  // Builds it, where that is needed.
  expect((await lockstep(['version'])).code).toBe(0)
  const [code, err] = await limited(24, 'get modules')
  expect(err).toMatch(/^error: EMFILE: too many open files.*\nhint: .*ulimit -n/)
  expect([code, err.includes('bug')]).toEqual([3, false])
})
