/** Flags of `lockstep cluster add`. */
import { ok, type Result } from '@lockstep/kube/env'
import { isArray, type JsonValue, parseYamlStream, YamlError } from '@lockstep/kube/object'
import type { RoleRule } from '../../../deliver/rights/index.ts'
import { LEAST_TOKEN_SECONDS, TOKEN_SECONDS } from '../../../fleet/credentials/index.ts'
import { readSources } from '../../kit/documents/index.ts'
import {
  type CliFailure,
  type CommandContext,
  durationFlag,
  type Flags,
  failed,
  isSet,
  textFlag,
} from '../../kit/index.ts'

/** `Modules`: as Modules need. `Read`: identity and definitions only. */
export type AddedRights = 'Modules' | 'Read' | readonly RoleRule[]

export interface AddFlags {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly rights: AddedRights
  /** Seconds of a token. */
  readonly seconds: number
  /** Address of the cluster for the controller; absent: that of the context. */
  readonly server: string | undefined
  readonly isDryRun: boolean
}

/** Names of objects (RFC 1123 subdomain). */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

export async function addFlags(
  c: CommandContext,
  context: string,
  flags: Flags,
): Promise<Result<AddFlags, CliFailure>> {
  const name = textFlag(flags, 'name') ?? context
  if (!NAME.test(name))
    return failed('E_USAGE', {
      problem: `"${name}" cannot be the name of an object: lower case letters, digits, - and . only`,
      suggestion: `give another name: lockstep cluster add ${context} --name NAME`,
    })
  const labels = labelsOf(textFlag(flags, 'labels') ?? '')
  if (!labels.ok) return labels
  const rights = await rightsOf(c, textFlag(flags, 'rights') ?? 'modules')
  if (!rights.ok) return rights
  const ttl = textFlag(flags, 'tokenTtl')
  const life = ttl === undefined ? ok(TOKEN_SECONDS * 1000) : durationFlag('token-ttl', ttl)
  if (!life.ok) return life
  if (life.value < LEAST_TOKEN_SECONDS * 1000)
    return failed('E_USAGE', {
      problem: `--token-ttl ${ttl}: API servers grant at least 10m`,
      suggestion: 'for example: --token-ttl 24h',
    })
  return ok({
    name,
    labels: labels.value,
    rights: rights.value,
    seconds: Math.floor(life.value / 1000),
    server: textFlag(flags, 'clusterServer'),
    isDryRun: isSet(flags, 'dryRun'),
  })
}

function labelsOf(text: string): Result<Record<string, string>, CliFailure> {
  const labels: Record<string, string> = {}
  for (const part of text.split(',').filter((p) => p !== '')) {
    const [, key, value] = /^([^=\s]+)=([^=\s]*)$/.exec(part) ?? []
    if (key === undefined || value === undefined)
      return failed('E_USAGE', {
        problem: `--labels ${text}: "${part}" is not KEY=VALUE`,
        suggestion: 'for example: --labels env=prod,region=eu',
      })
    labels[key] = value
  }
  return ok(labels)
}

async function rightsOf(c: CommandContext, word: string): Promise<Result<AddedRights, CliFailure>> {
  if (word === 'modules') return ok('Modules')
  if (word === 'read') return ok('Read')
  const read = await readSources(c, [word])
  if (!read.ok) return read
  const rules: RoleRule[] = []
  for (const { file, text } of read.value) {
    const found = rulesOf(text)
    if (!found.ok) return failed('E_FILE_READ', { path: file, problem: found.error }, { file })
    rules.push(...found.value)
  }
  return ok(rules)
}

function rulesOf(text: string): Result<RoleRule[], string> {
  let documents: JsonValue[]
  try {
    documents = parseYamlStream(text).filter((d) => d !== null)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return { ok: false, error: `line ${e.line}: ${e.message}` }
  }
  const rules: RoleRule[] = []
  for (const d of documents) {
    const { kind, rules: list } = d as { kind?: JsonValue; rules?: JsonValue }
    if (kind !== 'ClusterRole' || !isArray(list))
      return { ok: false, error: 'each document must be a ClusterRole with rules' }
    rules.push(...(list as unknown as RoleRule[]))
  }
  return ok(rules)
}
