/** Credentials by programs: what they print, and when they are asked. */
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../../kube/src/env/env.ts'
import type { Connection, Endpoint, NetRequest } from '../../../../kube/src/env/net.ts'
import type { ProcessExit, Processes, ProcessOptions } from '../../../../kube/src/env/processes.ts'
import { ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { encodeJson, timestamp } from '../../../../kube/src/object/index.ts'
import { execCredentialOf, runExecPlugin } from './execplugin.ts'
import type { ExecProgram } from './execprogram.ts'
import { connectSource } from './renewingconnection.ts'

const V1 = 'client.authentication.k8s.io/v1'
const printed = (status: object, more: object = {}): string =>
  encodeJson({ apiVersion: V1, kind: 'ExecCredential', status, ...more })

const provider: ExecProgram = {
  owner: 'credential provider gke',
  apiVersion: V1,
  command: 'get-token',
  args: ['--now'],
  env: { HOME: '/h' },
  provideClusterInfo: true,
  config: { cluster: 'eu-1' },
}
const endpoint: Endpoint = { url: 'https://eu-1.test', tls: { ca: 'CA', serverName: 'inner' } }

describe('what a program prints', () => {
  it.each([
    ['a token', printed({ token: 't' }), { token: 't' }],
    ['a certificate', printed({ clientCertificateData: 'C', clientKeyData: 'K' }), { cert: 'C', key: 'K' }],
    [
      'until when',
      printed({ token: 't', expirationTimestamp: '2026-01-01T00:00:00Z' }),
      { token: 't', expiresAt: Date.UTC(2026, 0, 1) },
    ],
  ])('%s', (_, text, expected) => {
    expect(execCredentialOf(text, V1)).toMatchObject({ ok: true, value: expected })
  })

  it.each([
    ['no JSON', 'SECRET', 'printed no ExecCredential'],
    ['another kind', encodeJson({ apiVersion: V1, kind: 'X' }), 'printed no ExecCredential'],
    [
      'another version',
      encodeJson({
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        kind: 'ExecCredential',
        status: { token: 'SECRET' },
      }),
      `printed another version of ExecCredential than ${V1}`,
    ],
    ['nothing in it', printed({}), 'printed neither status.token nor status.clientCertificateData'],
    [
      'half a certificate',
      printed({ clientCertificateData: 'SECRET' }),
      'status.clientCertificateData and status.clientKeyData come together',
    ],
  ])('refused, and not quoted: %s', (_, text, error) => {
    expect(execCredentialOf(text, V1)).toEqual({ ok: false, error })
  })
})

/** Programs that print what the test says; the last answer stays. */
function scripted(answers: readonly (Partial<ProcessExit> | 'missing')[]) {
  const runs: { args: readonly string[]; env: ProcessOptions['env'] }[] = []
  const options: ProcessOptions[] = []
  const processes: Processes = {
    find: async () => undefined,
    async run(program, args, given) {
      const answer = answers[Math.min(runs.length, answers.length - 1)]!
      runs.push({ args, env: given.env })
      options.push(given)
      if (answer === 'missing') return { ok: false, error: { kind: 'ToolMissing', program } }
      return ok({ code: 0, stdout: new Uint8Array(), stderr: '', ...answer })
    },
  }
  return { runs, processes, options }
}
const prints = (text: string) => ({ stdout: new TextEncoder().encode(text) })

describe('a run', () => {
  it('gets what the file says, and what cluster it is for', async () => {
    const { runs, processes } = scripted([prints(printed({ token: 't' }))])
    expect((await runExecPlugin({ processes }, provider, endpoint, false)).ok).toBe(true)
    const [run] = runs
    expect(run?.args).toEqual(['--now'])
    expect(Object.keys(run!.env).sort()).toEqual(['HOME', 'KUBERNETES_EXEC_INFO'])
    expect(JSON.parse(run!.env.KUBERNETES_EXEC_INFO!)).toEqual({
      apiVersion: V1,
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server: 'https://eu-1.test',
          'tls-server-name': 'inner',
          'certificate-authority-data': btoa('CA'),
          config: { cluster: 'eu-1' },
        },
      },
    })
  })

  it('is not told of the cluster where the file does not ask for that', async () => {
    const { runs, processes } = scripted([prints(printed({ token: 't' }))])
    await runExecPlugin({ processes }, { ...provider, provideClusterInfo: false }, endpoint, false)
    expect(JSON.parse(runs[0]!.env.KUBERNETES_EXEC_INFO!).spec).toEqual({ interactive: false })
  })

  it.each([
    [
      'a program that is not there',
      'missing' as const,
      'get-token is not on PATH; install it on the machine of the controller',
    ],
    [
      'one that fails',
      { code: 2, stdout: new TextEncoder().encode('SECRET'), stderr: 'a\nlog in first\n' },
      'get-token ended with 2: log in first',
    ],
    ['one that prints something else', prints('SECRET'), 'get-token: printed no ExecCredential'],
  ])('%s', async (_, answer, problem) => {
    const { processes } = scripted([answer])
    expect(await runExecPlugin({ processes }, provider, endpoint, false)).toEqual({
      ok: false,
      error: `credential provider gke: ${problem}`,
    })
  })
})

