/** `lockstep render clustergroup`: values files in, objects out, warnings beside them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { sit } from './person.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lockstep-rendergroup-'))
  write('global.yaml', 'global: {pattern: edge, options: {useCSV: false}}\n')
  write(
    'hub.yaml',
    'clusterGroup: {name: hub, namespaces: [storage], subscriptions: {odf: {name: odf-operator}}}\n',
  )
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const write = (file: string, content: string | Uint8Array): void => writeFileSync(join(cwd, file), content)
const run = (args: string, input?: string) =>
  sit(`render clustergroup ${args}`.trim().split(' '), {
    cwd,
    variables: { KUBECONFIG: '' },
    ...(input === undefined ? {} : { input }),
  })

describe('lockstep render clustergroup', () => {
  it('prints the objects of values files, later ones over earlier ones', async () => {
    const { code, out, err } = await run('-f global.yaml -f hub.yaml')
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n')[0]).toBe('# clustergroup of global.yaml, hub.yaml')
    expect(parseAllDocuments(out).map((d) => d.toJS())).toMatchObject([
      {
        kind: 'Namespace',
        metadata: { name: 'storage', labels: { 'argocd.argoproj.io/managed-by': 'edge-hub' } },
      },
      { kind: 'OperatorGroup', spec: { targetNamespaces: ['storage'] } },
      { kind: 'Subscription', metadata: { name: 'odf-operator', namespace: 'openshift-operators' } },
    ])
    const over = 'clusterGroup: {subscriptions: {odf: null}}'
    const names = await run('-f global.yaml -f hub.yaml -f - --sequencing Jobs -o name', over)
    expect(names.out).toBe('namespace/storage\noperatorgroup.operators.coreos.com/storage-operator-group\n')
    const list = JSON.parse((await run('-f global.yaml -f hub.yaml -o json')).out)
    expect([list.kind, list.items.length]).toEqual(['List', 3])
  })

  it('warns beside them', async () => {
    write(
      'lossy.yaml',
      'clusterGroup: {subscriptions: {odf: {name: odf, channel: "5.10", disabled: "false"}, b: {name: b, channel: 5.10}}}',
    )
    const { code, out, err } = await run('-f lossy.yaml')
    expect([code, err.match(/^warning: /gm)?.length]).toEqual([0, 2])
    expect(err).toContain('clusterGroup.subscriptions.odf.disabled: the text "false" disables')
    expect(err).toContain('clusterGroup.subscriptions.b.channel: 5.10 becomes 5.1; quote it to keep it')
    expect(out).toContain('channel: 5.1\n')
  })

  it('is what a Module makes of them, too, with its warnings', async () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'pattern' },
      data: { 'values-hub.yaml': 'clusterGroup: {subscriptions: {b: {name: b, channel: 5.10}}}' },
    }
    const clusterGroup = { valuesFiles: ['values-hub.yaml'], sequencing: 'Jobs' }
    const module = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'group' },
      spec: { source: { configMaps: [{ name: 'pattern' }] }, render: { clusterGroup } },
    }
    const files = (m: object): string => [map, m].map((o) => JSON.stringify(o)).join('\n---\n')
    write('module.yaml', files(module))
    const ran = await sit(['render', '-f', 'module.yaml'], { cwd, variables: { KUBECONFIG: '' } })
    expect([ran.code, ran.err]).toEqual([
      0,
      'warning: ConfigMap default/pattern key values-hub.yaml: clusterGroup.subscriptions.b.channel: 5.10 becomes 5.1; quote it to keep it\n',
    ])
    expect(ran.out).not.toContain('startingCSV')
    const elsewhere = { ...module, spec: { ...module.spec, source: { none: {} } } }
    write('module.yaml', files(elsewhere))
    const refused = await sit(['render', '-f', 'module.yaml'], { cwd, variables: { KUBECONFIG: '' } })
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toContain('requires source.git or source.configMaps')
  })

  it('shows no value of a Secret', async () => {
    const secret = '{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {token: hunter2}}'
    write('secret.yaml', `clusterGroup: {extraObjects: {a: ${secret}}}`)
    for (const format of ['yaml', 'json']) {
      const { code, out } = await run(`-f secret.yaml -o ${format}`)
      expect([code, out.includes('***'), out.includes('hunter2')]).toEqual([0, true, false])
    }
  })

  it('refuses values with all that is wrong, and prints nothing', async () => {
    write('bad.yaml', 'clusterGroup: {subscription: {}, name: 5}')
    const { code, out, err } = await run('-f global.yaml -f bad.yaml')
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('bad.yaml: clusterGroup.name: 5 is a number; quote it ("5")')
    expect(err).toContain('bad.yaml: clusterGroup.subscription: unknown key; did you mean subscriptions?')
    expect(err.match(/hint: /g)).toHaveLength(1)
  })

  const refusals: readonly [string, string | Uint8Array, RegExp][] = [
    ['what YAML is not', 'global: [', /bad\.yaml:\d+:\d+: /],
    ['what is not UTF-8', Uint8Array.of(0x61, 0xff), /bad\.yaml: is not UTF-8/],
    [
      'what the chart could not write',
      'clusterGroup: {subscriptions: {x: {name: x, channel: "a: b"}}}',
      /x\.channel: "a: b" is not a plain value; the chart's output would not parse/,
    ],
    [
      'an object that is none',
      'clusterGroup: {extraObjects: {a: {data: {}}}}',
      /extraObjects: the one with data: apiVersion is missing/,
    ],
    [
      'one without a name',
      'clusterGroup: {extraObjects: {a: {apiVersion: v1, kind: A}}}',
      /metadata is missing/,
    ],
  ]
  it.each(refusals)('refuses %s', async (_, content, says) => {
    write('bad.yaml', content)
    const ran = await run('-f bad.yaml')
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toMatch(says)
  })

  it.each([
    '',
    '-f nowhere.yaml',
    '-f hub.yaml --cluster a',
    '-f hub.yaml --revision 1',
    '-f hub.yaml --sequencing Never',
  ])('%s: 2, and what to give', async (args) =>
    expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('hint: ') }),
  )
  it('--sequencing is for nothing else', async () => {
    const ran = await sit(['render', '-f', 'hub.yaml', '--sequencing', 'Jobs'], {
      cwd,
      variables: { KUBECONFIG: '' },
    })
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('requires render clustergroup') })
  })
})
