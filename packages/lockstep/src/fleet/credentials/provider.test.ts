import { expect, it } from 'vitest'
import { parseProviders, providerProblem } from './provider.ts'

const trusted = { servers: ['*.eks.amazonaws.com'], namespaces: ['fleet'] }
const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'get-token' }
const parse = (o: unknown) => parseProviders('f.json', typeof o === 'string' ? o : JSON.stringify(o))

it('a file of the cluster inventory API', () => {
  const full = {
    name: 'gke',
    execConfig: {
      ...execConfig,
      args: ['--a'],
      env: [{ name: 'HOME', value: '/h' }],
      provideClusterInfo: true,
      interactiveMode: 'Never',
    },
    profileSourcedCLIArgsPolicy: 'Ignore',
    ...trusted,
  }
  expect(parse({ providers: [full, { name: 'x', execConfig, ...trusted }] })).toEqual({
    ok: true,
    value: {
      file: 'f.json',
      list: [
        {
          name: 'gke',
          program: {
            owner: 'credential provider gke',
            ...execConfig,
            args: ['--a'],
            env: { HOME: '/h' },
            provideClusterInfo: true,
          },
          ...trusted,
        },
        {
          name: 'x',
          program: {
            owner: 'credential provider x',
            ...execConfig,
            args: [],
            env: {},
            provideClusterInfo: false,
          },
          ...trusted,
        },
      ],
    },
  })
})

it.each([
  ['no list', {}, 'providers: a list is needed'],
  ['no name', { providers: [{ execConfig }] }, 'providers[0].name: is missing'],
  [
    'no command',
    { providers: [{ name: 'a', execConfig: {} }] },
    'providers[0].execConfig.command: is missing',
  ],
  [
    'an old version',
    {
      providers: [
        { name: 'a', execConfig: { ...execConfig, apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      ],
    },
    'providers[0].execConfig.apiVersion: give client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
  ],
  [
    'a name twice',
    {
      providers: [
        { name: 'a', execConfig, ...trusted },
        { name: 'a', execConfig, ...trusted },
      ],
    },
    'providers[1].name: duplicate name "a"',
  ],
  ['no servers', { providers: [{ name: 'a', execConfig }] }, 'providers[0].servers: is missing'],
  [
    'an empty list of servers',
    { providers: [{ name: 'a', execConfig, servers: [], namespaces: ['x'] }] },
    'providers[0].servers: is missing',
  ],
  [
    'no namespaces',
    { providers: [{ name: 'a', execConfig, servers: ['x.test'] }] },
    'providers[0].namespaces: is missing',
  ],
  ...['*', '*.com', 'https://x.test', 'X.test', 'a*.test', '', 7].map((text): [string, object, string] => [
    `the server ${JSON.stringify(text)}`,
    { providers: [{ name: 'a', execConfig, servers: ['x.test', text], namespaces: ['x'] }] },
    `providers[0].servers[1]: ${JSON.stringify(text)} is not a host, or *.domain`,
  ]),
  [
    'a pattern of namespaces',
    { providers: [{ name: 'a', execConfig, servers: ['x.test'], namespaces: ['*'] }] },
    'providers[0].namespaces[0]: "*" is not a namespace',
  ],
  [
    'arguments out of an object on the hub',
    { providers: [{ name: 'a', execConfig, profileSourcedCLIArgsPolicy: 'Append' }] },
    'providers[0].profileSourcedCLIArgsPolicy: only Ignore is allowed: an object on the hub may not change a command line here',
  ],
])('refused, with the field: %s', (_, o, error) => {
  expect(parse(o)).toEqual({ ok: false, error })
})

it('refused: what is no JSON', () => {
  expect(parse('{').ok).toBe(false)
})

it.each([
  ['*.eks.amazonaws.com', 'https://abc.gr7.eu-west-1.eks.amazonaws.com', true],
  ['*.eks.amazonaws.com', 'https://eks.amazonaws.com', false],
  ['*.eks.amazonaws.com', 'https://eks.amazonaws.com.evil.example', false],
  ['*.eks.amazonaws.com', 'https://evil-eks.amazonaws.com', false],
  ['*.eks.amazonaws.com', 'https://evil.example/.eks.amazonaws.com', false],
  ['*.eks.amazonaws.com', 'https://abc.eks.amazonaws.com@evil.example', false],
  ['34.1.2.3', 'https://34.1.2.3', true],
  ['34.1.2.3', 'https://34.1.2.3:8443', true],
  ['34.1.2.3:6443', 'https://34.1.2.3:6443/prefix', true],
  ['34.1.2.3:6443', 'https://34.1.2.3', false],
  ['x.test:443', 'https://X.test', true],
  ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443', true],
])('a provider for %s and the server %s: %j', (server, url, isFor) => {
  const made = parse({ providers: [{ name: 'p', execConfig, servers: [server], namespaces: ['fleet'] }] })
  if (!made.ok) throw new Error(made.error)
  const problem = providerProblem(made.value.list[0]!, 'fleet', url)
  expect(problem === undefined).toBe(isFor)
  if (!isFor) expect(problem).toBe(`provider p is not for server ${new URL(url).host}`)
})
