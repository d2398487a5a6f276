import { describe, expect, it } from 'vitest'
import { parseYamlStream } from '../../../../kube/src/object/index.ts'
import { parseKubeconfig } from './kubeconfigtarget.ts'
import { tokenKubeconfig, withToken } from './tokenkubeconfig.ts'

const endpointOf = (text: string) => {
  const target = parseKubeconfig(text, 'Secret')
  if (!target.ok) throw new Error(target.error.message)
  return target.value.source.endpoint
}

it('a kubeconfig with a token is one that a Secret may have', () => {
  const text = tokenKubeconfig({
    name: 'prod-eu',
    server: 'https://prod-eu:6443',
    ca: 'PEM',
    tlsServerName: 'edge',
    token: 'a.b.c',
  })
  expect(endpointOf(text)).toEqual({
    url: 'https://prod-eu:6443',
    tls: { ca: 'PEM', serverName: 'edge' },
    headers: { authorization: 'Bearer a.b.c' },
  })
})

describe('another token', () => {
  const text = `# Made by hand
apiVersion: v1
kind: Config
current-context: a
contexts:
- {name: a, context: {cluster: a, user: one}}
- {name: b, context: {cluster: a, user: two}}
clusters:
- name: a
  cluster: {server: "https://a"} # inside
users:
- name: two
  user: {token: second}
- name: one
  user:
    token: first
`
  it('is that of the current context; all else stays', () => {
    const after = withToken(text, 'x.y.z')
    const expected = parseYamlStream(text.replace('token: first', 'token: x.y.z'))
    expect(after.ok && parseYamlStream(after.value)).toEqual(expected)
  })
  it('fits JSON too', () => {
    const json = JSON.stringify({
      users: [{ name: 'u', user: { token: 't' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://a' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    })
    const after = withToken(json, 'n.e.w')
    expect(after.ok && endpointOf(after.value).headers).toEqual({ authorization: 'Bearer n.e.w' })
  })
  it.each([
    ['text that is none', 'a: [', 'line 2: unexpected end'],
    ['a context that is missing', 'current-context: x', 'has no context'],
  ])('no place for it: %s', (_, broken, problem) => {
    const after = withToken(broken, 't')
    expect(after.ok ? '' : after.error.message).toContain(problem)
  })
})