describe('a program of a person', () => {
  const person = { interactiveMode: 'IfAvailable', installHint: 'get it at\u001b[2J https://x ' } as const
  const program: ExecProgram = { ...provider, owner: 'context eks', command: 'aws', person }
  const run = async (of: ExecProgram, answer: Partial<ProcessExit> | 'missing', hasTerminal: boolean) => {
    const { processes, options } = scripted([answer])
    const done = await runExecPlugin({ processes }, of, endpoint, hasTerminal)
    const info = options[0] && JSON.parse(options[0].env.KUBERNETES_EXEC_INFO!).spec.interactive
    return { done, info, options: options[0] }
  }
  const good = prints(printed({ token: 't' }))

  it.each([
    ['IfAvailable', true, { terminal: 'both', timeoutMs: 600_000 }, true],
    ['IfAvailable', false, { timeoutMs: 60_000 }, false],
    ['Never', true, { terminal: 'stderr', timeoutMs: 60_000 }, false],
    ['Always', true, { terminal: 'both' }, true],
  ] as const)('%s, with a terminal: %s', async (interactiveMode, hasTerminal, expected, isInteractive) => {
    const ran = await run({ ...program, person: { interactiveMode } }, good, hasTerminal)
    expect(ran).toMatchObject({ done: { ok: true }, info: isInteractive })
    expect(ran.options).toMatchObject({ inheritsEnv: true, ...expected })
    expect('terminal' in ran.options!).toBe('terminal' in expected)
  })

  it('that must ask is not run without a person', async () => {
    const ran = await run({ ...program, person: { interactiveMode: 'Always' } }, good, false)
    expect(ran).toEqual({
      done: { ok: false, error: 'context eks: aws needs a terminal, and there is none' },
      info: undefined,
      options: undefined,
    })
  })

  it.each([
    ['aws', person, 'context eks: aws is not on PATH. get it at\\x1b[2J https://x'],
    ['aws', { interactiveMode: 'Never' }, 'context eks: aws is not on PATH'],
    ['/opt/aws', { interactiveMode: 'Never' }, 'context eks: /opt/aws does not exist'],
  ] as const)('that is missing: %s', async (command, of, error) => {
    expect((await run({ ...program, command, person: of }, 'missing', false)).done).toEqual({
      ok: false,
      error,
    })
  })
})

