import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeProcesses } from './nodeprocesses.ts'

const limits = { env: {}, timeoutMs: 10_000, maxOutput: 1000 }
const node = (script: string, more: object = {}) =>
  nodeProcesses.run(process.execPath, ['-e', script], { ...limits, ...more })
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('another program', () => {
  it('gets its arguments, its input and nothing of our environment', async () => {
    process.env.LOCKSTEP_TEST_SECRET = 'x'
    const script = `process.stdin.on('data', (d) => console.log(String(d), process.env.LOCKSTEP_TEST_SECRET, process.env.OURS))`
    const done = await node(script, { stdin: 'in', env: { OURS: 'yes' } })
    delete process.env.LOCKSTEP_TEST_SECRET
    expect(done).toMatchObject({ ok: true, value: { code: 0 } })
    expect(done.ok && text(done.value.stdout)).toBe('in undefined yes\n')
  })

  it('gets our environment where that is requested, below its own', async () => {
    process.env.LOCKSTEP_TEST_SECRET = 'x'
    process.env.LOCKSTEP_TEST_OTHER = 'y'
    const script = 'console.log(process.env.LOCKSTEP_TEST_SECRET, process.env.LOCKSTEP_TEST_OTHER)'
    const done = await node(script, { env: { LOCKSTEP_TEST_OTHER: 'z' }, inheritsEnv: true })
    delete process.env.LOCKSTEP_TEST_SECRET
    delete process.env.LOCKSTEP_TEST_OTHER
    expect(done.ok && text(done.value.stdout)).toBe('x z\n')
  })

  it('at a terminal reports there, and is ended in time', async () => {
    const done = await node(`process.stdout.write('out'); process.exit(4)`, { terminal: 'stderr' })
    expect(done).toMatchObject({ ok: true, value: { code: 4, stderr: '' } })
    const late = await node('setInterval(() => {}, 1000)', { terminal: 'both', timeoutMs: 200 })
    expect(late).toMatchObject({ ok: false, error: { kind: 'TimedOut' } })
  })

  it('answers with its exit code and what it complained of', async () => {
    const done = await node(`console.error('bad'); process.exit(3)`)
    expect(done).toMatchObject({ ok: true, value: { code: 3, stderr: 'bad\n' } })
  })

  it('that is there and may not be run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
    writeFileSync(join(folder, 'tool'), 'x', { mode: 0o644 })
    const ran = await nodeProcesses.run('tool', [], { ...limits, env: { PATH: folder } })
    rmSync(folder, { recursive: true })
    expect(ran).toEqual({ ok: false, error: { kind: 'ToolMissing', program: 'tool' } })
  })
  it('that is not there', async () => {
    expect(await nodeProcesses.run('no-such-program', [], limits)).toEqual({
      ok: false,
      error: { kind: 'ToolMissing', program: 'no-such-program' },
    })
  })

  it('that takes too long is ended, with what it started', async () => {
    // The second one holds our end of the pipe: without its end there is no end at all.
    const script = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); setInterval(() => {}, 1000)`
    const done = await node(script, { timeoutMs: 700 })
    expect(done).toMatchObject({ ok: false, error: { kind: 'TimedOut', ms: 700 } })
  })

  it('that takes too much memory is ended, with its children counted', async () => {
    // Each of them is below the limit: `tail` keeps a line until its end.
    const memory = { bytes: 120_000_000 }
    const keeps = '(head -c 80000000 /dev/zero; sleep 30) | tail -n 1 & '
    const done = await nodeProcesses.run('sh', ['-c', `${keeps}${keeps}wait`], { ...limits, memory })
    expect(done).toEqual({ ok: false, error: { kind: 'TooMuchMemory', program: 'sh', limit: 120_000_000 } })
  })

  it.each([
    ['Out of memory', true],
    ['memory exhausted', true],
    ['note\nfatal: Out of memory, malloc failed', true],
    ['2026/01/02 03:04:05 cannot allocate memory\nError: no chart', false],
  ])('that fails with "%s" lacks memory: %s', async (complaint, isMemory) => {
    const args = ['-c', 'echo "$1" >&2; exit 1', 'sh', complaint]
    const done = await nodeProcesses.run('sh', args, { ...limits, memory: { bytes: 1e9 } })
    expect(done.ok ? 'exit' : done.error.kind).toBe(isMemory ? 'TooMuchMemory' : 'exit')
  })

  it('without more address space fails by its memory', async () => {
    const memory = { bytes: 200_000_000 }
    const done = await nodeProcesses.run('sh', ['-c', 'head -c 400000000 /dev/zero | tail -n 1'], {
      ...limits,
      memory,
    })
    expect(done).toEqual({ ok: false, error: { kind: 'TooMuchMemory', program: 'sh', limit: 200_000_000 } })
  })

  it('that writes a file beyond its limit fails', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
    const memory = { bytes: 1e9, fileBytes: 1_000_000 }
    const script = 'head -c 5000000 /dev/zero > "$0/file"; wc -c < "$0/file"'
    const done = await nodeProcesses.run('sh', ['-c', script, folder], { ...limits, memory })
    rmSync(folder, { recursive: true })
    expect(done.ok && Number(text(done.value.stdout))).toBeLessThanOrEqual(1_000_448)
  })

  it('gets its arguments through the limits as they are', async () => {
    const args = ['-c', 'printf "%s|" "$@"', 'sh', 'a b', '$(id)', "'", '-v', '']
    const done = await nodeProcesses.run('sh', args, { ...limits, memory: { bytes: 1e9 } })
    expect(done.ok && text(done.value.stdout)).toBe("a b|$(id)|'|-v||")
    expect(await nodeProcesses.run('no-such', [], { ...limits, memory: { bytes: 1e9 } })).toEqual({
      ok: false,
      error: { kind: 'ToolMissing', program: 'no-such' },
    })
  })

  it('that says too much is ended', async () => {
    expect(await node(`console.log('x'.repeat(5000)); setInterval(() => {}, 1000)`)).toMatchObject({
      ok: false,
      error: { kind: 'TooMuchOutput', limit: 1000 },
    })
  })

  it('that nobody waits for any more is ended', async () => {
    const stop = new AbortController()
    const done = node('setInterval(() => {}, 1000)', { signal: stop.signal })
    stop.abort()
    expect(await done).toMatchObject({ ok: false, error: { kind: 'Aborted' } })
  })

  it('that ends before it has read its input has ended, no more', async () => {
    const done = await node('process.exit(0)', { stdin: 'x'.repeat(1_000_000) })
    expect(done).toMatchObject({ ok: true, value: { code: 0 } })
  })
})
