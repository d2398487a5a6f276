/** What admission policies refuse, and in which words, on the embedded and on a real API server. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection } from '../../packages/kube/src/env/net.ts'
import { at, isObject, type JsonObject, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { BINDINGS, POLICIES, type PolicyCase, policyCases, rule } from './policies.cases.ts'
import {
  causesOf,
  openTwin,
  send,
  type Twin,
  type TwinAnswer,
  type TwinRequest,
  words,
} from './servertwin.ts'
import { wrongPolicies } from './wrongpolicies.cases.ts'

let twin: Twin

beforeAll(() => {
  twin = openTwin()
})
afterAll(() => twin.close())

const created = async (c: Connection, path: string, body: JsonObject): Promise<void> => {
  const made = await send(c, { method: 'POST', path, body })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
}

/** A real server obeys a policy some time after it has stored it: another one with the same namespace shows when. */
async function install(c: Connection, namespace: string, { policy, binding }: PolicyCase): Promise<void> {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
  const constraints = { ...(policy.matchConstraints as JsonObject), namespaceSelector }
  const spec = { ...policy, matchConstraints: constraints }
  await created(c, POLICIES, { metadata: { name: namespace }, spec })
  const bound = { validationActions: ['Deny'], ...binding, policyName: namespace }
  await created(c, BINDINGS, { metadata: { name: namespace }, spec: bound })
  const probe = {
    matchConstraints: { resourceRules: [rule(['CREATE'], ['limitranges'])], namespaceSelector },
    validations: [{ expression: 'false' }],
  }
  await created(c, POLICIES, { metadata: { name: `${namespace}-probe` }, spec: probe })
  await created(c, BINDINGS, {
    metadata: { name: `${namespace}-probe` },
    spec: { policyName: `${namespace}-probe`, validationActions: ['Deny'] },
  })
  const path = `/api/v1/namespaces/${namespace}/limitranges?dryRun=All`
  for (let tries = 0; tries < 100; tries++) {
    const tried = await send(c, { method: 'POST', path, body: { metadata: { name: 'probe' } } })
    if (tried.status === 422) return
    await pause(50)
  }
  throw new Error(`the policy ${namespace} is not obeyed`)
}

function shown({ status, body, warning }: TwinAnswer): JsonValue {
  const isRefusal = isObject(body) && body.kind === 'Status' && body.status === 'Failure'
  return {
    status,
    warning: warning ?? '',
    refusal: isRefusal
      ? {
          message: at(body, 'message') ?? '',
          reason: at(body, 'reason') ?? '',
          details: at(body, 'details') ?? '',
        }
      : '',
  }
}

/** What a policy takes its parameters from is seen by a real server a moment later: it is asked, and nothing is written. */
async function untilSame(request: TwinRequest, expected: JsonValue): Promise<void> {
  const tried = { ...request, path: `${request.path}?dryRun=All` }
  const ask = async (): Promise<JsonValue> => shown(await send(twin.real, tried))
  await expect.poll(ask, { timeout: 10_000 }).toEqual(expected)
}

describe('a policy', () => {
  it.each(policyCases.map((c, i) => [c.name, c, i] as const))('%s', async (_, policy, i) => {
    const namespace = `policy-${i}`
    const begin = async (c: Connection): Promise<void> => {
      await created(c, '/api/v1/namespaces', { metadata: { name: namespace } })
      for (const step of policy.before ?? []) {
        const done = await send(c, step(namespace))
        if (done.status >= 300) throw new Error(JSON.stringify(done.body))
      }
      await install(c, namespace, policy)
    }
    await Promise.all([begin(twin.embedded), begin(twin.real)])
    const [embedded, real]: [JsonValue[], JsonValue[]] = [[], []]
    for (const step of policy.steps) {
      const request = step(namespace)
      const expected = shown(await send(twin.embedded, request))
      if (policy.binding?.paramRef) await untilSame(request, expected)
      embedded.push(expected)
      real.push(shown(await send(twin.real, request)))
    }
    expect(embedded).toEqual(real)
  })
})

describe('a policy or binding that is wrong', () => {
  it.each(wrongPolicies)('%s', async (_, path, body) => {
    const [embedded, real] = await Promise.all(
      [twin.embedded, twin.real].map((c) => send(c, { method: 'POST', path: `${path}?dryRun=All`, body })),
    )
    expect(causesOf(embedded!)).toEqual(causesOf(real!))
    expect(words(String(at(embedded!.body, 'reason')))).toBe(words(String(at(real!.body, 'reason'))))
  })
})
