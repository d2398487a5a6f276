/** Commands and fields that hints, errors, help and pages mention exist: a command with its flags, and a path in a schema. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { at, isObject, type JsonValue } from '@lockstep/kube/object'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownCrds, sharedCrds } from '../../packages/lockstep/src/api/crd/index.ts'
import { allCommands } from '../../packages/lockstep/src/cli/commands/index.ts'
import { globalOptions } from '../../packages/lockstep/src/cli/kit/globals.ts'
import type { Command, Option } from '../../packages/lockstep/src/cli/kit/index.ts'
import { sourcePieces } from '../../scripts/words/source.js'

interface Mention {
  readonly place: string
  readonly text: string
}

/** Sources and pages that users read. Bodies of ADRs are history, and tests run their own commands. */
const isRead = (path: string): boolean =>
  existsSync(path) &&
  !/^docs\/adr\/|\.(?:test|cases|generated)\.\w+$|formername\.ts$/.test(path) &&
  /^(?:packages\/[^/]+\/src\/.*\.ts|(?:docs|packages|examples)\/.*\.(?:md|yaml)|[^/]+\.md)$/.test(path)

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .split('\n')
  .filter(isRead)
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** Strings of a source, or a whole page. */
const piecesOf = ({ path, text }: (typeof files)[number]): readonly { at: number; text: string }[] =>
  path.endsWith('.ts') ? sourcePieces(text).filter((p) => p.surface === 'strings') : [{ at: 0, text }]

const mentionsOf = (expression: RegExp): Mention[] =>
  files.flatMap((file) =>
    piecesOf(file).flatMap((piece) =>
      [...piece.text.matchAll(expression)].map((m) => ({
        place: `${file.path}:${file.text.slice(0, piece.at + m.index).split('\n').length}`,
        text: m[1]!,
      })),
    ),
  )

/** A placeholder, such as NAME, `…` or `${name}`, stands for any word. */
const isPlaceholder = (word: string): boolean => !/^-{0,2}[a-z][a-z-]*$/.test(word)

const isKnown = (flag: string, options: readonly Option[]): boolean =>
  flag === '--help' || options.some((o) => o.flags.split(/[ ,]+/).includes(flag))

/** Words of a command up to the end of its clause. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const word of text.trim().split(/\s+/)) {
    words.push(word.replace(/[.,:]+$/, ''))
    if (/[.,:]$/.test(word)) break
  }
  return words
}

function commandProblem(commands: readonly Command[], text: string): string | undefined {
  const [name = '', ...rest] = wordsOf(text)
  if (isPlaceholder(name) || name.startsWith('-')) return undefined
  const command = commands.find((c) => c.name === name)
  if (!command) return `no command ${name}`
  const actions = command.actions ?? []
  const [first = ''] = rest
  const action = actions.find((a) => a.name === first)
  if (actions.length > 0 && !action && first !== '' && !isPlaceholder(first) && !first.startsWith('-'))
    return `no action ${first} of ${name}`
  const options = [...globalOptions, ...(command.options ?? []), ...actions.flatMap((a) => a.options)]
  const flags = rest.map((word) => /^-(?:-[a-z][a-z-]*|[a-zA-Z])(?==|$)/.exec(word)?.[0] ?? '')
  const unknown = flags.find((flag) => flag !== '' && !isKnown(flag, options))
  return unknown === undefined ? undefined : `no flag ${unknown} of ${name}`
}

describe('commands', () => {
  let commands: readonly Command[] = []
  beforeAll(async () => {
    commands = await allCommands()
  })
  const mentions = mentionsOf(/(?<![\w./@$:-]|\bname: )lockstep +([^\n`'"|#;()<>\\]*)/g)

  it('exist with their actions and flags', () => {
    expect(mentions.length).toBeGreaterThan(200)
    const problems = mentions.map((m) => ({ ...m, problem: commandProblem(commands, m.text) }))
    expect(problems.filter((p) => p.problem !== undefined)).toEqual([])
  })
  it.each([
    ['statsu web', 'no command statsu'],
    ['rollout stop web', 'no action stop of rollout'],
    ['get modules --all', 'no flag --all of get'],
    ['status web -x', 'no flag -x of status'],
  ])('of lockstep %s are missed', (text, problem) => {
    expect(commandProblem(commands, text)).toBe(problem)
  })
})

/** Files about kinds of other tools. */
const FOREIGN_FILES = [
  /^packages\/lockstep\/src\/tools\//,
  /^packages\/lockstep\/src\/cli\/commands\/demo\//,
  /^packages\/(?:health|cel|apiserver|simulators|kube)\//,
  /^docs\/reference\/(?:check-flux|import-\w+|post-render|health|clustergroup)\.md$/,
  /^packages\/lockstep\/src\/decisions\/(?:clustergroup|order|weave)\//,
]

/** Fields of other kinds that texts mention, and their kind. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  'spec.priority': 'Pod',
  'spec.paused': 'Cluster of Cluster API',
  'spec.cluster.config': 'ExecCredential',
  'spec.ports[0].port': 'Service',
  'spec.groups': 'PrometheusRule',
  'spec.healthChecks': 'Kustomization',
  'spec.topology.version': 'Cluster of Cluster API',
  'spec.chart.spec.version': 'HelmRelease',
  'spec.postRenderers': 'HelmRelease',
  'spec.ts': 'a file',
  'spec.scope': 'former field of a Hold',
}

const specs = [...ownCrds(), ...sharedCrds()].map((crd) =>
  at(crd, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema'),
)

function hasPath(schema: JsonValue | undefined, path: readonly string[]): boolean {
  if (!isObject(schema)) return false
  const [first, ...rest] = path
  if (first === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return true
  if (schema.type === 'array') return hasPath(schema.items, path)
  if (isObject(schema.additionalProperties)) return hasPath(schema.additionalProperties, rest)
  return hasPath(at(schema, 'properties', first), rest)
}

const isField = (path: string): boolean => {
  const steps = path.replace(/\[[^\]]*\]/g, '').split('.')
  return specs.some((schema) => hasPath(schema, steps))
}

describe('paths of fields', () => {
  const mentions = mentionsOf(/(?<![\w.$/-])(spec(?:\.[a-zA-Z]+(?:\[[^\]\n]*\])?)+)(?![\w/:]|\.\w)/g).filter(
    ({ place }) => !FOREIGN_FILES.some((f) => f.test(place.split(':')[0]!)),
  )

  it('are in the schema of a kind', () => {
    expect(mentions.length).toBeGreaterThan(100)
    const unknown = mentions.filter((m) => !isField(m.text) && !Object.hasOwn(FOREIGN_FIELDS, m.text))
    expect(unknown).toEqual([])
    const mentioned = new Set(mentions.map((m) => m.text))
    expect(Object.keys(FOREIGN_FIELDS).filter((path) => !mentioned.has(path))).toEqual([])
  })
  it.each(['spec.rolout', 'spec.rollout.undo.form', 'spec.source.git.ref.branche'])(
    '%s is missed',
    (path) => {
      expect(isField(path)).toBe(false)
    },
  )
  it.each(['spec.source.git.ref.tag', 'spec.environments[0].promotion', 'spec.apply.ignore[].paths'])(
    '%s is found',
    (path) => {
      expect(isField(path)).toBe(true)
    },
  )
})
