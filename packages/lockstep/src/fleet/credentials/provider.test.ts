import { expect, it } from 'vitest'
import { parseProviders } from './provider.ts'

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
  }
  expect(parse({ providers: [full, { name: 'x', execConfig }] })).toEqual({
    ok: true,
    value: {
      file: 'f.json',
      list: [
        {
          name: 'gke',
          ...execConfig,
          args: ['--a'],
          env: { HOME: '/h' },
          provideClusterInfo: true,
        },
        { name: 'x', ...execConfig, args: [], env: {}, provideClusterInfo: false },
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
        { name: 'a', execConfig },
        { name: 'a', execConfig },
      ],
    },
    'providers[1].name: duplicate name "a"',
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
