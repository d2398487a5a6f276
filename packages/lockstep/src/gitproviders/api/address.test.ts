import { describe, expect, it } from 'vitest'
import { type GitProviderKind, providerAddress } from './address.ts'

describe('where the API of a repository is', () => {
  it.each<[GitProviderKind, string, string | undefined, string, string]>([
    ['github', 'https://github.com/o/r', undefined, 'https://api.github.com', 'o r'],
    ['github', 'https://github.com/o/r.git', undefined, 'https://api.github.com', 'o r'],
    ['github', 'https://acme.ghe.com/o/r', undefined, 'https://api.acme.ghe.com', 'o r'],
    ['github', 'https://git.acme.dev/o/r/', undefined, 'https://git.acme.dev/api/v3', 'o r'],
    ['github', 'https://git.acme.dev/o/r', 'https://api.acme.dev/', 'https://api.acme.dev', 'o r'],
    ['gitlab', 'https://gitlab.com/g/s/t/p.git', undefined, 'https://gitlab.com/api/v4', 'g/s/t p'],
    ['gitlab', 'https://a.dev:8443/g/p', undefined, 'https://a.dev:8443/api/v4', 'g p'],
    ['gitlab', 'https://a.dev/lab/g/p', 'https://a.dev/lab/api/v4', 'https://a.dev/lab/api/v4', 'g p'],
    ['gitea', 'https://codeberg.org/o/r', undefined, 'https://codeberg.org/api/v1', 'o r'],
    ['gitea', 'https://a.dev/gitea/o/r', undefined, 'https://a.dev/gitea/api/v1', 'o r'],
    ['gitea', 'http://127.0.0.1:3000/o/r', undefined, 'http://127.0.0.1:3000/api/v1', 'o r'],
  ])('%s %s (%s)', (provider, url, apiUrl, api, name) => {
    const found = providerAddress(provider, url, apiUrl)
    expect(found).toMatchObject({ ok: true, value: { api } })
    expect(found.ok && `${found.value.owner} ${found.value.repository}`).toBe(name)
  })

  it.each<[GitProviderKind, string, string | undefined, string]>([
    ['github', 'https://github.com/o', undefined, 'names no repository; write https://host/owner/repository'],
    ['github', 'https://github.com/o/r/tree/main', undefined, 'names no repository'],
    ['gitlab', 'https://gitlab.com/p', undefined, 'names no repository; write https://host/group/project'],
    ['gitea', 'http://gitea.acme.dev/o/r', undefined, 'url: http:// is not encrypted; write https://'],
    ['gitea', 'https://a.dev/o/r', 'http://a.dev/api/v1', 'apiUrl: http:// is not encrypted; write https://'],
    ['gitea', 'https://a.dev/o/r', 'https://a.dev/api?x=1', 'apiUrl: has a query'],
    ['github', 'ssh://git@github.com/o/r', undefined, 'ssh:// is not supported here; write https://'],
    ['github', 'https://me:secret@github.com/o/r', undefined, 'put them into a Secret'],
    ['github', 'https://github.com/%zz/r', undefined, ''],
  ])('%s %s (%s) is refused, with what to write', (provider, url, apiUrl, message) => {
    const found = providerAddress(provider, url, apiUrl)
    if (message === '') return expect(found.ok).toBe(true)
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining(message) })
    expect(JSON.stringify(found)).not.toContain('secret@')
  })
})
