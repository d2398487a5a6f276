/** The endpoint of events: open from the start of the process on, also while another one leads. */

import type { Listening, Result } from '@lockstep/kube/env'
import { trustedProxies } from '../../../decisions/promotion/index.ts'
import {
  openWebhookServer,
  WEBHOOK_LIMITS,
  type WebhookReceiver,
} from '../../../gitproviders/events/index.ts'
import { type CliFailure, type CommandContext, type Flags, failed, type Option, textFlag } from '../index.ts'
import { addressFlag, type ListenAddress, listenFailed } from './addressflag.ts'

export const eventOptions: readonly Option[] = [
  {
    flags: '--events-address <host:port>',
    text: 'HTTP address for events of Pipelines; without it none are accepted',
  },
  {
    flags: '--trusted-proxies <networks>',
    text: 'proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8',
  },
]

export interface EventFlags extends ListenAddress {
  readonly trusted: Parameters<typeof openWebhookServer>[1]['trusted']
}

const ADDRESS = 'events-address'
const PROXIES = 'trusted-proxies'

/** Undefined: no events are taken. */
export function eventFlags(flags: Flags): Result<EventFlags | undefined, CliFailure> {
  const address = textFlag(flags, 'eventsAddress')
  const proxies = textFlag(flags, 'trustedProxies')
  const wrong = (problem: string, suggestion: string) => failed('E_USAGE', { problem, suggestion })
  if (address === undefined)
    return proxies === undefined
      ? { ok: true, value: undefined }
      : wrong(`--${PROXIES} requires --${ADDRESS}`, `add --${ADDRESS}`)
  const place = addressFlag(ADDRESS, address)
  if (!place.ok) return place
  const trusted = proxies === undefined ? { ok: true as const, value: [] } : trustedProxies(proxies)
  if (!trusted.ok) return wrong(`--${PROXIES}: ${trusted.error}`, 'for example: 10.0.0.0/8,fd00::/8')
  return { ok: true, value: { ...place.value, trusted: trusted.value } }
}

export async function openEvents(
  { env }: CommandContext,
  flags: EventFlags | undefined,
  desk: () => WebhookReceiver | undefined,
): Promise<Result<Listening | undefined, CliFailure>> {
  if (!flags) return { ok: true, value: undefined }
  const { host, port, trusted } = flags
  const opened = await env.net.listen(
    { host, port, limits: WEBHOOK_LIMITS },
    openWebhookServer(env, { trusted, desk }),
  )
  if (!opened.ok) return listenFailed(ADDRESS, flags, opened.error)
  env.log.info('takes events', { reason: 'Listening', address: opened.value.url })
  return opened
}
