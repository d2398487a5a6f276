/** What a module makes, before it is on any hub. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { sit } from './person.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lockstep-render-'))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

/** No kubeconfig names a hub. */
const run = (args: string) => sit(args.split(' '), { cwd, variables: { KUBECONFIG: '' } })

const module = (name: string, source: string): string =>
  `apiVersion: lockstep.dev/v1alpha1\nkind: Module\nmetadata: {name: ${name}}\nspec:\n  source: ${source}\n`
const write = (file: string, ...documents: readonly string[]): void =>
  writeFileSync(join(cwd, file), documents.join('---\n'))

const INPUT = `apiVersion: v1
kind: ConfigMap
metadata: {name: web-v1}
data:
  b.yaml: |
    apiVersion: v1
    kind: Secret
    metadata: {name: token}
    stringData: {token: hunter2}
  a.yaml: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {color: blue}
`

describe('lockstep render -f', () => {
  it('prints what comes of the files alone, each module with a line about it, and no secret', async () => {
    write('web.yaml', INPUT, module('web', '{configMaps: [{name: web-v1}]}'))
    write(
      'more.yaml',
      module('more', '{inline: {objects: [{apiVersion: v1, kind: Namespace, metadata: {name: shop}}]}}'),
    )
    const { code, out, err } = await run('render -n platform -f web.yaml -f more.yaml')
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n')[0]).toMatch(/^# Module platform\/web, configMaps@sha256:[0-9a-f]{10}$/)
    expect(out).toMatch(/^# Module platform\/more, inline@sha256:[0-9a-f]{10}$/m)
    expect(out).not.toContain('hunter2')
    expect(parseAllDocuments(out).map((d) => d.toJS())).toMatchObject([
      { kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'blue' } },
      { kind: 'Secret', metadata: { name: 'token' }, data: { token: '***' } },
      { kind: 'Namespace', metadata: { name: 'shop' } },
    ])
  })
  it('as JSON and as names', async () => {
    write('web.yaml', INPUT, module('web', '{configMaps: [{name: web-v1}]}'))
    const list = JSON.parse((await run('render -f web.yaml -o json')).out)
    expect([list.kind, list.items.length]).toEqual(['List', 2])
    expect((await run('render -f web.yaml -o name')).out).toBe('configmap/settings\nsecret/token\n')
  })

  const refusals: readonly [string, readonly string[], number, RegExp][] = [
    [
      'an input that is nowhere',
      [module('web', '{configMaps: [{name: gone}]}')],
      1,
      /ResourceNotFound: .*gone/,
    ],
    [
      'nothing at all',
      [INPUT.replace(/\ndata:[\s\S]*/, '\ndata: {}\n'), module('web', '{configMaps: [{name: web-v1}]}')],
      1,
      /EmptyRender/,
    ],
    [
      'a field that is not there',
      [module('web', '{configMap: [{name: x}]}')],
      2,
      /spec\.source\.configMap: unknown field/,
    ],
    ['no module', [INPUT], 2, /no Module in bad\.yaml/],
    [
      'credentials without a hub',
      [
        module(
          'web',
          '{git: {url: "https://git.invalid/a.git", ref: {branch: main}, secretRef: {name: git}}}',
        ),
      ],
      1,
      /HubUnreachable: .*no kubeconfig names a hub/,
    ],
  ]
  it.each(refusals)('refuses %s, and says where', async (_, documents, code, says) => {
    write('bad.yaml', ...documents)
    const ran = await run('render -f bad.yaml')
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.err).toMatch(says)
  })
  it.each(['render', 'render module/web -f web.yaml', 'render -f web.yaml --revision 1'])(
    '%s: 2, and what to give',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('hint: ') })
    },
  )
})
