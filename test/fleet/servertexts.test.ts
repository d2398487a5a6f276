/** A16: a cluster answers with texts of its own. Nothing of a body is stored, and nothing that a terminal acts on. */
import { expect, it } from 'vitest'
import type { ServerResponse } from '../../packages/kube/src/env/net.ts'
import { renderedText } from '../../packages/lockstep/src/api/blocker.ts'
import { configManifest, Story } from './steps.ts'

const CANARY = 'secret-of-the-body'
const HOSTILE = `\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e${'x'.repeat(300)}`

const answer = (status: number, type: string, body: string): ServerResponse => ({
  status,
  headers: { 'content-type': type },
  body,
})
const statusOf = (message: string): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: 500 })

const ANSWERS: readonly (readonly [string, ServerResponse, string])[] = [
  ['text', answer(500, 'text/plain', CANARY), '500 (text/plain, 18 bytes, not shown)'],
  ['HTML', answer(500, 'text/html', `<html>${CANARY}</html>`), '500 (text/html, 31 bytes, not shown)'],
  ['HTML of a proxy', answer(403, 'text/html', `<html>${CANARY}</html>`), '(text/html, 31 bytes, not shown)'],
  [
    'a Status of 3 MB',
    answer(500, 'application/json', statusOf('y'.repeat(3_000_000))),
    '1 of 1 cluster unreachable',
  ],
  [
    'a Status with ESC and OSC',
    answer(500, 'application/json', statusOf(HOSTILE)),
    '500 \\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202exx',
  ],
]

/** All that the controllers have written on the hub. */
const stored = (story: Story): readonly unknown[] =>
  [
    'modules.lockstep.dev',
    'inventories.lockstep.dev',
    'remoteassemblages.lockstep.dev',
    'events',
    'events.events.k8s.io',
  ].flatMap((resource) => story.fleet.objects(resource))

/** Every text in an object. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(texts)
}

it.each(ANSWERS)('A16: %s', async (name, response, shown) => {
  const story = await Story.begin(`a16 ${name}`, ['c1'])
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  story.fleet.env.net.serve('https://c1.test', async () => response)
  await story.config('web', configManifest('web', '2'))
  const says = (): string => story.blockers('web').join('\n')
  expect(await story.until(() => says().includes(shown), 300), says()).toBe(true)
  const all = texts(stored(story))
  expect(all.some((t) => t.includes(shown))).toBe(true)
  expect(all.filter((t) => t.includes(CANARY))).toEqual([])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
  expect(all.filter((t) => /[\u0000-\u001f\u007f-\u009f\u202e]/.test(t))).toEqual([])
  for (const b of story.see('web').status?.blockers ?? []) {
    expect(renderedText(b)).toBe(b.message)
    expect(b.message.length).toBeLessThan(400)
  }
})
