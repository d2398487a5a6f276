/** The README, typed: every command of its tutorial in order, and what it says that people will see. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { eventually, type Ran } from './lockstep.ts'
import { missingLine, type ReadmeStep, stepsOf } from './readme.ts'

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0
if (!hasKubectl) console.warn('kubectl is not on the PATH: its steps of the README are left out')

let folder: string
let env: NodeJS.ProcessEnv

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-readme-'))
  symlinkSync(resolve('examples'), join(folder, 'examples'))
  mkdirSync(join(folder, 'bin'))
  const npx = join(folder, 'bin/npx')
  writeFileSync(
    npx,
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${resolve('packages/lockstep/bin/lockstep.js')}" "$@"\n`,
  )
  chmodSync(npx, 0o755)
  env = {
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    KUBECONFIG: './lockstep.kubeconfig',
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function shell(command: string): Promise<Ran> {
  return new Promise((done) => {
    execFile('sh', ['-c', command], { env, cwd: folder, timeout: 60_000 }, (e, out, err) =>
      done({ code: typeof e?.code === 'number' ? e.code : e ? -1 : 0, out, err }),
    )
  })
}

/** Starts what goes on; `until` resolves once its output matches, `stop` is Ctrl-C. */
function start(command: string) {
  const args = command
    .replace(/ +#.*$/, '')
    .split(' ')
    .slice(2)
  const bin = resolve('packages/lockstep/bin/lockstep.js')
  const child = spawn(process.execPath, [bin, ...args], { env, cwd: folder })
  let printed = ''
  let look = (): void => {}
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      look()
    })
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)))
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => pattern.test(printed) && resolve()
      look()
      void ended.then(() => reject(new Error(`${command} ended: ${printed}`)))
    })
  const stop = (): Promise<number | null> => {
    child.kill('SIGINT')
    return ended
  }
  return { printed: () => printed, until, stop }
}

/** A look may be taken again: what it shows comes after a moment. */
const isLook = (command: string): boolean => /^(npx lockstep|kubectl) (get|status|why) /.test(command)

async function take(step: ReadmeStep): Promise<void> {
  const wanted = /^npx lockstep why/.test(step.command) ? 1 : step.shown[0]?.startsWith('error:') ? 2 : 0
  let ran = await shell(step.command)
  const problem = (): string | undefined =>
    ran.code !== wanted
      ? `exit ${ran.code}: ${ran.err}`
      : step.shown.length > 0
        ? missingLine(step.shown, ran.out + ran.err)
        : undefined
  if (isLook(step.command) && problem() !== undefined)
    await eventually(
      async () => {
        ran = await shell(step.command)
        return problem() === undefined
      },
      step.command,
      () => `${problem()}\n${ran.out}`,
    )
  expect(problem()).toBeUndefined()
}

const needsKubectl = (step: ReadmeStep): boolean => /\bkubectl\b/.test(step.command) && !hasKubectl

/** A row of the matrix with whatever states. */
const CELLS = /(?: +[✔◐⏸✗·?](?: [\w.]+)?)+$/
const nameOf = (line: string): string =>
  line
    .replace(/^\S+Z /, '')
    .replace(CELLS, ' CELLS')
    .trim()

describe('Ten minutes', () => {
  const [first, ...steps] = stepsOf('Ten minutes')
  let fleet: ReturnType<typeof start>

  beforeAll(async () => {
    expect(first?.command).toBe('npx lockstep up')
    fleet = start(first!.command)
    await fleet.until(/tier=canary/)
  })
  afterAll(async () => {
    expect(await fleet.stop()).toBe(130)
  })

  it('begins with lockstep up', () => {
    expect(missingLine([...first!.shown, '…'], fleet.printed())).toBeUndefined()
    expect(steps.length).toBeGreaterThan(20)
  })

  it.for(steps.map((s) => [s.heading, s.command.split('\n')[0]!, s] as const))(
    '%s: %s',
    { timeout: 120_000 },
    async ([, command, step], { skip }) => {
      if (needsKubectl(step)) skip('kubectl is not on the PATH')
      if (command.startsWith('export ')) return expect(command).toBe(`export KUBECONFIG=${env.KUBECONFIG}`)
      if (!command.startsWith('npx lockstep status -w')) return take(step)
      const watch = start(command)
      await watch.until(/✔ 12 of 12 units ready/)
      expect(await watch.stop()).toBe(130)
      const seen = watch.printed().split('\n').map(nameOf)
      for (const line of step.shown) expect(seen).toContain(nameOf(line))
    },
  )
})

describe.skipIf(!hasKubectl)('On real clusters', () => {
  const steps = stepsOf('On real clusters')
  let fleet: ReturnType<typeof start>
  let controller: ReturnType<typeof start> | undefined

  /** An empty cluster is the hub here, another one is delivered to. */
  beforeAll(async () => {
    env = { ...env, KUBECONFIG: './real.kubeconfig' }
    fleet = start('npx lockstep up --clusters 2 --kubeconfig-out real.kubeconfig')
    await fleet.until(/tier=canary/)
    const config = parse(readFileSync(join(folder, 'real.kubeconfig'), 'utf8'))
    for (const [file, context] of [
      ['real.kubeconfig', 'cluster-1'],
      ['prod-eu.kubeconfig', 'cluster-2'],
    ])
      writeFileSync(join(folder, file!), JSON.stringify({ ...config, 'current-context': context }))
    const module = readFileSync(join(folder, 'hello.yaml'), 'utf8').replace(/ {2}dependsOn:[\s\S]*$/, '')
    writeFileSync(join(folder, 'module.yaml'), module)
  })
  afterAll(async () => {
    await controller?.stop()
    await fleet.stop()
  })

  /** The embedded API does not read kubectl's binary encoding, which only `create` uses. */
  const readable = (command: string): string =>
    /^kubectl create /.test(command) ? `${command} --dry-run=client -o yaml | kubectl apply -f -` : command

  it.each(steps.map((s) => [s.command, s] as const))('%s', { timeout: 60_000 }, async (command, step) => {
    if (command === 'npx lockstep controller') {
      // The clusters of this test are on this machine.
      controller = start(`${command} --allow-host 127.0.0.0/8`)
      await controller.until(/caches complete/)
    } else if (command.startsWith('npx lockstep status -w')) {
      const watch = start(command)
      await watch.until(/✔ 1 of 1 unit ready/)
      expect(await watch.stop()).toBe(130)
    } else await take({ ...step, command: readable(command) })
  })

  it('has delivered to the cluster of the Secret, and to no other', async () => {
    const there = await shell('kubectl get namespace hello -o name --kubeconfig prod-eu.kubeconfig')
    expect(there.out).toBe('namespace/hello\n')
    expect((await shell('kubectl get namespace hello')).err).toContain('NotFound')
    expect(await controller?.stop()).toBe(130)
  })
})