describe('a connection', () => {
  /** A server that takes one token, and notes what it was asked with. */
  function server(answers: readonly Partial<ProcessExit>[], accepts: () => string) {
    const { runs, processes } = scripted(answers)
    const seen: string[] = []
    let opened = 0
    const sim = createSimEnv('exec')
    const connect = (): Connection => {
      opened++
      return {
        async request(r: NetRequest) {
          const token = String(r.headers.authorization ?? '')
          seen.push(token)
          const status = token === `Bearer ${accepts()}` ? 200 : 401
          const nothing = {
            pieces: async function* () {},
            boundedPieces: async function* () {},
            lines: async function* () {},
          }
          return ok({ status, headers: {}, text: async () => ok(''), ...nothing })
        },
        close: async () => {},
      }
    }
    let isHeld = false
    const run: Processes['run'] = (...args) => {
      const done = processes.run(...args)
      return isHeld ? new Promise(() => {}) : done
    }
    const env: Env = { ...sim, processes: { ...processes, run }, net: { ...sim.net, connect } }
    const source = { type: 'Exec', endpoint, files: {}, program: provider } as const
    const connection = connectSource(env, source, 'operator')
    const ask = async (): Promise<number | string> => {
      const r = await connection.request({ method: 'GET', path: '/', headers: {} })
      return r.ok ? r.value.status : r.error.detail
    }
    const pass = (ms: number) => {
      // Virtual time stands still without a timer.
      sim.clock.at(sim.clock.steady() + ms, () => {})
      return sim.clock.run(() => false, ms)
    }
    const hold = (): void => {
      isHeld = true
    }
    return { runs, seen, pass, ask, hold, opened: () => opened }
  }

  it('asks once for many requests, also at one time', async () => {
    const s = server([prints(printed({ token: 'a' }))], () => 'a')
    expect(await Promise.all([s.ask(), s.ask(), s.ask()])).toEqual([200, 200, 200])
    expect(await s.ask()).toBe(200)
    expect(s.runs).toHaveLength(1)
    expect(s.opened()).toBe(1)
  })

  it('asks again before the credential expires, over the connection that there is', async () => {
    let token = 'a'
    const sim = createSimEnv('clock')
    const until = timestamp(sim.clock.now() + 600_000)
    const s = server(
      [prints(printed({ token: 'a', expirationTimestamp: until })), prints(printed({ token: 'b' }))],
      () => token,
    )
    expect(await s.ask()).toBe(200)
    await s.pass(560_000)
    expect(await s.ask()).toBe(200)
    expect(s.runs).toHaveLength(1)
    await s.pass(20_000)
    token = 'b'
    expect(await s.ask()).toBe(200)
    expect(s.runs).toHaveLength(2)
    expect(s.opened()).toBe(1)
  })

  it('keeps a credential that is still valid while its program fails, and asks again after 5 s', async () => {
    const sim = createSimEnv('clock')
    const until = timestamp(sim.clock.now() + 90_000)
    const s = server(
      [
        prints(printed({ token: 'a', expirationTimestamp: until })),
        { code: 1, stderr: 'no' },
        { code: 1, stderr: 'no' },
        prints(printed({ token: 'b' })),
      ],
      () => 'a',
    )
    expect(await s.ask()).toBe(200)
    await s.pass(61_000)
    expect([await s.ask(), await s.ask()]).toEqual([200, 200])
    expect(s.runs).toHaveLength(2)
    await s.pass(5000)
    expect(await s.ask()).toBe(200)
    expect(s.runs).toHaveLength(3)
    await s.pass(24_000)
    expect(await s.ask()).toBe(401)
    expect(s.runs.length).toBeGreaterThan(3)
  })

  it('asks again after two thirds of a short life, and not at each request', async () => {
    const sim = createSimEnv('clock')
    const until = (seconds: number) => timestamp(sim.clock.now() + seconds * 1000)
    const s = server(
      [15, 25, 35].map((seconds) => prints(printed({ token: 'a', expirationTimestamp: until(seconds) }))),
      () => 'a',
    )
    for (let second = 0; second < 30; second++) {
      expect(await s.ask()).toBe(200)
      await s.pass(1000)
    }
    expect(s.runs).toHaveLength(3)
  })

  it('asks again before the end of a token that names its end', async () => {
    const sim = createSimEnv('clock')
    const part = (value: object) => btoa(encodeJson(value)).replaceAll('=', '')
    const exp = Math.floor(sim.clock.now() / 1000) + 100
    const jwt = `${part({ alg: 'none' })}.${part({ exp })}.x`
    let token = jwt
    const s = server([prints(printed({ token: jwt })), prints(printed({ token: 'b' }))], () => token)
    expect(await s.ask()).toBe(200)
    await s.pass(71_000)
    token = 'b'
    expect(await s.ask()).toBe(200)
    expect(s.runs).toHaveLength(2)
  })

  it('sends requests with a valid credential while its program runs', async () => {
    const sim = createSimEnv('clock')
    const until = timestamp(sim.clock.now() + 90_000)
    const s = server(
      [prints(printed({ token: 'a', expirationTimestamp: until })), prints(printed({ token: 'b' }))],
      () => 'a',
    )
    expect(await s.ask()).toBe(200)
    await s.pass(61_000)
    s.hold()
    expect([await s.ask(), await s.ask()]).toEqual([200, 200])
    expect(s.runs).toHaveLength(2)
  })

  it('asks again when the credential is refused, and repeats the request', async () => {
    let token = 'a'
    const s = server([prints(printed({ token: 'a' })), prints(printed({ token: 'b' }))], () => token)
    expect(await s.ask()).toBe(200)
    token = 'b'
    expect(await s.ask()).toBe(200)
    expect(s.seen).toEqual(['Bearer a', 'Bearer a', 'Bearer b'])
  })

  it('the same credential again is not sent twice', async () => {
    const s = server([prints(printed({ token: 'a' }))], () => 'z')
    expect(await s.ask()).toBe(401)
    expect(s.seen).toEqual(['Bearer a'])
  })

  it('without a credential nothing is sent, and the next request asks again', async () => {
    const s = server([{ code: 1, stderr: 'no' }, prints(printed({ token: 'a' }))], () => 'a')
    expect(await s.ask()).toBe('credential provider gke: get-token ended with 1: no')
    expect(s.seen).toEqual([])
    expect(await s.ask()).toBe(200)
  })
})
