/** `hub.own` takes records only: the type checker refuses other requests with the rights of the controller. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

const FILE = resolve('test/types/planted.ts')

const HEAD = `
import { type KubeClient, listAll } from '@lockstep/kube/client'
import { startInformer } from '@lockstep/kube/cache'
import type { Env } from '@lockstep/kube/env'
import { configMapKind, leaseKind, secretKind } from '@lockstep/kube/kinds'
import { defineKind, type KubeObject } from '@lockstep/kube/object'
import type { Account } from '../../packages/lockstep/src/api/account.ts'
import { inventoryKind, moduleKind, resourceSetKinds } from '../../packages/lockstep/src/api/kinds/index.ts'
import { clusterSecretKind, records } from '../../packages/lockstep/src/api/records.ts'
import type { HubInformers } from '../../packages/lockstep/src/controllers/cache/index.ts'
import type { Fleet } from '../../packages/lockstep/src/fleet/clusters/index.ts'
declare const env: Env
declare const hub: HubInformers
declare const fleet: Fleet
declare const account: Account
declare const secret: KubeObject
const key = { namespace: 'n', name: 'n' }
const read = { purpose: 'sync' } as const
const write = { ...read, manager: 'm', precondition: 'any' } as const
const widget = defineKind({ group: 'x.dev', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true })
const view = fleet.view('n', 'hub')!
`

/** Statements that pass, and those that must not. */
const PASSES = [
  'hub.own.get(moduleKind, key, read)',
  'hub.own.patch(inventoryKind, key, {}, write)',
  'hub.own.get(resourceSetKinds[0]!, key, read)',
  'hub.own.get(records.namespace, key, read)',
  'hub.own.delete(records.bundle, key, write)',
  'listAll(hub.own, records.bundle, { ...read, namespace: "n" })',
  'hub.credentials.get(clusterSecretKind, key, read)',
  'hub.inputs(account).get(secretKind, key, read)',
  'fleet.session(view, account)?.client.get(widget, key, read)',
] as const
const REFUSED = [
  'hub.own.get(secretKind, key, read)',
  'hub.own.list(secretKind, read)',
  'hub.own.patch(secretKind, key, {}, write)',
  'hub.own.get(configMapKind, key, read)',
  'hub.own.create(configMapKind, secret as never, write)',
  'hub.own.get(leaseKind, key, read)',
  'hub.own.get(widget, key, read)',
  'hub.own.apply(widget, secret, write)',
  // Bundles and keys are found by label and in caches: no Secret is read by its name.
  'hub.own.get(records.bundle, key, read)',
  'hub.own.get(records.keys, key, read)',
  'hub.own.get(clusterSecretKind, key, read)',
  'hub.own.delete(clusterSecretKind, key, write)',
  'hub.credentials.get(secretKind, key, read)',
  'hub.credentials.list(records.bundle, read)',
  'listAll(hub.own, secretKind, read)',
  'startInformer(env, hub.own, { kind: secretKind, project: (o) => o })',
  'const client: KubeClient = hub.own',
  'const client: Pick<KubeClient, "get"> = hub.own',
  'hub.own.logs(key, { ...read, container: "c", tailLines: 1, limitBytes: 1 })',
  'hub.own.discover(read)',
  // The hub as a cluster: its objects need an account.
  'fleet.connection(view)?.client',
  'fleet.connection(view)?.selections',
  'fleet.session(view)',
  'fleet.clusterObjects?.select(secretKind, "n")',
] as const

/** Messages of the type checker about each statement, by its text. */
function checked(): ReadonlyMap<string, readonly string[]> {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const lines = [...PASSES, ...REFUSED].map((s) => `{ ${s} }`)
  const first = HEAD.split('\n').length - 1
  const text = `${HEAD}${lines.join('\n')}\nexport {}\n`
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (path) => resolve(path) === FILE || fileExists(path)
  host.readFile = (path) => (resolve(path) === FILE ? text : readFileSync(path, 'utf8'))
  host.getSourceFile = (path, o, ...rest) =>
    resolve(path) === FILE
      ? ts.createSourceFile(path, text, o, true)
      : getSourceFile.call(host, path, o, ...rest)
  const unused = { noUnusedLocals: false, noUnusedParameters: false }
  const program = ts.createProgram([FILE], { ...options, ...unused }, host)
  const file = program.getSourceFile(FILE)!
  const found = new Map<string, string[]>([...PASSES, ...REFUSED].map((s) => [s, []]))
  for (const d of program.getSemanticDiagnostics(file)) {
    const { line } = file.getLineAndCharacterOfPosition(d.start!)
    const statement = [...PASSES, ...REFUSED][line - first] ?? `line ${line}`
    const said = ts.flattenDiagnosticMessageText(d.messageText, '\n')
    found.set(statement, [...(found.get(statement) ?? []), said])
  }
  return found
}

describe('with the rights of the controller', () => {
  let found: ReadonlyMap<string, readonly string[]> = new Map()
  beforeAll(() => {
    found = checked()
  }, 120_000)

  it.each(PASSES)('%s passes', (statement) => expect(found.get(statement)).toEqual([]))
  it.each(REFUSED)('%s is refused', (statement) =>
    expect(found.get(statement)?.join()).toMatch(
      /Mark|Property '(client|selections|logs|discover)' does not exist|Expected 2 arguments|missing the following properties/,
    ),
  )
  it('nothing else of the file is refused', () =>
    expect([...found.keys()].filter((s) => s.startsWith('line'))).toEqual([]))
})
