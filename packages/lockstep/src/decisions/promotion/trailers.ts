/** What a promotion leaves in Git and at the host, to be recognised by: trailers of its commit, and the end of a body. */
import { keyOfPromotion, type PromotionId, type PromotionKey } from './promotionkey.ts'

const NAMES = {
  key: 'Lockstep-Promotion',
  environment: 'Lockstep-Environment',
  revision: 'Lockstep-Revision',
  epoch: 'Lockstep-Epoch',
} as const

/** Of a commit. */
export interface Trailers {
  readonly key: PromotionKey
  readonly environment: string
  readonly revision: string
  readonly epoch: number
}

export const titleOf = ({ identity, revision, environment }: PromotionId): string =>
  `Promote ${identity} to ${revision} in ${environment}`

/** The message of the commit: its title, and the trailers as `git interpret-trailers` reads them. */
export function messageOf(id: PromotionId): string {
  const trailers = {
    [NAMES.key]: keyOfPromotion(id),
    [NAMES.environment]: id.environment,
    [NAMES.revision]: id.revision,
    [NAMES.epoch]: id.epoch,
  }
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`)
  return `${titleOf(id)}\n\n${lines.join('\n')}\n`
}

/**
 * Those of a commit. A squash has them somewhere in its text, a host may have indented or quoted them: the last of each name
 * counts, wherever it is. Undefined: it is not ours.
 */
export function trailersOf(message: string): Trailers | undefined {
  const found = new Map<string, string>()
  for (const line of message.split('\n')) {
    const [, name, value] = /^[\s>*]*(Lockstep-[A-Za-z]+):\s*(\S.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) found.set(name, value)
  }
  const [key, environment, revision, epoch] = [NAMES.key, NAMES.environment, NAMES.revision, NAMES.epoch].map(
    (n) => found.get(n),
  )
  if (key === undefined || !/^[0-9a-f]{64}$/.test(key)) return undefined
  return { key, environment: environment ?? '', revision: revision ?? '', epoch: Number(epoch ?? 0) || 0 }
}

const MARK = /<!--\s*lockstep-promotion:\s*([0-9a-f]{64})\s*-->/g

export const promotionMarker = (key: PromotionKey): string => `<!-- lockstep-promotion: ${key} -->`

/** The key in the body of a pull request: the last, since people write above it. Undefined: there is none. */
export const keyInBody = (body: string): PromotionKey | undefined => [...body.matchAll(MARK)].at(-1)?.[1]

/** The body with this key and no other; what people have written stays. */
export function withKey(body: string, key: PromotionKey): string {
  const text = body.replaceAll(MARK, '').trimEnd()
  return text === '' ? promotionMarker(key) : `${text}\n\n${promotionMarker(key)}`
}
