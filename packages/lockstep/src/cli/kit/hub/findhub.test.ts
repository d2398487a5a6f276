/** Which hub a command line means, and the error without one. */
import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { Command, CommandContext, Flags } from '../command.ts'
import { globalsOf } from '../globals.ts'
import { findHub } from './findhub.ts'

const command = {
  name: 'get',
  summary: '',
  examples: [],
  run: async () => ({ ok: true, value: 0 }),
} as Command
const why: Command = { ...command, name: 'why', options: [{ flags: '--cluster <name>', text: '' }] }

const file = (server: string, user: object = { token: server }): string =>
  JSON.stringify({
    'current-context': 'hub',
    contexts: [{ name: 'hub', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server: `https://${server}` } }],
    users: [{ name: 'u', user }],
  })

interface Machine {
  readonly files?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly flags?: Flags
  readonly command?: Command
}

const SA = '/var/run/sa'
const POD: Machine = {
  files: { [`${SA}/token`]: 't', [`${SA}/ca.crt`]: 'CA', [`${SA}/namespace`]: 'lockstep-system\n' },
  variables: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
}

async function find({ files = {}, variables = {}, flags = {}, command: def = command }: Machine) {
  const env = createSimEnv('findhub')
  for (const [path, text] of Object.entries(files)) await env.files.writeAtomic(path, text)
  const globals = globalsOf(def, flags)
  if (!globals.ok) throw new Error(globals.error.message)
  const host = { cwd: '/here', home: '/home/me', variables, serviceAccount: SA }
  const found = await findHub({ env, host, globals: globals.value } as unknown as CommandContext)
  return found.ok ? found.value : `${found.error.code}: ${found.error.message}`
}

const urlOf = async (m: Machine) => {
  const found = await find(m)
  return typeof found === 'string' ? found : found.url
}

const HOME = { '/home/me/.kube/config': file('home') }
const both = (a: Machine, b: Machine): Machine => ({
  files: { ...a.files, ...b.files },
  variables: { ...a.variables, ...b.variables },
  ...(b.flags ? { flags: b.flags } : {}),
})

describe('the order of kubectl', () => {
  it.each<[string, Machine, string]>([
    [
      '--kubeconfig first',
      {
        files: { ...HOME, '/here/k': file('flag') },
        variables: { KUBECONFIG: '/env' },
        flags: { kubeconfig: 'k' },
      },
      'https://flag',
    ],
    [
      'then KUBECONFIG',
      { files: { ...HOME, '/env': file('env') }, variables: { KUBECONFIG: '/env' } },
      'https://env',
    ],
    [
      'of KUBECONFIG the files that exist',
      { files: { ...HOME, '/here/b': file('b') }, variables: { KUBECONFIG: 'a:b' } },
      'https://b',
    ],
    ['then ~/.kube/config', { files: HOME }, 'https://home'],
    ['in a Pod, too', both(POD, { files: HOME }), 'https://home'],
    ['then the account of the Pod', POD, 'https://10.0.0.1:443'],
    [
      'also where KUBECONFIG names nothing',
      both(POD, { files: HOME, variables: { KUBECONFIG: '/none' } }),
      'https://10.0.0.1:443',
    ],
    [
      'a Pod with an IPv6 address',
      both(POD, { variables: { KUBERNETES_SERVICE_HOST: 'fd00::1' } }),
      'https://[fd00::1]:443',
    ],
    ['a server of flags alone', { flags: { server: 'https://flag' } }, 'https://flag'],
    [
      'another server with the account of the Pod',
      both(POD, { flags: { server: 'https://flag' } }),
      'https://flag',
    ],
  ])('%s', async (_, machine, url) => {
    expect(await urlOf(machine)).toBe(url)
  })
})

describe('without a hub', () => {
  it.each<[string, Machine, string]>([
    [
      'nothing',
      {},
      'E_KUBECONFIG: no kubeconfig (tried KUBECONFIG and ~/.kube/config), and this is not a Pod',
    ],
    [
      'a variable that names nothing',
      { files: HOME, variables: { KUBECONFIG: '/a:/b' } },
      'E_KUBECONFIG: no kubeconfig (tried KUBECONFIG /a:/b), and this is not a Pod',
    ],
    [
      'a Pod without an account',
      { variables: POD.variables! },
      'E_KUBECONFIG: no kubeconfig (tried KUBECONFIG and ~/.kube/config), and this is not a Pod',
    ],
    [
      'a flag that names nothing',
      { ...POD, flags: { kubeconfig: 'k' } },
      'E_KUBECONFIG: k: does not exist (--kubeconfig)',
    ],
    [
      'a file that is none',
      { files: { '/here/k': '[]' }, flags: { kubeconfig: 'k' } },
      'E_KUBECONFIG: k: is not a kubeconfig',
    ],
    [
      'an empty file of a flag',
      { files: { '/here/k': '' }, flags: { kubeconfig: 'k' } },
      'E_KUBECONFIG: k: current-context: is missing',
    ],
    [
      'a context that is in neither file',
      {
        files: { '/here/a': file('a'), '/here/b': file('b') },
        variables: { KUBECONFIG: 'a:b' },
        flags: { context: 'nope' },
      },
      'E_KUBECONFIG: a, b: contexts: has no context "nope"; there are: hub',
    ],
    [
      'a field that is refused',
      { files: { '/home/me/.kube/config': file('x', { 'auth-provider': { name: 'gcp' } }) } },
      'E_KUBECONFIG: /home/me/.kube/config: users[0].user.auth-provider: is not supported; use exec (for OIDC: kubectl oidc-login)',
    ],
  ])('%s', async (_, machine, message) => {
    expect(await urlOf(machine)).toBe(message)
  })
})

describe('the source that is read again', () => {
  it('has paths and the present context, and no token', async () => {
    const found = await find({ files: HOME })
    expect(found).toEqual({
      source: {
        type: 'Kubeconfig',
        paths: ['/home/me/.kube/config'],
        selection: { trust: 'Person', context: 'hub' },
      },
      url: 'https://home',
      context: 'hub',
      namespace: 'shop',
    })
  })

  it('of a Pod has its files', async () => {
    expect(await find(POD)).toEqual({
      source: {
        type: 'Files',
        endpoint: { url: 'https://10.0.0.1:443' },
        files: { ca: `${SA}/ca.crt`, token: `${SA}/token` },
      },
      url: 'https://10.0.0.1:443',
      context: 'in-cluster',
      namespace: 'lockstep-system',
    })
  })

  it('of flags has absolute paths, and the user to act as', async () => {
    const flags = {
      certificateAuthority: 'ca',
      clientKey: '/k',
      clientCertificate: 'c',
      as: 'jane',
      asGroup: ['dev'],
      insecureSkipTlsVerify: true,
    }
    expect(await find({ files: HOME, flags })).toMatchObject({
      source: {
        selection: {
          certificateAuthority: '/here/ca',
          clientKey: '/k',
          clientCertificate: '/here/c',
          as: 'jane',
          asGroups: ['dev'],
          insecureSkipTlsVerify: true,
        },
      },
    })
  })

  it('takes no flag that a command has itself', async () => {
    const found = await find({ files: HOME, flags: { cluster: 'prod-eu' }, command: why })
    expect(found).toMatchObject({
      url: 'https://home',
      source: { selection: { trust: 'Person', context: 'hub' } },
    })
    expect(await urlOf({ files: HOME, flags: { cluster: 'prod-eu' } })).toBe(
      'E_KUBECONFIG: /home/me/.kube/config: clusters: has no cluster "prod-eu" (--cluster)',
    )
  })
})
