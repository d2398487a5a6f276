// The arguments of scripts/test.js.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './process.js'

export class Usage extends Error {}

const SHARD = /^([1-9]\d*)\/([1-9]\d*)$/

/** The tier and its options; throws `Usage` with a message for the user. */
export function ask(args, tiers) {
  const [tier, ...rest] = args
  if (!tiers.includes(tier)) throw new Usage(`unknown tier "${tier ?? ''}": use ${tiers.join(', ')}`)
  const options = {
    shard: { type: 'string' },
    long: { type: 'boolean' },
    since: { type: 'string' },
    package: { type: 'string' },
  }
  try {
    const { values } = parseArgs({ args: rest, options, strict: true })
    return { tier, ...checked(tier, values) }
  } catch (e) {
    throw e instanceof Usage ? e : new Usage(e.message)
  }
}

function checked(tier, { shard, long, since, package: name }) {
  if (long && tier !== 'real') throw new Usage('--long is an option of npm run test:real')
  if (name !== undefined && !existsSync(join(root, 'packages', name)))
    throw new Usage(`--package ${name}: no folder packages/${name}`)
  if (since !== undefined && tier !== 'changed')
    throw new Usage('--since is an option of npm run test:changed')
  if (shard === undefined) return { long, since, package: name }
  const [, index, count] = SHARD.exec(shard) ?? []
  if (count === undefined || Number(index) > Number(count))
    throw new Usage(`--shard ${shard}: use i/n, such as 1/4`)
  return { long, since, package: name, shard }
}
